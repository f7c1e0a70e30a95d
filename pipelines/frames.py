"""Records to frames: the rows of each table, in its schema's columns and order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from .schema import TABLES
from .sources.records import (
    BranchSummary,
    Compaction,
    ContextEdit,
    Entry,
    Reject,
    ToolCall,
    Usage,
)
from .tokens import estimate_message_tokens
from .tree import NO_SEGMENT, Labels

__all__ = [
    "SessionKey",
    "branch_summary_rows",
    "compaction_rows",
    "context_edit_rows",
    "entry_rows",
    "keep_rows",
    "project_key",
    "reject_rows",
    "segment_rows",
    "session_key",
    "text_hash",
    "tool_call_rows",
    "usage_rows",
]


_READABLE = re.compile(r"[^A-Za-z0-9._]+")
_READABLE_CHARS = 40


@dataclass(frozen=True, slots=True)
class SessionKey:
    """What every row of a session starts with."""

    project_key: str
    session_key: str


def session_key(source: str, path: bytes) -> str:
    """Key a log by its source kind and absolute path: 16 hex digits."""
    return hashlib.sha256(source.encode() + b"\0" + path).hexdigest()[:16]


def project_key(project: str) -> str:
    """Name a project's partition: the readable end of its folder and 8 hex digits of its hash."""
    readable = _READABLE.sub("-", project).strip("-.")[-_READABLE_CHARS:].strip("-.")
    digest = hashlib.sha256(project.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{readable}-{digest}" if readable else digest


def text_hash(text: str) -> str:
    r"""Hash a text with white space folded and ASCII letters in lower case: 16 hex digits, empty for no text.

    >>> text_hash("Pool size:  37\n") == text_hash("pool size: 37")
    True
    """
    folded = b" ".join(text.encode().lower().split())
    return hashlib.sha256(folded).hexdigest()[:16] if folded else ""


def entry_rows(
    key: SessionKey,
    entries: Sequence[Entry],
    chains: Sequence[str],
    labels: Labels,
    groups: Mapping[str, int],
) -> pl.DataFrame:
    """Build ``entries`` rows; ``groups`` maps a tool call's id to the place of its call, if that is before."""
    places = [entry.pos for entry in entries]
    placed = [labels.label(place) for place in places]
    columns: dict[str, Any] = {
        "pos": places,
        "entry_id": [entry.entry_id for entry in entries],
        "raw_parent_id": [entry.raw_parent_id for entry in entries],
        "parent_id": [entry.parent_id for entry in entries],
        "type": [entry.type for entry in entries],
        "role": [entry.role for entry in entries],
        "origin": [entry.origin for entry in entries],
        "created_at": [entry.created_at for entry in entries],
        "text": [entry.text for entry in entries],
        "text_hash": [text_hash(entry.text) for entry in entries],
        "tokens": [estimate_message_tokens(entry.text, images=entry.images) for entry in entries],
        "images": [entry.images for entry in entries],
        "tool_name": [entry.tool_name for entry in entries],
        "call_id": [entry.call_id for entry in entries],
        "is_error": [entry.is_error for entry in entries],
        "never_sent": [entry.never_sent for entry in entries],
        "provider": [entry.provider for entry in entries],
        "model": [entry.model for entry in entries],
        "turn_group": [min(groups.get(entry.call_id or "", entry.pos), entry.pos) for entry in entries],
        "copy_key": [_copy_key(entry) for entry in entries],
        "on_tree": [segment != NO_SEGMENT for segment, _ in placed],
        "gap": [place in labels.gaps for place in places],
        "segment": [segment for segment, _ in placed],
        "position": [position for _, position in placed],
        "line": [entry.line for entry in entries],
        "byte_start": [entry.byte_start for entry in entries],
        "byte_end": [entry.byte_end for entry in entries],
        "raw_sha256": [entry.raw_sha256 for entry in entries],
        "chain": list(chains),
    }
    return _frame("entries", key, columns)


def segment_rows(key: SessionKey, labels: Labels) -> pl.DataFrame:
    """Build ``segments`` rows of the segments that entries open."""
    columns: dict[str, Sequence[Any]] = {
        "segment": [segment for segment, _ in labels.opened],
        "parent_segment": [None if parent is None else parent[0] for _, parent in labels.opened],
        "parent_position": [None if parent is None else parent[1] for _, parent in labels.opened],
    }
    return _frame("segments", key, columns)


def compaction_rows(key: SessionKey, compactions: Sequence[Compaction]) -> pl.DataFrame:
    """Build ``compactions`` rows."""
    return _frame("compactions", key, _columns(compactions, Compaction, without=("kept_from",)))


def keep_rows(key: SessionKey, compactions: Sequence[Compaction], labels: Labels) -> pl.DataFrame:
    """Build ``compaction_keeps`` rows: none for a compaction that states nothing kept."""
    keeping = [compaction for compaction in compactions if compaction.kept_from is not None]
    columns: dict[str, Sequence[Any]] = {
        "pos": [compaction.pos for compaction in keeping],
        "kind": ["from"] * len(keeping),
        "kept_id": [compaction.kept_from for compaction in keeping],
        "kept_pos": [labels.places(compaction.kept_from or "") for compaction in keeping],
    }
    return _frame("compaction_keeps", key, columns)


def context_edit_rows(key: SessionKey, edits: Sequence[ContextEdit], labels: Labels) -> pl.DataFrame:
    """Build ``context_edits`` rows."""
    columns = _columns(edits, ContextEdit)
    columns["target_pos"] = [labels.places(edit.target_id) for edit in edits]
    return _frame("context_edits", key, columns)


def branch_summary_rows(key: SessionKey, summaries: Sequence[BranchSummary]) -> pl.DataFrame:
    """Build ``branch_summaries`` rows."""
    return _frame("branch_summaries", key, _columns(summaries, BranchSummary))


def tool_call_rows(key: SessionKey, calls: Sequence[ToolCall]) -> pl.DataFrame:
    """Build ``tool_calls`` rows."""
    return _frame("tool_calls", key, _columns(calls, ToolCall))


def usage_rows(key: SessionKey, usage: Sequence[Usage]) -> pl.DataFrame:
    """Build ``usage`` rows."""
    return _frame("usage", key, _columns(usage, Usage))


def reject_rows(key: SessionKey, rejects: Sequence[Reject]) -> pl.DataFrame:
    """Build ``rejects`` rows."""
    return _frame("rejects", key, _columns(rejects, Reject))


def _columns(records: Sequence[Any], shape: type[Any], without: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    names = [name for name in shape.__struct_fields__ if name not in without]
    return {name: [getattr(record, name) for record in records] for name in names}


def _copy_key(entry: Entry) -> str:
    content = "\0".join((entry.entry_id, entry.type, entry.role or "", entry.text))
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _frame(table: str, key: SessionKey, columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    schema = TABLES[table].schema
    typed = [pl.Series(name, values, dtype=schema[name], strict=True) for name, values in columns.items()]
    return (
        pl.DataFrame(typed)
        .select(
            pl.lit(key.project_key).alias("project_key"),
            pl.lit(key.session_key).alias("session_key"),
            pl.all(),
        )
        .select(schema.names())
    )
