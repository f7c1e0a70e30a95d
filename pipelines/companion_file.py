"""The companion as a file: loaded in place, or built anew beside the present one and put in its place."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

import apsw

from .companion import load_changes, raise_counter
from .companion_db import COMPANION_VERSION, companion_version, connect_writer, create_companion
from .errors import StoreError
from .lake import LakeSnapshot
from .sql_files import load_sql
from .sqlite import execute, value

__all__ = ["load_companion", "rebuild_companion"]

# Words of replaced sessions are cleared by building anew when they are this many and this share of all.
_LEFT_OVER_PASSAGES = 2000
_LEFT_OVER_SHARE = 0.2
# A companion that began with too few passages to train a dictionary gets one when it has grown to so many.
_PLAIN_PASSAGES = 5000


def load_companion(snapshot: LakeSnapshot, path: Path) -> None:
    """Bring the companion up to a state of the lake.

    One that is missing, damaged or of another version is built anew, and so is one that has grown without a
    dictionary, or of whose words more than a fifth belong to sessions that were loaded anew since.
    """
    if _is_usable(path):
        try:
            with closing(connect_writer(path)) as connection:
                load_changes(connection, snapshot)
                if not _is_wasteful(connection):
                    return
        except (apsw.CorruptError, apsw.ConstraintError, apsw.SQLError):
            pass
    rebuild_companion(snapshot, path)


def rebuild_companion(snapshot: LakeSnapshot, path: Path) -> None:
    """Build a companion beside the present one and put it in its place in one step.

    Raises ``StoreError`` when something that is no file is in its place.
    """
    if path.is_dir():
        raise StoreError(path, "is a folder, not a companion", hint="remove it and run `uncompact reindex`")
    unfinished = path.with_name(f"{path.name}.new")
    _remove(unfinished)
    with closing(create_companion(unfinished)) as connection:
        load_changes(connection, snapshot)
        raise_counter(connection, "built_passages", value(connection, "select count(*) from passages"))
        execute(connection, "insert into words (words) values ('optimize')")
    _empty_write_ahead_log(path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    os.replace(unfinished, path)


def _empty_write_ahead_log(path: Path) -> None:
    """Bring all of the old file's state into it: whoever opens it in its last moment must not miss a part."""
    if path.exists():
        with suppress(apsw.Error), closing(connect_writer(path)) as connection:
            execute(connection, "pragma wal_checkpoint(truncate)")


def _is_usable(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with closing(connect_writer(path)) as connection:
            return companion_version(connection) == COMPANION_VERSION
    except apsw.Error:
        return False


def _is_wasteful(connection: apsw.Connection) -> bool:
    left_over: int = value(connection, _sql("select_counter"), {"name": "left_over_passages"}) or 0
    held: int = value(connection, "select count(*) from passages")
    plain = value(connection, _sql("select_counter"), {"name": "dictionary"}) is None
    # Building anew is worth a second try only when there is much more to learn from.
    built_with: int = value(connection, _sql("select_counter"), {"name": "built_passages"}) or 0
    if plain and held > max(_PLAIN_PASSAGES, 2 * built_with):
        return True
    return left_over > _LEFT_OVER_PASSAGES and left_over > _LEFT_OVER_SHARE * (left_over + held)


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-journal", f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
