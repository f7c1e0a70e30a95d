"""Bring a store up to date: find logs, read the changed ones, commit the lake, load the companion."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import polars as pl

from .companion import load_companion
from .errors import SourceError
from .frames import SessionKey, session_key
from .lake import LakeSnapshot, LakeWriter, create_lake, open_lake
from .normalize import SessionTotals, normalize_log
from .paths import display_path
from .run_report import RunReport
from .sources import SOURCES, find_files, recognise
from .sources.records import Found, Header, Source
from .store import StorePaths, writer_lock

__all__ = ["default_roots", "project_key", "reindex"]

_READABLE = re.compile(r"[^A-Za-z0-9._]+")
_READABLE_CHARS = 40


class _Known(NamedTuple):
    """What the lake knows of a log."""

    path: str
    size: int
    mtime_ns: int
    state: str
    entries: int


def default_roots() -> list[Path]:
    """Return every agent's own folder of logs that exists."""
    return [root for source in SOURCES for root in source.default_roots() if root.exists()]


def project_key(project: str) -> str:
    """Name a project's partition: the readable end of its folder and 8 hex digits of its hash."""
    readable = _READABLE.sub("-", project).strip("-.")[-_READABLE_CHARS:].strip("-.")
    digest = hashlib.sha256(project.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def reindex(roots: Sequence[Path], store: Path, *, wait_s: float = 0) -> RunReport:
    """Bring the store up to date with the logs below ``roots``.

    A changed log is read anew and replaces its rows; a log that is gone keeps them, marked ``vanished``. One bad
    line, file or folder never stops the rest: each is counted and named in the report. Raises ``StoreError``
    when the store cannot be used and ``BusyError`` when another process is writing it.
    """
    paths = StorePaths(Path(os.path.abspath(store)))
    report = RunReport()
    with writer_lock(paths, wait_s=wait_s), report.timed("total"):
        create_lake(paths.lake)
        snapshot = open_lake(paths.lake)
        with report.timed("discover"):
            found = _discover(roots, report)
        snapshot = _read_changed(roots, found, snapshot, report)
        with report.timed("companion"):
            load_companion(snapshot, paths.companion)
        totals = snapshot.scan("sessions").select(pl.col("entries").sum()).collect()
        report.entries_total = int(totals.item() or 0)
    return report


def _discover(roots: Sequence[Path], report: RunReport) -> list[Found]:
    def warn(path: Path, reason: str) -> None:
        report.failed += 1
        report.warnings.append(f"{display_path(path)}: {reason}")

    found = {str(item.path): item for root in roots for item in find_files(Path(os.path.abspath(root)), warn)}
    return [found[path] for path in sorted(found)]


def _read_changed(
    roots: Sequence[Path], found: Sequence[Found], snapshot: LakeSnapshot, report: RunReport
) -> LakeSnapshot:
    known = _known_sessions(snapshot)
    started = time.time_ns()
    run = f"{datetime.fromtimestamp(started / 1e9, UTC):%Y%m%dT%H%M%S}-{os.getpid():x}-{started % 10**9:09}"
    writer = LakeWriter(snapshot, run)
    dropped: set[str] = set()
    seen: set[str] = set()
    with report.timed("read"):
        for item in found:
            _read_one(item, known, writer, report, dropped, seen, started // 1000)
        vanished = _mark_vanished(roots, snapshot, known, seen, writer)
    report.vanished = len(vanished)
    if not report.changed and not vanished and known:
        return snapshot
    with report.timed("commit"):
        return writer.commit(dropped, vanished)


def _read_one(
    item: Found,
    known: dict[str, _Known],
    writer: LakeWriter,
    report: RunReport,
    dropped: set[str],
    seen: set[str],
    indexed_at: int,
) -> None:
    report.seen += 1
    unchanged = _unchanged_key(item, known)
    if unchanged is not None:
        seen.add(unchanged)
        report.unchanged += 1
        return
    try:
        recognised = recognise(item)
        if recognised is None:
            report.failed += 1
            report.warnings.append(f"{display_path(item.path)}: {_why_not(item)}")
            return
        source, header = recognised
        key = session_key(source.kind, os.fsencode(item.path))
        seen.add(key)
        state = known.get(key)
        entries = _read_log(item, source, header, key, writer, report, indexed_at)
    except (OSError, SourceError) as error:
        reason = error.reason if isinstance(error, SourceError) else error.strerror or error
        report.failed += 1
        report.warnings.append(f"{display_path(item.path)}: {reason}")
        return
    if state is not None:
        dropped.add(key)
    report.changed += 1
    report.entries_added += max(entries - (state.entries if state else 0), 0)


def _unchanged_key(item: Found, known: dict[str, _Known]) -> str | None:
    """Return the key of a log that is as the lake knows it, without opening the file."""
    keys = (session_key(source.kind, os.fsencode(item.path)) for source in SOURCES)
    state = (item.size, item.mtime_ns, "present")
    return next((key for key in keys if key in known and known[key][1:4] == state), None)


def _read_log(
    item: Found,
    source: Source,
    header: Header,
    key: str,
    writer: LakeWriter,
    report: RunReport,
    indexed_at: int,
) -> int:
    """Read a log into the writer; return the number of its entries."""
    totals = SessionTotals()
    log = source.open(item, header)
    session = SessionKey(project_key(header.project), key)
    rows = normalize_log(log, session, item, source=source.kind, indexed_at=indexed_at, totals=totals)
    try:
        for table, frame in rows:
            writer.add(table, frame)
    except (OSError, SourceError):
        writer.discard(key)
        raise
    report.bytes_read += item.size
    report.count_rejects(totals.rejects)
    place = display_path(item.path)
    report.warnings += [f"{place}:{line}: {reason}" for line, reason in totals.reject_lines]
    if totals.more_rejects:
        report.warnings.append(f"{place}: {totals.more_rejects} more lines that are no entry")
    if totals.pending_line is not None:
        report.warnings.append(f"{place}:{totals.pending_line}: unterminated line, left for the next run")
    if not totals.entries:
        report.without_entries += 1
        report.warnings.append(f"{place}: no entries")
    return totals.entries


def _why_not(item: Found) -> str:
    return "empty file" if item.size == 0 else "not a session log: no known header"


def _known_sessions(snapshot: LakeSnapshot) -> dict[str, _Known]:
    columns = ("session_key", "path", "file_size", "file_mtime_ns", "state", "entries")
    rows = snapshot.scan("sessions").select(columns).collect().iter_rows()
    return {key: _Known(*values) for key, *values in rows}


def _mark_vanished(
    roots: Iterable[Path],
    snapshot: LakeSnapshot,
    known: dict[str, _Known],
    seen: set[str],
    writer: LakeWriter,
) -> set[str]:
    """Write anew, as vanished, the session rows of logs below ``roots`` that are no longer there."""
    folders = [display_path(Path(os.path.abspath(root))) for root in roots]
    gone = {
        key
        for key, session in known.items()
        if session.state == "present"
        and key not in seen
        and any(_is_below(session.path, folder) for folder in folders)
        and not os.path.lexists(session.path)
    }
    if gone:
        rows = snapshot.scan("sessions").filter(pl.col("session_key").is_in(list(gone))).collect()
        writer.add("sessions", rows.with_columns(pl.lit("vanished").alias("state")))
    return gone


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
