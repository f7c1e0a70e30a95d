"""Load the companion from the lake: sessions whose fingerprint changed, each in its own range of rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import polars as pl
import polars.selectors as cs

from .companion_db import (
    COMPANION_VERSION,
    EXPLICIT_PASSAGES,
    companion_version,
    connect_writer,
    create_companion,
    first_row,
    read_codec,
)
from .index_text import index_text
from .lake import LakeSnapshot
from .passage_codec import PassageCodec, train_dictionary
from .passages import cut_passages
from .sql_files import load_sql
from .sqlite import execute, execute_many, rows, value

__all__ = ["load_companion", "rebuild_companion"]

# Sessions are loaded in groups of about so many characters: bounded memory, few scans of the lake.
_GROUP_CHARS = 16 << 20
_LABEL_CHARS = 200
# Words of replaced sessions are cleared by building anew when they are this many and this share of all.
_LEFT_OVER_PASSAGES = 2000
_LEFT_OVER_SHARE = 0.2
# A companion that began with too few passages to train a dictionary gets one when it has grown to so many.
_PLAIN_PASSAGES = 5000

_EVIDENCE_TYPES = frozenset({"message", "custom_message", "branch_summary"})
_SEARCHABLE_TYPES = _EVIDENCE_TYPES | {"compaction"}

_ENTRY_COLUMNS = (
    "session_key", "pos", "entry_id", "type", "role", "created_at", "tokens", "text_hash", "text", "turn_group",
    "segment", "position", "origin", "never_sent", "on_tree", "call_id",
)  # fmt: skip


def load_companion(snapshot: LakeSnapshot, path: Path) -> None:
    """Bring the companion up to a state of the lake.

    One that is missing, damaged or of another version is built anew, and so is one that has grown without a
    dictionary, or of whose words more than a fifth belong to sessions that were loaded anew since.
    """
    if _is_usable(path):
        try:
            with closing(connect_writer(path)) as connection:
                _load_changes(connection, snapshot)
                if not _is_wasteful(connection):
                    return
        except (apsw.CorruptError, apsw.ConstraintError, apsw.SQLError):
            pass
    rebuild_companion(snapshot, path)


def rebuild_companion(snapshot: LakeSnapshot, path: Path) -> None:
    """Build a companion beside the present one and put it in its place in one step."""
    unfinished = path.with_name(f"{path.name}.new")
    _remove(unfinished)
    with closing(create_companion(unfinished)) as connection:
        _load_changes(connection, snapshot)
        execute(connection, "insert into words (words) values ('optimize')")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    os.replace(unfinished, path)


def _is_usable(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with closing(connect_writer(path)) as connection:
            return companion_version(connection) == COMPANION_VERSION
    except apsw.Error:
        return False


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-journal", f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def _load_changes(connection: apsw.Connection, snapshot: LakeSnapshot) -> None:
    sessions = (
        snapshot.scan("sessions").with_columns(cs.datetime().to_physical()).sort("session_key").collect()
    )
    held = {
        key: (number, fingerprint)
        for number, key, fingerprint in rows(
            connection, "select number, session_key, fingerprint from sessions"
        )
    }
    wanted = {row["session_key"]: row for row in sessions.iter_rows(named=True)}
    stale = [key for key in held if key not in wanted or wanted[key]["fingerprint"] != held[key][1]]
    fresh = [key for key in wanted if key not in held or wanted[key]["fingerprint"] != held[key][1]]
    with connection:
        for key in stale:
            _delete_session(connection, held[key][0])
        numbers = _assign_numbers(connection, fresh)
        for group in _groups(fresh, wanted):
            _load_group(connection, snapshot, [wanted[key] for key in group], numbers)
        for key in wanted.keys() - set(fresh):
            execute(
                connection,
                _sql("update_session"),
                _bound(wanted[key], ("session_key", "path", "state", "name")),
            )


def _is_wasteful(connection: apsw.Connection) -> bool:
    left_over: int = value(connection, _sql("select_counter"), {"name": "left_over_passages"}) or 0
    held: int = value(connection, "select count(*) from passages")
    if held > _PLAIN_PASSAGES and value(connection, _sql("select_counter"), {"name": "dictionary"}) is None:
        return True
    return left_over > _LEFT_OVER_PASSAGES and left_over > _LEFT_OVER_SHARE * (left_over + held)


def _assign_numbers(connection: apsw.Connection, fresh: Sequence[str]) -> dict[str, int]:
    """Give each session a number that none had before: the word index still holds the rows of replaced ones."""
    last: int = value(connection, _sql("select_counter"), {"name": "last_session"}) or 0
    _raise_counter(connection, "last_session", len(fresh))
    return {key: last + at for at, key in enumerate(fresh, 1)}


def _raise_counter(connection: apsw.Connection, name: str, by: int) -> None:
    execute(connection, _sql("raise_counter"), {"name": name, "by": by})


def _groups(keys: Iterable[str], wanted: dict[str, dict[str, Any]]) -> Iterator[list[str]]:
    group: list[str] = []
    chars = 0
    for key in keys:
        size = int(wanted[key]["text_chars"])
        if group and chars + size > _GROUP_CHARS:
            yield group
            group, chars = [], 0
        group.append(key)
        chars += size
    if group:
        yield group


def _delete_session(connection: apsw.Connection, number: int) -> None:
    bounds = {"first": first_row(number), "end": first_row(number + 1)}
    held: int = value(connection, _sql("count_passages"), bounds)
    _raise_counter(connection, "left_over_passages", held)
    execute(connection, _sql("delete_passages"), bounds)
    execute(connection, _sql("delete_entries"), bounds)
    for table in ("runs", "segments", "compactions", "context_edits"):
        execute(connection, f"delete from {table} where session = ?", (number,))
    execute(connection, "delete from sessions where number = ?", (number,))


def _load_group(
    connection: apsw.Connection,
    snapshot: LakeSnapshot,
    sessions: Sequence[dict[str, Any]],
    numbers: dict[str, int],
) -> None:
    keys = [session["session_key"] for session in sessions]
    labels, answered = _call_labels(snapshot, keys)
    entries = _of(snapshot, "entries", keys).select(_ENTRY_COLUMNS).sort("session_key", "pos").collect()
    built = {key: _SessionRows(numbers[key]) for key in keys}
    for entry in entries.iter_rows(named=True):
        key = entry["session_key"]
        label = answered.get((key, entry["call_id"])) or labels.get((key, entry["pos"])) or ""
        built[key].add(entry, label)
    codec = _codec(connection, built.values())
    _raise_counter(connection, "loads", 1)
    for key in keys:
        execute_many(connection, _sql("insert_entry"), built[key].entries)
        execute_many(connection, _sql("insert_passage"), _packed(codec, built[key]))
        execute_many(connection, _sql("insert_words"), built[key].words)
        execute_many(connection, _sql("insert_run"), built[key].runs())
    for table in ("segments", "compactions", "context_edits"):
        execute_many(connection, _sql(f"insert_{table}"), _side_rows(snapshot, table, keys, numbers))
    for session in sessions:
        key = session["session_key"]
        row = {**session, "number": numbers[key], "passages": built[key].automatic}
        execute(connection, _sql("insert_session"), _bound(row, _SESSION_COLUMNS))


def _codec(connection: apsw.Connection, sessions: Iterable[_SessionRows]) -> PassageCodec:
    """Return the companion's codec.

    The first sessions loaded into a new file train its dictionary, and it never changes: open readers hold it.
    """
    if value(connection, _sql("select_counter"), {"name": "loads"}) is None:
        passages = [piece for session in sessions for *_, piece in session.passages]
        dictionary = train_dictionary(passages)
        if dictionary:
            execute(connection, "insert into meta (name, value) values ('dictionary', ?)", (dictionary,))
    return read_codec(connection)


def _packed(codec: PassageCodec, session: _SessionRows) -> Iterator[tuple[int, int, int, bytes]]:
    for passage, pos, start, piece in session.passages:
        yield passage, pos, start, codec.pack(piece)


_SESSION_COLUMNS = (
    "number", "session_key", "session_id", "source", "path", "project", "name", "leaf", "entries", "branches",
    "compactions", "started_at", "last_at", "state", "passages", "fingerprint",
)  # fmt: skip


def _call_labels(
    snapshot: LakeSnapshot, keys: Sequence[str]
) -> tuple[dict[tuple[str, int], str], dict[tuple[str, str], str]]:
    """Label the first call of each entry, and each call by its id: tool, and path or command."""
    calls = _of(snapshot, "tool_calls", keys).sort("session_key", "pos", "ordinal").collect()
    by_pos: dict[tuple[str, int], str] = {}
    by_call: dict[tuple[str, str], str] = {}
    columns = ("session_key", "pos", "call_id", "name", "path", "command")
    for key, pos, call_id, name, path, command in calls.select(columns).iter_rows():
        label = f"{name} {path or command or ''}".strip()[:_LABEL_CHARS]
        by_pos.setdefault((key, pos), label)
        if call_id:
            by_call.setdefault((key, call_id), label)
    return by_pos, by_call


def _side_rows(
    snapshot: LakeSnapshot, table: str, keys: Sequence[str], numbers: dict[str, int]
) -> Iterator[dict[str, Any]]:
    frame = _of(snapshot, table, keys)
    if table == "compactions":
        keeps = _of(snapshot, "compaction_keeps", keys).select("session_key", "pos", "kept_pos")
        frame = frame.join(keeps, on=("session_key", "pos"), how="left")
    names = {
        "segments": ("segment", "parent_segment", "parent_position"),
        "compactions": ("pos", "kept_pos"),
        "context_edits": ("pos", "target_pos", "removes"),
    }[table]
    for key, *values in frame.select("session_key", *names).collect().iter_rows():
        yield {"session": numbers[key], **dict(zip(names, values, strict=True))}


def _of(snapshot: LakeSnapshot, table: str, keys: Sequence[str]) -> pl.LazyFrame:
    frame = snapshot.scan(table).filter(pl.col("session_key").is_in(list(keys)))
    return frame.with_columns(cs.datetime().to_physical())


def _bound(row: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)


@dataclass(slots=True)
class _SessionRows:
    """Rows of one session, numbered as its entries come, in file order."""

    number: int
    automatic: int = 0
    explicit: int = 0
    entries: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    passages: list[tuple[int, int, int, str]] = field(default_factory=list[tuple[int, int, int, str]])
    words: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _labels: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def add(self, entry: dict[str, Any], label: str) -> None:
        base = first_row(self.number)
        pos: int = entry["pos"]
        pieces = list(cut_passages(entry["text"])) if _is_searchable(entry) else []
        automatic = _is_evidence(entry)
        first = base + (self.automatic if automatic else EXPLICIT_PASSAGES + self.explicit)
        for at, (start, piece) in enumerate(pieces):
            self.passages.append((first + at, pos, start, piece))
            prefixed = label and (at or entry["role"] != "assistant")
            self.words.append((first + at, index_text(f"{label}\n{piece}" if prefixed else piece)))
        created_at = entry["created_at"]
        self.entries.append(
            (
                base + pos, self.number, entry["entry_id"], entry["type"], entry["role"], created_at,
                entry["tokens"], entry["text_hash"], len(entry["text"]), entry["turn_group"], label,
                entry["segment"], entry["position"], base + self.automatic, first, len(pieces),
            )
        )  # fmt: skip
        if automatic:
            self.automatic += len(pieces)
        else:
            self.explicit += len(pieces)
        if entry["on_tree"]:
            self._labels.append((entry["segment"], entry["position"], pos))

    def runs(self) -> Iterator[tuple[int, int, int, int, int]]:
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


def _is_searchable(entry: dict[str, Any]) -> bool:
    return entry["type"] in _SEARCHABLE_TYPES and entry["origin"] != "self"


def _is_evidence(entry: dict[str, Any]) -> bool:
    return entry["type"] in _EVIDENCE_TYPES and not entry["never_sent"] and entry["on_tree"]
