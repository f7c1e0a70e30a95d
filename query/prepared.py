"""DuckDB queries that are planned once, and run over relations given as lists of rows.

A query over a table is planned anew each time, which costs more than running it (benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from .sql import query_sql

__all__ = ["NumberRows", "PreparedQueries"]

# Numbers alone: what a log says never becomes part of a statement.
NumberRows = Sequence[Sequence[int | float | None]]


class PreparedQueries:
    """The queries of ``query/sql`` that take relations, on one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._planned: set[str] = set()

    def run(self, name: str, **relations: NumberRows) -> list[tuple[Any, ...]]:
        """Run a query with the rows for each of its parameters, planning it when it is run first."""
        if name not in self._planned:
            self._connection.execute(f"prepare {name} as {query_sql(name)}")
            self._planned.add(name)
        bound = ", ".join(f"{parameter} := '{_text_of(rows)}'" for parameter, rows in relations.items())
        return self._connection.execute(f"execute {name}({bound})").fetchall()


def _text_of(rows: NumberRows) -> str:
    """Write rows as DuckDB casts them from text: quicker than constants, which are parsed one by one.

    Raises ``TypeError`` for what is no number, as a damaged companion may give.
    """
    numbers = [[None if one is None else one + 0 for one in row] for row in rows]
    return str(numbers).replace("None", "NULL")
