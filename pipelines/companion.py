"""Bring the companion up to a state of the lake: sessions whose chain of lines went on, or became another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw
import polars.selectors as cs

from .companion_growth import grown_sessions
from .companion_meta import codec_for, new_session_number
from .companion_rows import SessionRows, SessionSlice, delete_session, insert_slice, state_session
from .companion_slices import SliceReader, group_sessions, stretches
from .lake import LakeSnapshot
from .passage_codec import PassageCodec
from .progress import NO_PROGRESS, Progress
from .sql_files import load_sql
from .sqlite import rows

__all__ = ["load_changes"]

_Session = Mapping[str, Any]


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

    @property
    def rows(self) -> SessionRows:
        """Where its rows are."""
        return SessionRows(self.number, self.passages, self.explicit_passages)


def load_changes(
    connection: apsw.Connection, snapshot: LakeSnapshot, progress: Progress = NO_PROGRESS
) -> None:
    """Load what the lake has and the companion has not, in one transaction; tell the characters loaded."""
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
        loaded = {key: SessionRows(new_session_number(connection)) for key in fresh}
        loaded |= {key: held[key].rows for key in sorted(grown)}
        places = {key: wanted[key]["entries"] - (held[key].entries if key in grown else 0) for key in loaded}
        progress.stage("companion", sum(_chars_of(wanted[key], places[key]) for key in loaded))
        writer = _SliceWriter(connection, loaded)
        slices = SliceReader(snapshot)
        for group in group_sessions(wanted[key] for key in fresh):
            for first, end in stretches(group):
                writer.write(slices.read(group, first, end, 0 if first == 0 else None))
                _tell(progress, group, first, end)
            progress.advance(0, logs=len(group))
        for key in sorted(grown):
            before = held[key]
            for first, end in stretches([wanted[key]], before.entries):
                opened = before.branches if first == before.entries else None
                writer.write(slices.read([wanted[key]], first, end, opened))
                _tell(progress, [wanted[key]], first, end)
            progress.advance(0)
        for key, placed in loaded.items():
            state_session(connection, wanted[key], placed)
        for key, session in held.items():
            if key in wanted and wanted[key]["fingerprint"] == session.fingerprint:
                _restate(connection, wanted[key], session)


def _tell(progress: Progress, sessions: Iterable[_Session], first: int, end: int) -> None:
    """Tell about how many characters stand from one place of sessions to another."""
    chars = sum(
        _chars_of(session, session["entries"] - first) - _chars_of(session, session["entries"] - end)
        for session in sessions
    )
    progress.advance(chars, logs=0)


def _chars_of(session: _Session, last_entries: int) -> int:
    """Guess how many characters a session's last entries have: nobody counted them by entry."""
    entries: int = session["entries"]
    return int(session["text_chars"]) * min(max(last_entries, 0), entries) // max(entries, 1)


def _differs(session: _Session, held: _Held, grown: bool) -> bool:
    return not grown and session["fingerprint"] != held.fingerprint


def _restate(connection: apsw.Connection, session: _Session, held: _Held) -> None:
    """Write a session's row anew when the lake says something else of its file."""
    said = (session["path"], session["state"], session["file_mtime_ns"], session["file_ctime_ns"])
    if said != (held.path, held.state, held.file_mtime_ns, held.file_ctime_ns):
        state_session(connection, session, held.rows)


@dataclass(slots=True)
class _SliceWriter:
    """Inserts slices of the sessions whose rows are given by key."""

    connection: apsw.Connection
    rows: Mapping[str, SessionRows]
    _codec: PassageCodec | None = None

    def write(self, slices: Iterable[tuple[str, SessionSlice]]) -> None:
        if self._codec is None:
            # A new file's dictionary is trained by all of the first group, not by its first session alone.
            slices = list(slices)
            self._codec = codec_for(self.connection, [slice_.entries for _, slice_ in slices])
        for key, slice_ in slices:
            insert_slice(self.connection, self.rows[key], slice_, self._codec)


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
