"""A session's entries to companion rows: passages, words and stretches, numbered as the entries come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, repeat
from typing import Any

import apsw

from .call_labels import CallRow, find_labels, label_entries
from .companion_db import EXPLICIT_PASSAGES, first_row
from .companion_meta import raise_counter
from .index_text import index_bytes
from .name_parts import split_humped_names
from .passage_codec import PassageCodec
from .passages import cut_encoded
from .sql_files import load_sql
from .sqlite import execute, execute_many, value

__all__ = [
    "ENTRY_COLUMNS",
    "SessionRows",
    "SessionSlice",
    "delete_session",
    "insert_slice",
    "state_session",
]

# What a slice has of each entry: the lake's columns, the text in UTF-8, and its length in characters.
ENTRY_COLUMNS = (
    "pos", "entry_id", "type", "role", "created_at", "tokens", "text_hash", "text", "text_chars", "turn_group",
    "segment", "position", "origin", "never_sent", "on_tree", "call_id",
)  # fmt: skip

_EVIDENCE_TYPES = frozenset({"message", "custom_message", "branch_summary"})
_SEARCHABLE_TYPES = _EVIDENCE_TYPES | {"compaction"}


@dataclass(frozen=True, slots=True)
class SessionSlice:
    """Some entries of a session, in file order, and what belongs to them.

    ``entries`` holds a list for each of ``ENTRY_COLUMNS``, times in microseconds. ``segments`` are (segment, parent
    segment, parent position), ``compactions`` (pos, kept pos), ``context_edits`` (pos, target pos, removes), and
    ``awaited`` the ids that these entries name although no line has them.
    """

    entries: Mapping[str, Sequence[Any]]
    tool_calls: Sequence[CallRow]
    segments: Sequence[tuple[int, int | None, int | None]]
    compactions: Sequence[tuple[int, int | None]]
    context_edits: Sequence[tuple[int, int | None, bool]]
    awaited: Sequence[str]


@dataclass(slots=True)
class SessionRows:
    """Where a session's rows are: its number, and how many passages of either kind it has so far."""

    number: int
    automatic: int = 0
    explicit: int = 0


@dataclass(slots=True)
class _Passages:
    """Passages whose row ids follow one another from ``first`` on: in columns."""

    first: int
    pos: list[int] = field(default_factory=list[int])
    starts: list[int] = field(default_factory=list[int])
    texts: list[bytes] = field(default_factory=list[bytes])
    words: list[bytes] = field(default_factory=list[bytes])

    def insert(self, connection: apsw.Connection, codec: PassageCodec) -> None:
        """Insert the passages and their words."""
        if self.pos:
            packed = codec.pack_all(self.texts)
            rows = zip(count(self.first), self.pos, self.starts, packed)
            execute_many(connection, _sql("insert_passage"), rows)
            execute_many(connection, _sql("insert_words"), zip(count(self.first), self.words))


@dataclass(slots=True)
class _Places:
    """Where each entry's passages are: the next for automatic retrieval, its own first, and how many, in columns."""

    following: list[int] = field(default_factory=list[int])
    first: list[int] = field(default_factory=list[int])
    passages: list[int] = field(default_factory=list[int])


def insert_slice(
    connection: apsw.Connection, rows: SessionRows, slice_: SessionSlice, codec: PassageCodec
) -> None:
    """Insert a slice of a session after what it has."""
    number, base, entries = rows.number, first_row(rows.number), slice_.entries
    labelled = label_entries(entries, slice_.tool_calls)
    _insert_of_session(connection, "insert_segments", number, slice_.segments)
    _insert_of_session(connection, "insert_call", number, labelled.calls)
    find_labels(connection, number, entries, labelled)
    automatic = _Passages(base + rows.automatic)
    explicit = _Passages(base + EXPLICIT_PASSAGES + rows.explicit)
    places = _add_passages(entries, labelled.labels, automatic, explicit)
    execute_many(connection, _sql("insert_entry"), _entry_rows(number, entries, labelled.labels, places))
    automatic.insert(connection, codec)
    explicit.insert(connection, codec)
    rows.automatic += len(automatic.pos)
    rows.explicit += len(explicit.pos)
    _insert_of_session(connection, "insert_run", number, list(_runs(entries)))
    _insert_of_session(connection, "insert_compactions", number, slice_.compactions)
    _insert_of_session(connection, "insert_context_edits", number, slice_.context_edits)
    _insert_of_session(connection, "insert_awaited", number, [(entry_id,) for entry_id in slice_.awaited])


