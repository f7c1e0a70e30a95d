"""Connections to the companion: the pragmas, the version, and the numbers that its row ids are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import apsw

from .companion_errors import companion_error
from .errors import StoreError
from .passage_codec import PassageCodec
from .sql_files import load_sql
from .sqlite import execute, set_pragma, value
from .store import StorePaths

__all__ = [
    "COMPANION_VERSION",
    "EXPLICIT_PASSAGES",
    "check_version",
    "companion_version",
    "connect_checker",
    "connect_current",
    "connect_reader",
    "connect_syncer",
    "connect_writer",
    "create_companion",
    "finish_companion",
    "first_row",
    "fold_log",
    "is_frozen",
    "lake_versions",
    "read_codec",
    "state_lake_versions",
]

# Raise it when the tables, the index text or the passages change: an older companion is built anew from the lake.
COMPANION_VERSION = 2

_SESSION_SHIFT = 32
# Passages that only explicit history tools and search may use count from here within their session.
EXPLICIT_PASSAGES = 1 << 31

_BUSY_MS = 5000
_CHECK_BUSY_MS = 50
_UNREADABLE = (apsw.Error, TypeError, ValueError)
# Nobody replaces a companion so often while it is being opened.
_MOST_OPENINGS = 50
_PAGE_BYTES = 8192
# Who opens a companion first reads what its write-ahead log holds: 2 MB take a millisecond.
_MOST_LOG_BYTES = 2 << 20
_CACHE_KIB = 64 * 1024


def first_row(session_number: int) -> int:
    """Return the first row id of a session's range."""
    return session_number << _SESSION_SHIFT


def create_companion(path: Path) -> apsw.Connection:
    """Make a new companion file for a bulk load; nobody else may use it before it is complete."""
    connection = apsw.Connection(str(path))
    set_pragma(connection, "page_size", _PAGE_BYTES)
    set_pragma(connection, "journal_mode", "off")
    set_pragma(connection, "synchronous", 0)
    set_pragma(connection, "cache_size", -_CACHE_KIB)
    set_pragma(connection, "locking_mode", "exclusive")
    execute(connection, load_sql("uncompact.pipelines", "create_companion"))
    execute(connection, "insert into meta (name, value) values ('version', ?)", (str(COMPANION_VERSION),))
    return connection


def finish_companion(connection: apsw.Connection) -> None:
    """Leave a companion that was built in the state in which others may open it: readers never wait for a writer."""
    set_pragma(connection, "locking_mode", "normal")
    set_pragma(connection, "journal_mode", "wal")


def connect_writer(path: Path) -> apsw.Connection:
    """Open an existing companion for changes: write-ahead log, so that readers never wait. Raises ``apsw.Error``."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.set_busy_timeout(_BUSY_MS)
        set_pragma(connection, "journal_mode", "wal")
        set_pragma(connection, "synchronous", 1)
        set_pragma(connection, "cache_size", -_CACHE_KIB)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_syncer(path: Path) -> apsw.Connection:
    """Open a companion for a small change that must not take long. Raises ``apsw.Error``.

    The write-ahead log is left to ``fold_log``: to take it into the file whenever a connection closes would wait for the
    disk, 20 ms for a line.
    """
    connection = connect_writer(path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    set_pragma(connection, "wal_autocheckpoint", 0)
    return connection


def fold_log(path: Path, connection: apsw.Connection) -> None:
    """Take a write-ahead log that has grown into the companion's file, as far as readers let it."""
    with suppress(apsw.Error, FileNotFoundError):
        if path.with_name(f"{path.name}-wal").stat().st_size > _MOST_LOG_BYTES:
            execute(connection, "pragma wal_checkpoint(truncate)")


