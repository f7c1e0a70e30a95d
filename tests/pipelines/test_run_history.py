"""The history of runs: bounded, private, without a path, and whole whatever a kill left of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cases.builders import user
from tests.pipelines.stores import append, log
from uncompact.pipelines.errors import BusyError, StoreError
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.run_history import MOST_RUNS, read_runs, recorded_run
from uncompact.pipelines.run_report import RunReport
from uncompact.pipelines.store import StorePaths, writer_lock

UNFINISHED = {"started_at": "2026-03-14T09:00:00.000Z"}


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "runs.ndjson"


def record(history: Path) -> list[str]:
    """Record a run that does nothing, and return its warnings."""
    report = RunReport()
    with recorded_run(history, report):
        pass
    return report.warnings


def line(run: dict[str, Any]) -> bytes:
    return json.dumps(run).encode() + b"\n"


def outcomes(history: Path) -> list[str]:
    return [run["outcome"] for run in read_runs(history)]


def test_runs_are_read_newest_first(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a1", None, "Hello"))
    reindex([logs], store)
    append(path, b"not json\n")
    reindex([logs], store)
    second, first = read_runs(StorePaths(store).runs)

    assert (second["outcome"], second["rejects"]["by_reason"]) == ("rejects", {"not-json": 1})
    assert (first["outcome"], first["entries"], first["warnings"]) == ("ok", {"added": 1, "total": 1}, 0)


def test_a_limit_keeps_the_newest(history: Path) -> None:
    history.write_bytes(b"".join(line({"started_at": name, "outcome": "ok"}) for name in "abc"))

    assert [run["started_at"] for run in read_runs(history, 2)] == ["c", "b"]


def test_no_history_is_no_runs(history: Path) -> None:
    assert read_runs(history) == []


def test_only_the_owner_may_read_it(logs: Path, store: Path) -> None:
    reindex([logs], store)

    assert StorePaths(store).runs.stat().st_mode & 0o777 == 0o600


def test_nothing_in_it_names_a_log(tmp_path: Path) -> None:
    path = log(tmp_path / "marker-folder", "marker-log.jsonl", user("marker-id", None, "marker text"))
    append(path, b"marker not json\n")
    log(path.parent, "empty.jsonl").write_bytes(b"")
    reindex([path.parent, tmp_path / "marker-none"], tmp_path / "marker-store")
    content = StorePaths(tmp_path / "marker-store").runs.read_text()

    assert "rejects" in content
    assert "marker" not in content


@pytest.mark.parametrize(
    ("error", "outcome", "kind"),
    [
        pytest.param(StoreError(Path("/secret"), "full"), "failed", "store", id="error"),
        pytest.param(KeyboardInterrupt(), "interrupted", None, id="signal"),
    ],
)
def test_a_run_that_fails_is_recorded_by_its_kind(
    history: Path, error: BaseException, outcome: str, kind: str | None
) -> None:
    with pytest.raises(type(error)), recorded_run(history, RunReport()):
        raise error
    (run,) = read_runs(history)

    assert (run["outcome"], run["error"]) == (outcome, kind)
    assert "secret" not in history.read_text()


def test_a_run_that_found_the_store_busy_is_none(logs: Path, store: Path) -> None:
    with writer_lock(StorePaths(store)), pytest.raises(BusyError):
        reindex([logs], store)

    assert read_runs(StorePaths(store).runs) == []


def test_a_run_that_goes_on_is_unfinished(history: Path) -> None:
    with recorded_run(history, RunReport()):
        assert outcomes(history) == ["unfinished"]
    assert outcomes(history) == ["ok"]


def test_a_killed_run_is_told_of_by_the_next_alone(history: Path) -> None:
    history.write_bytes(line(UNFINISHED))

    assert record(history) == ["the run of 2026-03-14T09:00:00.000Z did not end; this one finishes its work"]
    assert record(history) == []
    assert outcomes(history) == ["ok", "ok", "unfinished"]


@pytest.mark.parametrize(
    ("before", "ended"),
    [
        pytest.param([], False, id="no run"),
        pytest.param([UNFINISHED], False, id="killed"),
        pytest.param([{**UNFINISHED, "outcome": "failed"}], False, id="failed"),
        pytest.param([{**UNFINISHED, "outcome": "interrupted"}], False, id="interrupted"),
        pytest.param([UNFINISHED, {**UNFINISHED, "outcome": "rejects"}], True, id="with rejects"),
        pytest.param([UNFINISHED, {**UNFINISHED, "outcome": "ok"}], True, id="whole"),
    ],
)
def test_a_run_is_told_whether_the_one_before_ended(
    history: Path, before: list[dict[str, Any]], ended: bool
) -> None:
    history.write_bytes(b"".join(map(line, before)))

    with recorded_run(history, RunReport()) as ended_before:
        assert ended_before is ended


_KILLED = """
import os, signal, sys
from pathlib import Path
from uncompact.pipelines.reindex import reindex

