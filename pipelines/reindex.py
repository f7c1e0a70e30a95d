"""Bring a store up to date: find logs, read the changed ones, commit the lake, load the companion."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import apsw
import polars as pl
from deltalake.exceptions import DeltaError

from .companion_file import load_companion
from .companion_file import rebuild_companion as build_companion
from .errors import StoreError
from .lake import LakeSnapshot, create_lake, open_lake
from .lake_writer import LakeWriter
from .log_reader import LogReader
from .paths import display_path
from .run_report import RunReport
from .sources import SOURCES, find_files
from .sources.records import Found
from .store import StorePaths, writer_lock

__all__ = ["default_roots", "reindex"]


def default_roots() -> list[Path]:
    """Return every agent's own folder of logs that exists."""
    return [root for source in SOURCES for root in source.default_roots() if root.exists()]


def reindex(
    roots: Sequence[Path], store: Path, *, wait_s: float = 0, rebuild_companion: bool = False
) -> RunReport:
    """Bring the store up to date with the logs below ``roots``.

    Of a log that grew only what was appended is read; one that was rewritten is read anew and replaces its rows;
    one that is gone keeps them, marked ``vanished``; one that moved keeps its key. With ``rebuild_companion`` the
    companion is built anew from the lake whatever state it is in. One bad line, file or folder never stops the
    rest: each is counted and named in the report.

    Raises ``StoreError`` when the store cannot be used or written to the end (what it held before still answers,
    and the next run finishes), and ``BusyError`` when another process is writing it.
    """
    paths = StorePaths(Path(os.path.abspath(store)))
    _check_name(paths.root)
    report = RunReport()
    with writer_lock(paths, wait_s=wait_s), _named_failures(paths.root), report.timed("total"):
        create_lake(paths.lake)
        snapshot = open_lake(paths.lake)
        with report.timed("discover"):
            found = _discover(roots, report)
        snapshot = _read_changed(roots, found, snapshot, report)
        with report.timed("companion"):
            (build_companion if rebuild_companion else load_companion)(snapshot, paths.companion)
        totals = snapshot.scan("sessions").select(pl.col("entries").sum()).collect()
        report.entries_total = int(totals.item() or 0)
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


@contextmanager
def _named_failures(root: Path) -> Generator[None]:
    """Say of which store an engine could not write, without the engine's own words: they may quote a log."""
    try:
        yield
    except (pl.exceptions.PolarsError, DeltaError, apsw.Error) as error:
        full = isinstance(error, apsw.FullError) or "No space left" in str(error)
        found = "no space left on the device" if full else f"could not be written ({type(error).__name__})"
        hint = (
            "what it held before still answers; make room or name another folder with --store, and run again"
        )
        raise StoreError(root, found, hint=hint) from error


def _discover(roots: Sequence[Path], report: RunReport) -> list[Found]:
    def warn(path: Path, reason: str) -> None:
        report.failed += 1
        report.warnings.append(f"{display_path(path)}: {reason}")

    found = {str(item.path): item for root in roots for item in find_files(Path(os.path.abspath(root)), warn)}
    return [found[path] for path in sorted(found)]


def _read_changed(
    roots: Sequence[Path], found: Sequence[Found], snapshot: LakeSnapshot, report: RunReport
) -> LakeSnapshot:
    started = time.time_ns()
    run = f"{datetime.fromtimestamp(started / 1e9, UTC):%Y%m%dT%H%M%S}-{os.getpid():x}-{started % 10**9:09}"
    reader = LogReader(snapshot, LakeWriter(snapshot, run), report, started // 1000)
    with report.timed("read"):
        for item in found:
            reader.read(item)
        reader.mark_vanished(roots)
    if not reader.has_changes and reader.catalogue.by_key:
        return snapshot
    with report.timed("commit"):
        return reader.commit()
