"""One log to the rows of all tables: labels first, then batches of bounded size, the session's own row last."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import polars as pl

from . import frames
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
from .tree import Tree, label_tree

__all__ = ["SessionTotals", "normalize_log"]

_BATCH_CHARS = 32 << 20
_BATCH_ENTRIES = 50_000
# A report names so many bad lines of one log, and counts the rest.
_NAMED_REJECTS = 20

_CHANGED = "changed while it was read"


@dataclass(slots=True)
class SessionTotals:
    """Counts over one log, known when its rows have been read."""

    entries: int = 0
    compactions: int = 0
    rejects: dict[str, int] = field(default_factory=dict[str, int])
    reject_lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    more_rejects: int = 0
    pending_line: int | None = None
    text_chars: int = 0
    last_at: int | None = None
    name: str | None = None
    bytes_consumed: int = 0
    fingerprint: Any = field(default_factory=hashlib.sha256)


@dataclass(slots=True)
class _Batch:
    entries: list[Entry] = field(default_factory=list[Entry])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    edits: list[ContextEdit] = field(default_factory=list[ContextEdit])
    summaries: list[BranchSummary] = field(default_factory=list[BranchSummary])
    usage: list[Usage] = field(default_factory=list[Usage])
    rejects: list[Reject] = field(default_factory=list[Reject])
    chars: int = 0

    def is_full(self) -> bool:
        return self.chars >= _BATCH_CHARS or len(self.entries) >= _BATCH_ENTRIES


def normalize_log(
    log: Log, key: SessionKey, found: Found, *, source: str, indexed_at: int, totals: SessionTotals
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield (table, rows) for one log, in batches, ``sessions`` last; fills ``totals`` on the way.

    Raises ``OSError`` when the log cannot be read to its end, ``SourceError`` when it changed meanwhile.
    Memory: one batch of about 32 million characters, plus some 200 bytes an entry for the tree.
    """
    totals.fingerprint.update(msgspec.json.encode(log.header))
    tree = label_tree(list(log.links()))
    yield "segments", frames.segment_rows(key, tree)
    groups: dict[str, int] = {}
    answers: dict[str, Entry] = {}
    batch = _Batch()
    for record in log.records():
        if isinstance(record, Entry) and record.pos >= len(tree.segments):
            raise SourceError(found.path, _CHANGED)
        if isinstance(record, Entry) and batch.is_full():
            yield from _rows(key, batch, tree, groups, answers)
            batch = _Batch(calls=[call for call in batch.calls if call.call_id not in answers])
        _collect(record, batch, totals)
        if isinstance(record, ToolCall) and record.call_id:
            groups.setdefault(record.call_id, record.pos)
        elif isinstance(record, Entry) and record.call_id:
            answers.setdefault(record.call_id, _without_text(record))
    yield from _rows(key, batch, tree, groups, answers)
    yield "tool_calls", frames.tool_call_rows(key, batch.calls, answers)
    if totals.entries < len(tree.segments):
        raise SourceError(found.path, _CHANGED)
    totals.pending_line = log.pending_line()
    totals.bytes_consumed = log.bytes_consumed()
    yield "sessions", _session_row(log, key, found, source, indexed_at, tree, totals)


def _collect(record: Record, batch: _Batch, totals: SessionTotals) -> None:
    if isinstance(record, Entry):
        batch.entries.append(record)
        batch.chars += len(record.text)
        totals.entries += 1
        totals.text_chars += len(record.text)
        totals.fingerprint.update(record.raw_sha256.encode())
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


def _count_reject(reject: Reject, totals: SessionTotals) -> None:
    totals.rejects[reject.reason] = totals.rejects.get(reject.reason, 0) + 1
    if len(totals.reject_lines) < _NAMED_REJECTS:
        totals.reject_lines.append((reject.line, reject.reason))
    else:
        totals.more_rejects += 1


def _without_text(entry: Entry) -> Entry:
    answer = Entry(**{name: getattr(entry, name) for name in Entry.__struct_fields__})
    answer.text = ""
    return answer


def _rows(
    key: SessionKey, batch: _Batch, tree: Tree, groups: dict[str, int], answers: dict[str, Entry]
) -> Iterator[tuple[str, pl.DataFrame]]:
    yield "entries", frames.entry_rows(key, batch.entries, tree, groups)
    answered = [call for call in batch.calls if call.call_id in answers]
    yield "tool_calls", frames.tool_call_rows(key, answered, answers)
    batch.calls = [call for call in batch.calls if call.call_id not in answers]
    yield "compactions", frames.compaction_rows(key, batch.compactions)
    yield "compaction_keeps", frames.keep_rows(key, batch.compactions, tree)
    yield "context_edits", frames.context_edit_rows(key, batch.edits, tree)
    yield "branch_summaries", frames.branch_summary_rows(key, batch.summaries)
    yield "usage", frames.usage_rows(key, batch.usage)
    yield "rejects", frames.reject_rows(key, batch.rejects)


def _session_row(
    log: Log,
    key: SessionKey,
    found: Found,
    source: str,
    indexed_at: int,
    tree: Tree,
    totals: SessionTotals,
) -> pl.DataFrame:
    leaf_pos = log.leaf_pos()
    leaf = next((entry_id for entry_id, place in tree.places.items() if place == leaf_pos), None)
    row = {
        "project_key": key.project_key,
        "session_key": key.session_key,
        "source": source,
        "session_id": log.header.session_id,
        "path": display_path(found.path),
        "project": log.header.project,
        "parent_session": log.header.parent_session,
        "name": totals.name,
        "version": log.header.version,
        "started_at": log.header.started_at,
        "last_at": totals.last_at,
        "leaf": leaf,
        "leaf_pos": None if leaf is None else leaf_pos,
        "entries": totals.entries,
        "branches": len(tree.leaves()),
        "compactions": totals.compactions,
        "rejects": sum(totals.rejects.values()),
        "bytes": totals.bytes_consumed,
        "text_chars": totals.text_chars,
        "file_size": found.size,
        "file_mtime_ns": found.mtime_ns,
        "fingerprint": totals.fingerprint.hexdigest(),
        "state": "present",
        "indexed_at": indexed_at,
    }
    return pl.DataFrame([row], schema=TABLES["sessions"].schema)
