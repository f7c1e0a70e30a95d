"""Runs that are killed at a change they make to the store, or at any moment: the next one finishes, and nothing is lost."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import CASES, compacted, header, user, write_log
from tests.pipelines.stores import lake_rows
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.store import StorePaths

BENCHMARKS = CASES.parents[1] / "benchmarks"

Figures = dict[str, Any]

# How many changes each command is killed at; and once each at a random moment.
KILLS = {"first run": 3, "all at once": 6, "forget": 3}
NO_TOOL = 3


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Figures]:
    """The figures of the benchmark's scenarios, tried side by side."""
    folder = tmp_path_factory.mktemp("trials")
    running: dict[str, subprocess.Popen[str]] = {}
    for scenario, changes in KILLS.items():
        told = folder / f"{scenario}.json"
        options = ["--spread", str(changes), "--kills", "1", "--scenarios", scenario, "--json", str(told)]
        running[scenario] = subprocess.Popen(
            [sys.executable, str(BENCHMARKS / "kill_trial.py"), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    said = {scenario: process.communicate()[1] for scenario, process in running.items()}
    if any(process.returncode == NO_TOOL for process in running.values()):
        pytest.skip(next(iter(said.values())).strip())
    return {scenario: json.loads((folder / f"{scenario}.json").read_text("utf-8"))[0] for scenario in running}


@pytest.mark.parametrize("scenario", KILLS)
def test_after_any_kill_the_next_run_makes_the_store_whole(trials: dict[str, Figures], scenario: str) -> None:
    figures = trials[scenario]

    assert figures["failures"] == []
    assert figures["killed"] >= KILLS[scenario]
    assert (figures["recovered"], figures["entries_lost"]) == (KILLS[scenario] + 1, 0)


@pytest.mark.parametrize("scenario", KILLS)
def test_what_killed_runs_leave_behind_goes_with_the_next_run(
    trials: dict[str, Figures], scenario: str
) -> None:
    assert (trials[scenario]["files_left_after_next_run"], trials[scenario]["orphans"]) == (0, 0)


@pytest.mark.parametrize("unfinished", ["_commit_5f.json.tmp", "00000000000000000001.json#1"])
def test_what_a_run_killed_after_its_last_commit_left_goes_with_the_next(
    logs: Path, store: Path, unfinished: str
) -> None:
    write_log(logs / "a.jsonl", [header("s-a"), user("a1", None, "x")])
    uncompact.reindex([logs], store)
    paths = StorePaths(store)
    started, _ = paths.runs.read_bytes().splitlines(keepends=True)
    paths.runs.write_bytes(started)
    left = paths.lake / "sessions" / "_delta_log" / unfinished
    left.write_bytes(b"{}")
    uncompact.reindex([logs], store)

    assert not left.exists()


@pytest.mark.parametrize("made", ["", "_delta_log", "_delta_log/00000000000000000000.json#1"])
def test_a_lake_that_is_being_made_is_none_yet(logs: Path, store: Path, made: str) -> None:
    write_log(logs / "a.jsonl", [header("s-a"), user("a1", None, "x")])
    create_lake(store / "lake")
    sessions = store / "lake" / "sessions"
    shutil.rmtree(sessions)
    (sessions / made).mkdir(parents=True)
    with pytest.raises(uncompact.StoreError, match="no lake here"):
        open_lake(store / "lake")

    assert uncompact.reindex([logs], store).entries_total == 1


@pytest.mark.parametrize("half_made", ["entries", "compaction_keeps", "sessions"])
def test_a_first_run_killed_while_it_made_a_table_is_finished(
    logs: Path, store: Path, half_made: str
) -> None:
    write_log(logs / "a.jsonl", [header("s-a"), user("a1", None, "x")])
    uncompact.reindex([logs], store)
    shutil.rmtree(store / "lake" / half_made)
    unfinished = store / "lake" / half_made / "_delta_log" / "00000000000000000000.json#1"
    unfinished.parent.mkdir(parents=True)
    unfinished.write_text('{"protocol"')
    for table in ("lake/sessions/_delta_log/00000000000000000001.json", "companion"):
        (store / table).unlink(missing_ok=True)

    assert uncompact.reindex([logs], store).entries_total == 1


def test_a_run_killed_before_its_last_commit_is_done_anew(logs: Path, store: Path) -> None:
    for name in ("a", "b"):
        write_log(logs / f"{name}.jsonl", [header(f"s-{name}"), user("a1", None, "x"), user("a2", "a1", "y")])
    uncompact.reindex([logs], store)
    before = shutil.copytree(store, store.with_name("before"))
    write_log(logs / "a.jsonl", [header("s-a"), user("z1", None, "anew")])
    uncompact.reindex([logs], store)
    whole = lake_rows(store)
    commits = "lake/sessions/_delta_log/*.json"
    for commit in {*store.glob(commits)}:
        if not (before / commit.relative_to(store)).exists():
            commit.unlink()
    for path in store.glob("companion*"):
        path.unlink()

    uncompact.reindex([logs], store)

    assert lake_rows(store) == whole


def forbid_large_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


def test_a_run_whose_files_may_not_grow_is_an_error_and_loses_nothing(logs: Path, store: Path) -> None:
    write_log(logs / "a.jsonl", [header("s-a"), user("a1", None, "the keel_mark is oak"), *compacted("a1")])
    uncompact.reindex([logs], store)
    before = lake_rows(store)
    lines = [user(f"b{at}", f"b{at - 1}" if at else None, f"{at * 7919:x} " * 90) for at in range(300)]
    write_log(logs / "b.jsonl", [header("s-b"), *lines])
    command = [sys.executable, "-m", "uncompact", "--store", str(store), "reindex", str(logs), "--json"]

    done = subprocess.run(command, capture_output=True, preexec_fn=forbid_large_files, check=False)

    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"], str(store) in error["message"]) == (1, "store", True)
    with uncompact.open_store(store) as opened:
        assert len(opened.retrieve("s-a", "`keel_mark`").hits) == 1
    assert lake_rows(store) == before
    assert uncompact.reindex([logs], store).entries_total == 305
