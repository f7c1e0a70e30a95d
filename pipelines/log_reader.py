"""One run over the logs: each is left, restated, read on from its cursor, or read whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from .catalogue import KnownLog, read_catalogue
from .change_detection import detect_change
from .errors import SourceError
from .frames import SessionKey, project_key
from .lake import LakeSnapshot
from .lake_session import LakeSession
from .lake_writer import LakeWriter
from .normalize import (
    Reading,
    SessionTotals,
    content_chain,
    normalize_log,
    normalize_tail,
    resume_totals,
)
from .paths import display_path
from .run_report import RunReport
from .schema import TABLES
from .sources import recognise
from .sources.records import Cursor, Found, Header, Source

__all__ = ["LogReader"]

# More than this was appended: reading the log whole keeps memory bounded.
_TAIL_BYTES = 32 << 20


class LogReader:
    """One run's reading: what the lake knows, what is new, and which of its rows the new ones replace."""

    def __init__(
        self, snapshot: LakeSnapshot, writer: LakeWriter, report: RunReport, indexed_at: int
    ) -> None:
        self.catalogue = read_catalogue(snapshot)
        self._snapshot = snapshot
        self._writer = writer
        self._report = report
        self._indexed_at = indexed_at
        self._seen: set[str] = set()
        self._dropped: set[str] = set()
        self._restated: set[str] = set()

    @property
    def has_changes(self) -> bool:
        """Tell whether there is anything to commit."""
        return bool(self._report.changed or self._dropped or self._restated)

    def commit(self) -> LakeSnapshot:
        """Commit what was read."""
        return self._writer.commit(self._dropped, self._restated)

    def read(self, item: Found) -> None:
        """Read what is new of one file; what cannot be read is reported."""
        self._report.seen += 1
        known = self.catalogue.at(item)
        if known is not None and known.is_as(item):
            self._seen.add(known.key)
            self._report.unchanged += 1
            return
        try:
            recognised = recognise(item)
            if recognised is None:
                raise SourceError(item.path, _why_not(item))
            source, header = recognised
            self._read_log(item, source, header, known or self.catalogue.moved(item, header, self._seen))
        except (OSError, SourceError) as error:
            reason = error.reason if isinstance(error, SourceError) else error.strerror or error
            self._report.failed += 1
            self._report.warnings.append(f"{display_path(item.path)}: {reason}")
            if known is not None:
                self._seen.add(known.key)

    def _read_log(self, item: Found, source: Source, header: Header, known: KnownLog | None) -> None:
        if known is None:
            self._read_whole(item, source, header, None)
            return
        self._seen.add(known.key)
        change = detect_change(known.source_state, item)
        if change in ("unchanged", "touched") and self._is_same(item, source, header, known):
            self._restate(known, item, "present")
            self._report.unchanged += 1
        elif change != "appended" or not self._read_tail(item, source, header, known):
            self._read_whole(item, source, header, known)

    def _is_same(self, item: Found, source: Source, header: Header, known: KnownLog) -> bool:
        """Compare a file whose size and samples are the same, but whose times are not, line by line."""
        log = source.open(item, header, Cursor())
        return content_chain(log) == str(known.row["fingerprint"])

    def _read_whole(self, item: Found, source: Source, header: Header, known: KnownLog | None) -> None:
        key = known.key if known else self.catalogue.new_key(source.kind, item.path)
        self._seen.add(key)
        totals = SessionTotals()
        reading = self._reading(item, source, header, key, Cursor())
        try:
            for table, rows in normalize_log(reading, totals):
                self._writer.add(table, rows)
        except (OSError, SourceError):
            self._writer.discard(key)
            raise
        if known is not None:
            self._dropped.add(key)
        before = known.row["entries"] if known else 0
        self._count(item, totals, max(totals.entries - before, 0), item.size)

    def _read_tail(self, item: Found, source: Source, header: Header, known: KnownLog) -> bool:
        """Read what was appended; ``False`` when that is not enough."""
        if not source.can_resume(header) or item.size - known.cursor.byte > _TAIL_BYTES:
            return False
        totals = resume_totals(known.row)
        reading = self._reading(item, source, header, known.key, known.cursor)
        tail = normalize_tail(reading, totals, LakeSession(self._snapshot, known.row))
        if tail is None:
            return False
        for table, rows in tail:
            self._writer.add(table, rows)
        self._restated.add(known.key)
        self._count(item, totals, totals.entries - known.row["entries"], item.size - known.cursor.byte)
        return True

    def _reading(self, item: Found, source: Source, header: Header, key: str, start: Cursor) -> Reading:
        session = SessionKey(project_key(header.project), key)
        return Reading(source.open(item, header, start), session, item, source.kind, self._indexed_at)

    def _count(self, item: Found, totals: SessionTotals, added: int, bytes_read: int) -> None:
        report, place = self._report, display_path(item.path)
        report.changed += 1
        report.entries_added += added
        report.bytes_read += bytes_read
        report.count_rejects(totals.reject_reasons)
        report.warnings += [f"{place}:{line}: {reason}" for line, reason in totals.reject_lines]
        if totals.more_rejects:
            report.warnings.append(f"{place}: {totals.more_rejects} more lines that are no entry")
        if totals.pending_line is not None:
            report.warnings.append(f"{place}:{totals.pending_line}: unterminated line, left for the next run")
        if not totals.entries:
            report.without_entries += 1
            report.warnings.append(f"{place}: no entries")

    def mark_vanished(self, roots: Iterable[Path]) -> None:
        """Restate as vanished the logs below ``roots`` that are no longer there; their rows stay."""
        folders = [display_path(Path(os.path.abspath(root))) for root in roots]
        for known in self.catalogue.by_key.values():
            path = known.row["path"]
            if (
                known.row["state"] == "present"
                and known.key not in self._seen
                and any(_is_below(path, folder) for folder in folders)
                and not os.path.lexists(path)
            ):
                self._restate(known, None, "vanished")
                self._report.vanished += 1

    def _restate(self, known: KnownLog, found: Found | None, state: str) -> None:
        """Write a session's row anew with what is known of its file now."""
        row = {**known.row, "state": state}
        if found is not None:
            row |= {
                "path": display_path(found.path),
                "file_size": found.size,
                "file_mtime_ns": found.mtime_ns,
                "file_ctime_ns": found.ctime_ns,
                "file_inode": found.inode,
            }
        self._writer.add("sessions", pl.DataFrame([row], schema=TABLES["sessions"].schema))
        self._restated.add(known.key)


def _why_not(item: Found) -> str:
    return "empty file" if item.size == 0 else "not a session log: no known header"


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
