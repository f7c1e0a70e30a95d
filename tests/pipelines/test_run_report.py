"""What a report says of a run, and what it never says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import header, user, write_log
from tests.pipelines.stores import append, log
from uncompact.pipelines.errors import BusyError, StoreError
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.run_report import RunReport
from uncompact.pipelines.store import StorePaths


def test_rejects_of_several_logs_add_up_by_reason() -> None:
    report = RunReport()
    report.count_rejects({"not-json": 2, "welded": 1})
    report.count_rejects({"not-json": 1})

    assert report.to_dict()["rejects"] == {"total": 4, "by_reason": {"not-json": 3, "welded": 1}}


def test_a_stage_that_fails_is_timed_all_the_same() -> None:
    report = RunReport()
    with pytest.raises(KeyError), report.timed("read"):
        raise KeyError

    assert set(report.seconds) == {"read"}


@pytest.mark.parametrize(
    ("error", "outcome", "kind"),
    [
        pytest.param(None, "ok", None, id="none"),
        pytest.param(BusyError("x"), "failed", "busy", id="busy"),
        pytest.param(StoreError(Path("x"), "y"), "failed", "store", id="store"),
        pytest.param(OSError(28, "full"), "failed", "io", id="system"),
        pytest.param(ValueError("x"), "failed", "internal", id="unexpected"),
        pytest.param(KeyboardInterrupt(), "interrupted", None, id="SIGINT"),
        pytest.param(SystemExit(143), "interrupted", None, id="SIGTERM"),
    ],
)
def test_the_outcome_says_how_a_run_ended(
    error: BaseException | None, outcome: str, kind: str | None
) -> None:
    report = RunReport()
    report.end(error)

    assert (report.outcome, report.error) == (outcome, kind)


def test_a_run_with_a_bad_line_has_the_outcome_rejects(logs: Path, store: Path) -> None:
    append(log(logs, "a.jsonl", user("a1", None, "Hello")), b"not json\n")

    assert reindex([logs], store).to_dict()["outcome"] == "rejects"


def test_a_report_names_its_store_version_and_times(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    report = reindex([logs], store).to_dict()

    assert (report["outcome"], report["store"], report["version"]) == (
        "ok",
        str(store),
        uncompact.__version__,
    )
    assert report["started_at"] <= report["ended_at"]
    assert report["started_at"].endswith("Z")


def test_the_report_of_a_failing_run_has_what_was_done(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    (StorePaths(store).companion_pointer / "x").mkdir(parents=True)
    report = RunReport()

    with pytest.raises(StoreError):
        reindex([logs], store, report=report)
    assert (report.outcome, report.error, report.entries_added) == ("failed", "store", 1)


_HELD_ELSEWHERE = """
import subprocess, sys
held = bytes([1]) * (300 << 20)
subprocess.run([sys.executable, "-c", "from uncompact.pipelines.memory import peak_rss_mb; print(peak_rss_mb())"])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="a program's own peak is read from /proc")
def test_the_memory_of_a_run_is_not_that_of_who_started_it() -> None:
    done = subprocess.run([sys.executable, "-c", _HELD_ELSEWHERE], check=True, capture_output=True, text=True)

    assert 0 < float(done.stdout) < 300


def test_a_folder_without_logs_is_named(logs: Path, store: Path, tmp_path: Path) -> None:
    write_log(logs / "s.jsonl", [header(), user("a1", None, "Hello")])
    (tmp_path / "empty").mkdir()
    report = reindex([logs, tmp_path / "empty"], store)

    assert (report.warnings, report.outcome) == ([f"no .jsonl file below {tmp_path}/empty"], "ok")


def test_a_folder_that_is_missing_is_named_once(logs: Path, store: Path) -> None:
    report = reindex([logs / "none"], store)

    assert (report.warnings, report.failed) == ([f"{logs}/none: No such file or directory"], 1)