def connect_checker(path: Path) -> apsw.Connection:
    """Open a companion to look at all of it: so that its word index can be checked, as a writer where that may be.

    Nothing is written, the write-ahead log stays as it is, and who writes is not waited for. Raises ``StoreError`` as
    ``connect_reader`` does.
    """
    try:
        connection = connect_writer(path)
    except apsw.Error:
        return connect_reader(path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.set_busy_timeout(_CHECK_BUSY_MS)
    return connection


def connect_reader(path: Path) -> apsw.Connection:
    """Open a companion's file for reading.

    Raises ``StoreError`` when it is not there, it is damaged, or it is of another version.
    """
    try:
        return _connect_checked(path, str(path), apsw.SQLITE_OPEN_READONLY)
    except _UNREADABLE as error:
        if not path.is_file():
            raise StoreError(
                path, "no companion here", hint="`uncompact reindex` with the same --store makes one"
            ) from error
        if not _lacks_shared_memory(error):
            raise companion_error(path, error) from error
    # In a folder that is read-only or full nobody writes either: the file is read as it is.
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        found = "has changes beside it that can only be read where they may be written into it"
        raise StoreError(path, found, hint="make its folder writable, make room, or copy the store")
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _connect_checked(path, f"file:{quote(str(path))}?immutable=1", flags)
    except _UNREADABLE as error:
        raise companion_error(path, error) from error


def is_frozen(connection: apsw.Connection) -> bool:
    """Tell whether a reader does not see what others write from now on: SQLite found no place for shared memory."""
    return bool(connection.open_flags & apsw.SQLITE_OPEN_URI)


def _lacks_shared_memory(error: Exception) -> bool:
    codes = (apsw.SQLITE_IOERR_SHMMAP, apsw.SQLITE_IOERR_SHMOPEN, apsw.SQLITE_IOERR_SHMSIZE)
    return (
        isinstance(error, (apsw.CantOpenError, apsw.ReadOnlyError))
        or getattr(error, "extendedresult", 0) in codes
    )


def _connect_checked(path: Path, name: str, flags: int) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags)
    try:
        connection.set_busy_timeout(_BUSY_MS)
        set_pragma(connection, "query_only", True)
        check_version(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_current(paths: StorePaths) -> tuple[Path, apsw.Connection]:
    """Open the store's present companion for reading, and say which file it is.

    Raises ``StoreError`` as ``connect_reader`` does, and when the pointer to it is missing or damaged.
    """
    for _ in range(_MOST_OPENINGS):
        path = paths.companion
        try:
            connection = connect_reader(path)
        except StoreError:
            if path.is_file():
                raise
            continue
        # A replaced companion is removed before its write-ahead log: one that is still there was opened whole.
        if path.is_file():
            return path, connection
        connection.close()
    raise StoreError(paths.companion_pointer, "names another file all the time", hint="try again")


def read_codec(connection: apsw.Connection) -> PassageCodec:
    """Return the codec of a companion's passages."""
    return PassageCodec(value(connection, "select value from meta where name = 'dictionary'"))


def companion_version(connection: apsw.Connection) -> int:
    """Return the version a companion states, 0 for none."""
    stated = value(connection, "select value from meta where name = 'version'")
    return int(stated) if stated is not None else 0


def check_version(path: Path, connection: apsw.Connection) -> None:
    """Raise ``StoreError`` when a companion is not of the version that this program reads."""
    if (found := companion_version(connection)) != COMPANION_VERSION:
        raise StoreError(
            path,
            f"companion version {found}, this program reads version {COMPANION_VERSION}",
            hint="`uncompact reindex` builds it anew",
        )


def lake_versions(connection: apsw.Connection) -> dict[str, int] | None:
    """Return the versions of the lake's tables that a companion was loaded from, ``None`` when it does not say."""
    stated = value(connection, load_sql("uncompact.pipelines", "select_counter"), {"name": "lake_versions"})
    if stated is None:
        return None
    return {str(table): int(version) for table, version in json.loads(stated).items()}


def state_lake_versions(connection: apsw.Connection, versions: Mapping[str, int]) -> None:
    """Note the versions of the lake's tables that the companion has been loaded from."""
    if lake_versions(connection) != versions:
        sql = "insert or replace into meta (name, value) values ('lake_versions', ?)"
        execute(connection, sql, (json.dumps(dict(sorted(versions.items()))),))
