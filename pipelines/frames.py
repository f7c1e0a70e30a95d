"""Records to columns of each table, and columns, of several sessions at once, to frames in its schema."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
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
    "Columns",
    "EntryBatch",
    "SessionKey",
    "branch_summary_columns",
    "compaction_columns",
    "context_edit_columns",
    "entry_columns",
    "keep_columns",
    "project_key",
    "reject_columns",
    "segment_columns",
    "session_key",
    "table_frame",
    "text_hash",
    "tool_call_columns",
    "usage_columns",
]

# A table's columns as lists of one length. Text may be UTF-8 bytes, and hex digits the bytes they stand for.
Columns = dict[str, list[Any]]

_SCHEMAS = {name: table.schema for name, table in TABLES.items()}
_HEX = frozenset({"text_hash", "copy_key"})

_READABLE = re.compile(r"[^A-Za-z0-9._]+")
_READABLE_CHARS = 40

# An id that an adapter counted out where the log has none.
_COUNTED_ID = re.compile(r"v1:\d+|#\d+")

# White space to blanks, ASCII letters to lower case.
_FOLDED = bytes(ord(" ") if byte in b"\t\n\v\f\r" else byte for byte in range(256)).lower()
_BLANKS_PATTERN = "  +"
_BLANKS = re.compile(_BLANKS_PATTERN.encode())

# Columns of an entry that its record states.
_AS_THEY_ARE = (
    "pos", "entry_id", "raw_parent_id", "parent_id", "type", "role", "origin", "created_at", "images", "tool_name",
    "call_id", "is_error", "never_sent", "provider", "model", "line", "byte_start", "byte_end", "raw_sha256",
)  # fmt: skip


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
    return _folded_hash(_BLANKS.sub(b" ", text.encode().translate(_FOLDED))).hex()


@dataclass(slots=True)
class EntryBatch:
    """Entries in file order, one after the other, with what is worked out of their texts.

    A text is kept as UTF-8 and taken from its entry: characters may take four bytes each.
    """

    entries: list[Entry] = field(default_factory=list[Entry])
    chains: list[str] = field(default_factory=list[str])
    texts: list[bytes] = field(default_factory=list[bytes])
    copy_keys: list[bytes] = field(default_factory=list[bytes])
    tokens: list[int] = field(default_factory=list[int])

    def add(self, entry: Entry, chain: str) -> None:
        """Add the next entry."""
        text = entry.text
        encoded = text.encode()
        self.entries.append(entry)
        self.chains.append(chain)
        self.texts.append(encoded)
        self.copy_keys.append(_copy_key(entry, encoded))
        self.tokens.append(estimate_message_tokens(text, images=entry.images))
        entry.text = ""


def entry_columns(
    key: SessionKey, batch: EntryBatch, labels: Labels, call_place: Callable[[str], int | None]
) -> Columns:
    """Return ``entries`` columns; ``call_place`` finds the entry that made a tool call."""
    entries = batch.entries
    places = [entry.pos for entry in entries]
    first = places[0] - labels.first if places else 0
    segments = list(labels.segments[first : first + len(places)])
    columns = _keyed(key, len(places))
    columns |= {name: list(map(attrgetter(name), entries)) for name in _AS_THEY_ARE}
    columns |= {
        "text": batch.texts,
        "text_hash": _text_hashes(batch.texts),
        "tokens": batch.tokens,
        "turn_group": _turn_groups(entries, places, call_place),
        "copy_key": batch.copy_keys,
        "on_tree": [segment != NO_SEGMENT for segment in segments],
        "gap": [place in labels.gaps for place in places] if labels.gaps else [False] * len(places),
        "segment": segments,
        "position": list(labels.positions[first : first + len(places)]),
        "chain": batch.chains,
    }
    return columns


def segment_columns(key: SessionKey, labels: Labels) -> Columns:
    """Return ``segments`` columns of the segments that entries open."""
    return _keyed(key, len(labels.opened)) | {
        "segment": [segment for segment, _ in labels.opened],
        "parent_segment": [None if parent is None else parent[0] for _, parent in labels.opened],
        "parent_position": [None if parent is None else parent[1] for _, parent in labels.opened],
    }


def compaction_columns(key: SessionKey, compactions: Sequence[Compaction]) -> Columns:
    """Return ``compactions`` columns."""
    return _columns(key, compactions, Compaction, without=("kept_from",))


def keep_columns(key: SessionKey, compactions: Sequence[Compaction], labels: Labels) -> Columns:
    """Return ``compaction_keeps`` columns: nothing of a compaction that states nothing kept."""
    keeping = [compaction for compaction in compactions if compaction.kept_from is not None]
    return _keyed(key, len(keeping)) | {
        "pos": [compaction.pos for compaction in keeping],
        "kind": ["from"] * len(keeping),
        "kept_id": [compaction.kept_from for compaction in keeping],
        "kept_pos": [labels.places(compaction.kept_from or "") for compaction in keeping],
    }


def context_edit_columns(key: SessionKey, edits: Sequence[ContextEdit], labels: Labels) -> Columns:
    """Return ``context_edits`` columns."""
    columns = _columns(key, edits, ContextEdit)
    columns["target_pos"] = [labels.places(edit.target_id) for edit in edits]
    return columns


def branch_summary_columns(key: SessionKey, summaries: Sequence[BranchSummary]) -> Columns:
    """Return ``branch_summaries`` columns."""
    return _columns(key, summaries, BranchSummary)


def tool_call_columns(key: SessionKey, calls: Sequence[ToolCall]) -> Columns:
    """Return ``tool_calls`` columns."""
    return _columns(key, calls, ToolCall)


def usage_columns(key: SessionKey, usage: Sequence[Usage]) -> Columns:
    """Return ``usage`` columns."""
    return _columns(key, usage, Usage)


def reject_columns(key: SessionKey, rejects: Sequence[Reject]) -> Columns:
    """Return ``rejects`` columns."""
    return _columns(key, rejects, Reject)


def table_frame(table: str, columns: Columns) -> pl.DataFrame:
    """Build the rows of a table from its columns, which may be of several sessions.

    Raises ``TypeError`` for a value of another type.
    """
    return pl.DataFrame([_series(name, columns[name], dtype) for name, dtype in _SCHEMAS[table].items()])


def _series(name: str, values: list[Any], dtype: pl.DataType) -> pl.Series:
    if not values or not isinstance(values[0], bytes):
        return pl.Series(name, values, dtype=dtype, strict=True)
    encoded = pl.Series(name, values, dtype=pl.Binary, strict=True)
    return encoded.bin.encode("hex") if name in _HEX else encoded.cast(pl.String)


def _keyed(key: SessionKey, height: int) -> Columns:
    return {"project_key": [key.project_key] * height, "session_key": [key.session_key] * height}


def _columns(
    key: SessionKey, records: Sequence[Any], shape: type[Any], without: tuple[str, ...] = ()
) -> Columns:
    names = [name for name in shape.__struct_fields__ if name not in without]
    return _keyed(key, len(records)) | {name: list(map(attrgetter(name), records)) for name in names}


def _turn_groups(
    entries: Sequence[Entry], places: Sequence[int], call_place: Callable[[str], int | None]
) -> list[int]:
    """Give a tool's result the place of its call, if that is before, and any other entry its own."""
    groups = list(places)
    for at, entry in enumerate(entries):
        if entry.call_id:
            place = call_place(entry.call_id)
            if place is not None and place < groups[at]:
                groups[at] = place
    return groups


def _text_hashes(texts: Sequence[bytes]) -> list[bytes]:
    """Hash texts as ``text_hash`` does; Polars finds and folds runs of blanks in a third of the time."""
    folded = [text.translate(_FOLDED) for text in texts]
    column = pl.Series(folded, dtype=pl.Binary)
    has_runs = column.bin.contains(b"  ")
    if has_runs.any():
        runs = column.filter(has_runs).cast(pl.String)
        without = runs.str.replace_all(_BLANKS_PATTERN, " ").cast(pl.Binary)
        for at, text in zip(has_runs.arg_true(), without, strict=True):
            folded[at] = text
    return [_folded_hash(text) for text in folded]


def _folded_hash(text: bytes) -> bytes:
    stripped = text.strip(b" ")
    return hashlib.sha256(stripped).digest()[:8] if stripped else b""


def _copy_key(entry: Entry, text: bytes) -> bytes:
    # Without ids in the log, "hello" is the first line of many sessions: only its time tells a copy from another.
    told_by = str(entry.created_at) if _COUNTED_ID.fullmatch(entry.entry_id) else ""
    told = "\0".join((entry.entry_id, told_by, entry.type, entry.role or "", ""))
    return hashlib.sha256(told.encode() + text).digest()[:16]
