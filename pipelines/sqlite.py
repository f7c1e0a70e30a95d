"""The few SQLite calls this package makes, with types: apsw's own hints need a newer Python than we support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw

__all__ = ["Bindings", "execute", "execute_many", "named_row", "rows", "set_pragma", "value"]

Bindings = Mapping[str, Any] | Sequence[Any]


def rows(connection: apsw.Connection, sql: str, bindings: Bindings = ()) -> Iterator[tuple[Any, ...]]:
    """Run a query and return its rows as they come."""
    untyped: Any = connection
    cursor: Iterator[tuple[Any, ...]] = untyped.execute(sql, bindings)
    return cursor


def value(connection: apsw.Connection, sql: str, bindings: Bindings = ()) -> Any:
    """Run a query and return the first column of its first row, or ``None`` without a row."""
    first = next(rows(connection, sql, bindings), None)
    return None if first is None else first[0]


def execute(connection: apsw.Connection, sql: str, bindings: Bindings = ()) -> None:
    """Run a statement to its end."""
    for _ in rows(connection, sql, bindings):
        pass


def execute_many(connection: apsw.Connection, sql: str, bindings: Iterable[Bindings]) -> None:
    """Run a statement once for each set of bindings."""
    untyped: Any = connection
    untyped.executemany(sql, bindings)


def set_pragma(connection: apsw.Connection, name: str, setting: str | int | bool) -> None:
    """Set a pragma of a connection."""
    untyped: Any = connection
    untyped.pragma(name, setting)


def named_row(
    connection: apsw.Connection, sql: str, bindings: Bindings = ()
) -> tuple[tuple[str, ...], tuple[Any, ...] | None]:
    """Run a query and return its columns' names and its first row, or ``None`` without a row."""
    untyped: Any = connection
    cursor: Any = untyped.execute(sql, bindings)
    row: tuple[Any, ...] | None = cursor.fetchone()
    return (() if row is None else tuple(column[0] for column in cursor.getdescription())), row
