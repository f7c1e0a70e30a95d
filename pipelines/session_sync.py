"""One log's session in the companion, inside a transaction: appended to, compared, or read whole."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import apsw

from .call_labels import CallRow
from .catalogue import KnownLog
from .change_detection import detect_change
from .companion_meta import codec_for, new_session_number
from .companion_rows import (
    ENTRY_COLUMNS,
    SessionRows,
    SessionSlice,
    delete_session,
    insert_slice,
    state_session,
)
from .companion_session import CompanionSession
from .errors import SourceError
from .frames import Columns, SessionKey, project_key, session_key
from .log_batch import TableColumns
from .normalize import MOST_TAIL_BYTES, Reading, log_columns, tail_columns
from .paths import display_path
from .session_totals import SessionTotals, content_chain, resume_totals
from .sources import find_file, recognise
from .sources.records import Cursor, Found, Header, Source
from .sql_files import load_sql
from .sqlite import named_row
from .tombstones import read_tombstones

__all__ = ["SessionSync", "sync_session"]

# What was done, the entries read, and the bytes read.
SessionSync = tuple[Literal["unchanged", "appended", "read", "forgotten"], int, int]


def sync_session(connection: apsw.Connection, log: Path, tombstones: Path) -> SessionSync:
    """Bring a log's session up to date; the caller holds the transaction and ends it.

    Raises ``SourceError`` when the file is no session log and ``OSError`` when it cannot be read.
    """
    found = find_file(log)
    known = _known_log(connection, found)
    if known is not None and known.is_as(found):
        return "unchanged", 0, 0
    recognised = recognise(found)
    if recognised is None:
        raise SourceError(log, "not a session log", hint="a Pi log starts with a line of type `session`")
    source, header = recognised
    if known is None:
        # What the companion knows was not forgotten.
        if read_tombstones(tombstones).of(found, source, header):
            return "forgotten", 0, 0
        return _read_whole(connection, found, source, header, None)
    change = detect_change(known.source_state, found)
    if change == "appended" and (appended := _append(connection, found, source, header, known)) is not None:
        return appended
    if change in ("unchanged", "touched"):
        opened = source.open(found, header, Cursor())
        if content_chain(opened) == known.row["fingerprint"]:
            state_session(connection, _with_stamps(known, found), _rows_of(known))
            return "unchanged", 0, found.size
    return _read_whole(connection, found, source, header, known)


def _known_log(connection: apsw.Connection, found: Found) -> KnownLog | None:
    names, row = named_row(connection, _sql("select_synced_session"), {"path": display_path(found.path)})
    return None if row is None else KnownLog(dict(zip(names, row, strict=True)))


def _append(
    connection: apsw.Connection, found: Found, source: Source, header: Header, known: KnownLog
) -> SessionSync | None:
    appended = found.size - known.cursor.byte
    if not source.can_resume(header) or appended > MOST_TAIL_BYTES:
        return None
    totals = resume_totals(known.row)
    reading = _reading(found, source, header, known.key, known.cursor)
    tail = tail_columns(reading, totals, CompanionSession(connection, known.row))
    if tail is None:
        return None
    _insert(connection, _rows_of(known), tail)
    return "appended", totals.entries - known.row["entries"], appended


def _read_whole(
    connection: apsw.Connection, found: Found, source: Source, header: Header, known: KnownLog | None
) -> SessionSync:
    key = known.key if known else session_key(source.kind, os.fsencode(found.path))
    totals = SessionTotals()
    if known is not None:
        delete_session(connection, known.row["number"])
    tables = log_columns(_reading(found, source, header, key, Cursor()), totals)
    _insert(connection, SessionRows(new_session_number(connection)), tables)
    return "read", totals.entries, found.size


def _reading(found: Found, source: Source, header: Header, key: str, start: Cursor) -> Reading:
    session = SessionKey(project_key(header.project), key)
    return Reading(source.open(found, header, start), session, found, source.kind, time.time_ns() // 1000)


def _insert(connection: apsw.Connection, into: SessionRows, tables: Iterable[TableColumns]) -> None:
    """Insert a log's tables as they come: a slice whenever the next batch of entries begins."""
    batch: dict[str, Columns] = {}
    for table, columns in tables:
        if table in ("entries", "sessions") and "entries" in batch:
            slice_ = _slice(batch)
            codec = codec_for(connection, [slice_.entries])
            insert_slice(connection, into, slice_, codec)
            batch = {}
        batch[table] = columns
    state_session(connection, {name: values[0] for name, values in batch["sessions"].items()}, into)


def _slice(batch: Mapping[str, Columns]) -> SessionSlice:
    entries, keeps, edits = batch["entries"], batch["compaction_keeps"], batch["context_edits"]
    entries["text_hash"] = [digest.hex() for digest in entries["text_hash"]]
    entries["text_chars"] = [len(text.decode()) for text in entries["text"]]
    kept = dict(zip(keeps["pos"], keeps["kept_pos"], strict=True))
    named = (
        *(parent for parent, gap in zip(entries["parent_id"], entries["gap"], strict=True) if gap),
        *_unplaced(keeps["kept_id"], keeps["kept_pos"]),
        *_unplaced(edits["target_id"], edits["target_pos"]),
    )
    return SessionSlice(
        entries={name: entries[name] for name in ENTRY_COLUMNS},
        tool_calls=[CallRow(*row) for row in _rows(batch["tool_calls"], *CallRow._fields)],
        segments=_rows(batch.get("segments", {}), "segment", "parent_segment", "parent_position"),
        compactions=[(pos, kept.get(pos)) for pos in batch["compactions"]["pos"]],
        context_edits=_rows(edits, "pos", "target_pos", "removes"),
        awaited=[entry_id for entry_id in named if entry_id is not None],
    )


def _rows(columns: Columns, *names: str) -> list[Any]:
    return list(zip(*(columns[name] for name in names), strict=True)) if columns else []


def _unplaced(named: Iterable[str | None], places: Iterable[int | None]) -> list[str | None]:
    return [one for one, place in zip(named, places, strict=True) if place is None]


def _rows_of(known: KnownLog) -> SessionRows:
    return SessionRows(known.row["number"], known.row["passages"], known.row["explicit_passages"])


def _with_stamps(known: KnownLog, found: Found) -> dict[str, Any]:
    return {
        **known.row,
        "file_size": found.size,
        "file_mtime_ns": found.mtime_ns,
        "file_ctime_ns": found.ctime_ns,
        "file_inode": found.inode,
        "state": "present",
    }


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
