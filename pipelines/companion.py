"""Bring the companion up to a state of the lake: sessions whose chain of lines went on, or became another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw
import polars as pl
import polars.selectors as cs

from .companion_db import (
    first_row,
    read_codec,
)
from .companion_growth import grown_sessions
from .companion_rows import SessionRows, SessionSlice, insert_slice, state_session
from .lake import LakeSnapshot
from .passage_codec import PassageCodec, train_dictionary
from .passages import cut_passages
from .sql_files import load_sql
from .sqlite import execute, rows, value

__all__ = ["codec_for", "delete_session", "load_changes", "new_session_number", "raise_counter"]

# Sessions are loaded in groups of about so many characters, and a larger one in slices: bounded memory.
_GROUP_CHARS = 16 << 20

_Session = Mapping[str, Any]

_ENTRY_COLUMNS = (
    "pos", "entry_id", "type", "role", "created_at", "tokens", "text_hash", "text", "turn_group", "segment",
    "position", "origin", "never_sent", "on_tree", "call_id", "gap", "parent_id",
)  # fmt: skip


class _Held(NamedTuple):
    """A session as the companion has it."""

    number: int
    fingerprint: str
    entries: int
    branches: int
    passages: int
    explicit_passages: int
    path: str
    state: str
    file_mtime_ns: int
    file_ctime_ns: int


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


def new_session_number(connection: apsw.Connection) -> int:
    """Return a number that no session had before: the word index still holds the rows of replaced ones."""
    raise_counter(connection, "last_session", 1)
    return int(value(connection, _sql("select_counter"), {"name": "last_session"}))


def load_changes(connection: apsw.Connection, snapshot: LakeSnapshot) -> None:
    """Load what the lake has and the companion has not, in one transaction."""
    sessions = (
        snapshot.scan("sessions").with_columns(cs.datetime().to_physical()).sort("session_key").collect()
    )
    wanted: dict[str, _Session] = {row["session_key"]: row for row in sessions.iter_rows(named=True)}
    held = {key: _Held(*values) for key, *values in rows(connection, _sql("select_held_sessions"))}
    grown = grown_sessions(
        snapshot, wanted, {key: (session.entries, session.fingerprint) for key, session in held.items()}
    )
    with connection:
        for key, session in held.items():
            if key not in wanted or (key not in grown and wanted[key]["fingerprint"] != session.fingerprint):
                delete_session(connection, session.number)
        fresh = [key for key in wanted if key not in held or _differs(wanted[key], held[key], key in grown)]
        for group in _groups(fresh, wanted):
            _load_group(connection, snapshot, [wanted[key] for key in group])
        for key in sorted(grown):
            _load_tail(connection, snapshot, wanted[key], held[key])
        for key, session in held.items():
            if key in wanted and wanted[key]["fingerprint"] == session.fingerprint:
                _restate(connection, wanted[key], session)


def _differs(session: _Session, held: _Held, grown: bool) -> bool:
    return not grown and session["fingerprint"] != held.fingerprint


def _restate(connection: apsw.Connection, session: _Session, held: _Held) -> None:
    """Write a session's row anew when the lake says something else of its file."""
    said = (session["path"], session["state"], session["file_mtime_ns"], session["file_ctime_ns"])
    if said != (held.path, held.state, held.file_mtime_ns, held.file_ctime_ns):
        state_session(connection, session, SessionRows(held.number, held.passages, held.explicit_passages))


def _groups(keys: Iterable[str], wanted: Mapping[str, _Session]) -> Iterator[list[str]]:
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


def _load_group(connection: apsw.Connection, snapshot: LakeSnapshot, sessions: Sequence[_Session]) -> None:
    """Load sessions from their beginning; a large one alone, in slices."""
    built = {session["session_key"]: SessionRows(new_session_number(connection)) for session in sessions}
    for first, end in _windows(sessions):
        slices = _read_slices(snapshot, sessions, first, end, 0 if first == 0 else None)
        _train(connection, slices.values())
        for key, slice_ in slices.items():
            insert_slice(connection, built[key], slice_, lambda texts: codec_for(connection, texts))
    for session in sessions:
        state_session(connection, session, built[session["session_key"]])


