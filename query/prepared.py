"""DuckDB queries that are planned once, and run over lists.

A query over a table is planned anew each time, which costs more than running it (benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from .sql import query_sql

__all__ = ["Numbers", "PreparedQueries"]

# Numbers alone: what a log says never becomes part of a statement.
Numbers = Sequence[int | float | None]


class PreparedQueries:
    """The queries of ``query/sql`` that take lists, on one connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._planned: set[str] = set()

    def run(self, name: str, **lists: Numbers) -> list[tuple[Any, ...]]:
        """Run a query with a list for each of its parameters, planning it when it is run first."""
        if name not in self._planned:
            self._connection.execute(f"prepare {name} as {query_sql(name)}")
            self._planned.add(name)
        bound = ", ".join(f"{parameter} := '{_list_text(values)}'" for parameter, values in lists.items())
        return self._connection.execute(f"execute {name}({bound})").fetchall()


def _list_text(values: Numbers) -> str:
    """Write a list as DuckDB casts it from text: quicker than a list of constants, which are parsed one by one.

    Raises ``TypeError`` for what is no number, as a damaged companion may give.
    """
    return str([None if one is None else one + 0 for one in values]).replace("None", "NULL")
