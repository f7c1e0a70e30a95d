"""The entries that made a session's tool calls, by the ids that their results name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from .place_index import PlaceIndex
from .sources.records import ToolCall

__all__ = ["CallPlaces"]

_MOST_RECENT = 100_000


class CallPlaces:
    """Places of tool calls by id, of several with one id the first.

    ``known`` finds those that were read before. Many calls take some 20 bytes each beside their ids.
    """

    def __init__(self, known: Callable[[str], int | None] | None = None) -> None:
        self._known = known
        self._recent: dict[str, int] = {}
        self._older: list[PlaceIndex] = []

    def find(self, call_id: str) -> int | None:
        """Return the place of a call."""
        place = self._known(call_id) if self._known else None
        if place is None:
            place = self._recent.get(call_id)
        older = iter(self._older)
        while place is None and (index := next(older, None)) is not None:
            place = index.find(call_id)
        return place

    def add(self, calls: Iterable[ToolCall]) -> None:
        """Add the calls that come next."""
        added: dict[str, int] = {}
        for call in calls:
            if call.call_id:
                added.setdefault(call.call_id, call.pos)
        for index in self._older:
            ids = list(added)
            for call_id, place in zip(ids, index.find_all(pl.Series(ids, dtype=pl.String)), strict=True):
                if place >= 0:
                    del added[call_id]
        for call_id, place in added.items():
            self._recent.setdefault(call_id, place)
        if len(self._recent) > _MOST_RECENT:
            recent, places = pl.Series(list(self._recent)), pl.Series(list(self._recent.values()))
            self._older.append(PlaceIndex(recent, places))
            self._recent = {}
