"""Bring a store up to date: find logs, read the changed ones, commit the lake, load the companion."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from .companion_check import check_companion
from .companion_file import load_companion, tidy_companion
from .companion_file import rebuild_companion as build_companion
from .companion_generations import present_companion
from .copies import count_copies
from .engine_failures import named_failures
from .erasure import finish_erasure
from .errors import StoreError
from .lake import LakeSnapshot, create_lake, open_lake
from .lake_failures import named_lake_failures
from .lake_repair import ready_lake
from .lake_upkeep import keep_up
from .lake_writer import LakeWriter
from .log_reader import LogReader
from .paths import display_path
from .progress import NO_PROGRESS, Progress
from .run_history import recorded_run
from .run_report import RunReport
from .sources import find_files
from .sources.records import Found
from .store import StorePaths, writer_lock
from .tombstones import read_tombstones
from .verify import lake_digests
from .workers import usable_cores

__all__ = ["reindex"]


def reindex(
    roots: Sequence[Path],
    store: Path,
    *,
    wait_s: float = 0,
    full: bool = False,
    verify: bool = False,
    rebuild_companion: bool = False,
    workers: int | None = None,
    progress: Progress = NO_PROGRESS,
    report: RunReport | None = None,
) -> RunReport:
    """Bring the store up to date with the logs below ``roots``.

    Of a log that grew only what was appended is read; one that was rewritten is read anew and replaces its rows;
    one that is gone keeps them, marked ``vanished``; one that moved keeps its key. With ``full`` every log that is
    there is read from its beginning, whatever its stamps say. With ``verify`` all that was read is read again and
    compared with the lake row by row, and the lake with the companion; what drifted is reported and mended. With
    ``rebuild_companion`` the companion is built anew from the lake whatever state it is in. One bad line, file or folder never stops the rest: each is counted
    and named in the report. ``progress`` is told how far the run got; ``report`` is filled while it goes on, for
    who wants to know what a run did that failed.

    Where there is much to read, at most ``workers`` processes read it, by default one on each usable core. What
    they leave in the store does not depend on their number.

    Raises ``StoreError`` when the store cannot be used or written to the end (what it held before still answers,
    and the next run finishes), and ``BusyError`` when another process is writing it.
    """
    paths = StorePaths(Path(os.path.abspath(store)))
    modes = _Modes(full, verify, usable_cores() if workers is None else workers)
    _check_name(paths.root)
    report = RunReport() if report is None else report
    report.store = display_path(paths.root)
    with (
        writer_lock(paths, wait_s=wait_s),
        recorded_run(paths.runs, report) as ended_before,
        named_failures(paths.root),
        named_lake_failures(paths.lake),
        report.timed("total"),
    ):
        with report.timed("discover"):
            progress.stage("discover")
            found = _discover(roots, report, progress)
        before = _ready_lake(paths, found, report, deep=verify)
        snapshot = _read_changed(paths, roots, found, before, report, progress, modes)
        with report.timed("companion"):
            progress.stage("companion")
            (build_companion if rebuild_companion else load_companion)(snapshot, paths, progress)
            if verify:
                _verify_companion(snapshot, paths, report)
        with report.timed("tidy"):
            progress.stage("tidy")
            if snapshot.versions != before.versions or not ended_before:
                keep_up(paths.lake)
                tidy_companion(paths)
        totals = snapshot.scan("sessions").select(pl.col("entries").sum()).collect()
        report.entries_total = int(totals.item() or 0)
        report.copies = count_copies(snapshot)
    return report


def _check_name(root: Path) -> None:
    """Refuse a folder that the lake's engine, which takes its path for a URL, would not find again."""
    odd = sorted(
        {character for character in str(root) if character in "%?#\\" or not character.isprintable()}
    )
    if odd:
        shown = ", ".join(ascii(character) for character in odd)
        raise StoreError(
            Path(display_path(root)), f"has {shown} in its path", hint="name another folder with --store"
        )


def _discover(roots: Sequence[Path], report: RunReport, progress: Progress) -> list[Found]:
    def warn(path: Path, reason: str) -> None:
        report.failed += 1
        report.warnings.append(f"{display_path(path)}: {reason}")

    def warn_of_empty(root: Path) -> None:
        report.warnings.append(f"no .jsonl file below {display_path(root)}")

    found: list[Found] = []
    folders = [Path(os.path.abspath(root)) for root in roots]
    for item in find_files(folders, warn, warn_of_empty):
        found.append(item)
        progress.advance(item.size)
    return sorted(found, key=lambda item: str(item.path))


@dataclass(frozen=True, slots=True)
class _Modes:
    """How logs are read: all from their beginning, compared with the lake, and by how many processes."""

    full: bool
    verify: bool
    workers: int


def _ready_lake(paths: StorePaths, found: Sequence[Found], report: RunReport, *, deep: bool) -> LakeSnapshot:
    """Return the lake as it is, repaired where it was damaged, rid of what was forgotten."""
    logs = (item.path for item in found)
    report.warnings += ready_lake(paths.lake, logs=logs, companion=present_companion(paths), deep=deep)
    create_lake(paths.lake)
    finish_erasure(paths)
    return open_lake(paths.lake)


def _verify_companion(snapshot: LakeSnapshot, paths: StorePaths, report: RunReport) -> None:
    findings = check_companion(snapshot, paths, deep=True)
    if findings:
        report.warnings += [f"{one.place}: {one.problem}; built anew from the lake" for one in findings]
        build_companion(snapshot, paths)


def _read_changed(
    paths: StorePaths,
    roots: Sequence[Path],
    found: Sequence[Found],
    snapshot: LakeSnapshot,
    report: RunReport,
    progress: Progress,
    modes: _Modes,
) -> LakeSnapshot:
    started = time.time_ns()
    run = f"{datetime.fromtimestamp(started / 1e9, UTC):%Y%m%dT%H%M%S}-{os.getpid():x}-{started % 10**9:09}"
    reader = LogReader(
        snapshot,
        LakeWriter(snapshot, run),
        report,
        started // 1000,
        read_tombstones(paths.tombstones),
        full=modes.full,
        held=lake_digests(snapshot) if modes.verify else None,
    )
    with report.timed("read"):
        reader.read(found, run, modes.workers, progress)
        reader.mark_vanished(roots)
    if not reader.has_changes and reader.catalogue.by_key:
        return snapshot
    with report.timed("commit"):
        progress.stage("commit")
        return reader.commit()
