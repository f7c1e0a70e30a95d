"""Several processes at one store: one writes, the others read one state or another, and death leaves nothing behind."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    assistant,
    compaction,
    encode,
    header,
    index,
    user,
    write_log,
)
from tests.cases.concurrent import ASK, HOLD, REBUILD, REINDEX, answers, in_background, start
from tests.pipelines.stores import append
from tests.query.cli_runs import start as start_command
from uncompact.pipelines.companion_check import check_companion
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.store import StorePaths
from uncompact.pipelines.sync import sync_log

ROUNDS = 4
LATER = 6


def talk(session: str, turns: int) -> list[JsonObject]:
    """Make a log in which a compaction removed all but the last turn; every turn names the harbour."""
    lines = [header(session)]
    for turn in range(turns):
        make = (user, assistant)[turn % 2]
        lines.append(make(f"u{turn}", f"u{turn - 1}" if turn else None, f"turn {turn} of the harbour " * 9))
    return [*lines, compaction("k", f"u{turns - 1}", f"u{turns - 1}"), user("r", "k", "Go on.")]


def later(number: int) -> list[JsonObject]:
    """Make what is appended to the log at once: turns, and a compaction that removes what was there before."""
    parent = f"r{number - 1}" if number else "r"
    turns = [f"x{number}-{turn}" for turn in range(LATER)]
    lines = [
        user(turn, turns[at - 1] if at else parent, f"later {turn} in the harbour " * 9)
        for at, turn in enumerate(turns)
    ]
    return [
        *lines,
        compaction(f"k{number}", turns[-1], turns[-1]),
        user(f"r{number}", f"k{number}", "Go on."),
    ]


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    """Three logs in a store."""
    for name in "stz":
        write_log(tmp_path / "logs" / f"{name}.jsonl", talk(name, 12))
    return index(tmp_path / "logs", tmp_path / "store")


def command(store: Path, *arguments: str | Path) -> list[str]:
    return ["--store", str(store), *map(str, arguments)]


def finish(process: subprocess.Popen[bytes]) -> tuple[int, str, JsonObject]:
    """Wait for a command; return its exit code, what it said on stderr and its JSON."""
    told, said = process.communicate(timeout=300)
    return process.returncode, said.decode(), json.loads(told or b"{}")


def state(store: Path, log: Path) -> list[list[Any]]:
    """Return what a process is told that asks now: what is found, what is shown and what is listed."""
    (answer,) = answers(start(ASK, store, log, "1", "once"))
    return answer


def assert_whole(store: Path) -> None:
    paths = StorePaths(store)
    assert check_companion(open_lake(paths.lake), paths, deep=True) == []
    assert {name for name in os.listdir(store) if name.startswith((".", "companion"))} <= {
        "companion",
        *(f"{paths.companion.name}{side}" for side in ("", "-seal", "-shm", "-wal")),
    }


@pytest.mark.parametrize(("wait", "codes"), [("0", {0, 3}), ("120", {0})], ids=["at once", "waiting"])
def test_runs_that_start_together_on_an_empty_store_end_well(
    tmp_path: Path, wait: str, codes: set[int]
) -> None:
    for name in "stz":
        write_log(tmp_path / "logs" / f"{name}.jsonl", talk(name, 12))
    store = tmp_path / "store"

    runs = [
        start_command(*command(store, "reindex", "--json", "--wait", wait, tmp_path / "logs"))
        for _ in range(4)
    ]
    ended = [finish(run) for run in runs]

    assert {code for code, _, _ in ended} <= codes
    assert 0 in {code for code, _, _ in ended}
    assert not any("Traceback" in said or "locked" in said for _, said, _ in ended)
    assert {report["entries"]["total"] for code, _, report in ended if code == 0} == {42}
    assert_whole(store)


def test_a_second_run_leaves_at_once_with_a_code_of_its_own(logs: IndexedLogs) -> None:
    with in_background(HOLD, logs.store):
        code, _, told = finish(start_command(*command(logs.store, "reindex", "--json", logs.root)))

    assert code == 3
    assert told["error"]["kind"] == "busy"
    assert told["error"]["message"] == f"{logs.store}: another process is writing this store"


def test_a_second_run_waits_when_it_is_told_to(logs: IndexedLogs) -> None:
    with in_background(HOLD, logs.store) as holder:
        waiting = start_command(*command(logs.store, "reindex", "--json", "--wait", "120", logs.root))
        assert waiting.poll() is None
        assert holder.stdin is not None
        holder.stdin.close()
        holder.stdin = None

        assert finish(waiting)[0] == 0


def test_a_killed_holder_leaves_the_lock_free(logs: IndexedLogs) -> None:
    with in_background(HOLD, logs.store) as holder:
        holder.kill()
        holder.wait()

        assert finish(start_command(*command(logs.store, "reindex", "--json", logs.root)))[0] == 0


@pytest.mark.parametrize("content", ["4194303", str(os.getppid()), ""], ids=["dead", "another's", "empty"])
def test_a_lock_file_left_behind_is_no_obstacle(logs: IndexedLogs, content: str) -> None:
    StorePaths(logs.store).lock.write_text(content)

    assert logs.retrieve("`harbour`").status == "complete"
    assert logs.again().report["entries"]["total"] == 42


def test_readers_see_one_state_or_another_while_a_companion_is_built_over_and_over(logs: IndexedLogs) -> None:
    log = logs.root / "s.jsonl"
    states = [state(logs.store, log)]
    with in_background(REBUILD, logs.store):
        readers = [start(ASK, logs.store, log, "50", how) for how in ("reopens", "stays")]
        readers += [start(ASK, logs.store, log, "50", how) for how in ("reopens", "stays")]
        for number in range(ROUNDS):
            append(log, b"".join(map(encode, later(number))))
            uncompact.reindex([logs.root], store=logs.store, wait_s=120)
            states.append(state(logs.store, log))
        told = [answers(reader) for reader in readers]

    assert [found[2] for found, _, _ in states] == [11 + LATER * number for number in range(ROUNDS + 1)]
    for seen in told:
        for what in range(3):
            order = [[one[what] for one in states].index(one[what]) for one in seen[:: 5 if what == 1 else 1]]
            assert order == sorted(order)
    assert_whole(logs.store)


def test_syncs_lose_nothing_while_a_companion_is_built_over_and_over(logs: IndexedLogs) -> None:
    log = logs.root / "s.jsonl"
    outcomes: list[str] = []
    with in_background(REBUILD, logs.store):
        for number in range(25):
            append(log, encode(user(f"y{number}", "r", f"a line {number}")))
            outcomes.append(sync_log(logs.store, log).outcome)
    sync_log(logs.store, log)

    assert set(outcomes) <= {"appended", "busy"}
    with uncompact.open_store(logs.store) as store:
        assert max(one["entries"] for one in store.sessions()) == 14 + 25
    uncompact.reindex([logs.root], store=logs.store)
    assert_whole(logs.store)


def test_runs_killed_at_any_moment_leave_a_store_that_answers_and_a_run_that_finishes(
    logs: IndexedLogs,
) -> None:
    rng = random.Random(5)
    log = logs.root / "s.jsonl"
    found_before = 11
    for number in range(12):
        append(log, b"".join(map(encode, later(number))))
        with in_background(REINDEX, logs.root, logs.store, "anew" if number % 2 else "on") as run:
            time.sleep(rng.uniform(0, 0.5))
            run.kill()

        found, shown, listed = state(logs.store, log)
        done = (found[2] - 11) // LATER
        assert found[:3] == ["complete", f"r{done - 1}" if done else "r", 11 + LATER * done]
        assert shown == [found[1], 14 + (LATER + 2) * done, shown[2], []]
        assert listed == [found[1], 14 + (LATER + 2) * done, 1 + done]
        assert found_before <= found[2] <= 11 + LATER * (number + 1)
        found_before = found[2]

    report = uncompact.reindex([logs.root], store=logs.store)
    assert report.entries_total == 42 + 12 * (LATER + 2)
    assert_whole(logs.store)
