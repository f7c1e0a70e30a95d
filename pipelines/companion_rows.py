"""A session's entries to companion rows: passages, words and stretches, numbered as the entries come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw
import polars as pl

from .companion_db import EXPLICIT_PASSAGES, first_row
from .index_text import index_text
from .passage_codec import PassageCodec
from .passages import cut_passages
from .sql_files import load_sql
from .sqlite import execute, execute_many, value

__all__ = ["SessionRows", "SessionSlice", "insert_slice", "state_session"]

_LABEL_CHARS = 200

_EVIDENCE_TYPES = frozenset({"message", "custom_message", "branch_summary"})
_SEARCHABLE_TYPES = _EVIDENCE_TYPES | {"compaction"}


@dataclass(frozen=True, slots=True)
class SessionSlice:
    """Some entries of a session, in file order, and what belongs to them: frames as the lake has them.

    Times are microseconds. ``compactions`` has the kept entry's id and place beside each.
    """

    entries: pl.DataFrame
    tool_calls: pl.DataFrame
    segments: pl.DataFrame
    compactions: pl.DataFrame
    context_edits: pl.DataFrame


@dataclass(slots=True)
class SessionRows:
    """Where a session's rows are: its number, and how many passages of either kind it has so far."""

    number: int
    automatic: int = 0
    explicit: int = 0
    _entries: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    _passages: list[tuple[int, int, int, str]] = field(default_factory=list[tuple[int, int, int, str]])
    _words: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _labels: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    _awaited: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    @property
    def texts(self) -> list[str]:
        """The passages that wait to be inserted."""
        return [piece for *_, piece in self._passages]

    def add(self, entry: Mapping[str, Any], label: str) -> None:
        """Take an entry: a row of the lake's ``entries`` and the label of the tool call it makes or answers."""
        base = first_row(self.number)
        pos: int = entry["pos"]
        pieces = list(cut_passages(entry["text"])) if _is_searchable(entry) else []
        automatic = _is_evidence(entry)
        first = base + (self.automatic if automatic else EXPLICIT_PASSAGES + self.explicit)
        for at, (start, piece) in enumerate(pieces):
            self._passages.append((first + at, pos, start, piece))
            prefixed = label and (at or entry["role"] != "assistant")
            self._words.append((first + at, index_text(f"{label}\n{piece}" if prefixed else piece)))
        self._entries.append(
            (
                base + pos, self.number, entry["entry_id"], entry["type"], entry["role"], entry["created_at"],
                entry["tokens"], entry["text_hash"], len(entry["text"]), entry["turn_group"], label,
                entry["segment"], entry["position"], base + self.automatic, first, len(pieces),
            )
        )  # fmt: skip
        if automatic:
            self.automatic += len(pieces)
        else:
            self.explicit += len(pieces)
        if entry["gap"] and entry["parent_id"] is not None:
            self._awaited.append((self.number, entry["parent_id"]))
        if entry["on_tree"]:
            self._labels.append((entry["segment"], entry["position"], pos))

    def insert(self, connection: apsw.Connection, codec: PassageCodec) -> None:
        """Insert what waits, in the order of row ids."""
        execute_many(connection, _sql("insert_entry"), self._entries)
        packed = ((passage, pos, start, codec.pack(piece)) for passage, pos, start, piece in self._passages)
        execute_many(connection, _sql("insert_passage"), packed)
        execute_many(connection, _sql("insert_words"), self._words)
        execute_many(connection, _sql("insert_run"), self._runs())
        execute_many(connection, _sql("insert_awaited"), self._awaited)
        for waiting in (self._entries, self._passages, self._words, self._labels, self._awaited):
            waiting.clear()

    def _runs(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield (session, segment, first position, first pos, length) of each stretch."""
        run: list[int] | None = None
        for segment, position, pos in self._labels:
            if run and segment == run[0] and position == run[1] + run[3] and pos == run[2] + run[3]:
                run[3] += 1
                continue
            if run:
                yield self.number, run[0], run[1], run[2], run[3]
            run = [segment, position, pos, 1]
        if run:
            yield self.number, run[0], run[1], run[2], run[3]


def insert_slice(
    connection: apsw.Connection,
    rows: SessionRows,
    slice_: SessionSlice,
    codec_for: Callable[[Sequence[str]], PassageCodec],
) -> None:
    """Insert a slice of a session; ``codec_for`` gives the codec, and may learn from the passages it is given."""
    by_pos = _insert_calls(connection, rows.number, slice_.tool_calls)
    for entry in slice_.entries.iter_rows(named=True):
        label = _label_of_call(connection, rows.number, entry) if entry["call_id"] else ""
        rows.add(entry, label or by_pos.get(entry["pos"], ""))
    rows.insert(connection, codec_for(rows.texts))
    _insert_side(
        connection, "segments", rows.number, slice_.segments, ("segment", "parent_segment", "parent_position")
    )
    _insert_side(connection, "compactions", rows.number, slice_.compactions, ("pos", "kept_pos"))
    _insert_side(
        connection, "context_edits", rows.number, slice_.context_edits, ("pos", "target_pos", "removes")
    )
    _insert_awaited(connection, rows.number, slice_)


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


def _insert_calls(connection: apsw.Connection, number: int, calls: pl.DataFrame) -> dict[int, str]:
    """Insert tool calls, and return the label of each entry's first: tool, and path or command."""
    by_pos: dict[int, str] = {}
    rows: list[tuple[int, str, int, str]] = []
    for pos, call_id, name, path, command in calls.select(
        "pos", "call_id", "name", "path", "command"
    ).iter_rows():
        label = f"{name} {path or command or ''}".strip()[:_LABEL_CHARS]
        by_pos.setdefault(pos, label)
        if call_id:
            rows.append((number, call_id, pos, label))
    execute_many(connection, _sql("insert_call"), rows)
    return by_pos


def _label_of_call(connection: apsw.Connection, number: int, entry: Mapping[str, Any]) -> str:
    wanted = {"session": number, "call_id": entry["call_id"], "pos": entry["pos"]}
    return value(connection, _sql("select_call_label"), wanted) or ""


def _insert_awaited(connection: apsw.Connection, number: int, slice_: SessionSlice) -> None:
    """Note the ids that compactions and edits name although no line has them."""
    for frame, named, place in (
        (slice_.compactions, "kept_id", "kept_pos"),
        (slice_.context_edits, "target_id", "target_pos"),
    ):
        awaited = frame.filter(pl.col(named).is_not_null(), pl.col(place).is_null())
        execute_many(connection, _sql("insert_awaited"), ((number, one) for one in awaited[named]))


def _insert_side(
    connection: apsw.Connection, table: str, number: int, frame: pl.DataFrame, names: Iterable[str]
) -> None:
    rows = frame.select(pl.lit(number).alias("session"), *names).iter_rows(named=True)
    execute_many(connection, _sql(f"insert_{table}"), rows)


def _is_searchable(entry: Mapping[str, Any]) -> bool:
    return entry["type"] in _SEARCHABLE_TYPES and entry["origin"] != "self"


def _is_evidence(entry: Mapping[str, Any]) -> bool:
    return entry["type"] in _EVIDENCE_TYPES and not entry["never_sent"] and entry["on_tree"]


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
