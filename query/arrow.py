"""Columns to Arrow tables, the form in which rows go from SQLite to DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal

__all__ = ["ArrowType", "arrow_table"]

ArrowType = Literal["int32", "int64", "float64", "string", "bool_"]


@cache
def _pyarrow() -> Any:
    """Import pyarrow when it is first needed; it has no type hints."""
    return import_module("pyarrow")


def arrow_table(**columns: tuple[ArrowType, Sequence[Any]]) -> Any:
    """Build an Arrow table from named columns, each with its type."""
    pa = _pyarrow()
    return pa.table({name: pa.array(values, getattr(pa, kind)()) for name, (kind, values) in columns.items()})
