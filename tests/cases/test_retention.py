"""What stays of a log that is gone, and what does not of one that was forgotten."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    assistant,
    compacted,
    header,
    index,
    index_case,
    user,
    write_log,
)
from tests.pipelines.store_traces import traces
from uncompact.pipelines.companion_db import connect_writer
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths

GHOST, STEADY = "0195a000-0000-7000-8000-0000000000d1", "0195a000-0000-7000-8000-0000000000d2"


def talk(session_id: str, word: str, cwd: str = "/home/ada/harbour") -> list[JsonObject]:
    """Return a session in which a compaction removed two turns that say a word."""
    return [
        header(session_id, cwd),
        user("a0000001", None, f"Only here: {word}."),
        assistant("a0000002", "a0000001", f"{word} noted."),
        *compacted("a0000002"),
    ]


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    write_log(tmp_path / "logs" / "s.jsonl", talk(GHOST, "ghost_word"))
    write_log(tmp_path / "logs" / "t.jsonl", talk(STEADY, "steady_word"))
    return index(tmp_path / "logs", tmp_path / "store")


def found(logs: IndexedLogs) -> dict[str, Any]:
    answer = logs.retrieve("`ghost_word`")
    return {
        "ids": sorted(answer.ids),
        "states": sorted((one["session_id"], one["state"]) for one in logs.sessions()),
    }


def test_a_deleted_log_is_kept_and_marked_by_every_kind_of_run(logs: IndexedLogs) -> None:
    (logs.root / "s.jsonl").unlink()

    after_one_run = found(logs.again())
    uncompact.reindex([logs.root], logs.store, full=True)

    assert after_one_run == found(logs)
    assert after_one_run == {
        "ids": ["a0000001", "a0000002"],
        "states": [(GHOST, "vanished"), (STEADY, "present")],
    }


@pytest.mark.parametrize("is_gone", [True, False], ids=["deleted before", "still there"])
@pytest.mark.parametrize("full", [True, False], ids=["full run", "run"])
def test_forgetting_wins_over_keeping_and_over_reading(logs: IndexedLogs, is_gone: bool, full: bool) -> None:
    if is_gone:
        (logs.root / "s.jsonl").unlink()
        logs.again()

    uncompact.forget(logs.store, [GHOST])
    uncompact.reindex([logs.root], logs.store, full=full)

    assert [one["session_id"] for one in logs.sessions()] == [STEADY]
    assert traces(logs.store, "ghost_word", GHOST) == []


def test_forgetting_wins_over_a_store_that_is_built_anew(logs: IndexedLogs) -> None:
    uncompact.forget(logs.store, [GHOST])
    for path in logs.store.iterdir():
        if path != StorePaths(logs.store).tombstones:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    assert [one["session_id"] for one in logs.again().sessions()] == [STEADY]


def test_words_of_a_forgotten_session_match_no_session_that_came_later(logs: IndexedLogs) -> None:
    uncompact.forget(logs.store, [GHOST])
    (logs.root / "s.jsonl").unlink()
    logs.again()
    write_log(logs.root / "new.jsonl", talk("0195a000-0000-7000-8000-0000000000d3", "fresh_word"))
    later = logs.again()

    for log in ("t.jsonl", "new.jsonl"):
        assert later.retrieve("`ghost_word`", log=log).status == "no-hits"
    assert sorted(later.retrieve("`fresh_word`", log="new.jsonl").ids) == ["a0000001", "a0000002"]
    with closing(connect_writer(StorePaths(logs.store).companion)) as connection:
        execute(connection, "insert into words (words, rank) values ('integrity-check', 1)")


def test_a_project_and_a_date_choose_together(logs: IndexedLogs) -> None:
    write_log(logs.root / "u.jsonl", talk("id-elsewhere", "other_word", "/home/ada/workshop"))
    logs.again()

    report = uncompact.forget(logs.store, project="/home/ada/harbour", before="2026-03-15")

    assert {one.session_id for one in report.forgotten} == {GHOST, STEADY}
    assert [one["session_id"] for one in logs.sessions()] == ["id-elsewhere"]


def test_a_fork_of_a_forgotten_session_answers_as_before(tmp_path: Path) -> None:
    logs = index_case("fork_with_shared_prefix", tmp_path)
    before = logs.retrieve("manifest_form", log="fork.jsonl").hits

    report = uncompact.forget(logs.store, [logs.root / "parent.jsonl"])

    assert report.copied_entries == 2
    assert logs.retrieve("manifest_form", log="fork.jsonl").hits == before
    assert logs.again().retrieve("manifest_form", log="fork.jsonl").hits == before
