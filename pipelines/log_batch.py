"""Records of one log, as they come, until they are a batch: then columns of all tables that have entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from . import frames
from .frames import Columns, EntryBatch, SessionKey
from .session_totals import SessionTotals
from .sources.records import (
    BranchSummary,
    Compaction,
    ContextEdit,
    Entry,
    Record,
    Reject,
    ToolCall,
    Usage,
)
from .tree import Labels

__all__ = ["LogBatch", "TableColumns"]

# A table's name and rows of it.
TableColumns = tuple[str, Columns]

_NO_END = 1 << 62


@dataclass(slots=True)
class LogBatch:
    """Entries that follow each other, and all that belongs to them."""

    entries: EntryBatch = field(default_factory=EntryBatch)
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    edits: list[ContextEdit] = field(default_factory=list[ContextEdit])
    summaries: list[BranchSummary] = field(default_factory=list[BranchSummary])
    usage: list[Usage] = field(default_factory=list[Usage])
    rejects: list[Reject] = field(default_factory=list[Reject])

    def fill(
        self, records: Iterable[Record], totals: SessionTotals, *, most_bytes: int | None = None
    ) -> Entry | None:
        """Take in records and count them, to the end or up to the first entry whose lines would be too many.

        Returns that entry, which is neither taken in nor counted; ``None`` at the end.
        """
        end = _NO_END
        for record in records:
            if isinstance(record, Entry):
                if record.byte_end > end:
                    return record
                if most_bytes is not None and end == _NO_END:
                    end = record.byte_start + most_bytes
                totals.count_entry(record)
                self.entries.add(record, totals.chain)
            elif isinstance(record, Usage):
                self.usage.append(record)
            elif isinstance(record, ToolCall):
                self.calls.append(record)
            elif isinstance(record, Reject):
                self.rejects.append(record)
                totals.count_reject(record)
            elif isinstance(record, Compaction):
                self.compactions.append(record)
                totals.compactions += 1
            elif isinstance(record, ContextEdit):
                self.edits.append(record)
            elif isinstance(record, BranchSummary):
                self.summaries.append(record)
            else:
                totals.name = record.value
        return None

    def columns(
        self, key: SessionKey, labels: Labels, call_place: Callable[[str], int | None]
    ) -> Iterator[TableColumns]:
        """Yield (table, columns) of all that was taken in; ``call_place`` finds the entry that made a tool call."""
        yield "entries", frames.entry_columns(key, self.entries, labels, call_place)
        yield "tool_calls", frames.tool_call_columns(key, self.calls)
        yield "compactions", frames.compaction_columns(key, self.compactions)
        yield "compaction_keeps", frames.keep_columns(key, self.compactions, labels)
        yield "context_edits", frames.context_edit_columns(key, self.edits, labels)
        yield "branch_summaries", frames.branch_summary_columns(key, self.summaries)
        yield "usage", frames.usage_columns(key, self.usage)
        yield "rejects", frames.reject_columns(key, self.rejects)
