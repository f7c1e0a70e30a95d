"""One log to the rows of all tables."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings

from tests.cases.builders import assistant, compaction, encode, entry, header, user
from tests.pipelines.any_sessions import session_lines
from tests.pipelines.pi_logs import ChangingLog, JsonObject, write
from tests.pipelines.stores import append
from uncompact.pipelines.errors import SourceError
from uncompact.pipelines.frames import SessionKey
from uncompact.pipelines.normalize import Reading, normalize_log
from uncompact.pipelines.schema import TABLES
from uncompact.pipelines.session_totals import SessionTotals
from uncompact.pipelines.sources import find_file, recognise
from uncompact.pipelines.sources.records import Cursor

KEY = SessionKey("srv-x-1", "0123456789abcdef")


def reading(path: Path) -> Reading:
    found = find_file(path)
    known = recognise(found)
    assert known is not None
    source, its_header = known
    return Reading(source.open(found, its_header, Cursor()), KEY, found, source.kind, indexed_at=0)


def tables(
    folder: Path,
    *lines: JsonObject | bytes,
    totals: SessionTotals | None = None,
    first: JsonObject | None = None,
) -> dict[str, pl.DataFrame]:
    """Write a log, read it, and return each table's rows."""
    return tables_of(write(folder, first or header(), *lines), totals or SessionTotals())


def tables_of(path: Path, totals: SessionTotals) -> dict[str, pl.DataFrame]:
    rows = list(normalize_log(reading(path), totals))
    return {
        table: pl.concat([TABLES[table].schema.to_frame(), *(frame for name, frame in rows if name == table)])
        for table in TABLES
    }


def call(entry_id: str, parent: str | None, *call_ids: str) -> JsonObject:
    calls: list[dict[str, Any]] = [
        {"type": "toolCall", "id": one, "name": "read", "arguments": {"path": f"{one}.py"}}
        for one in call_ids
    ]
    return entry("message", entry_id, parent, message={"role": "assistant", "content": calls})


def answer(entry_id: str, parent: str | None, call_id: str) -> JsonObject:
    return entry(
        "message", entry_id, parent,
        message={"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": "x"},
    )  # fmt: skip


def test_required_columns_are_never_null(tmp_path: Path) -> None:
    filled = tables(
        tmp_path,
        user("a", None, "one"),
        call("b", "a", "c1", "c2"),
        answer("c", "b", "c1"),
        assistant("d", "c", "two"),
        compaction("e", "d", "a"),
        entry("context_edit", "f", "e", targetId="a", replacement=None),
        entry("branch_summary", "g", "f", fromId="root", summary="s"),
        {"type": "message"},
        b"torn\n",
    )  # fmt: skip

    # What repeats an entry of another session is told when a run is committed.
    of_the_log = {name: table for name, table in TABLES.items() if name != "copies"}
    assert all(filled[name].height > 0 for name in of_the_log)
    for name, table in of_the_log.items():
        nulls = filled[name].null_count().row(0, named=True)
        assert [column.name for column in table.columns if column.required and nulls[column.name]] == []


def test_a_call_and_its_results_share_a_turn_group(tmp_path: Path) -> None:
    rows = tables(
        tmp_path, user("a", None, "x"), call("b", "a", "c1", "c2"), answer("c", "b", "c2"), answer("d", "c", "c1")
    )  # fmt: skip

    assert rows["entries"]["turn_group"].to_list() == [0, 1, 1, 1]


def test_a_result_stands_in_the_group_of_its_call_whatever_came_between(tmp_path: Path) -> None:
    rows = tables(
        tmp_path, user("u", None, "x"), call("a", "u", "c1", "c2"), call("b", "a", "c3"), answer("c", "b", "c3"),
        answer("d", "c", "c1"), answer("e", "d", "lost"),
    )  # fmt: skip

    assert rows["entries"]["turn_group"].to_list() == [0, 1, 2, 2, 1, 5]


def test_of_calls_with_one_id_the_first_is_the_one_that_is_answered(tmp_path: Path) -> None:
    rows = tables(tmp_path, call("a", None, "c1"), call("b", "a", "c1"), answer("c", "b", "c1"))

    assert rows["entries"]["turn_group"].to_list() == [0, 1, 0]


def test_a_result_that_stands_before_its_call_is_a_group_of_its_own(tmp_path: Path) -> None:
    rows = tables(tmp_path, answer("a", None, "c1"), call("b", "a", "c1"), answer("c", "b", "c1"))

    assert rows["entries"]["turn_group"].to_list() == [0, 1, 1]


def test_results_are_matched_across_batches(tmp_path: Path) -> None:
    between = [user(str(at), None, "x") for at in range(50_000)]

    rows = tables(tmp_path, call("a", None, "c1", "c2"), *between, answer("z", "a", "c1"))

    assert rows["entries"]["turn_group"][-1] == 0
    assert rows["entries"].height == 50_002


