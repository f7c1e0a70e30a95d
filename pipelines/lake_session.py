"""A session's entries in the lake, as far as those appended to its log need them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl

from .lake import LakeSnapshot
from .place_index import PlaceIndex

__all__ = ["LakeSession"]


class LakeSession:
    """What the lake has of one session; see ``normalize.KnownSession``."""

    def __init__(self, snapshot: LakeSnapshot, session: Mapping[str, Any]) -> None:
        self._snapshot = snapshot
        self._session = session
        self.segments: int = session["branches"]
        on_tree = (
            self._rows("entries")
            .filter("on_tree")
            .select("pos", "entry_id", "segment", "position")
            .sort("pos")
            .collect()
        )
        self._places = PlaceIndex(on_tree["entry_id"], on_tree["pos"])
        self._labels = on_tree.select("pos", "segment", "position")
        # Segments are numbered without a gap.
        ends = on_tree.group_by("segment").agg(pl.col("position").max()).sort("segment")
        self._ends = ends["position"]
        self._awaited: set[str] = {
            *self._rows("entries").filter("gap").select("parent_id").collect()["parent_id"].drop_nulls(),
            *self._unplaced("compaction_keeps", "kept_id", "kept_pos"),
            *self._unplaced("context_edits", "target_id", "target_pos"),
        }

    def place(self, entry_id: str) -> int | None:
        """Return the place of the entry of an id."""
        return self._places.find(entry_id)

    def label(self, place: int) -> tuple[int, int]:
        """Return segment and position of an entry."""
        _, segment, position = self._labels.row(bisect_left(self._labels["pos"], place))
        return segment, position

    def is_continued(self, segment: int, position: int) -> bool:
        """Tell whether an entry stands at the next position."""
        return position < int(self._ends[segment])

    def is_awaited(self, entry_id: str) -> bool:
        """Tell whether an entry named this id when no line had it."""
        return entry_id in self._awaited

    def call_place(self, call_id: str) -> int | None:
        """Return the place of the entry that made a tool call."""
        return self._calls.find(call_id)

    @cached_property
    def _calls(self) -> PlaceIndex:
        calls = self._rows("tool_calls").filter(pl.col("call_id").is_not_null())
        # Of several with one id the first counts, and of equals the index keeps the last.
        found = calls.select("call_id", "pos").sort("pos", descending=True).collect()
        return PlaceIndex(found["call_id"], found["pos"])

    def _unplaced(self, table: str, named: str, place: str) -> pl.Series:
        return self._rows(table).filter(pl.col(place).is_null()).select(named).collect()[named]

    def _rows(self, table: str) -> pl.LazyFrame:
        return self._snapshot.scan(table).filter(
            pl.col("project_key") == self._session["project_key"],
            pl.col("session_key") == self._session["session_key"],
        )
