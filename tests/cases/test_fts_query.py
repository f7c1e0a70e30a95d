"""Requests that search engines misread: operators, quotes, wildcards, marks, stopwords, a pasted log."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cases.builders import OpenCase


@pytest.mark.parametrize(
    "request_text",
    [
        "buoy-light",
        "buoy.light",
        "buoy/light",
        "buoy:light",
        '"buoy light',
        "buoy*",
        "^buoy",
        "buoy AND",
        "OR buoy",
        "NOT buoy",
        "buoy NEAR light",
        "NEAR(buoy light, 2)",
        "(buoy",
        "buoy)",
        "buoy + light",
        "-buoy",
        "{buoy}: light",
        "buoy's light",
        "buoy, light; light?",
        "buoy = light",
        "buoy <> light",
        "buoy % light",
        "buoy_light?",
        "body : buoy",
        "rowid:1 buoy",
        "buoy && light || !x",
        "buoy\0 light",
        'buoy""light"',
    ],
)
def test_operators_of_search_engines_are_plain_marks(open_case: OpenCase, request_text: str) -> None:
    answer = open_case("fts_operators").retrieve(request_text)

    assert answer.status == "complete"
    assert {"a0000001", "a0000002"} & set(answer.ids)
    assert "a0000003" not in answer.ids


@pytest.mark.parametrize(
    "request_text",
    [
        "docker_log'; DROP TABLE sessions; --",
        'docker_log" OR 1=1 --',
        "docker_log') UNION SELECT 1,2,3 --",
        "docker_log %27%3B",
        "docker_log; ATTACH DATABASE 'made_by_request.db' AS x;",
        "docker_log'); COPY (SELECT 1) TO 'made_by_request.csv'; --",
    ],
)
def test_sql_in_a_request_is_text(
    open_case: OpenCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_text: str
) -> None:
    logs = open_case("sql_in_request")
    before = logs.sessions(), list(logs.entries())
    monkeypatch.chdir(tmp_path)
    answer = logs.retrieve(request_text)

    assert {"a0000001", "a0000002"} <= set(answer.ids)
    assert (logs.sessions(), list(logs.entries())) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("request_text", "entry_id"),
    [
        pytest.param("`berth_no`", "a0000001", id="underscore"),
        pytest.param("`50%_full`", "a0000003", id="percent and underscore"),
    ],
)
def test_percent_and_underscore_stand_for_themselves(
    open_case: OpenCase, request_text: str, entry_id: str
) -> None:
    answer = open_case("like_wildcards").retrieve(request_text)

    assert answer.ids[0] == entry_id
    assert answer.literal_ids == {entry_id}


def pasted_log(words: int) -> str:
    """Return a request of ``words`` different invented words around one known identifier."""
    draw = random.Random(11)
    syllables = ["".join(pair) for pair in zip("bcdfghjklmnprstvz" * 2, "aeiou" * 7, strict=False)]
    invented = ("".join(draw.choices(syllables, k=4)) for _ in range(words))
    return "please look at this log: `sluice_gap` " + " ".join(invented)


def test_a_pasted_log_of_100_kb_still_finds_its_identifier(open_case: OpenCase) -> None:
    request_text = pasted_log(12_000)
    answer = open_case("long_request").retrieve(request_text)

    assert len(request_text) > 100_000
    assert answer.status == "complete"
    assert set(answer.ids) == {"a0000001", "a0000002"}


def test_the_terms_of_a_long_request_are_capped_and_the_cap_is_reported(open_case: OpenCase) -> None:
    descriptor = open_case("long_request").retrieve(pasted_log(12_000)).values["descriptor"]

    assert len(descriptor["terms"]) <= 100
    assert descriptor["omitted_terms"] > 0


@pytest.mark.parametrize(
    "request_text",
    [
        "posso",
        "solo senza problema",
        "without a problem",
        "tutte una volta",
        "ok, continue please",
        "sì grazie, vai avanti",
        "do it",
        "fatto?",
        "FATTO, Grazie!",
    ],
)
def test_a_request_of_stopwords_has_no_topic(open_case: OpenCase, request_text: str) -> None:
    answer = open_case("request_without_topic").retrieve(request_text)

    assert answer.status == "no-query"
    assert answer.ids == []


@pytest.mark.parametrize(
    ("request_text", "found"),
    [("dove usiamo `solo`?", {"a0000001", "a0000002"}), ("`without`", {"a0000003"})],
)
def test_a_stopword_in_backticks_is_searched(open_case: OpenCase, request_text: str, found: set[str]) -> None:
    assert set(open_case("backticked_stopword").retrieve(request_text).ids) == found


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param("", id="empty"),
        pytest.param("   ", id="blanks"),
        pytest.param("\n\t", id="line feed and tab"),
        pytest.param("???", id="question marks"),
        pytest.param("...", id="dots"),
        pytest.param("…", id="ellipsis"),
        pytest.param("—", id="dash"),
        pytest.param('""', id="empty quotes"),
        pytest.param("``", id="empty backticks"),
        pytest.param('"" ``', id="empty quotes and backticks"),
        pytest.param("(*)", id="star in brackets"),
        pytest.param("---", id="hyphens"),
        pytest.param("::", id="colons"),
        pytest.param("\u200b", id="zero-width space"),
        pytest.param("\0", id="nul"),
        pytest.param("\ufeff", id="byte order mark"),
    ],
)
def test_a_request_of_marks_has_no_topic(open_case: OpenCase, request_text: str) -> None:
    answer = open_case("request_of_marks").retrieve(request_text)

    assert answer.status == "no-query"
    assert answer.ids == []


def test_a_nul_in_a_request_raises_nothing(open_case: OpenCase) -> None:
    answer = open_case("escaped_nul").retrieve("VALVE\0PIN_31 label")

    assert answer.status in ("complete", "no-hits")


@pytest.mark.parametrize("half", [pytest.param(0xD83D, id="high"), pytest.param(0xDCA1, id="low")])
def test_half_an_emoji_in_a_request_raises_nothing(open_case: OpenCase, half: int) -> None:
    answer = open_case("plain_session").retrieve(f"`hull_number` {chr(half)}")

    assert set(answer.ids) == {"a0000001", "a0000002"}
