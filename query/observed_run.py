"""A run as a terminal or a scheduler sees it: progress while it goes on, a report when it has ended, however it did."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from ..pipelines.atomic_file import replace_file
from ..pipelines.progress import NO_PROGRESS, Progress
from ..pipelines.run_report import RunReport
from .cli_errors import problem_of
from .printing import print_warnings
from .progress_events import ProgressEvents

__all__ = ["chosen_progress", "ended_by_sigterm", "observed_run"]


def chosen_progress(asked: str, *, as_json: bool) -> str:
    """Turn ``auto`` into ``bar`` where somebody looks, else into ``none``."""
    if asked != "auto":
        return asked
    return "bar" if not as_json and sys.stderr is not None and sys.stderr.isatty() else "none"


@contextmanager
def observed_run(report: RunReport, shown: str, report_file: Path | None) -> Generator[Progress]:
    """Show a run's progress while inside; then end its events and write its report, whichever way it ended.

    Raises ``OSError`` when a run that went well has a report that cannot be written; after one that failed that
    is a warning.
    """
    try:
        with _bar() if shown == "bar" else _events(report) if shown == "json" else _nothing() as progress:
            try:
                yield progress
            except BaseException as error:
                if report.ended_at is None:
                    report.end(error)
                if isinstance(error, Exception):
                    report.error = problem_of(error).kind
                raise
    except BaseException as error:
        # A signal is nothing that a message explains.
        problem = problem_of(error).to_dict()["error"] if isinstance(error, Exception) else None
        try:
            _write_report(report_file, report, problem)
        except OSError as unwritten:
            print_warnings([f"{report_file}: {unwritten.strerror or unwritten}"])
        raise
    _write_report(report_file, report, None)


@contextmanager
def ended_by_sigterm() -> Generator[None]:
    """Let SIGTERM end what runs inside as an exit does: what is open is closed, and its code is 143."""

    def leave(number: int, _frame: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _bar() -> Generator[Progress]:
    from .progress_bar import ProgressBar

    bar = ProgressBar()
    bar.start()
    try:
        yield bar
    finally:
        bar.stop()


@contextmanager
def _events(report: RunReport) -> Generator[Progress]:
    events = ProgressEvents()
    try:
        yield events
    finally:
        events.end(report)


@contextmanager
def _nothing() -> Generator[Progress]:
    yield NO_PROGRESS


def _write_report(file: Path | None, report: RunReport, error: dict[str, Any] | None) -> None:
    if file is not None:
        told = json.dumps({**report.to_dict(), "error": error}, indent=2)
        replace_file(file, told.encode() + b"\n")
