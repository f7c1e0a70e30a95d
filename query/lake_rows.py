"""Rows of the lake through DuckDB, at the state its newest run committed or at an earlier one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import duckdb

from ..pipelines.errors import StoreError
from ..pipelines.store import StorePaths
from .sql import query_sql

if TYPE_CHECKING:
    from ..pipelines.lake import LakeSnapshot

__all__ = ["query_lake"]

# What DuckDB would read as a pattern in a file's name.
_PATTERN = re.compile(r"[*?\[]")


def query_lake(
    engine: duckdb.DuckDBPyConnection,
    paths: StorePaths,
    table: str,
    query: str,
    versions: Mapping[str, int] | None = None,
    **wanted: Any,
) -> list[tuple[Any, ...]]:
    """Run ``query/sql/<query>.sql`` with a table's files as ``$files``; a table without files has no rows.

    With ``versions`` the lake is read as it was at these versions of its tables, as far as it still has that state.
    Raises ``StoreError`` when there is no lake, or it is damaged or of another version.
    """
    from ..pipelines.lake import LakeSnapshot, open_lake

    newest = open_lake(paths.lake)
    if versions is not None and versions != newest.versions:
        with suppress(StoreError):
            return _query(
                engine, LakeSnapshot(paths.lake, {**newest.versions, **versions}), table, query, wanted
            )
    return _query(engine, newest, table, query, wanted)


def _query(
    engine: duckdb.DuckDBPyConnection,
    snapshot: LakeSnapshot,
    table: str,
    query: str,
    wanted: Mapping[str, Any],
) -> list[tuple[Any, ...]]:
    files = [_PATTERN.sub(lambda match: f"[{match[0]}]", file) for file in snapshot.files(table)]
    if not files:
        return []
    try:
        return engine.execute(query_sql(query), {"files": files, **wanted}).fetchall()
    except duckdb.IOException as error:
        from ..pipelines.lake_file import REPAIR

        raise StoreError(snapshot.root, "damaged lake", hint=REPAIR) from error
