"""Connections to the companion: the pragmas, the version, and the numbers that its row ids are made of."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import apsw

from .errors import StoreError
from .passage_codec import PassageCodec
from .sql_files import load_sql
from .sqlite import execute, set_pragma, value

__all__ = [
    "COMPANION_VERSION",
    "EXPLICIT_PASSAGES",
    "companion_version",
    "connect_reader",
    "connect_writer",
    "create_companion",
    "first_row",
    "read_codec",
]

# Raise it when the tables, the index text or the passages change: an older companion is built anew from the lake.
COMPANION_VERSION = 1

_SESSION_SHIFT = 32
# Passages that only explicit history tools and search may use count from here within their session.
EXPLICIT_PASSAGES = 1 << 31

_BUSY_MS = 5000
_PAGE_BYTES = 8192
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


def connect_writer(path: Path) -> apsw.Connection:
    """Open an existing companion for changes: write-ahead log, so that readers never wait."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(_BUSY_MS)
    set_pragma(connection, "journal_mode", "wal")
    set_pragma(connection, "synchronous", 1)
    set_pragma(connection, "cache_size", -_CACHE_KIB)
    return connection


def connect_reader(path: Path) -> apsw.Connection:
    """Open a companion for reading.

    Raises ``StoreError`` when there is none, it is damaged, or it is of another version.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(_BUSY_MS)
        set_pragma(connection, "query_only", True)
        found = companion_version(connection)
    except apsw.CantOpenError as error:
        if not path.is_file():
            raise StoreError(
                path, "no companion here", hint="`uncompact reindex` with the same --store makes one"
            ) from error
        connection, found = _connect_unwritable(path)
    except apsw.Error as error:
        raise StoreError(
            path, f"damaged companion ({error})", hint="`uncompact reindex` builds it anew"
        ) from error
    if found != COMPANION_VERSION:
        raise StoreError(
            path,
            f"companion version {found}, this program reads version {COMPANION_VERSION}",
            hint="`uncompact reindex` builds it anew",
        )
    return connection


def _connect_unwritable(path: Path) -> tuple[apsw.Connection, int]:
    """Open a companion in a folder where SQLite may not put its shared memory: nobody writes there."""
    try:
        connection = apsw.Connection(
            f"file:{quote(str(path))}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        found = companion_version(connection)
    except apsw.Error as error:
        raise StoreError(path, "cannot be opened", hint="`uncompact reindex` builds it anew") from error
    return connection, found


def read_codec(connection: apsw.Connection) -> PassageCodec:
    """Return the codec of a companion's passages."""
    return PassageCodec(value(connection, "select value from meta where name = 'dictionary'"))


def companion_version(connection: apsw.Connection) -> int:
    """Return the version a companion states, 0 for none."""
    stated = value(connection, "select value from meta where name = 'version'")
    return int(stated) if stated is not None else 0