def _load_tail(connection: apsw.Connection, snapshot: LakeSnapshot, session: _Session, held: _Held) -> None:
    loaded = SessionRows(held.number, held.passages, held.explicit_passages)
    for first, end in _windows([session], held.entries):
        opened = held.branches if first == held.entries else None
        slices = _read_slices(snapshot, [session], first, end, opened)
        for slice_ in slices.values():
            insert_slice(connection, loaded, slice_, lambda texts: codec_for(connection, texts))
    state_session(connection, session, loaded)


def _windows(sessions: Sequence[_Session], first: int = 0) -> Iterator[tuple[int, int]]:
    """Yield ranges of places that hold about a group's characters each; the last has no end."""
    entries = max(session["entries"] for session in sessions)
    chars = sum(session["text_chars"] for session in sessions)
    step = max(entries * _GROUP_CHARS // max(chars, 1), 1)
    while first + step < entries:
        yield first, first + step
        first += step
    yield first, 1 << 31


def _read_slices(
    snapshot: LakeSnapshot, sessions: Sequence[_Session], first: int, end: int, first_segment: int | None
) -> dict[str, SessionSlice]:
    """Read entries from place ``first`` to ``end`` of sessions, with what belongs to them.

    Segments come from ``first_segment`` on, or not at all.
    """
    window = pl.col("pos").is_between(first, end - 1)
    entries = _of(snapshot, "entries", sessions).filter(window).select("session_key", *_ENTRY_COLUMNS)
    calls = _of(snapshot, "tool_calls", sessions).filter(window).sort("pos", "ordinal")
    keeps = _of(snapshot, "compaction_keeps", sessions).select("session_key", "pos", "kept_id", "kept_pos")
    compactions = _of(snapshot, "compactions", sessions).filter(window)
    opened = pl.lit(False) if first_segment is None else pl.col("segment") >= first_segment
    frames = {
        "entries": entries.sort("session_key", "pos"),
        "tool_calls": calls,
        "segments": _of(snapshot, "segments", sessions).filter(opened),
        "compactions": compactions.join(keeps, on=("session_key", "pos"), how="left"),
        "context_edits": _of(snapshot, "context_edits", sessions).filter(window),
    }
    collected = dict(zip(frames, pl.collect_all(list(frames.values())), strict=True))
    parts = {
        name: frame.partition_by("session_key", as_dict=True, include_key=False)
        for name, frame in collected.items()
    }
    return {
        session["session_key"]: SessionSlice(
            **{
                name: parts[name].get((session["session_key"],), frame.clear().drop("session_key"))
                for name, frame in collected.items()
            }
        )
        for session in sessions
    }


def _of(snapshot: LakeSnapshot, table: str, sessions: Sequence[_Session]) -> pl.LazyFrame:
    projects = {session["project_key"] for session in sessions}
    frame = snapshot.scan(table).filter(
        pl.col("project_key").is_in(list(projects)),
        pl.col("session_key").is_in([session["session_key"] for session in sessions]),
    )
    return frame.with_columns(cs.datetime().to_physical())


def codec_for(connection: apsw.Connection, texts: Sequence[str]) -> PassageCodec:
    """Return the companion's codec.

    The first texts loaded into a new file train its dictionary, and it never changes: open readers hold it.
    """
    if value(connection, _sql("select_counter"), {"name": "loads"}) is None:
        dictionary = train_dictionary(texts)
        if dictionary:
            execute(connection, "insert into meta (name, value) values ('dictionary', ?)", (dictionary,))
        raise_counter(connection, "loads", 1)
    return read_codec(connection)


def _train(connection: apsw.Connection, slices: Iterable[SessionSlice]) -> None:
    """Let the first group loaded into a new file train its dictionary, not its first session alone."""
    if value(connection, _sql("select_counter"), {"name": "loads"}) is None:
        texts = (text for slice_ in slices for text in slice_.entries["text"])
        codec_for(connection, [piece for text in texts for _, piece in cut_passages(text)])


def raise_counter(connection: apsw.Connection, name: str, by: int) -> None:
    """Add to one of the companion's counters."""
    execute(connection, _sql("raise_counter"), {"name": name, "by": by})


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
