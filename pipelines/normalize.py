"""One log to the rows of all tables: labels first, then batches of bounded size, the session's own row last."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec
import polars as pl

from . import frames
from .change_detection import sample_digest
from .errors import SourceError
from .frames import SessionKey
from .paths import display_path
from .schema import TABLES
from .sources.records import (
    BranchSummary,
    Compaction,
    ContextEdit,
    Entry,
    Found,
    Log,
    Record,
    Reject,
    ToolCall,
    Usage,
)
from .tree import KnownEntries, Labels, extend_labels, label_tree

__all__ = [
    "KnownSession",
    "Reading",
    "SessionTotals",
    "TableRows",
    "content_chain",
    "normalize_log",
    "normalize_tail",
    "resume_totals",
]

# A table's name and rows of it.
TableRows = tuple[str, pl.DataFrame]


_BATCH_CHARS = 32 << 20
_BATCH_ENTRIES = 50_000
# A report names so many bad lines of one log, and counts the rest.
_NAMED_REJECTS = 20

# Sixteen digits tell beginnings of logs apart; they need not withstand an attack.
_CHAIN_DIGITS = 16

_CHANGED = "changed while it was read"


@dataclass(slots=True)
class SessionTotals:
    """Counts over one log; they go on where ``resume_totals`` left them.

    ``reject_reasons``, ``reject_lines`` and ``more_rejects`` are of this reading alone.
    """

    entries: int = 0
    branches: int = 0
    compactions: int = 0
    rejects: int = 0
    text_chars: int = 0
    last_at: int | None = None
    name: str | None = None
    leaf: str | None = None
    leaf_pos: int | None = None
    chain: str = ""
    reject_reasons: dict[str, int] = field(default_factory=dict[str, int])
    reject_lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    more_rejects: int = 0
    pending_line: int | None = None


def resume_totals(session: Mapping[str, Any]) -> SessionTotals:
    """Take up the totals of a ``sessions`` row; its times are microseconds."""
    names = (
        "entries", "branches", "compactions", "rejects", "text_chars", "last_at", "name", "leaf", "leaf_pos"
    )  # fmt: skip
    return SessionTotals(**{name: session[name] for name in names}, chain=session["fingerprint"])


@dataclass(slots=True)
class _Batch:
    entries: list[Entry] = field(default_factory=list[Entry])
    chains: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    edits: list[ContextEdit] = field(default_factory=list[ContextEdit])
    summaries: list[BranchSummary] = field(default_factory=list[BranchSummary])
    usage: list[Usage] = field(default_factory=list[Usage])
    rejects: list[Reject] = field(default_factory=list[Reject])
    chars: int = 0

    def is_full(self) -> bool:
        return self.chars >= _BATCH_CHARS or len(self.entries) >= _BATCH_ENTRIES


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


def content_chain(log: Log) -> str:
    """Return the chain over a whole log, as a ``sessions`` row's fingerprint, without building rows."""
    chain = _first_chain(log)
    for record in log.records():
        if isinstance(record, Entry):
            chain = _next_chain(chain, record)
    return chain


def normalize_log(reading: Reading, totals: SessionTotals) -> Iterator[TableRows]:
    """Yield (table, rows) for a whole log, in batches, ``sessions`` last; fills ``totals`` on the way.

    Raises ``OSError`` when the log cannot be read to its end, ``SourceError`` when it changed meanwhile.
    Memory: one batch of about 32 million characters, plus some 200 bytes an entry for the tree.
    """
    totals.chain = _first_chain(reading.log)
    tree = label_tree(list(reading.log.links()))
    yield from _read(reading, totals, tree.labels(), _Calls())


def normalize_tail(reading: Reading, totals: SessionTotals, known: KnownSession) -> list[TableRows] | None:
    """Return (table, rows) for what was appended to a log, as ``normalize_log`` would for the whole.

    ``totals`` holds what was read before and is brought up to date. ``None`` when entries change what was read
    before them: then the log must be read whole. The tail is held in memory.
    """
    labels = extend_labels(list(reading.log.links()), totals.entries, known)
    if labels is None:
        return None
    return list(_read(reading, totals, labels, _Calls(known)))


