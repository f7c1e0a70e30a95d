"""A run that is told to end does: lock free, no traceback, what the store held still answers."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import header, user, write_log
from uncompact.pipelines.run_history import read_runs
from uncompact.pipelines.store import StorePaths

from .cli_runs import LOG, SESSION_ID, start
from .terminals import run_at_terminal

pytestmark = pytest.mark.usefixtures("time_limit")

SIGNALS = [
    pytest.param(signal.SIGINT, 130, id="SIGINT"),
    pytest.param(signal.SIGTERM, 143, id="SIGTERM"),
]


@pytest.fixture
def running(logs: Path, store: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run over a store that has a session, just beginning to read another log."""
    write_log(logs / "s.jsonl", LOG)
    uncompact.reindex([logs], store)
    words = (user(f"u{turn}", None, f"{turn} word " * 200) for turn in range(5000))
    write_log(logs / "large.jsonl", [header("large"), *words])
    report = str(tmp_path / "report.json")
    process = start("--store", str(store), "reindex", str(logs), "--progress", "json", "--report", report)
    assert process.stderr is not None
    while b'"read"' not in process.stderr.readline():
        pass
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_ends_a_run_without_a_traceback(
    running: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    running.send_signal(number)
    out, err = running.communicate()

    assert (running.returncode, out) == (code, b"")
    assert b"Traceback" not in err
    assert json.loads((tmp_path / "report.json").read_text())["outcome"] == "interrupted"


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_what_the_store_held_still_answers(
    running: subprocess.Popen[bytes], store: Path, number: signal.Signals, code: int
) -> None:
    running.send_signal(number)
    running.communicate()

    with uncompact.open_store(store) as opened:
        assert len(opened.retrieve(SESSION_ID, "`pool_max_size`?").hits) == 2
        assert [one["session_id"] for one in opened.sessions()] == [SESSION_ID]


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_the_next_run_finds_the_lock_free_and_finishes(
    running: subprocess.Popen[bytes], logs: Path, store: Path, number: signal.Signals, code: int
) -> None:
    running.send_signal(number)
    running.communicate()
    report = uncompact.reindex([logs], store)

    assert (report.entries_total, report.warnings) == (5006, [])
    assert [run["outcome"] for run in read_runs(StorePaths(store).runs)] == ["ok", "interrupted", "ok"]


def test_a_kill_is_told_of_by_the_next_run(running: subprocess.Popen[bytes], logs: Path, store: Path) -> None:
    running.kill()
    running.communicate()
    (warning,) = uncompact.reindex([logs], store).warnings

    assert warning.endswith("did not end; this one finishes its work")


def test_a_terminal_gets_its_cursor_back_after_a_signal(logs: Path, store: Path) -> None:
    words = (user(f"u{turn}", None, f"{turn} word " * 200) for turn in range(5000))
    write_log(logs / "large.jsonl", [header("large"), *words])
    arguments = ["--store", str(store), "reindex", str(logs)]
    code, _, drawn = run_at_terminal(arguments, signal_at=("read", signal.SIGTERM))

    assert code == 143
    assert drawn.rindex("\x1b[?25l") < drawn.rindex("\x1b[?25h")
