"""The runs a store has had, one JSON line each: counts, timings and outcomes, no path and no text of a log.

A run writes a line when it starts and one when it ends; a start that another start follows, without an end between
them, is a run that was killed. Only who holds the writer's lock writes here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from .atomic_file import replace_file
from .run_report import RunReport
from .timestamps import format_time

__all__ = ["MOST_RUNS", "read_runs", "recorded_run"]

MOST_RUNS = 1000
_MOST_BYTES = 1 << 20
# The file is cut to so much when it has grown beyond a limit, so that not every run has to cut it.
_KEPT_BYTES = _MOST_BYTES * 3 // 4
_MOST_LINES = 2 * MOST_RUNS

# What a run that came to its end says.
_WHOLE = ("ok", "rejects")

_Run = dict[str, Any]


@contextmanager
def recorded_run(path: Path, report: RunReport) -> Generator[bool]:
    """Note in the history that a run began and, whatever comes, how it ended; ends the report.

    Gives whether the run before came to its end: one that did not, or that no history tells of, may have left files.
    A run before that was killed gives a warning, and so does a history that cannot be read or written.
    """
    ended_before = False
    try:
        ended_before = _append_start(path, report)
    except OSError as error:
        report.warnings.append(_unwritten(error))
    try:
        yield ended_before
    except BaseException as error:
        report.end(error)
        _append_end(path, report)
        raise
    report.end()
    _append_end(path, report)


def read_runs(path: Path, limit: int = MOST_RUNS) -> list[_Run]:
    """Return the runs of a store, the newest first, at most ``limit``.

    Each has ``started_at``, ``ended_at`` and ``outcome``, which is ``unfinished`` when it was killed or goes on
    still, and else what its report had: counts, seconds, the kind of its error and how many warnings there were.
    What cannot be read is no run. Raises ``OSError`` when there is a history and it may not be read.
    """
    unfinished = {"ended_at": None, "outcome": "unfinished"}
    newest = list(_runs_of(_read(path)))[::-1][:limit]
    return [run if "outcome" in run else {**run, **unfinished} for run in newest]


def _append_start(path: Path, report: RunReport) -> bool:
    data = _read(path)
    lines = data.split(b"\n")
    last = next((run for line in reversed(lines) if (run := _parse(line))), None)
    if last is not None and "outcome" not in last:
        report.warnings.append(f"the run of {last['started_at']} did not end; this one finishes its work")
    if len(data) > _MOST_BYTES or len(lines) > _MOST_LINES:
        replace_file(path, _cut(list(_runs_of(data))), mode=0o600)
    _append(path, {"started_at": format_time(report.started_at)})
    return last is not None and last.get("outcome") in _WHOLE


def _append_end(path: Path, report: RunReport) -> None:
    try:
        _append(path, _summary(report))
    except OSError as error:
        warning = _unwritten(error)
        if warning not in report.warnings:
            report.warnings.append(warning)


def _summary(report: RunReport) -> _Run:
    """Leave out of a report what names a place, so that a log that is forgotten has left no trace here."""
    told = report.to_dict()
    del told["store"]
    return {**told, "error": report.error, "warnings": len(report.warnings)}


def _unwritten(error: OSError) -> str:
    return f"the history of runs could not be written: {error.strerror or type(error).__name__}"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _runs_of(data: bytes) -> Iterator[_Run]:
    """Yield the runs, the oldest first; one that did not end has no outcome. Torn lines are left out."""
    open_run: _Run | None = None
    for line in data.split(b"\n"):
        run = _parse(line)
        if run is None:
            continue
        if open_run is not None and run["started_at"] != open_run["started_at"]:
            yield open_run
        if "outcome" in run:
            yield run
            open_run = None
        else:
            open_run = run
    if open_run is not None:
        yield open_run


def _parse(line: bytes) -> _Run | None:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    run = cast("_Run", value) if isinstance(value, dict) else {}
    return run if isinstance(run.get("started_at"), str) else None


def _append(path: Path, run: _Run) -> None:
    data = _encode(run)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        # A line that a kill or a full disk cut off stays one line.
        if (size := os.fstat(descriptor).st_size) and os.pread(descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)


def _cut(runs: list[_Run]) -> bytes:
    """Write the newest runs that there is room for, the oldest first, one line each."""
    kept: list[bytes] = []
    room = _KEPT_BYTES
    for line in map(_encode, reversed(runs[-MOST_RUNS:])):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return b"".join(reversed(kept))


def _encode(run: _Run) -> bytes:
    return json.dumps(run, separators=(",", ":")).encode() + b"\n"