@dataclass(slots=True)
class _Calls:
    """Places of tool calls by id, of several with one id the first: those known before and those of this reading."""

    known: KnownSession | None = None
    _places: dict[str, int] = field(default_factory=dict[str, int])

    def place(self, call_id: str) -> int | None:
        earlier = self.known.call_place(call_id) if self.known else None
        return self._places.get(call_id) if earlier is None else earlier

    def add(self, call: ToolCall) -> None:
        if call.call_id:
            self._places.setdefault(call.call_id, call.pos)


def _read(reading: Reading, totals: SessionTotals, labels: Labels, calls: _Calls) -> Iterator[TableRows]:
    yield "segments", frames.segment_rows(reading.key, labels)
    end = labels.first + len(labels.segments)
    batch = _Batch()
    for record in reading.log.records():
        if isinstance(record, Entry):
            if record.pos >= end:
                raise SourceError(reading.found.path, _CHANGED)
            if batch.is_full():
                yield from _rows(reading.key, batch, labels, calls)
                batch = _Batch()
        _collect(record, batch, totals)
        if isinstance(record, ToolCall):
            calls.add(record)
    yield from _rows(reading.key, batch, labels, calls)
    if totals.entries < end:
        raise SourceError(reading.found.path, _CHANGED)
    totals.branches += len(labels.opened)
    totals.pending_line = reading.log.pending_line()
    yield "sessions", _session_row(reading, totals)


def _collect(record: Record, batch: _Batch, totals: SessionTotals) -> None:
    if isinstance(record, Entry):
        batch.entries.append(record)
        batch.chars += len(record.text)
        totals.entries += 1
        totals.text_chars += len(record.text)
        totals.chain = _next_chain(totals.chain, record)
        batch.chains.append(totals.chain)
        if not record.recovered:
            totals.leaf, totals.leaf_pos = record.entry_id, record.pos
        if record.created_at is not None:
            totals.last_at = max(totals.last_at or 0, record.created_at)
    elif isinstance(record, ToolCall):
        batch.calls.append(record)
        batch.chars += len(record.arguments)
    elif isinstance(record, Compaction):
        batch.compactions.append(record)
        totals.compactions += 1
    elif isinstance(record, Reject):
        batch.rejects.append(record)
        _count_reject(record, totals)
    elif isinstance(record, ContextEdit):
        batch.edits.append(record)
    elif isinstance(record, BranchSummary):
        batch.summaries.append(record)
    elif isinstance(record, Usage):
        batch.usage.append(record)
    else:
        totals.name = record.value


def _first_chain(log: Log) -> str:
    return hashlib.sha256(msgspec.json.encode(log.header)).hexdigest()[:_CHAIN_DIGITS]


def _next_chain(chain: str, entry: Entry) -> str:
    # The id too: an entry that states none is named by its line's number, which a blank line changes.
    content = chain + entry.raw_sha256 + entry.entry_id
    return hashlib.sha256(content.encode()).hexdigest()[:_CHAIN_DIGITS]


def _count_reject(reject: Reject, totals: SessionTotals) -> None:
    totals.rejects += 1
    totals.reject_reasons[reject.reason] = totals.reject_reasons.get(reject.reason, 0) + 1
    if len(totals.reject_lines) < _NAMED_REJECTS:
        totals.reject_lines.append((reject.line, reject.reason))
    else:
        totals.more_rejects += 1


def _rows(key: SessionKey, batch: _Batch, labels: Labels, calls: _Calls) -> Iterator[TableRows]:
    groups = {
        entry.call_id: place
        for entry in batch.entries
        if entry.call_id and (place := calls.place(entry.call_id)) is not None
    }
    yield "entries", frames.entry_rows(key, batch.entries, batch.chains, labels, groups)
    yield "tool_calls", frames.tool_call_rows(key, batch.calls)
    yield "compactions", frames.compaction_rows(key, batch.compactions)
    yield "compaction_keeps", frames.keep_rows(key, batch.compactions, labels)
    yield "context_edits", frames.context_edit_rows(key, batch.edits, labels)
    yield "branch_summaries", frames.branch_summary_rows(key, batch.summaries)
    yield "usage", frames.usage_rows(key, batch.usage)
    yield "rejects", frames.reject_rows(key, batch.rejects)


def _session_row(reading: Reading, totals: SessionTotals) -> pl.DataFrame:
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
    return pl.DataFrame([row], schema=TABLES["sessions"].schema)