def test_a_session_row_counts_its_log(tmp_path: Path) -> None:
    lines: list[JsonObject | bytes] = [
        user("a", None, "one"), user("b", "a", "four", 5), compaction("c", "b", "b", 3), user("d", "a", "x", 2), b"x\n"
    ]  # fmt: skip
    (session,) = tables(tmp_path, *lines)["sessions"].iter_rows(named=True)

    counted = ("entries", "branches", "compactions", "rejects", "text_chars", "leaf", "leaf_pos", "state")
    assert [session[name] for name in counted] == [4, 2, 1, 1, 3 + 4 + 27 + 1, "d", 3, "present"]
    assert session["last_at"].isoformat() == "2026-03-14T09:05:00+00:00"
    assert session["bytes"] == session["file_size"] == (tmp_path / "s.jsonl").stat().st_size


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param([], None, id="none"),
        pytest.param(["one", "two"], "two", id="the last one"),
        pytest.param(["one", ""], None, id="taken back"),
    ],
)
def test_the_last_name_in_the_file_is_the_sessions(
    tmp_path: Path, names: list[str], expected: str | None
) -> None:
    infos = [entry("session_info", str(at), None, name=name) for at, name in enumerate(names)]

    assert tables(tmp_path, *infos)["sessions"]["name"].to_list() == [expected]


def test_an_unterminated_line_is_counted_as_pending(tmp_path: Path) -> None:
    totals = SessionTotals()

    rows = tables(tmp_path, user("a", None, "one"), encode(user("b", "a", "two"))[:-1], totals=totals)

    assert (totals.entries, totals.pending_line) == (1, 3)
    assert rows["sessions"]["bytes"].item() < rows["sessions"]["file_size"].item()


def test_rejects_are_counted_by_reason_and_the_first_twenty_named(tmp_path: Path) -> None:
    totals = SessionTotals()

    tables(tmp_path, *[b"torn\n"] * 25, b"[1]\n", totals=totals)

    assert totals.rejects == 26
    assert totals.reject_reasons == {"not-json": 25, "not-an-object": 1}
    assert totals.reject_lines[0] == (2, "not-json")
    assert (len(totals.reject_lines), totals.more_rejects) == (20, 6)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"cwd": "/srv/y"}, id="folder"),
        pytest.param({"version": 1}, id="version"),
        pytest.param({"id": "other"}, id="session id"),
        pytest.param({"parentSession": "/old.jsonl"}, id="parent session"),
    ],
)
def test_another_header_makes_another_fingerprint(tmp_path: Path, change: JsonObject) -> None:
    before, after = SessionTotals(), SessionTotals()

    tables(tmp_path, user("a", None, "one"), totals=before)
    tables(tmp_path, user("a", None, "one"), first={**header(), **change}, totals=after)

    assert before.chain != after.chain


def long_log(folder: Path, *lines: JsonObject | bytes) -> Path:
    """Write a log that is too large to be read once; it ends in zeros that are left for the next run."""
    path = write(folder, header(), *lines)
    os.truncate(path, 17 << 20)
    return path


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([user("a", None, "1"), user("b", "a", "2"), user("c", "b", "3")], id="more entries"),
        pytest.param([user("a", None, "x" * 200)], id="fewer entries"),
        pytest.param([user("a", None, "1"), user("b", None, "2")], id="other parents"),
        pytest.param([], id="emptied"),
    ],
)
def test_a_log_rewritten_between_two_passes_is_refused(tmp_path: Path, later: list[JsonObject]) -> None:
    path = long_log(tmp_path, user("a", None, "x" * 200), user("b", "a", "2"))
    rows = normalize_log(reading(path), SessionTotals())
    next(rows)

    long_log(tmp_path, *later)

    with pytest.raises(SourceError, match="changed while it was read"):
        list(rows)


def changed_while_read(path: Path, change: Callable[[], object]) -> list[str]:
    """Return the ids of a log's entries when something happens to it after the first was read."""
    whole = reading(path)
    rows = normalize_log(replace(whole, log=ChangingLog(whole.log, change)), SessionTotals())
    return [one for table, frame in rows if table == "entries" for one in frame["entry_id"]]


def short_log(folder: Path, *lines: JsonObject | bytes) -> Path:
    return write(folder, header(), *lines)


@pytest.mark.parametrize("make", [short_log, long_log], ids=["read once", "read twice"])
def test_a_log_rewritten_while_it_is_read_is_refused(tmp_path: Path, make: Callable[..., Path]) -> None:
    path = make(tmp_path, *[user(str(at), None, "x" * 2000) for at in range(100)])

    with pytest.raises(SourceError, match="changed while it was read"):
        changed_while_read(
            path, lambda: make(tmp_path, *[user(str(at), None, "y" * 2000) for at in range(100)])
        )


def test_a_log_that_grows_while_it_is_read_is_read_as_it_was_found(tmp_path: Path) -> None:
    path = short_log(tmp_path, user("a", None, "1"), user("b", "a", "2"))

    assert changed_while_read(path, lambda: append(path, encode(user("c", "b", "3")))) == ["a", "b"]


@settings(max_examples=20)
@given(lines=session_lines())
def test_a_log_read_twice_has_the_rows_of_one_read_once(tmp_path: Path, lines: list[bytes]) -> None:
    totals, long_totals = SessionTotals(), SessionTotals()

    once = tables_of(short_log(tmp_path, *lines), totals)
    twice = tables_of(long_log(tmp_path, *lines), long_totals)

    of_the_file = ("file_size", "file_mtime_ns", "file_ctime_ns")
    once["sessions"], twice["sessions"] = (rows["sessions"].drop(of_the_file) for rows in (once, twice))
    assert {table: rows.rows() for table, rows in once.items()} == {
        table: rows.rows() for table, rows in twice.items()
    }
    assert replace(long_totals, pending_line=None) == replace(totals, pending_line=None)
