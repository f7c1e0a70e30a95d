"""A lake that was damaged in any way is whole again after the next run, but for what nothing holds any more."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable

import uncompact
from tests.pipelines.damaged_stores import (
    BuiltStore,
    Damage,
    build_store,
    commit_of,
    cut,
    file_of,
    flipped,
    folder_gone,
    garbled,
    removed,
    zeroed,
)
from tests.pipelines.stores import lake_rows
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.lake_check import check_lake
from uncompact.pipelines.lake_folders import damaged_folders, suspect_lake
from uncompact.pipelines.lake_repair import ready_lake
from uncompact.pipelines.lake_salvage import salvage_lake
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.schema import TABLES


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltStore:
    return build_store(tmp_path_factory.mktemp("built"))


@pytest.fixture
def damaged(built: BuiltStore, tmp_path: Path) -> BuiltStore:
    """A copy of the store, to be damaged."""
    return built.copy(tmp_path)


# Nothing is lost: the logs have it, or another file of the lake.
MENDED = [
    pytest.param(removed(commit_of("entries", 0)), id="first commit missing"),
    pytest.param(removed(commit_of("entries", -1)), id="last commit missing"),
    pytest.param(cut(commit_of("entries", 1)), id="commit cut"),
    pytest.param(garbled(commit_of("tool_calls", 1)), id="commit garbled"),
    pytest.param(zeroed(commit_of("usage", 0)), id="commit zeroed"),
    pytest.param(folder_gone("entries", "_delta_log"), id="log of entries gone"),
    pytest.param(folder_gone("tool_calls", "_delta_log"), id="log of tool calls gone"),
    pytest.param(folder_gone("sessions", "_delta_log"), id="log of sessions gone"),
    pytest.param(garbled(commit_of("sessions", -1)), id="last sessions commit garbled"),
    pytest.param(removed(commit_of("sessions", 1)), id="earlier sessions commit missing"),
    pytest.param(removed(file_of("sessions")), id="sessions file missing"),
    pytest.param(zeroed(file_of("sessions", "srv-y")), id="sessions file zeroed"),
    pytest.param(folder_gone("sessions"), id="sessions gone"),
    pytest.param(removed(file_of("segments")), id="segments file missing"),
    pytest.param(folder_gone("segments"), id="segments gone"),
    pytest.param(folder_gone("copies"), id="copies gone"),
]


@pytest.mark.parametrize("damage", MENDED)
def test_damage_that_lost_nothing_is_undone(damaged: BuiltStore, damage: Damage) -> None:
    damage(damaged.lake)

    told = damaged.mend()

    assert lake_rows(damaged.store) == damaged.rows
    assert told
    assert check_lake(damaged.lake, deep=True) == []
    assert damaged_folders(damaged.lake) == []


def zeroed_without_log(place: Callable[[Path], Path]) -> Damage:
    def damage(lake: Path) -> None:
        zeroed(place)(lake)
        shutil.rmtree(lake / "tool_calls" / "_delta_log")

    return damage


# The only file with some rows of a session whose log is gone is lost, whatever else is read anew.
LOSSY = [
    pytest.param(removed(file_of("entries")), {"entries": 11}, "12 entries", id="entries file missing"),
    pytest.param(cut(file_of("entries")), {"entries": 11}, "12 entries", id="entries file cut"),
    pytest.param(zeroed(file_of("entries", nth=1)), {"entries": 1}, "1 of its 12 entries", id="entries file zeroed"),
    pytest.param(garbled(file_of("entries", "srv-y")), {"entries": 11}, "11 entries", id="a whole project garbled"),
    pytest.param(removed(file_of("compactions")), {"compactions": 1}, "1 of its 1 compactions", id="compactions file missing"),
    pytest.param(removed(file_of("tool_calls")), {"tool_calls": 3}, "maybe rows of tool_calls", id="tool calls file missing"),
    pytest.param(folder_gone("usage"), {"usage": 6}, "maybe rows of usage", id="usage gone"),
    pytest.param(zeroed_without_log(file_of("tool_calls")), {"tool_calls": 3}, "maybe rows of tool_calls", id="tool calls file zeroed, log gone"),
    pytest.param(folder_gone("entries"), {"entries": 23}, "11 of its 11 entries", id="entries gone"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "lost", "words"), LOSSY)
def test_what_nothing_holds_any_more_is_named_and_all_else_kept(
    damaged: BuiltStore, damage: Damage, lost: dict[str, int], words: str
) -> None:
    damage(damaged.lake)

    told = "\n".join(damaged.mend())

    rows = damaged.lost()
    # The row of a session that lost something is restated.
    assert {table: len(rows[table]) for table in rows if table != "sessions"} == lost
    assert {row[1] for table in rows for row in rows[table]} <= damaged.gone
    assert words in told
    assert check_lake(damaged.lake, deep=True) == []
    assert lake_rows(damaged.store)["sessions"] != []


def test_the_companion_answers_from_before_the_damage(damaged: BuiltStore) -> None:
    shutil.rmtree(damaged.lake)

    with uncompact.open_store(damaged.store) as store:
        assert [hit.ranked.candidate.entry_id for hit in store.retrieve("s-v", "`v says 0`").hits][:1] == [
            "v0"
        ]


@pytest.mark.parametrize("is_file", [False, True], ids=["gone", "a file"])
def test_a_lake_that_is_not_there_is_read_anew(damaged: BuiltStore, is_file: bool) -> None:
    shutil.rmtree(damaged.lake)
    if is_file:
        damaged.lake.write_text("notes")

    told = "\n".join(damaged.mend())

    assert {row[1] for rows in damaged.lost().values() for row in rows} == damaged.gone
    assert "v.jsonl: its log is gone, and none of its 12 entries could be saved" in told
    kept = [file.read_text() for folder in damaged_folders(damaged.lake) for file in folder.iterdir()]
    assert kept == (["notes"] if is_file else [])


def test_damage_that_decodes_is_found_by_reading_all(damaged: BuiltStore) -> None:
    flipped(file_of("entries", "srv-y"))(damaged.lake)
    assert check_lake(damaged.lake) == []

    told = ready_lake(damaged.lake, logs=sorted(damaged.logs.glob("*.jsonl")), deep=True)

    assert "is not what was written" in told[0]
    assert check_lake(damaged.lake, deep=True) == []


def test_a_lake_that_could_not_be_read_is_read_through_by_the_next_run(damaged: BuiltStore) -> None:
    flipped(file_of("segments"))(damaged.lake)
    suspect_lake(damaged.lake)

    assert "is not what was written" in damaged.mend()[0]
    assert lake_rows(damaged.store) == damaged.rows
    assert damaged.mend() == []


def test_what_cannot_be_read_is_kept_when_something_of_it_is_lost(damaged: BuiltStore) -> None:
    garbled(file_of("entries", "srv-y"))(damaged.lake)

    told = damaged.mend()

    (folder,) = damaged_folders(damaged.lake)
    assert told[-1].startswith(f"{folder}: ")
    assert [file.read_bytes()[:4] for file in folder.rglob("*.parquet")] == [b"\xff{ n"]


def test_what_is_not_ours_in_the_lakes_folder_is_kept(damaged: BuiltStore) -> None:
    (damaged.lake / "notes").mkdir()
    (damaged.lake / "notes" / "a.txt").write_text("mine")
    removed(commit_of("entries", 0))(damaged.lake)

    damaged.mend()

    (folder,) = damaged_folders(damaged.lake)
    assert (folder / "notes" / "a.txt").read_text() == "mine"


def test_a_session_that_lost_entries_still_answers(damaged: BuiltStore) -> None:
    removed(file_of("entries", nth=1))(damaged.lake)

    damaged.mend()

    reindex([damaged.logs], damaged.store, rebuild_companion=True)
    with uncompact.open_store(damaged.store) as store:
        assert store.retrieve("s-v", "`v says 0`").hits
        assert len(store.show("s-v")["entries"]) == 11


def test_a_log_that_comes_back_makes_its_session_whole(damaged: BuiltStore, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(damaged.logs, logs)
    store = tmp_path / "other"
    reindex([logs], store)
    aside = tmp_path / "b.jsonl"
    os.rename(logs / "b.jsonl", aside)
    reindex([logs], store)
    rows = lake_rows(store)
    removed(file_of("entries"))(store / "lake")
    ready_lake(store / "lake")
    reindex([logs], store)

    os.rename(aside, logs / "b.jsonl")
    reindex([logs], store)

    now = lake_rows(store)
    assert {table: now[table] for table in now if table != "sessions"} == {
        table: rows[table] for table in rows if table != "sessions"
    }


def test_a_session_whose_log_is_elsewhere_waits_for_it(damaged: BuiltStore, tmp_path: Path) -> None:
    removed(file_of("usage"))(damaged.lake)

    ready_lake(damaged.lake)
    reindex([tmp_path / "nothing"], damaged.store)
    reindex([damaged.logs], damaged.store)

    assert {row[1] for rows in damaged.lost().values() for row in rows} <= damaged.gone


@pytest.mark.parametrize("committed", range(len(TABLES)))
def test_a_run_killed_between_two_commits_is_done_again(tmp_path: Path, committed: int) -> None:
    built = build_store(tmp_path / "built")
    before = shutil.copytree(built.store, tmp_path / "before", symlinks=True)
    (built.logs / "new.jsonl").write_bytes((built.logs / "a.jsonl").read_bytes().replace(b"s-a", b"s-new"))
    (built.logs / "b.jsonl").unlink()
    reindex([built.logs], built.store)
    rows = lake_rows(built.store)
    for table in list(TABLES)[committed:]:
        for path in (built.lake / table / "_delta_log").iterdir():
            if not (before / "lake" / table / "_delta_log" / path.name).exists():
                path.unlink()

    assert built.mend() == []

    assert lake_rows(built.store) == rows
    assert check_lake(built.lake, deep=True) == []


def test_sessions_of_a_lost_commit_are_saved_when_their_logs_are_gone(tmp_path: Path) -> None:
    built = build_store(tmp_path / "built")
    (built.logs / "new.jsonl").write_bytes((built.logs / "a.jsonl").read_bytes().replace(b"s-a", b"s-new"))
    reindex([built.logs], built.store)
    rows = lake_rows(built.store)
    commit_of("sessions", -1)(built.lake).unlink()
    (built.logs / "new.jsonl").unlink()

    told = built.mend()

    assert "new.jsonl: is not in the lake's state: the last commit of a run is missing" in told[0]
    now = lake_rows(built.store)
    assert {table: now[table] for table in now if table != "sessions"} == {
        table: rows[table] for table in rows if table != "sessions"
    }
    assert len(now["sessions"]) == 6


@pytest.mark.parametrize(
    "stage", ["not done", "before the first rename", "between the renames", "after them"]
)
def test_a_killed_repair_is_finished(damaged: BuiltStore, stage: str) -> None:
    removed(commit_of("entries", 0))(damaged.lake)
    work = damaged.lake.with_name("lake.repair")
    work.mkdir()
    salvage_lake(damaged.lake, work / "new", "20990101T000000", open_lake_versions(damaged.lake))
    if stage != "not done":
        (work / "done").write_text("20990101T000000")
    if stage in ("between the renames", "after them"):
        os.rename(damaged.lake, work / "old")
    if stage == "between the renames":
        # What a command that makes a lake where none is would leave.
        create_lake(damaged.lake)
    if stage == "after them":
        os.rename(work / "new", damaged.lake)

    damaged.mend()

    assert lake_rows(damaged.store) == damaged.rows
    assert not work.exists()


def test_a_lake_behind_a_link_is_repaired_where_it_is(damaged: BuiltStore, tmp_path: Path) -> None:
    os.rename(damaged.lake, tmp_path / "disk")
    damaged.lake.symlink_to(tmp_path / "disk")
    removed(commit_of("entries", 0))(damaged.lake)

    damaged.mend()

    assert damaged.lake.is_symlink()
    assert lake_rows(damaged.store) == damaged.rows


def test_a_lake_of_an_older_version_is_built_anew(damaged: BuiltStore) -> None:
    state_version(damaged.lake, 0)
    shutil.rmtree(damaged.lake / "copies")

    told = damaged.mend()

    assert told[0].endswith("is of lake version 0, this program writes version 2")
    assert {row[1] for row in damaged.lost().get("sessions", [])} <= damaged.gone
    assert damaged.lost().keys() <= {"sessions"}


def test_a_lake_of_a_newer_version_is_left_alone(damaged: BuiltStore) -> None:
    state_version(damaged.lake, 99)
    removed(commit_of("entries", 0))(damaged.lake)
    before = sorted(damaged.store.rglob("*"))

    with pytest.raises(StoreError, match="lake version 99"):
        damaged.mend()

    assert sorted(damaged.store.rglob("*")) == before


def test_a_damaged_checkpoint_is_done_without(damaged: BuiltStore) -> None:
    DeltaTable(damaged.lake / "entries").create_checkpoint()
    log = damaged.lake / "entries" / "_delta_log"
    for commit in sorted(log.glob("*.json"))[:-1]:
        commit.unlink()
    (checkpoint,) = log.glob("*.checkpoint.parquet")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-40])

    assert "checkpoint.parquet: cannot be read" in damaged.mend()[0]
    assert lake_rows(damaged.store) == damaged.rows


def open_lake_versions(lake: Path) -> dict[str, int]:
    return dict(open_lake(lake).versions)


def state_version(lake: Path, version: int) -> None:
    """Let the newest commit state another lake version."""
    commit = max((lake / "sessions" / "_delta_log").glob("*.json"))
    lines = [json.loads(line) for line in commit.read_text().splitlines()]
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["uncompact_lake_version"] = version
    commit.write_text("\n".join(map(json.dumps, lines)))
