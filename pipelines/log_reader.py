"""One run over the logs: each is left, restated, read on from its cursor, or read whole.

What becomes of a log is decided here, one after the other; those to be read whole are then read in chunks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from .catalogue import KnownLog, read_catalogue
from .change_detection import detect_change
from .errors import SourceError
from .frames import SessionKey, project_key
from .lake import LakeSnapshot
from .lake_session import LakeSession
from .lake_writer import LakeWriter
from .log_rows import Chunk, ChunkRows, LogRead, ReadJob, make_chunks, reason_of
from .normalize import MOST_TAIL_BYTES, Reading, normalize_tail
from .paths import display_path, is_gone
from .progress import Progress
from .run_report import RunReport
from .schema import TABLES
from .session_totals import SessionTotals, resume_totals
from .sources import SOURCES, recognise
from .sources.records import Cursor, Found, Header, Source
from .tombstones import Tombstones
from .verify import RowDigests, find_drift
from .workers import read_chunks, worthwhile_helpers

__all__ = ["LogReader"]


@dataclass(frozen=True, slots=True)
class _Planned:
    """A log to be read from its beginning: its place among the files, and what is known of it."""

    place: int
    item: Found
    known: KnownLog | None
    job: ReadJob


class LogReader:
    """One run's reading: what the lake knows, what is new, and which of its rows the new ones replace.

    With ``full`` every log is read from its beginning, whatever is known of it. With ``held``, the digests of the
    lake's rows, what was read of a log before is read again and compared, and a log whose rows differ is read anew.
    """

    def __init__(
        self,
        snapshot: LakeSnapshot,
        writer: LakeWriter,
        report: RunReport,
        indexed_at: int,
        tombstones: Tombstones,
        *,
        full: bool = False,
        held: Mapping[str, RowDigests] | None = None,
    ) -> None:
        self.catalogue = read_catalogue(snapshot)
        self._snapshot = snapshot
        self._writer = writer
        self._report = report
        self._indexed_at = indexed_at
        self._tombstones = tombstones
        self._full = full
        self._held = held
        self._warnings: list[tuple[int, str]] = []
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

    def read(self, found: Sequence[Found], run: str, workers: int, progress: Progress) -> None:
        """Read what is new of the files, in at most ``workers`` processes; what cannot be read is reported.

        ``run`` begins the names of the files that are staged. The result does not depend on ``workers``.
        """
        to_read = {
            item.path: item.size if self._full else self.catalogue.unread_bytes(item) for item in found
        }
        progress.stage("read", sum(to_read.values()))
        planned: list[_Planned] = []
        try:
            for place, item in enumerate(found):
                plan = self._plan(place, item)
                if plan is None:
                    progress.advance(to_read[item.path])
                else:
                    planned.append(plan)
            chunks = make_chunks(self._snapshot.root, run, (plan.job for plan in planned))
            helpers = worthwhile_helpers(chunks, workers)
            logs = iter(planned)
            with closing(
                read_chunks(chunks, helpers, lambda job: progress.advance(to_read[job.reading.found.path]))
            ) as read:
                for chunk, rows in zip(chunks, read, strict=True):
                    for log in rows.logs:
                        self._take(next(logs), log)
                    self._add(chunk, rows)
        finally:
            # In the order of the files, whichever was read first.
            self._report.warnings += [warning for _, warning in sorted(self._warnings, key=_place)]

    def _add(self, chunk: Chunk, rows: ChunkRows) -> None:
        keys = [
            job.reading.key.session_key
            for job, log in zip(chunk.jobs, rows.logs, strict=True)
            if log.failure is None and not log.is_same
        ]
        self._report.peak_worker_rss_mb = max(self._report.peak_worker_rss_mb, rows.helper_peak_mb)
        for table, files in rows.files.items():
            self._writer.add_staged(table, files, keys)
        for table, few in rows.few.items():
            self._writer.add(table, few)

    def _plan(self, place: int, item: Found) -> _Planned | None:
        """Decide what becomes of one file; ``None`` when that is done already."""
        self._report.seen += 1
        known = self.catalogue.at(item)
        if known is not None and known.is_as(item) and not self._full and self._held is None:
            self._seen.add(known.key)
            self._report.unchanged += 1
            return None
        if self._tombstones.is_unchanged(item, (source.kind for source in SOURCES)):
            self._report.forgotten += 1
            return None
        try:
            recognised = recognise(item)
            if recognised is None:
                raise SourceError(item.path, _why_not(item))
            source, header = recognised
            if self._is_forgotten(place, item, source, header):
                return None
            known = known or self.catalogue.moved(item, header, self._seen)
            return self._plan_log(place, item, source, header, known)
        except (OSError, SourceError) as error:
            if known is not None:
                self._seen.add(known.key)
            self._fail(place, item, reason_of(error))
            return None

    def _fail(self, place: int, item: Found, reason: str) -> None:
        self._report.failed += 1
        self._warn(place, f"{display_path(item.path)}: {reason}")

    def _warn(self, place: int, warning: str) -> None:
        self._warnings.append((place, warning))

    def _is_forgotten(self, place: int, item: Found, source: Source, header: Header) -> bool:
        tombstone = self._tombstones.of(item, source, header)
        if tombstone is None:
            return False
        self._report.forgotten += 1
        if not tombstone.is_of(source, header):
            self._warn(
                place,
                f"{display_path(item.path)}: not read: another session was forgotten here; "
                "`uncompact forget --allow` with this path lets it in",
            )
        return True

    def _plan_log(
        self, place: int, item: Found, source: Source, header: Header, known: KnownLog | None
    ) -> _Planned | None:
        key = known.key if known else self.catalogue.new_key(source.kind, item.path)
        self._seen.add(key)
        unless: str | None = None
        reading = self._reading(item, source, header, key, Cursor())
        if known is not None and not self._full:
            change = detect_change(known.source_state, item)
            if change != "rewritten" and self._has_drifted(place, item, source, header, known):
                return _Planned(place, item, known, ReadJob(reading, None))
            if self._held is not None and known.is_as(item) and known.row["path"] == display_path(item.path):
                self._report.unchanged += 1
                return None
            if change == "appended" and self._read_tail(place, item, source, header, known):
                return None
            # Size and samples are the same, but the times are not: its lines will tell.
            unless = str(known.row["fingerprint"]) if change in ("unchanged", "touched") else None
        return _Planned(place, item, known, ReadJob(reading, unless))

    def _has_drifted(self, place: int, item: Found, source: Source, header: Header, known: KnownLog) -> bool:
        """Compare what was read of a log with the lake's rows, when that is wanted, and report what differs."""
        if self._held is None:
            return False
        drift = find_drift(item, source, header, known, self._held.get(known.key, {}))
        self._report.bytes_read += known.row["bytes"]
        if drift is not None:
            self._report.drifted += 1
            self._warn(place, f"{display_path(item.path)}: {drift}")
        return drift is not None

    def _take(self, plan: _Planned, log: LogRead) -> None:
        """Account for a log that was to be read from its beginning."""
        if log.failure is not None:
            self._fail(plan.place, plan.item, log.failure)
            return
        if log.is_same and plan.known is not None:
            self._restate(plan.known, plan.item, "present")
            self._report.unchanged += 1
            return
        before = plan.known.row["entries"] if plan.known else 0
        if plan.known is not None:
            self._dropped.add(plan.known.key)
        added = max(log.totals.entries - before, 0)
        self._count(plan.place, plan.item, log.totals, added, plan.item.size)

    def _read_tail(self, place: int, item: Found, source: Source, header: Header, known: KnownLog) -> bool:
        """Read what was appended; ``False`` when that is not enough."""
        appended = item.size - known.cursor.byte
        if not source.can_resume(header) or appended > MOST_TAIL_BYTES:
            return False
        totals = resume_totals(known.row)
        reading = self._reading(item, source, header, known.key, known.cursor)
        tail = normalize_tail(reading, totals, LakeSession(self._snapshot, known.row))
        if tail is None:
            return False
        for table, rows in tail:
            self._writer.add(table, rows)
        self._restated.add(known.key)
        self._count(place, item, totals, totals.entries - known.row["entries"], appended)
        return True

    def _reading(self, item: Found, source: Source, header: Header, key: str, start: Cursor) -> Reading:
        session = SessionKey(project_key(header.project), key)
        return Reading(source.open(item, header, start), session, item, source.kind, self._indexed_at)

    def _count(self, place: int, item: Found, totals: SessionTotals, added: int, bytes_read: int) -> None:
        report, path = self._report, display_path(item.path)
        report.changed += 1
        report.entries_added += added
        report.bytes_read += bytes_read
        report.count_rejects(totals.reject_reasons)
        for line, reason in totals.reject_lines:
            self._warn(place, f"{path}:{line}: {reason}")
        if totals.more_rejects:
            self._warn(place, f"{path}: {totals.more_rejects} more lines that are no entry")
        if totals.pending_line is not None:
            self._warn(place, f"{path}:{totals.pending_line}: unterminated line, left for the next run")
        if not totals.entries:
            report.without_entries += 1
            self._warn(place, f"{path}: no entries")

    def mark_vanished(self, roots: Iterable[Path]) -> None:
        """Restate as vanished the logs below ``roots`` that are no longer there; their rows stay."""
        folders = [display_path(Path(os.path.abspath(root))) for root in roots]
        for known in self.catalogue.by_key.values():
            path = known.row["path"]
            if (
                known.row["state"] == "present"
                and known.key not in self._seen
                and any(_is_below(path, folder) for folder in folders)
                and is_gone(path)
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


def _place(warning: tuple[int, str]) -> int:
    return warning[0]


def _why_not(item: Found) -> str:
    return "empty file" if item.size == 0 else "not a session log: no known header"


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