def delete_session(connection: apsw.Connection, number: int) -> None:
    """Delete a session's rows; its words stay, out of reach, until the companion is built anew."""
    bounds = {"first": first_row(number), "end": first_row(number + 1)}
    held: int = value(connection, _sql("count_passages"), bounds)
    raise_counter(connection, "left_over_passages", held)
    execute(connection, _sql("delete_passages"), bounds)
    execute(connection, _sql("delete_entries"), bounds)
    for table in ("runs", "segments", "compactions", "context_edits", "calls", "awaited"):
        execute(connection, f"delete from {table} where session = ?", (number,))
    execute(connection, "delete from sessions where number = ?", (number,))


def state_session(connection: apsw.Connection, session: Mapping[str, Any], rows: SessionRows) -> None:
    """Write a session's row: that of the lake, with where its rows are."""
    counts = {"number": rows.number, "passages": rows.automatic, "explicit_passages": rows.explicit}
    names = (
        "session_key", "project_key", "session_id", "source", "path", "project", "parent_session", "name", "version",
        "started_at", "last_at", "leaf", "leaf_pos", "entries", "branches", "compactions", "rejects", "bytes",
        "text_chars", "file_size", "file_mtime_ns", "file_ctime_ns", "file_inode", "lines", "digest", "fingerprint",
        "state", "indexed_at",
    )  # fmt: skip
    execute(connection, _sql("insert_session"), {**counts, **{name: session[name] for name in names}})


def _add_passages(
    entries: Mapping[str, Sequence[Any]], labels: Sequence[str], automatic: _Passages, explicit: _Passages
) -> _Places:
    """Add each entry's passages to those of its kind, and return where they are."""
    places = _Places()
    names = ("pos", "type", "role", "origin", "never_sent", "on_tree", "text", "text_chars")
    columns = zip(*(entries[name] for name in names), labels, strict=True)
    for pos, kind, role, origin, never_sent, on_tree, text, chars, label in columns:
        into = automatic if kind in _EVIDENCE_TYPES and on_tree and not never_sent else explicit
        held = len(into.pos)
        places.following.append(automatic.first + len(automatic.pos))
        places.first.append(into.first + held)
        if kind in _SEARCHABLE_TYPES and origin != "self":
            before = f"{label}\n".encode() if label else b""
            for start, piece in cut_encoded(text, chars):
                into.pos.append(pos)
                into.starts.append(start)
                into.texts.append(piece)
                # A call stands in its own entry's text.
                labelled = before and (start or role != "assistant")
                into.words.append(_words_of(before + piece if labelled else piece))
        places.passages.append(len(into.pos) - held)
    return places


def _words_of(text: bytes) -> bytes:
    """Prepare a text for the word index; names that capitals join stand there whole and by their words."""
    parts = split_humped_names(text)
    return b" ".join((index_bytes(text), parts)) if parts else index_bytes(text)


def _entry_rows(
    number: int, entries: Mapping[str, Sequence[Any]], labels: Sequence[str], places: _Places
) -> Iterable[tuple[Any, ...]]:
    base = first_row(number)
    names = ("entry_id", "type", "role", "created_at", "tokens", "text_hash", "text_chars", "turn_group")
    return zip(
        [base + pos for pos in entries["pos"]],
        repeat(number),
        *(entries[name] for name in names),
        labels,
        entries["segment"],
        entries["position"],
        places.following,
        places.first,
        places.passages,
    )


def _runs(entries: Mapping[str, Sequence[Any]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (segment, first position, first pos, length) of each stretch on the tree."""
    labels = zip(entries["segment"], entries["position"], entries["pos"], entries["on_tree"], strict=True)
    run: tuple[int, int, int] | None = None
    length = 0
    for segment, position, pos, on_tree in labels:
        if not on_tree:
            continue
        if run is not None:
            if (segment, position, pos) == (run[0], run[1] + length, run[2] + length):
                length += 1
                continue
            yield *run, length
        run, length = (segment, position, pos), 1
    if run is not None:
        yield *run, length


def _insert_of_session(
    connection: apsw.Connection, name: str, number: int, rows: Sequence[tuple[Any, ...]]
) -> None:
    if rows:
        execute_many(connection, _sql(name), ((number, *row) for row in rows))


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
