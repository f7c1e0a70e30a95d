"""One log to the rows of all tables, in batches of bounded size, the session's own row last.

Tree labels need every entry's parent. A log of a batch's size is read once and labelled when it is all there; a
larger one is read twice, first its links and then its records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import polars as pl

from . import frames
from .call_places import CallPlaces
from .change_detection import sample_digest
from .errors import SourceError
from .frames import SessionKey, table_frame
from .large_tree import label_links
from .log_batch import LogBatch, TableColumns
from .paths import display_path
from .session_totals import SessionTotals, first_chain, go_on_chain
from .sources import find_file
from .sources.records import Entry, Found, Link, Log, Record
from .tree import KnownEntries, Labels, extend_labels, label_tree

__all__ = [
    "MOST_TAIL_BYTES",
    "KnownSession",
    "Reading",
    "TableRows",
    "log_columns",
    "normalize_log",
    "normalize_tail",
    "tail_columns",
]

# A table's name and rows of it.
TableRows = tuple[str, pl.DataFrame]

# Bytes of lines: a log that is read once, and a part of one that is read twice.
_HELD_BYTES = 16 << 20
_BATCH_BYTES = 8 << 20

# More than this was appended: as a tail is held in memory, its log is read whole.
MOST_TAIL_BYTES = 16 << 20

_CHANGED = "changed while it was read"


@dataclass(frozen=True, slots=True)
class Reading:
    """One log being read into a store: whose rows they are, and when."""

    log: Log
    key: SessionKey
    found: Found
    source: str
    indexed_at: int


class KnownSession(KnownEntries, Protocol):
    """What was read of a session before, as far as its next entries need it."""

    def call_place(self, call_id: str) -> int | None:
        """Return the place of the entry that made a tool call."""
        ...


def normalize_log(reading: Reading, totals: SessionTotals) -> Iterator[TableRows]:
    """Yield (table, rows) for a whole log, as ``log_columns`` yields columns."""
    return _framed(log_columns(reading, totals))


def normalize_tail(reading: Reading, totals: SessionTotals, known: KnownSession) -> list[TableRows] | None:
    """Return (table, rows) for what was appended to a log, as ``tail_columns`` returns columns."""
    tail = tail_columns(reading, totals, known)
    return None if tail is None else list(_framed(tail))


def log_columns(reading: Reading, totals: SessionTotals) -> Iterator[TableColumns]:
    """Yield (table, columns) for a whole log, in batches, ``sessions`` last; fills ``totals`` on the way.

    Raises ``OSError`` when the log cannot be read to its end, ``SourceError`` when it changed meanwhile. Of a log
    that is read once, nothing has been yielded then. Memory: one batch of lines, 16 MB and the last of them, plus
    some 40 bytes an entry for the tree of a log that is read twice.
    """
    start = totals.chain = first_chain(reading.log)
    if reading.found.size > _HELD_BYTES:
        yield from _streamed_columns(reading, totals)
        yield _session_columns(reading, totals, start)
        return
    tables = list(_held_columns(reading, totals, lambda entries: label_tree(entries).labels(), CallPlaces()))
    yield from (*tables, _session_columns(reading, totals, start))


def tail_columns(reading: Reading, totals: SessionTotals, known: KnownSession) -> list[TableColumns] | None:
    """Return (table, columns) for what was appended to a log, as ``log_columns`` would for the whole.

    ``totals`` holds what was read before and is brought up to date. ``None`` when entries change what was read
    before them: then the log must be read whole. The tail is held in memory.
    """
    start, first = totals.chain, totals.entries
    calls = CallPlaces(known.call_place)
    tables = list(_held_columns(reading, totals, lambda entries: extend_labels(entries, first, known), calls))
    return [*tables, _session_columns(reading, totals, start)] if tables else None


def _framed(tables: Iterable[TableColumns]) -> Iterator[TableRows]:
    for table, columns in tables:
        yield table, table_frame(table, columns)


def _held_columns(
    reading: Reading, totals: SessionTotals, label: Callable[[list[Entry]], Labels | None], calls: CallPlaces
) -> Iterator[TableColumns]:
    """Read to the end, then label: nothing when there are no labels."""
    batch = LogBatch()
    batch.fill(reading.log.records(), totals)
    labels = label(batch.entries.entries)
    if labels is not None:
        yield "segments", frames.segment_columns(reading.key, labels)
        yield from _batch_columns(reading, batch, labels, calls)
        _add_ends(reading, totals, labels)


def _streamed_columns(reading: Reading, totals: SessionTotals) -> Iterator[TableColumns]:
    """Read all links, then the records, batch by batch."""
    links, again, calls = _Links(), _Links(), CallPlaces()
    labels = label_links(links.through(reading.log.links()))
    yield "segments", frames.segment_columns(reading.key, labels)
    records: Iterable[Record] = reading.log.records()
    while True:
        batch = LogBatch()
        left = batch.fill(records, totals, most_bytes=_BATCH_BYTES)
        again.add(batch.entries.entries)
        if totals.entries > len(labels.segments) or (left is None and again != links):
            raise SourceError(reading.found.path, _CHANGED)
        yield from _batch_columns(reading, batch, labels, calls)
        if left is None:
            break
        records = chain((left,), records)
    _add_ends(reading, totals, labels)


@dataclass(slots=True)
class _Links:
    """A hash over links, of this process: tells whether two passes over a log saw the same tree."""

    hash: int = 0

    def add(self, links: Iterable[Link | Entry]) -> None:
        for link in links:
            self.hash = hash((self.hash, link.entry_id, link.parent_id, link.recovered))

    def through(self, links: Iterable[Link]) -> Iterator[Link]:
        for link in links:
            self.add((link,))
            yield link


def _batch_columns(
    reading: Reading, batch: LogBatch, labels: Labels, calls: CallPlaces
) -> Iterator[TableColumns]:
    calls.add(batch.calls)
    return batch.columns(reading.key, labels, calls.find)


def _add_ends(reading: Reading, totals: SessionTotals, labels: Labels) -> None:
    totals.branches += len(labels.opened)
    totals.pending_line = reading.log.pending_line()


def _session_columns(reading: Reading, totals: SessionTotals, start: str) -> TableColumns:
    """Return the session's own row, of a file that is still what was read."""
    header, found, cursor = reading.log.header, reading.found, reading.log.cursor()
    row = {
        "project_key": reading.key.project_key,
        "session_key": reading.key.session_key,
        "source": reading.source,
        "session_id": header.session_id,
        "path": display_path(found.path),
        "project": header.project,
        "parent_session": header.parent_session,
        "name": totals.name,
        "version": header.version,
        "started_at": header.started_at,
        "last_at": totals.last_at,
        "leaf": totals.leaf,
        "leaf_pos": totals.leaf_pos,
        "entries": totals.entries,
        "branches": totals.branches,
        "compactions": totals.compactions,
        "rejects": totals.rejects,
        "bytes": cursor.byte,
        "text_chars": totals.text_chars,
        "file_size": found.size,
        "file_mtime_ns": found.mtime_ns,
        "file_ctime_ns": found.ctime_ns,
        "file_inode": found.inode,
        "lines": cursor.lines,
        "digest": sample_digest(found.path, cursor.byte),
        "fingerprint": totals.chain,
        "state": "present",
        "indexed_at": reading.indexed_at,
    }
    # Whatever was written meanwhile: it may have grown, but what was read must still be there.
    if find_file(found.path) != found and go_on_chain(start, reading.log) != totals.chain:
        raise SourceError(found.path, _CHANGED)
    return "sessions", {name: [value] for name, value in row.items()}
