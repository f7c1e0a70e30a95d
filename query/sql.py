"""The SQL of retrieval, by name: every query is a file under ``sql/``."""

from __future__ import annotations

from functools import cache

from ..pipelines.sql_files import load_sql

__all__ = ["query_sql"]


@cache
def query_sql(name: str) -> str:
    """Return the text of ``query/sql/<name>.sql``."""
    return load_sql("uncompact.query", name)
