"""Rows of the lake through DuckDB, at the state its newest run committed."""

from __future__ import annotations

import re
from typing import Any

import duckdb

from ..pipelines.errors import StoreError
from ..pipelines.store import StorePaths
from .sql import query_sql

__all__ = ["query_lake"]

# What DuckDB would read as a pattern in a file's name.
_PATTERN = re.compile(r"[*?\[]")


def query_lake(
    engine: duckdb.DuckDBPyConnection, paths: StorePaths, table: str, query: str, **wanted: Any
) -> list[tuple[Any, ...]]:
    """Run ``query/sql/<query>.sql`` with a table's newest files as ``$files``; a table without files has no rows.

    Raises ``StoreError`` when there is no lake, or it is damaged or of another version.
    """
    from ..pipelines.lake import open_lake

    files = [_PATTERN.sub(lambda match: f"[{match[0]}]", file) for file in open_lake(paths.lake).files(table)]
    if not files:
        return []
    try:
        return engine.execute(query_sql(query), {"files": files, **wanted}).fetchall()
    except duckdb.IOException as error:
        raise StoreError(
            paths.lake, "damaged lake", hint="remove the store folder and run `uncompact reindex`"
        ) from error
