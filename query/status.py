"""How a store is doing: where it is, what it holds, how large it is and how fresh."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import duckdb

from ..pipelines.companion_db import companion_version, lake_versions
from ..pipelines.run_history import read_runs
from ..pipelines.sqlite import value
from ..pipelines.store import StorePaths
from ..pipelines.timestamps import format_time
from .lake_rows import query_lake

__all__ = ["store_status"]


def store_status(
    connection: apsw.Connection,
    engine: duckdb.DuckDBPyConnection,
    paths: StorePaths,
    roots: Sequence[Path] = (),
) -> dict[str, Any]:
    """Describe a store; sizes are bytes on disk, ``indexed_at`` is when a log was read last, ISO 8601 in UTC.

    A companion that is not ``current`` was loaded from an older state of the lake, or that one is being written. Of the
    ``entries``, ``copies`` repeat one of an earlier session. ``runs`` has the ``last`` reindex and the
    ``last_good`` one, that is one that came to its end; see ``read_runs``. ``coverage`` compares the logs below
    ``roots``, and all that were read, with what was read of them; see ``Coverage``.

    Raises ``StoreError`` when its lake is missing or of another version.
    """
    from ..pipelines.copies import count_copies
    from ..pipelines.coverage import compare_sources
    from ..pipelines.lake import open_lake
    from ..pipelines.schema import LAKE_VERSION
    from ..pipelines.tombstones import read_tombstones

    newest = open_lake(paths.lake)
    rows = query_lake(engine, paths, "sessions", "summarise_sessions")
    present, vanished, entries, rejects, indexed_at = rows[0] if rows else (0, 0, 0, 0, None)
    return {
        "store": str(paths.root),
        "lake": {"version": LAKE_VERSION, "bytes": _size(paths.lake)},
        "companion": {
            "version": companion_version(connection),
            "bytes": _companion_size(paths.companion),
            "entries": int(value(connection, "select coalesce(sum(entries), 0) from sessions")),
            "current": lake_versions(connection) == newest.versions,
        },
        "sessions": {"present": present, "vanished": vanished},
        "entries": int(entries),
        "copies": count_copies(newest),
        "rejects": int(rejects),
        "indexed_at": format_time(indexed_at),
        "coverage": compare_sources(roots, connection, read_tombstones(paths.tombstones)).to_dict(),
        "runs": _last_runs(paths.runs),
    }


def _last_runs(history: Path) -> dict[str, Any]:
    try:
        runs = read_runs(history)
    except OSError as error:
        return {"last": None, "last_good": None, "problem": f"its history cannot be read: {error.strerror}"}
    good = (run for run in runs if run["outcome"] in ("ok", "rejects"))
    return {"last": next(iter(runs), None), "last_good": next(good, None), "problem": None}


def _size(folder: Path) -> int:
    return _bytes(folder.rglob("*"))


def _companion_size(companion: Path) -> int:
    return _bytes(companion.parent.glob(f"{companion.name}*"))


def _bytes(paths: Iterable[Path]) -> int:
    """Return the bytes of files; what a run removes meanwhile does not count."""
    found = 0
    for path in paths:
        with suppress(FileNotFoundError):
            status = path.lstat()
            found += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return found
