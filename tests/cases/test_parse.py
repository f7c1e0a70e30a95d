"""Damaged, odd and oversized lines and files: nothing with an id is lost, everything else is counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.builders import (
    CASES,
    IndexedLogs,
    JsonObject,
    OpenCase,
    compacted,
    entry,
    header,
    index_lines,
    tool_result,
    user,
    write_log,
)

TAIL = ["b0000001", "b0000002", "c0000001", "d0000001"]


def rejects(logs: IndexedLogs) -> int:
    return int(logs.report["rejects"]["total"])


def test_a_zero_filled_gap_is_one_reject_and_costs_no_entry(open_case: OpenCase) -> None:
    logs = open_case("zero_filled_gap")

    assert rejects(logs) == 1
    assert list(logs.entries()) == ["a0000001", "a0000002", *TAIL]
    assert set(logs.retrieve("quay_ledger").ids) == {"a0000001", "a0000002"}


def test_an_entry_behind_zero_bytes_on_its_line_is_recovered(open_case: OpenCase) -> None:
    logs = open_case("zero_run_before_entry")

    assert rejects(logs) == 1
    assert set(logs.entries()) == {"a0000001", "a0000002", *TAIL}


def test_a_rejected_line_is_named_with_file_and_number(open_case: OpenCase) -> None:
    warnings = open_case("zero_filled_gap").report["warnings"]

    assert any("s.jsonl:3" in warning for warning in warnings)


def test_a_cut_last_line_is_left_for_the_next_run_and_named(open_case: OpenCase) -> None:
    logs = open_case("cut_last_line")

    assert rejects(logs) == 0
    assert any("s.jsonl:8" in warning for warning in logs.report["warnings"])
    assert list(logs.entries()) == ["a0000001", "a0000002", *TAIL]
    assert set(logs.retrieve("barge_sum rounding").ids) == {"a0000001", "a0000002"}


def test_line_separators_inside_a_text_do_not_end_the_line(open_case: OpenCase) -> None:
    logs = open_case("raw_line_separators")

    assert rejects(logs) == 0
    assert list(logs.entries()) == ["a0000001", "a0000002", *TAIL]
    assert set(logs.retrieve("berth_tag").ids) == {"a0000001", "a0000002"}
    assert "keep berth_tag as it is\u2029and\u0085drop" in logs.retrieve("berth_tag").excerpt("a0000001")


def test_content_of_any_shape_keeps_its_entry(open_case: OpenCase) -> None:
    logs = open_case("content_shapes")

    assert list(logs.entries()) == [f"a{number:07x}" for number in range(1, 12)] + TAIL
    assert rejects(logs) == 0


@pytest.mark.parametrize(
    ("word", "entry_id"),
    [
        pytest.param("shape_string", "a0000001", id="string"),
        pytest.param("shape_block", "a0000002", id="blocks"),
        pytest.param("shape_object", "a0000006", id="one object"),
        pytest.param("shape_bare", "a0000008", id="bare text in a list"),
        pytest.param("shape_role", "a0000009", id="unheard-of role"),
    ],
)
def test_text_is_searched_whatever_the_shape_of_the_content(
    open_case: OpenCase, word: str, entry_id: str
) -> None:
    assert open_case("content_shapes").retrieve(f"`{word}`").ids == [entry_id]


def drifting_lines() -> list[JsonObject]:
    """Return 130 plain turns, then fields that no line had before, in changing types."""
    turns = [user(f"a{n:07x}", f"a{n - 1:07x}" if n else None, f"plain turn {n}", n) for n in range(130)]
    shell = {
        "role": "bashExecution",
        "command": "echo late_word_2",
        "output": "late_word_2",
        "exitCode": 0,
        "cancelled": False,
        "truncated": False,
    }
    blocks = [{"type": "text", "text": "late_word_3"}]
    last = turns[-1]["id"]
    odd = [
        entry("branch_summary", "a1000001", last, fromId="a0000001", summary="the left side: late_word_1"),
        entry("message", "a1000002", "a1000001", message=shell),
        entry("custom_message", "a1000003", "a1000002", customType="x", content=blocks, details={"a": 1}),
        entry("custom_message", "a1000004", "a1000003", customType="x", content="late_word_4", details=["a"]),
        entry(
            "custom_message", "a1000005", "a1000004", customType=["x"], content="late_word_5", display=None
        ),
    ]
    return [header(), *turns, *odd, *compacted("a1000005", 150)]


def test_fields_that_appear_late_and_change_their_type_lose_nothing(tmp_path: Path) -> None:
    logs = index_lines(drifting_lines(), tmp_path)

    assert len(logs.entries()) == 130 + 5 + 4
    found = [logs.retrieve(f"`late_word_{number}`").ids for number in range(1, 6)]
    assert found == [["a1000001"], ["a1000002"], ["a1000003"], ["a1000004"], ["a1000005"]]


def test_odd_files_beside_a_log_do_not_hide_it(open_case: OpenCase) -> None:
    logs = open_case("odd_files")

    assert set(logs.retrieve("pier_flag", log="good.jsonl").ids) == {"a0000001", "a0000002"}
    assert sorted(Path(one["path"]).name for one in logs.sessions()) == ["good.jsonl", "late_header.jsonl"]


@pytest.mark.parametrize("name", ["empty", "blank", "no_header", "scalars", "header_second"])
def test_each_odd_file_is_named_in_the_report(open_case: OpenCase, name: str) -> None:
    report = open_case("odd_files").report

    assert report["sources"]["failed"] == 5
    assert any(f"{name}.jsonl" in warning for warning in report["warnings"])


def test_lines_that_are_no_json_may_stand_before_the_header(open_case: OpenCase) -> None:
    logs = open_case("odd_files")

    assert set(logs.retrieve("pier_lamp", log="late_header.jsonl").ids) == {"a0000001", "a0000002"}


def test_summaries_of_branches_notes_and_shell_runs_are_evidence_in_their_roles(open_case: OpenCase) -> None:
    answer = open_case("other_entry_kinds").retrieve("`cargo_import`")

    assert set(answer.ids) == {"a0000001", "a0000002", "a0000003", "a0000004"}
    assert answer.hit("a0000001")["role"] == "user"
    assert answer.hit("a0000003")["role"] == "custom"
    assert answer.hit("a0000004")["role"] == "bashExecution"


def test_pictures_and_signatures_are_no_text(open_case: OpenCase) -> None:
    logs = open_case("images_and_signatures")

    assert set(logs.retrieve("`gull_photo`").ids) == {"a0000001", "a0000002"}
    assert logs.retrieve("pictureend9").status == "no-hits"
    assert logs.retrieve("Tk9URVhUQVRBTEw").status == "no-hits"


def test_evidence_of_a_picture_holds_no_base64(open_case: OpenCase) -> None:
    answer = open_case("images_and_signatures").retrieve("`gull_photo`")

    quoted = "".join(hit["message"]["content"] for hit in answer.hits)
    assert "QQQQ" not in quoted
    assert "Tk9URVhU" not in quoted
    assert "unspoken words" not in quoted


@pytest.mark.parametrize(
    "request_text",
    [
        "`parentId`",
        "usage totalTokens cacheRead",
        "`toolCallId`",
        "stopReason",
        "message type timestamp role",
    ],
)
def test_words_of_the_envelope_match_nothing(open_case: OpenCase, request_text: str) -> None:
    answer = open_case("envelope_words").retrieve(request_text)

    assert answer.status in ("no-hits", "no-query")
    assert answer.ids == []


def test_an_entry_welded_to_a_torn_one_is_recovered(open_case: OpenCase) -> None:
    logs = open_case("welded_torn_and_whole")

    assert rejects(logs) == 1
    assert set(logs.entries()) == {"a0000001", "a0000002", "a0000003", *TAIL}


def test_two_entries_welded_into_one_line_are_both_recovered(open_case: OpenCase) -> None:
    logs = open_case("welded_two_whole")

    recovered = {"e0000001", "e0000002"}
    assert set(logs.entries()) == {"a0000001", "a0000002", "a0000003", *TAIL} | recovered
    assert set(logs.retrieve("`weld_seam`").ids) == {"a0000001", "a0000002", "a0000003"}


def test_a_content_block_of_a_torn_line_is_no_entry(open_case: OpenCase) -> None:
    logs = open_case("welded_inside_content")

    assert rejects(logs) == 1
    assert set(logs.entries()) == {"a0000001", "a0000002", "a0000003", *TAIL}


def test_a_parent_that_stands_in_a_welded_line_is_a_gap_as_in_pi(open_case: OpenCase) -> None:
    logs = open_case("welded_torn_and_whole")

    states = {entry_id: one["state"] for entry_id, one in logs.entries().items()}
    assert states["a0000003"] == "compacted"
    assert states["a0000001"] == "sibling"
    assert logs.retrieve("`weld_seam`").ids == ["a0000003"]


_INDEX_APART = """
import json, sys
from pathlib import Path
import uncompact
report = uncompact.reindex([Path(sys.argv[1])], store=Path(sys.argv[2]))
print(json.dumps(report.to_dict()))
"""


def test_a_line_of_20_mb_is_indexed_in_bounded_memory_and_quoted_in_a_window(tmp_path: Path) -> None:
    text = "a row of ballast " * 1_180_000 + "deep_needle_4 "
    lines = [
        header(),
        user("a0000001", None, "List all about deep_needle_4"),
        tool_result("a0000002", "a0000001", text),
        *compacted("a0000002"),
    ]
    write_log(tmp_path / "logs" / "s.jsonl", lines)
    # In a process of its own: the peak of a process counts all that it ever did.
    command = [sys.executable, "-c", _INDEX_APART, str(tmp_path / "logs"), str(tmp_path / "store")]
    report = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    logs = IndexedLogs(tmp_path / "logs", tmp_path / "store", report)
    answer = logs.retrieve("`deep_needle_4`")

    assert report["peak_rss_mb"] <= 1024
    assert set(answer.ids) == {"a0000001", "a0000002"}
    assert "deep_needle_4" in answer.excerpt("a0000002")
    assert len(answer.excerpt("a0000002")) <= 6000


def test_the_bytes_of_the_cases_are_as_they_were_written() -> None:
    assert (CASES / "crlf_lines" / "s.jsonl").read_bytes().count(b"\r\n") == 7
    assert (CASES / "byte_order_mark" / "s.jsonl").read_bytes().startswith(b"\xef\xbb\xbf{")
    assert b"\xe9\xff\xfe" in (CASES / "invalid_utf8" / "s.jsonl").read_bytes()
    assert (CASES / "zero_filled_gap" / "s.jsonl").read_bytes().count(b"\0") == 4096
