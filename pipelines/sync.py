"""Bring one session of the companion up to its log, in front of a retrieval; the lake follows at the next reindex.

Costs what was appended, not what is there. A log that was rewritten, or is new, is read whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw
import polars as pl
import polars.selectors as cs

from .catalogue import KnownLog
from .change_detection import detect_change
from .companion import codec_for, delete_session, new_session_number
from .companion_db import connect_writer
from .companion_rows import SessionRows, SessionSlice, insert_slice, state_session
from .companion_session import CompanionSession
from .errors import SourceError
from .frames import SessionKey, project_key, session_key
from .normalize import (
    Reading,
    SessionTotals,
    TableRows,
    content_chain,
    normalize_log,
    normalize_tail,
    resume_totals,
)
from .paths import display_path
from .schema import TABLES
from .sources import find_file, recognise
from .sources.records import Cursor, Found, Header, Source
from .sql_files import load_sql
from .sqlite import execute, named_row
from .store import StorePaths

__all__ = ["SyncResult", "sync_log"]

# A retrieval does not wait for a run that is loading the companion: it goes on with what is there.
_BUSY_MS = 50


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did: ``busy`` when another process is writing the companion, and nothing was done."""

    outcome: Literal["unchanged", "appended", "read", "busy"]
    entries: int = 0
    bytes_read: int = 0


def sync_log(store: Path, log: Path) -> SyncResult:
    """Bring a log's session up to date in the companion.

    Raises ``SourceError`` when the file is no session log, ``OSError`` when it cannot be read and ``StoreError``
    when there is no companion yet.
    """
    paths = StorePaths(Path(os.path.abspath(store)))
    found = find_file(Path(os.path.abspath(log)))
    with closing(connect_writer(paths.companion)) as connection:
        connection.set_busy_timeout(_BUSY_MS)
        known = _known_log(connection, found)
        if known is not None and known.is_as(found):
            return SyncResult("unchanged")
        try:
            execute(connection, "begin immediate")
        except apsw.BusyError:
            return SyncResult("busy")
        try:
            result = _sync(connection, found, _known_log(connection, found))
        except BaseException:
            execute(connection, "rollback")
            raise
        execute(connection, "commit")
        return result


def _known_log(connection: apsw.Connection, found: Found) -> KnownLog | None:
    names, row = named_row(connection, _sql("select_synced_session"), {"path": display_path(found.path)})
    return None if row is None else KnownLog(dict(zip(names, row, strict=True)))


def _sync(connection: apsw.Connection, found: Found, known: KnownLog | None) -> SyncResult:
    recognised = recognise(found)
    if recognised is None:
        raise SourceError(
            found.path, "not a session log", hint="a Pi log starts with a line of type `session`"
        )
    source, header = recognised
    change = "rewritten" if known is None else detect_change(known.source_state, found)
    if known is not None and change == "appended":
        appended = _append(connection, found, source, header, known)
        if appended is not None:
            return appended
    if known is not None and change in ("unchanged", "touched"):
        log = source.open(found, header, Cursor())
        if content_chain(log) == known.row["fingerprint"]:
            state_session(connection, _with_stamps(known, found), _rows_of(known))
            return SyncResult("unchanged", bytes_read=found.size)
    return _read_whole(connection, found, source, header, known)


def _append(
    connection: apsw.Connection, found: Found, source: Source, header: Header, known: KnownLog
) -> SyncResult | None:
    if not source.can_resume(header):
        return None
    totals = resume_totals(known.row)
    reading = _reading(found, source, header, known.key, known.cursor)
    tail = normalize_tail(reading, totals, CompanionSession(connection, known.row))
    if tail is None:
        return None
    _insert(connection, _rows_of(known), tail)
    return SyncResult("appended", totals.entries - known.row["entries"], found.size - known.cursor.byte)


def _read_whole(
    connection: apsw.Connection, found: Found, source: Source, header: Header, known: KnownLog | None
) -> SyncResult:
    key = known.key if known else session_key(source.kind, os.fsencode(found.path))
    totals = SessionTotals()
    if known is not None:
        delete_session(connection, known.row["number"])
    tables = normalize_log(_reading(found, source, header, key, Cursor()), totals)
    _insert(connection, SessionRows(new_session_number(connection)), tables)
    return SyncResult("read", totals.entries, found.size)


def _reading(found: Found, source: Source, header: Header, key: str, start: Cursor) -> Reading:
    session = SessionKey(project_key(header.project), key)
    return Reading(source.open(found, header, start), session, found, source.kind, time.time_ns() // 1000)


def _insert(connection: apsw.Connection, into: SessionRows, tables: Iterable[TableRows]) -> None:
    """Insert a log's tables as they come: a slice whenever the next batch of entries begins."""
    batch: dict[str, pl.DataFrame] = {}
    for table, frame in tables:
        if table in ("entries", "sessions") and "entries" in batch:
            insert_slice(connection, into, _slice(batch), lambda texts: codec_for(connection, texts))
            batch = {}
        # Tool calls of one batch may come in two frames.
        batch[table] = pl.concat((batch[table], frame)) if table in batch else frame
    session = batch["sessions"].with_columns(cs.datetime().to_physical()).row(0, named=True)
    state_session(connection, session, into)


def _slice(batch: Mapping[str, pl.DataFrame]) -> SessionSlice:
    keeps = batch["compaction_keeps"].select("pos", "kept_id", "kept_pos")
    return SessionSlice(
        entries=batch["entries"].with_columns(cs.datetime().to_physical()),
        tool_calls=batch["tool_calls"],
        segments=batch["segments"] if "segments" in batch else TABLES["segments"].schema.to_frame(),
        compactions=batch["compactions"].join(keeps, on="pos", how="left"),
        context_edits=batch["context_edits"],
    )


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
