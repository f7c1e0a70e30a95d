"""How a store is doing: where it is, what it holds, how large it is and how fresh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import duckdb

from ..pipelines.companion_db import companion_version
from ..pipelines.store import StorePaths
from ..pipelines.timestamps import format_time
from .lake_rows import query_lake

__all__ = ["store_status"]


def store_status(
    connection: apsw.Connection, engine: duckdb.DuckDBPyConnection, paths: StorePaths
) -> dict[str, Any]:
    """Describe a store; sizes are bytes on disk, ``indexed_at`` is when a log was read last, ISO 8601 in UTC.

    Raises ``StoreError`` when its lake is missing or of another version.
    """
    from ..pipelines.schema import LAKE_VERSION

    rows = query_lake(engine, paths, "sessions", "summarise_sessions")
    present, vanished, entries, rejects, indexed_at = rows[0] if rows else (0, 0, 0, 0, None)
    return {
        "store": str(paths.root),
        "lake": {"version": LAKE_VERSION, "bytes": _size(paths.lake)},
        "companion": {"version": companion_version(connection), "bytes": _companion_size(paths.companion)},
        "sessions": {"present": present, "vanished": vanished},
        "entries": int(entries),
        "rejects": int(rejects),
        "indexed_at": format_time(indexed_at),
    }


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _companion_size(companion: Path) -> int:
    return sum(path.lstat().st_size for path in companion.parent.glob(f"{companion.name}*"))
