"""Bytes and characters that break readers: text is found, quoted as it was, and always valid UTF-8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.builders import OpenCase, assistant, compacted, header, index_lines, user

TAIL = ["b0000001", "b0000002", "c0000001", "d0000001"]


def test_half_an_emoji_becomes_a_replacement_character_and_keeps_its_entry(open_case: OpenCase) -> None:
    logs = open_case("lone_half_emoji")
    answer = logs.retrieve("why did `crane_feed_7` drop readings")

    assert list(logs.entries()) == ["a0000001", "a0000002", "a0000003", *TAIL]
    assert set(answer.ids) == {"a0000001", "a0000002", "a0000003"}
    assert answer.excerpt("a0000002").endswith("readings=0 state \ufffd")


def test_an_answer_about_half_an_emoji_is_valid_utf8_without_nul(open_case: OpenCase) -> None:
    answer = open_case("lone_half_emoji").retrieve("why did `crane_feed_7` drop readings")

    written = json.dumps(answer.values, ensure_ascii=False).encode("utf-8", "strict")
    assert b"\0" not in written


def test_text_behind_an_escaped_nul_is_found(open_case: OpenCase) -> None:
    logs = open_case("escaped_nul")

    assert list(logs.entries()) == ["a0000001", "a0000002", "a0000003", *TAIL]
    assert set(logs.retrieve("`VALVE_PIN_31`").ids) == {"a0000002", "a0000003"}
    assert set(logs.retrieve("`VALVE_PIN_31`").literal_ids) == {"a0000002", "a0000003"}


def test_a_nul_in_evidence_is_escaped(open_case: OpenCase) -> None:
    answer = open_case("escaped_nul").retrieve("`VALVE_PIN_31`")

    assert "\0" not in answer.hit("a0000002")["message"]["content"]
    assert "\0" not in json.dumps(answer.values, ensure_ascii=False)


@pytest.mark.parametrize(
    ("case", "request_text"),
    [
        pytest.param("byte_order_mark", "who holds lock_gate_key", id="byte order mark"),
        pytest.param("crlf_lines", "`tide_cfg`", id="CRLF"),
    ],
)
def test_marks_around_lines_cost_nothing(open_case: OpenCase, case: str, request_text: str) -> None:
    logs = open_case(case)

    assert logs.report["rejects"]["total"] == 0
    assert logs.report["warnings"] == []
    assert list(logs.entries()) == ["a0000001", "a0000002", *TAIL]
    assert set(logs.retrieve(request_text).ids) == {"a0000001", "a0000002"}


def test_a_carriage_return_is_no_part_of_the_text(open_case: OpenCase) -> None:
    answer = open_case("crlf_lines").retrieve("`tide_cfg`")

    assert answer.excerpt("a0000001").endswith("reads tide_cfg")
    assert answer.literal_ids == {"a0000001", "a0000002"}


def test_invalid_bytes_cost_only_themselves(open_case: OpenCase) -> None:
    logs = open_case("invalid_utf8")
    answer = logs.retrieve("`anchor_mode`")

    assert list(logs.entries()) == ["a0000001", "a0000002", "a0000003", *TAIL]
    assert set(answer.ids) == {"a0000001", "a0000002", "a0000003"}
    assert answer.excerpt("a0000002").endswith("register: p\ufffd\ufffd\ufffd anchor_mode=slack")


def test_composed_and_decomposed_accents_find_each_other(open_case: OpenCase) -> None:
    logs = open_case("composed_and_decomposed")

    assert {"a0000001", "a0000002", "a0000003"} <= set(logs.retrieve("marèa").ids)
    assert {"a0000001", "a0000003"} <= set(logs.retrieve("mare\u0300a alta").ids)


def test_quoted_text_keeps_its_decomposed_form(open_case: OpenCase) -> None:
    answer = open_case("composed_and_decomposed").retrieve("marèa entry")

    assert answer.excerpt("a0000002") == "The mare\u0300a entry is decomposed here."
    assert "The mare\u0300a entry" in answer.hit("a0000002")["message"]["content"]


def test_a_letter_that_grows_when_lowered_does_not_shift_the_excerpt(tmp_path: Path) -> None:
    text = "\u0130" * 9_000 + " capital_probe and what follows"
    logs = index_lines([header(), user("a0000001", None, text), *compacted("a0000001")], tmp_path)
    excerpt = logs.retrieve("capital_probe").excerpt("a0000001")

    assert "capital_probe" in excerpt
    assert excerpt in text


def test_dotted_and_dotless_i_do_not_disturb_words_behind_them(open_case: OpenCase) -> None:
    logs = open_case("dotted_capital_i")

    assert logs.retrieve("capital_probe").ids == ["a0000001"]
    assert "capital_probe" in logs.retrieve("capital_probe").excerpt("a0000001")
    assert logs.retrieve("kıyı").ids == ["a0000002"]
    assert logs.retrieve("KIYI").status in ("complete", "no-hits")


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        pytest.param("日志", {"a0000001", "a0000002"}, id="two characters inside a run"),
        pytest.param("tide-plan", {"a0000002"}, id="Latin glued to Chinese"),
        pytest.param("コンテナ", {"a0000004"}, id="katakana"),
    ],
)
def test_scripts_without_spaces_are_found_inside_a_run(
    open_case: OpenCase, request_text: str, found: set[str]
) -> None:
    assert set(open_case("cjk").retrieve(request_text).ids) == found


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        pytest.param("⚓ dock_south", {"a0000001", "a0000002"}, id="beside a word"),
        pytest.param("`⚓`", {"a0000001", "a0000002"}, id="in backticks"),
        pytest.param("`👩‍🔧`", {"a0000002"}, id="joined and in backticks"),
    ],
)
def test_emoji_in_backticks_are_searched(open_case: OpenCase, request_text: str, found: set[str]) -> None:
    answer = open_case("emoji").retrieve(request_text)

    assert answer.status == "complete"
    assert set(answer.ids) == found


def test_an_emoji_alone_is_no_topic(open_case: OpenCase) -> None:
    assert open_case("emoji").retrieve("⚓").status == "no-query"


def test_an_excerpt_deep_in_joined_emoji_cuts_none_in_half(tmp_path: Path) -> None:
    text = "x" * 50_000 + " late_mark " + "👩‍🔧" * 3_000
    turns = [user("a0000001", None, text), assistant("a0000002", "a0000001", "late_mark is set.")]
    answer = index_lines([header(), *turns, *compacted("a0000002")], tmp_path).retrieve("`late_mark`")
    excerpt = answer.excerpt("a0000001")

    assert set(answer.ids) == {"a0000001", "a0000002"}
    assert len(excerpt) <= 6000
    assert excerpt in text
    assert excerpt.count("👩") == excerpt.count("👩‍🔧")
    assert not excerpt.startswith(("\u200d", "🔧"))
