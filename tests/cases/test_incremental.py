"""Logs that change between two runs: the store follows, and what they said before is neither lost nor mixed in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import (
    CASES,
    IndexedLogs,
    JsonObject,
    assistant,
    compacted,
    encode,
    header,
    index,
    index_case,
    index_lines,
    user,
    write_log,
)

BENCHMARK = CASES.parents[1] / "benchmarks" / "reindex_noop.py"
OLD = 1_500_000_000_000_000_000
REQUEST = "`hull_number`"


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    """A log that was indexed, and whose file times are of long ago."""
    shutil.copytree(index_case("plain_session", tmp_path / "case").root, tmp_path / "logs")
    os.utime(tmp_path / "logs" / "s.jsonl", ns=(OLD, OLD))
    return index(tmp_path / "logs", tmp_path / "store")


def append(log: Path, data: bytes) -> None:
    with log.open("ab") as file:
        file.write(data)


def whole_talk(word: str, session_id: str = "s-2") -> list[JsonObject]:
    """Return a session of which a compaction removed two entries that say ``word``."""
    turns = [user("f1", None, f"Now it is {word}."), assistant("f2", "f1", f"{word} it is.")]
    return [header(session_id), *turns, *compacted("f2")]


def pending(logs: IndexedLogs) -> int:
    return sum("unterminated line" in warning for warning in logs.report["warnings"])


def test_of_a_half_written_line_nothing_is_read_before_it_ends(logs: IndexedLogs) -> None:
    line = encode(user("b0000009", "d0000001", "half written, then ended: größer"))
    cut = line.index("ö".encode()) + 1
    append(logs.root / "s.jsonl", line[:cut])
    half = logs.again()

    assert (pending(half), half.report["rejects"]["total"], len(half.entries())) == (1, 0, 6)
    assert sorted(half.retrieve(REQUEST).ids) == ["a0000001", "a0000002"]

    append(logs.root / "s.jsonl", line[cut:])
    whole = logs.again()
    assert (pending(whole), whole.entries()["b0000009"]["state"]) == (0, "in_context")


def test_the_rest_of_a_line_and_the_next_half_line_arrive_together(logs: IndexedLogs) -> None:
    first = encode(user("b0000008", "d0000001", "one"))
    second = encode(user("b0000009", "b0000008", "two"))
    append(logs.root / "s.jsonl", first[:30])
    logs.again()
    append(logs.root / "s.jsonl", first[30:] + second[:30])
    logs.again()
    append(logs.root / "s.jsonl", second[30:])

    assert list(logs.again().entries())[-2:] == ["b0000008", "b0000009"]


def test_a_log_written_byte_by_byte_in_many_runs_is_one_session(tmp_path: Path) -> None:
    data = b"".join(map(encode, whole_talk("`keel_bolt`")))
    log = tmp_path / "logs" / "s.jsonl"
    log.parent.mkdir()
    for start in range(0, len(data), 150):
        append(log, data[start : start + 150])
        index(log.parent, tmp_path / "store")

    logs = index(log.parent, tmp_path / "store")
    assert len(logs.sessions()) == 1
    assert list(logs.entries()) == ["f1", "f2", "b0000001", "b0000002", "c0000001", "d0000001"]
    assert sorted(logs.retrieve("`keel_bolt`").ids) == ["f1", "f2"]


def test_a_rewrite_of_equal_size_with_its_time_put_back_is_seen(logs: IndexedLogs) -> None:
    log = logs.root / "s.jsonl"
    log.write_bytes(log.read_bytes().replace(b"hull_number", b"mast_number"))
    os.utime(log, ns=(OLD, OLD))
    later = logs.again()

    assert sorted(later.retrieve("`mast_number`").ids) == ["a0000001", "a0000002"]
    assert later.retrieve(REQUEST).status == "no-hits"


def test_a_deleted_log_still_answers_and_is_marked(logs: IndexedLogs) -> None:
    (logs.root / "s.jsonl").unlink()
    later = logs.again()

    assert [one["state"] for one in later.sessions()] == ["vanished"]
    assert sorted(later.retrieve(REQUEST).ids) == ["a0000001", "a0000002"]


def test_a_deleted_log_answers_alike_when_the_companion_is_built_anew(logs: IndexedLogs) -> None:
    (logs.root / "s.jsonl").unlink()
    before = logs.again().retrieve(REQUEST).hits
    uncompact.reindex([logs.root], logs.store, rebuild_companion=True)

    assert logs.retrieve(REQUEST).hits == before != []
    assert [one["state"] for one in logs.sessions()] == ["vanished"]


def test_a_deleted_folder_of_logs_loses_nothing(logs: IndexedLogs) -> None:
    shutil.rmtree(logs.root)
    later = logs.again()

    assert [one["state"] for one in later.sessions()] == ["vanished"]
    assert sorted(later.retrieve(REQUEST).ids) == ["a0000001", "a0000002"]


def test_a_rotated_logs_name_answers_for_the_new_session_alone(logs: IndexedLogs) -> None:
    (logs.root / "s.jsonl").rename(logs.root / "s.jsonl.1")
    write_log(logs.root / "s.jsonl", whole_talk("`mast_top`"))
    later = logs.again()

    assert list(later.entries())[:2] == ["f1", "f2"]
    assert sorted(later.retrieve("`mast_top`").ids) == ["f1", "f2"]
    assert later.retrieve(REQUEST).status == "no-hits"


def test_a_log_that_moved_aside_for_a_new_one_keeps_its_session(logs: IndexedLogs) -> None:
    (logs.root / "s.jsonl").rename(logs.root / "s-old.jsonl")
    write_log(logs.root / "s.jsonl", whole_talk("`mast_top`"))
    later = logs.again()

    assert sorted(later.retrieve("`mast_top`").ids) == ["f1", "f2"]
    assert sorted(later.retrieve(REQUEST, log="s-old.jsonl").ids) == ["a0000001", "a0000002"]


def test_two_logs_that_swap_their_names_answer_under_the_new_ones(logs: IndexedLogs) -> None:
    log, other = logs.root / "s.jsonl", write_log(logs.root / "t.jsonl", whole_talk("`mast_top`"))
    logs.again()
    log.rename(logs.root / "aside")
    other.rename(log)
    (logs.root / "aside").rename(other)
    later = logs.again()

    assert sorted(later.retrieve("`mast_top`").ids) == ["f1", "f2"]
    assert sorted(later.retrieve(REQUEST, log="t.jsonl").ids) == ["a0000001", "a0000002"]
    assert len(later.sessions()) == 2


def test_a_folder_that_was_renamed_takes_its_sessions_along(tmp_path: Path) -> None:
    for number in range(3):
        write_log(tmp_path / "logs" / "old" / f"{number}.jsonl", whole_talk("keel", f"s-{number}"))
    logs = index(tmp_path / "logs", tmp_path / "store")
    (logs.root / "old").rename(logs.root / "new")
    later = logs.again()

    assert (len(later.sessions()), later.report["entries"]["total"]) == (3, 18)
    assert {Path(one["path"]).parent.name for one in later.sessions()} == {"new"}
    assert sorted(later.retrieve("keel", log="new/1.jsonl").ids) == ["f1", "f2"]


def test_a_log_that_was_renamed_and_grew_is_one_session(logs: IndexedLogs) -> None:
    moved = (logs.root / "s.jsonl").rename(logs.root / "t.jsonl")
    append(moved, encode(user("b0000009", "d0000001", "later")))
    later = logs.again()

    assert [Path(one["path"]).name for one in later.sessions()] == ["t.jsonl"]
    assert list(later.entries(log="t.jsonl"))[-1] == "b0000009"


def test_a_log_cut_back_to_an_earlier_state_forgets_what_came_after(logs: IndexedLogs) -> None:
    log = logs.root / "s.jsonl"
    before = log.read_bytes()
    append(log, encode(user("b0000009", "d0000001", "withdrawn")))
    assert "b0000009" in logs.again().entries()
    log.write_bytes(before)

    assert "b0000009" not in logs.again().entries()


def states(store: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of each of a store's files, without the history of runs and the companion's seal."""
    notes = ("runs.ndjson", "-seal")
    files = [path for path in store.rglob("*") if path.is_file() and not path.name.endswith(notes)]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def test_a_run_without_a_change_writes_nothing(logs: IndexedLogs) -> None:
    logs.again()
    before = states(logs.store)
    later = logs.again()

    assert (later.report["sources"]["changed"], later.report["bytes_read"]) == (0, 0)
    assert states(logs.store) == before


