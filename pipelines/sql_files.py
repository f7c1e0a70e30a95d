"""SQL kept in files: one loader for both packages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["load_sql"]


@cache
def load_sql(package: str, name: str) -> str:
    """Return the text of ``sql/<name>.sql`` in a package, as ``uncompact.query``.

    Raises ``FileNotFoundError`` when there is no such file.
    """
    return (files(package) / "sql" / f"{name}.sql").read_text(encoding="utf-8")
