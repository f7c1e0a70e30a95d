"""A session's entries in the lake, as far as those appended to its log need them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl

from .lake import LakeSnapshot

__all__ = ["LakeSession"]


class LakeSession:
    """What the lake has of one session; see ``normalize.KnownSession``."""

    def __init__(self, snapshot: LakeSnapshot, session: Mapping[str, Any]) -> None:
        self._snapshot = snapshot
        self._session = session
        self.segments: int = session["branches"]
        columns = ("pos", "entry_id", "parent_id", "segment", "position", "on_tree", "gap")
        entries = self._rows("entries").select(columns).sort("pos").collect()
        on_tree = entries.filter("on_tree")
        self._places: dict[str, int] = dict(on_tree.select("entry_id", "pos").iter_rows())
        self._labels: dict[int, tuple[int, int]] = {
            pos: (segment, position)
            for pos, segment, position in on_tree.select("pos", "segment", "position").iter_rows()
        }
        ends = on_tree.group_by("segment").agg(pl.col("position").max())
        self._ends: dict[int, int] = dict(ends.iter_rows())
        self._awaited: set[str] = {
            *entries.filter("gap")["parent_id"].drop_nulls(),
            *self._unplaced("compaction_keeps", "kept_id", "kept_pos"),
            *self._unplaced("context_edits", "target_id", "target_pos"),
        }

    def place(self, entry_id: str) -> int | None:
        """Return the place of the entry of an id."""
        return self._places.get(entry_id)

    def label(self, place: int) -> tuple[int, int]:
        """Return segment and position of an entry."""
        return self._labels[place]

    def is_continued(self, segment: int, position: int) -> bool:
        """Tell whether an entry stands at the next position."""
        return position < self._ends[segment]

    def is_awaited(self, entry_id: str) -> bool:
        """Tell whether an entry named this id when no line had it."""
        return entry_id in self._awaited

    def call_place(self, call_id: str) -> int | None:
        """Return the place of the entry that made a tool call."""
        return self._calls.get(call_id)

    @cached_property
    def _calls(self) -> dict[str, int]:
        calls = self._rows("tool_calls").filter(pl.col("call_id").is_not_null())
        found = calls.sort("pos", "ordinal").unique("call_id", keep="first", maintain_order=True)
        return dict(found.select("call_id", "pos").collect().iter_rows())

    def _unplaced(self, table: str, named: str, place: str) -> pl.Series:
        return self._rows(table).filter(pl.col(place).is_null()).select(named).collect()[named]

    def _rows(self, table: str) -> pl.LazyFrame:
        return self._snapshot.scan(table).filter(
            pl.col("project_key") == self._session["project_key"],
            pl.col("session_key") == self._session["session_key"],
        )
