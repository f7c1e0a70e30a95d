"""An open store: which session is meant, the same answer whatever else it holds, and failure without an exception."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import uncompact
from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    assistant,
    compacted,
    compaction,
    entry,
    header,
    index,
    index_lines,
    user,
    write_log,
)
from uncompact.pipelines.companion_db import connect_writer
from uncompact.pipelines.companion_file import rebuild_companion
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths

FIRST_ID = "0195a000-0000-7000-8000-000000000001"


def session_lines(session_id: str = FIRST_ID, *, mentions: int = 3) -> list[JsonObject]:
    """Return a forked log in which a compaction removed a decision and mentions of it."""
    said = [
        assistant(f"u{number}", f"u{number - 1}", f"maxPool is read by module {number}. {'so ' * 600}")
        for number in range(1, mentions + 1)
    ]
    decision, fork = (
        user("u0", None, "We decided that `maxPool` stays at 37."),
        assistant("fork", "u0", "maxPool may grow."),
    )
    return [header(session_id), decision, *said, fork, *compacted(f"u{mentions}")]


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    return index_lines(session_lines(), tmp_path)


@pytest.fixture
def opened(logs: IndexedLogs) -> Iterator[uncompact.HistoryStore]:
    with uncompact.open_store(logs.store) as store:
        yield store


def answers(root: Path, store: Path, requests: list[str]) -> list[str]:
    with uncompact.open_store(store) as opened:
        return [stable(opened.retrieve(root / "s.jsonl", request).to_dict()) for request in requests]


def stable(answer: JsonObject) -> str:
    return json.dumps({name: value for name, value in answer.items() if name != "timings_ms"})


def test_the_same_request_gives_the_same_bytes(logs: IndexedLogs) -> None:
    requests = ["maxPool", "which module reads it?"]

    assert answers(logs.root, logs.store, requests) == answers(logs.root, logs.store, requests)


def test_an_open_store_answers_as_a_fresh_one(logs: IndexedLogs, opened: uncompact.HistoryStore) -> None:
    for request in ("module 2", "", "picnic", "`zeppelin`"):
        opened.retrieve(logs.root / "s.jsonl", request, max_results=1)
    answer = opened.retrieve(logs.root / "s.jsonl", "maxPool")

    assert [stable(answer.to_dict())] == answers(logs.root, logs.store, ["maxPool"])


def test_other_sessions_change_nothing(logs: IndexedLogs) -> None:
    requests = ["maxPool", "What did we decide about module 1?", "the picnic", "please go on"]
    before = answers(logs.root, logs.store, requests)
    for number in range(20):
        other = session_lines(f"0195b000-0000-7000-8000-{number:012}", mentions=number)
        write_log(logs.root / f"{number}.jsonl", other)
    logs.again()

    assert answers(logs.root, logs.store, requests) == before


def test_a_session_may_be_named_by_path_id_and_key(logs: IndexedLogs, opened: uncompact.HistoryStore) -> None:
    path = logs.root / "s.jsonl"
    key = opened.session(path).session_key

    assert {opened.session(name).number for name in (path, str(path), FIRST_ID, key)} == {1}


def test_a_relative_path_names_a_session(
    logs: IndexedLogs, opened: uncompact.HistoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(logs.root)

    assert (
        opened.session("s.jsonl")
        == opened.session(f"../{logs.root.name}/s.jsonl")
        == opened.session(FIRST_ID)
    )


@pytest.mark.parametrize("name", ["", "zz", "/nowhere.jsonl", "x" * 5000, "a\0b", "%", "\ud800"], ids=ascii)
def test_an_unknown_session_is_an_error_that_names_the_sessions(
    opened: uncompact.HistoryStore, name: str
) -> None:
    with pytest.raises(uncompact.NotFoundError) as caught:
        opened.session(name)

    assert caught.value.existing == [FIRST_ID]


def test_an_id_that_several_logs_share_is_an_error_that_names_them(logs: IndexedLogs) -> None:
    write_log(logs.root / "copy.jsonl", session_lines())
    logs.again()

    with uncompact.open_store(logs.store) as store, pytest.raises(uncompact.NotFoundError) as caught:
        store.session(FIRST_ID)

    assert sorted(caught.value.existing) == [str(logs.root / "copy.jsonl"), str(logs.root / "s.jsonl")]


def test_a_log_that_is_gone_still_answers(logs: IndexedLogs) -> None:
    path = logs.root / "s.jsonl"
    path.unlink()
    logs.again()

    with uncompact.open_store(logs.store) as store:
        assert store.retrieve(path, "maxPool").hits


def test_sessions_are_listed_newest_first(tmp_path: Path) -> None:
    lines = [header("old"), user("u1", None, "Hello", 5)]
    write_log(tmp_path / "logs" / "a.jsonl", lines)
    write_log(
        tmp_path / "logs" / "b.jsonl",
        [header("new"), user("u1", None, "Hello", 6), assistant("u2", None, "Hi", 7)],
    )
    write_log(tmp_path / "logs" / "c.jsonl", [header("empty")])
    listed = index(tmp_path / "logs", tmp_path / "store").sessions()

    assert [one["session_id"] for one in listed] == ["new", "old", "empty"]
    assert [(one["entries"], one["branches"], one["compactions"]) for one in listed] == [
        (2, 2, 0),
        (1, 1, 0),
        (0, 0, 0),
    ]
    assert listed[0]["last_at"] == "2026-03-14T09:07:00.000Z"


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param("update passages set body = x'00ff00ff'", id="damaged text"),
        pytest.param("update passages set pos = 77", id="passages without entries"),
        pytest.param("drop table words", id="no index"),
        pytest.param("delete from words_data", id="emptied index"),
        pytest.param("delete from words_data where id > 10", id="index without words"),
        pytest.param("drop table entries", id="no entries"),
        pytest.param("drop table segments", id="no segments"),
        pytest.param("delete from segments", id="lost segments"),
        pytest.param("update segments set parent_segment = segment, parent_position = 0", id="circle"),
        pytest.param("delete from entries", id="lost entries"),
        pytest.param("update entries set created_at = 9e17", id="time out of range"),
        pytest.param("update entries set tokens = 'many'", id="text for a number"),
        pytest.param("delete from passages", id="lost texts"),
        pytest.param("delete from runs", id="lost runs"),
    ],
)
def test_a_companion_damaged_while_it_is_open_is_a_failed_search_and_no_exception(
    logs: IndexedLogs, opened: uncompact.HistoryStore, damage: str
) -> None:
    assert opened.retrieve(logs.root / "s.jsonl", "module 2").hits
    with closing(connect_writer(StorePaths(logs.store).companion)) as companion:
        execute(companion, damage)

    answer = opened.retrieve(logs.root / "s.jsonl", "maxPool").to_dict()

    assert (answer["status"], answer["hits"]) == ("failed", [])
    assert "companion" in answer["reason"]
    assert "`uncompact reindex" in answer["reason"]


def test_pages_damaged_while_they_are_read_are_a_failed_search_or_a_named_error(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    file = StorePaths(logs.store).companion
    data = bytearray(file.read_bytes())
    with file.open("r+b") as damaged:
        damaged.seek(8192)
        damaged.write(os.urandom(len(data) - 8192))

    try:
        assert opened.retrieve(FIRST_ID, "maxPool").status == "failed"
    except uncompact.StoreError as error:
        assert "`uncompact reindex" in error.hint  # noqa: PT017 either is right


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param("update sessions set last_at = 9e17", id="time out of range"),
        pytest.param("update sessions set last_at = 'soon'", id="text for a time"),
        pytest.param("drop table sessions", id="no sessions"),
    ],
)
def test_a_list_of_damaged_sessions_names_the_companion(
    logs: IndexedLogs, opened: uncompact.HistoryStore, damage: str
) -> None:
    companion = StorePaths(logs.store).companion
    with closing(connect_writer(companion)) as connection:
        execute(connection, damage)

    with pytest.raises(uncompact.StoreError, match=f"{companion}: damaged companion"):
        opened.sessions()


def test_nothing_found_is_believed_when_a_changed_companion_is_whole(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    with closing(connect_writer(StorePaths(logs.store).companion)) as companion:
        execute(companion, "update sessions set name = 'mine'")

    assert opened.retrieve(FIRST_ID, "zeppelin").status == "no-hits"


def test_a_folder_that_is_not_there_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(uncompact.StoreError, match="no store here"):
        uncompact.open_store(tmp_path / "nowhere")


def test_a_folder_without_a_companion_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(uncompact.StoreError, match="no companion here"):
        uncompact.open_store(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000], ids=["empty", "other"])
def test_a_file_that_is_no_companion_is_a_damaged_one(logs: IndexedLogs, content: bytes) -> None:
    StorePaths(logs.store).companion.write_bytes(content)

    with pytest.raises(uncompact.StoreError, match="damaged companion"):
        uncompact.open_store(logs.store)


def test_a_companion_of_another_version_is_refused(logs: IndexedLogs) -> None:
    with closing(connect_writer(StorePaths(logs.store).companion)) as companion:
        execute(companion, "update meta set value = '999' where name = 'version'")

    with pytest.raises(uncompact.StoreError, match="companion version 999"):
        uncompact.open_store(logs.store)


def test_a_closed_store_answers_no_more(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store:
        pass

    with pytest.raises(apsw.ConnectionClosedError):
        store.sessions()


def test_an_open_store_sees_what_a_later_run_adds(logs: IndexedLogs, opened: uncompact.HistoryStore) -> None:
    grown = [
        *session_lines(),
        user("new", "d000000d1", "The bilge pump is 24 volts."),
        compaction("c2", "new", "c2"),
    ]
    write_log(logs.root / "s.jsonl", grown)
    logs.again()

    assert [hit.ranked.candidate.entry_id for hit in opened.retrieve(FIRST_ID, "bilge pump").hits] == ["new"]


def test_an_open_store_reads_texts_packed_by_a_later_run(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    write_log(logs.root / "s.jsonl", session_lines(mentions=150))
    logs.again()

    assert opened.retrieve(FIRST_ID, "maxPool").status == "complete"


def test_an_open_store_goes_over_to_a_companion_built_anew(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    paths = StorePaths(logs.store)
    rebuild_companion(open_lake(paths.lake), paths)

    assert opened.retrieve(FIRST_ID, "maxPool").status == "complete"
    assert opened.show(FIRST_ID)["entries"]


def test_a_companion_that_was_replaced_by_a_damaged_one_is_named_each_time(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    paths = StorePaths(logs.store)
    rebuild_companion(open_lake(paths.lake), paths)
    paths.companion.write_bytes(b"")

    for _ in range(2):
        with pytest.raises(uncompact.StoreError, match="damaged companion"):
            opened.sessions()


def test_an_open_store_whose_folder_is_gone_says_so(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    shutil.rmtree(logs.store)

    with pytest.raises(uncompact.StoreError, match="no companion here"):
        opened.sessions()


def test_a_status_tells_whether_the_companion_holds_what_the_lake_does(
    logs: IndexedLogs, opened: uncompact.HistoryStore
) -> None:
    told = opened.status()["companion"]
    paths = StorePaths(logs.store)
    with closing(connect_writer(paths.companion)) as companion:
        execute(companion, "update meta set value = '{}' where name = 'lake_versions'")

    assert (told["entries"], told["current"]) == (9, True)
    assert opened.status()["companion"]["current"] is False


def test_limits_go_to_the_search(logs: IndexedLogs, opened: uncompact.HistoryStore) -> None:
    path = logs.root / "s.jsonl"

    assert len(opened.retrieve(path, "maxPool", max_results=2).hits) == 2
    assert not opened.retrieve(path, "maxPool", max_retrieved_history_tokens=10).hits
    assert [
        hit.ranked.candidate.entry_id
        for hit in opened.retrieve(path, "maxPool", "fork", context_ids=["u0"]).hits
    ] == ["fork"]


def test_an_edit_is_told_from_the_log(tmp_path: Path) -> None:
    lines = [
        *session_lines()[:-4],
        entry("context_edit", "x1", "u3", targetId="u0", replacement=None),
        *compacted("x1"),
    ]

    with uncompact.open_store(index_lines(lines, tmp_path).store) as store:
        answer = store.retrieve(FIRST_ID, "decided")

    assert (answer.status, answer.counts["edited_out"]) == ("no-hits", 1)
