"""Columns of one log after the other, until there are enough rows for frames of a good size."""

from __future__ import annotations

from .frames import Columns, table_frame
from .normalize import TableRows

__all__ = ["HeldColumns"]

_FULL_BYTES = 8 << 20
# What a row of a table costs beside its long text.
_ROW_BYTES = 512
_LONG_TEXTS = {"entries": "text", "tool_calls": "arguments"}


class HeldColumns:
    """Rows of several logs, by table: building frames for each small log alone would cost more than reading it."""

    def __init__(self) -> None:
        self._columns: dict[str, Columns] = {}
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Tell whether it is time to ``take``."""
        return self._bytes >= _FULL_BYTES

    def add(self, table: str, columns: Columns) -> None:
        """Add rows of a table; the columns are no longer the caller's."""
        held = self._columns.setdefault(table, columns)
        if held is not columns:
            for name, values in columns.items():
                held[name] += values
        texts = columns.get(_LONG_TEXTS.get(table, ""), [])
        self._bytes += len(columns["session_key"]) * _ROW_BYTES + sum(map(len, texts))

    def take(self) -> list[TableRows]:
        """Return all rows as frames, and hold none."""
        taken, self._columns, self._bytes = self._columns, {}, 0
        return [(table, table_frame(table, columns)) for table, columns in taken.items()]
