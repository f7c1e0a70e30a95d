"""A sync brings the companion to what a reindex would have made of the log, at the cost of what was appended."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import uncompact
from tests.cases.builders import assistant, compaction, encode, header, user, write_log
from tests.pipelines.any_sessions import GrowingLog, growing_logs
from tests.pipelines.companion_rows import companion_rows
from uncompact.pipelines.companion_db import connect_writer
from uncompact.pipelines.errors import SourceError, StoreError
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths, writer_lock
from uncompact.pipelines.sync import Syncer, sync_log

BEGINNING = [header(), user("a", None, "the keel is oak"), assistant("b", "a", "noted: oak")]
REST = [
    user("c", "b", "and the mast?"),
    assistant("d", "a", "a second thought"),
    compaction("k", "c", "c"),
    user("e", "k", "go on"),
]


def test_an_appended_log_is_retrievable_at_once(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    write_log(log, [*BEGINNING, *REST])

    result = sync_log(store, log)

    assert (result.outcome, result.entries) == ("appended", 4)
    with uncompact.open_store(store) as opened:
        assert [hit.ranked.candidate.entry_id for hit in opened.retrieve(log, "keel").hits] == ["a"]


def test_a_synced_companion_holds_what_a_reindex_would_load(logs: Path, store: Path, tmp_path: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    write_log(log, [*BEGINNING, *REST])
    sync_log(store, log)

    reindex([logs], tmp_path / "anew")

    assert rows_of(store) == rows_of(tmp_path / "anew")


def test_a_reindex_after_a_sync_changes_no_row_of_the_companion(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    write_log(log, [*BEGINNING, *REST])
    sync_log(store, log)
    before = rows_of(store)

    report = reindex([logs], store)

    assert rows_of(store) == before
    assert report.entries_total == 6


def test_an_unchanged_log_costs_nothing(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)

    assert sync_log(store, log).outcome == "unchanged"


def test_a_touched_log_is_compared_and_left(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    os.utime(log, ns=(1, 1))

    assert sync_log(store, log).outcome == "unchanged"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([header(), user("a", None, "the keel is ash")], id="rewritten"),
        pytest.param([*BEGINNING, user("a", "b", "an id again")], id="an id that is there already"),
    ],
)
def test_what_is_no_mere_append_is_read_whole(
    logs: Path, store: Path, lines: list[dict[str, object]]
) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    write_log(log, lines)

    assert sync_log(store, log).outcome == "read"
    with uncompact.open_store(store) as opened:
        assert opened.sessions()[0]["entries"] == len(lines) - 1


def test_a_new_log_is_read_whole(logs: Path, store: Path) -> None:
    write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    log = write_log(logs / "new.jsonl", [header("other"), user("n", None, "a new one")])

    assert sync_log(store, log).outcome == "read"
    with uncompact.open_store(store) as opened:
        assert opened.session("other").path == str(log)


def test_a_busy_companion_is_not_waited_for(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    write_log(log, [*BEGINNING, *REST])
    with closing(connect_writer(companion(store))) as other:
        execute(other, "begin immediate")

        assert sync_log(store, log).outcome == "busy"


def test_a_file_that_is_no_log_is_refused_and_changes_nothing(logs: Path, store: Path) -> None:
    write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    before = rows_of(store)
    (logs / "notes.jsonl").write_text("{}\n")

    with pytest.raises(SourceError, match="not a session log"):
        sync_log(store, logs / "notes.jsonl")
    assert rows_of(store) == before


def test_a_store_without_anything_gets_a_companion_with_the_session(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", [*BEGINNING, *REST])

    assert sync_log(store, log).outcome == "read"
    with uncompact.open_store(store) as opened:
        assert [hit.ranked.candidate.entry_id for hit in opened.retrieve(log, "keel").hits] == ["a"]


def test_a_reindex_after_a_first_sync_holds_what_it_would_hold_alone(
    logs: Path, store: Path, tmp_path: Path
) -> None:
    log = write_log(logs / "s.jsonl", [*BEGINNING, *REST])
    write_log(logs / "other.jsonl", [header("other"), user("o", None, "another")])
    sync_log(store, log)
    reindex([logs], store)

    reindex([logs], tmp_path / "alone")

    assert companion_rows(companion(store)) == companion_rows(companion(tmp_path / "alone"))


def test_a_store_whose_first_run_is_going_on_is_busy(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)

    with writer_lock(StorePaths(store)):
        assert sync_log(store, log).outcome == "busy"


def test_a_lake_without_its_companion_is_not_hidden_behind_an_empty_one(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    StorePaths(store).companion_pointer.unlink()

    with pytest.raises(StoreError, match="no companion here"):
        sync_log(store, log)


def test_an_open_companion_is_synced_again_and_again(logs: Path, store: Path, tmp_path: Path) -> None:
    lines = [*BEGINNING, *REST]
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    with Syncer(store) as syncer:
        outcomes = [
            syncer.sync(write_log(log, lines[:end])).outcome
            for end in range(len(BEGINNING) + 1, len(lines) + 1)
        ]
        assert syncer.sync(log).outcome == "unchanged"

    reindex([logs], tmp_path / "anew")

    assert outcomes == ["appended"] * len(REST)
    assert rows_of(store) == rows_of(tmp_path / "anew")


def test_an_open_companion_is_left_for_one_built_since(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    with Syncer(store) as syncer:
        syncer.sync(write_log(log, [*BEGINNING, REST[0]]))
        reindex([logs], store, rebuild_companion=True)
        result = syncer.sync(write_log(log, [*BEGINNING, *REST]))

    assert (result.outcome, result.entries) == ("appended", 3)


def test_a_failed_sync_leaves_an_open_companion_usable(logs: Path, store: Path) -> None:
    log = write_log(logs / "s.jsonl", BEGINNING)
    reindex([logs], store)
    (logs / "notes.jsonl").write_text("{}\n")
    with Syncer(store) as syncer:
        with pytest.raises(SourceError):
            syncer.sync(logs / "notes.jsonl")

        assert syncer.sync(write_log(log, [*BEGINNING, *REST])).outcome == "appended"


# Without shrinking, which would take minutes.
@settings(max_examples=10, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(sessions=st.lists(growing_logs(), min_size=1, max_size=10))
def test_sessions_synced_as_they_grew_equal_sessions_read_whole(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[GrowingLog]
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    (folder / "logs").mkdir()
    with Syncer(folder / "store") as syncer:
        for stage in (0, 1, 2):
            for number, session in enumerate(sessions):
                stages = session.stages(encode(header(f"s-{number}", f"/srv/{number % 2}")))
                with (folder / "logs" / f"{number}.jsonl").open("ab") as file:
                    file.write(stages[min(stage, len(stages) - 1)][file.tell() :])
                syncer.sync(folder / "logs" / f"{number}.jsonl")

    reindex([folder / "logs"], folder / "whole")

    assert companion_rows(companion(folder / "store")) == companion_rows(companion(folder / "whole"))


def companion(store: Path) -> Path:
    return StorePaths(store).companion


def rows_of(store: Path) -> dict[str, list[object]]:
    """Return the companion's rows, sessions and stretches apart: stamps and cuts may differ."""
    found = companion_rows(companion(store))
    return {table: list(rows) for (_, table), rows in found.items() if table not in ("sessions", "runs")}