def as_it_is(_logs: IndexedLogs) -> None:
    pass


def build_companion_anew(logs: IndexedLogs) -> None:
    uncompact.reindex([logs.root], logs.store, rebuild_companion=True)


def build_all_anew(logs: IndexedLogs) -> None:
    shutil.rmtree(logs.store)
    logs.again()


@pytest.mark.parametrize("again", [as_it_is, build_companion_anew, build_all_anew])
def test_a_second_run_answers_to_the_last_digit_like_the_first(
    tmp_path: Path, again: Callable[[IndexedLogs], None]
) -> None:
    logs = index_case("repeated_question", tmp_path)
    first = logs.retrieve("Which channel does the pilot_radio use?").hits
    logs.again()
    again(logs)

    assert logs.retrieve("Which channel does the pilot_radio use?").hits == first


def test_an_order_of_changes_leaves_no_trace_in_an_answer(logs: IndexedLogs, tmp_path: Path) -> None:
    log = logs.root / "s.jsonl"
    whole = log.read_bytes()
    for data in (b"".join(whole.splitlines(keepends=True)[:3]), whole[:-20], whole):
        log.write_bytes(data)
        logs.again()

    assert logs.retrieve(REQUEST).hits == index(logs.root, tmp_path / "new").retrieve(REQUEST).hits


def test_one_log_of_many_that_grew_changes_no_other_answer(tmp_path: Path) -> None:
    first = index_lines(whole_talk("keel"), tmp_path)
    write_log(first.root / "other.jsonl", whole_talk("keel", "s-3"))
    before = first.again().retrieve("keel").hits
    append(first.root / "other.jsonl", encode(user("g1", "d0000001", "keel keel keel")))

    assert first.again().retrieve("keel").hits == before != []


def test_a_run_without_a_change_opens_no_log_and_writes_next_to_nothing(tmp_path: Path) -> None:
    told = tmp_path / "figures.json"
    command = [sys.executable, str(BENCHMARK), "--files", "40", "--runs", "1", "--json", str(told)]
    subprocess.run(command, check=True, capture_output=True)
    figures = json.loads(told.read_text(encoding="utf-8"))

    assert [figures[name]["changed"] for name in figures] == [40, 0, 1]
    assert (figures["no change"]["opened_logs"], figures["one line more"]["opened_logs"] < 10) == (0, True)
    assert figures["no change"].get("wchar", 0) < 20_000
