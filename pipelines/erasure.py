"""Remove what is left of forgotten sessions from a store; a forget that was killed is finished here by the next run."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import msgspec
import polars as pl

from .companion_db import connect_writer
from .companion_file import rebuild_companion
from .companion_generations import present_companion
from .companion_rows import delete_session
from .companion_seal import is_sealed, seal
from .lake import LakeSnapshot, create_lake, open_lake
from .lake_upkeep import erase_sessions
from .schema import TABLES
from .sql_files import load_sql
from .sqlite import rows
from .store import StorePaths
from .tombstones import hash_of, read_tombstones, write_tombstones

__all__ = ["files_that_name", "finish_erasure", "store_bytes"]

# A shorter id may stand anywhere.
_TELLING_CHARS = 8
_LOOKED_AT_BYTES = 64 << 20


def finish_erasure(paths: StorePaths) -> int:
    """Remove from the store what its tombstones name and has not gone yet, and return how many logs that were.

    The caller holds the writer's lock. Killed at any moment, it does the rest when it is called again; without
    anything to do it costs reading one small file.
    """
    stones = read_tombstones(paths.tombstones)
    unfinished = stones.unfinished
    if not unfinished:
        return 0
    create_lake(paths.lake)
    hashes = {stone.key for stone in unfinished}
    _end_answers(paths, hashes)
    keys = {key for key in _session_keys(open_lake(paths.lake)) if hash_of(key) in hashes}
    snapshot = erase_sessions(paths.lake, keys, _run_name())
    # Nothing can be deleted from its word index.
    rebuild_companion(snapshot, paths)
    write_tombstones(paths.tombstones, [msgspec.structs.replace(stone, erased=True) for stone in stones.all])
    return len(unfinished)


def _end_answers(paths: StorePaths, hashes: Collection[str]) -> None:
    """Take sessions out of the present companion at once: what is erased must not answer until that has ended.

    One that cannot be written is left: a new one takes its place.
    """
    present = present_companion(paths)
    if present is None:
        return
    was_sealed = is_sealed(present)
    with suppress(apsw.Error), closing(connect_writer(present)) as connection, connection:
        held = list(rows(connection, load_sql("uncompact.pipelines", "select_held_sessions")))
        for key, number, *_ in held:
            if hash_of(key) in hashes:
                delete_session(connection, number)
    if was_sealed:
        seal(present)


def store_bytes(root: Path) -> int:
    """Return the bytes of all files below a folder; what goes meanwhile does not count."""
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                continue
    return total


def files_that_name(paths: StorePaths, sessions: Iterable[Mapping[str, Any]]) -> list[Path]:
    """Return the files in the store's folder, other than its own, that hold the path, id or key of a session."""
    ours = {paths.lake.name, paths.lock.name, paths.runs.name, paths.tombstones.name}
    needles = {
        text.encode()
        for row in sessions
        for text in (row["path"], row["session_id"], row["session_key"])
        if len(text) >= _TELLING_CHARS
    }
    found: list[Path] = []
    for folder, folders, names in os.walk(paths.root):
        if Path(folder) == paths.root:
            folders[:] = [name for name in folders if name not in ours]
            names = [name for name in names if name not in ours and not name.startswith("companion")]
        found += [path for name in names if _holds_any(path := Path(folder, name), needles)]
    return sorted(found)


def _session_keys(snapshot: LakeSnapshot) -> set[str]:
    """Return the keys of all rows: those of a damaged lake may have lost their session's own."""
    columns = [snapshot.scan(table).select("session_key").unique() for table in TABLES]
    return set(pl.concat(columns).unique().collect(engine="streaming")["session_key"])


def _holds_any(path: Path, needles: Iterable[bytes]) -> bool:
    try:
        if not path.is_file() or path.stat().st_size > _LOOKED_AT_BYTES:
            return False
        data = path.read_bytes()
    except OSError:
        return False
    return any(needle in data for needle in needles)


def _run_name() -> str:
    now = time.time_ns()
    return f"{datetime.fromtimestamp(now / 1e9, UTC):%Y%m%dT%H%M%S}-{os.getpid():x}-{now % 10**9:09}"
