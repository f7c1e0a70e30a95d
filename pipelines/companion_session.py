"""A session's entries in the companion, as far as those appended to its log need them: one look-up each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from .companion_db import first_row
from .sql_files import load_sql
from .sqlite import rows, value

__all__ = ["CompanionSession"]


class CompanionSession:
    """What the companion has of one session; see ``normalize.KnownSession``."""

    def __init__(self, connection: apsw.Connection, session: Mapping[str, Any]) -> None:
        self._connection = connection
        self._number: int = session["number"]
        self._labels: dict[int, tuple[int, int]] = {}
        self.segments: int = session["branches"]

    def place(self, entry_id: str) -> int | None:
        """Return the place of the entry of an id."""
        wanted = {"session": self._number, "entry_id": entry_id}
        found = next(rows(self._connection, _sql("select_known_entry"), wanted), None)
        if found is None:
            return None
        row, segment, position = found
        place: int = row - first_row(self._number)
        self._labels[place] = (segment, position)
        return place

    def label(self, place: int) -> tuple[int, int]:
        """Return segment and position of an entry that ``place`` found."""
        return self._labels[place]

    def is_continued(self, segment: int, position: int) -> bool:
        """Tell whether an entry stands at the next position."""
        wanted = {"session": self._number, "segment": segment}
        return position + 1 < int(value(self._connection, _sql("select_segment_end"), wanted))

    def is_awaited(self, entry_id: str) -> bool:
        """Tell whether an entry named this id when no line had it."""
        wanted = {"session": self._number, "entry_id": entry_id}
        return bool(value(self._connection, _sql("is_awaited"), wanted))

    def call_place(self, call_id: str) -> int | None:
        """Return the place of the entry that made a tool call."""
        wanted = {"session": self._number, "call_id": call_id}
        place: int | None = value(self._connection, _sql("select_call_place"), wanted)
        return place


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