class Killer:
    def stage(self, name, total_bytes=None):
        if name == "companion":
            os.kill(os.getpid(), signal.SIGKILL)
    def advance(self, done_bytes, logs=1):
        pass

reindex([Path(sys.argv[1])], Path(sys.argv[2]), progress=Killer())
"""


def test_a_process_that_was_killed_left_its_start(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(logs), str(store)], check=False)
    (run,) = read_runs(StorePaths(store).runs)

    assert (killed.returncode, run["outcome"]) == (-signal.SIGKILL, "unfinished")
    (warning,) = reindex([logs], store).warnings
    assert warning == f"the run of {run['started_at']} did not end; this one finishes its work"


@pytest.mark.parametrize(
    "torn", [b'{"started_at": "20', b"\xff\x00", b"[" * 100_000], ids=["cut", "bytes", "deep"]
)
def test_a_torn_last_line_is_skipped_and_stays_one_line(history: Path, torn: bytes) -> None:
    record(history)
    append(history, torn)

    assert outcomes(history) == ["ok"]
    record(history)
    assert outcomes(history) == ["ok", "ok"]


@pytest.mark.parametrize("other", [b"7\n", b"[]\n", b"{}\n", b'{"started_at": 7}\n'])
def test_what_is_no_run_is_skipped(history: Path, other: bytes) -> None:
    history.write_bytes(other)

    assert read_runs(history) == []


def test_a_long_history_is_cut_to_the_last_runs(history: Path) -> None:
    ended = (line({"started_at": f"{number}", "outcome": "ok"}) for number in range(2 * MOST_RUNS + 1))
    history.write_bytes(b"".join(ended))
    record(history)
    runs = read_runs(history)

    assert (len(runs), runs[1]["started_at"], len(history.read_bytes().splitlines())) == (
        MOST_RUNS,
        f"{2 * MOST_RUNS}",
        MOST_RUNS + 2,
    )
    assert history.stat().st_mode & 0o777 == 0o600


def test_a_large_history_is_cut_to_what_fits(history: Path) -> None:
    ended = {"started_at": "x" * 3000, "outcome": "ok"}
    history.write_bytes(400 * line(ended) + line(UNFINISHED))
    warnings = record(history)

    assert history.stat().st_size < 1 << 20
    assert len(warnings) == 1
    assert outcomes(history)[:3] == ["ok", "unfinished", "ok"]


def test_a_history_that_cannot_be_written_is_a_warning(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    StorePaths(store).runs.mkdir(parents=True)
    report = reindex([logs], store)

    assert (report.outcome, report.entries_added) == ("ok", 1)
    assert report.warnings == ["the history of runs could not be written: Is a directory"]


def test_a_history_that_may_not_be_read_is_an_error_of_who_asks(history: Path) -> None:
    history.mkdir()

    with pytest.raises(OSError, match=os.strerror(21)):
        read_runs(history)
