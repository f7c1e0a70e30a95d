"""What the model sees of a branch: Pi's rules of the latest compaction, its kept range, and edits.

Everything works on tree labels and path indexes (0 at the root), never on lists of entries, so that it costs the
same for ten entries and for a million. Source of the rules: the behaviour of Pi's ``buildContextEntries`` and
``buildSessionProjection``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .tree import Interval

__all__ = ["ActiveContext", "Branch", "CompactionMark", "EditMark", "Place", "active_context"]

# A tree label: (segment, position).
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CompactionMark:
    """A compaction ``at`` a place; it keeps all from ``kept`` on, or nothing of what was before."""

    at: Place
    kept: Place | None


@dataclass(frozen=True, slots=True)
class EditMark:
    """A context edit ``at`` a place: from there on its ``target`` shows other content, or with ``removes`` none."""

    at: Place
    target: Place | None
    removes: bool


class Branch:
    """A branch as intervals, root first, with the path index of each."""

    def __init__(self, intervals: Sequence[Interval]) -> None:
        self.intervals = tuple(intervals)
        self._starts: list[int] = []
        self._at: dict[int, int] = {}
        length = 0
        for at, interval in enumerate(self.intervals):
            self._starts.append(length)
            self._at[interval.segment] = at
            length += interval.last - interval.first + 1
        self.length = length

    def index(self, place: Place | None) -> int | None:
        """Return the path index of a place, or ``None`` when it is not on the branch."""
        if place is None:
            return None
        segment, position = place
        at = self._at.get(segment)
        if at is None or position > self.intervals[at].last:
            return None
        return self._starts[at] + position

    def slice(self, first: int, end: int) -> list[Interval]:
        """Return the intervals of path indexes ``first`` to ``end``, the latter not included."""
        pieces: list[Interval] = []
        at = max(bisect_right(self._starts, first) - 1, 0)
        while at < len(self.intervals) and self._starts[at] < end:
            interval, start = self.intervals[at], self._starts[at]
            low = max(interval.first, first - start)
            high = min(interval.last, end - 1 - start)
            if low <= high:
                pieces.append(Interval(interval.segment, low, high))
            at += 1
        return pieces


@dataclass(frozen=True, slots=True)
class ActiveContext:
    """A branch's entries by path index: ``removed_until`` and all after it are in context.

    Before the ``compaction`` (a path index, or ``None`` without one) system messages are not in context either.
    ``emptied`` holds the path indexes of which an edit in context leaves nothing, ``rewritten`` those before
    ``removed_until`` that an edit on the branch had emptied or replaced.
    """

    branch: Branch
    removed_until: int
    compaction: int | None
    emptied: frozenset[int] = frozenset()
    rewritten: frozenset[int] = frozenset()


def active_context(
    branch: Branch, compactions: Iterable[CompactionMark], edits: Iterable[EditMark]
) -> ActiveContext:
    """Say what of a branch is in context.

    The last compaction on the branch counts, no other; it keeps from its kept entry on, if that is on the branch
    before it. An edit counts while it is itself in context; of several for one entry the last.
    """
    marks = [(index, mark) for mark in compactions if (index := branch.index(mark.at)) is not None]
    if not marks:
        compaction, removed_until = None, 0
    else:
        compaction, mark = max(marks, key=lambda item: item[0])
        kept = branch.index(mark.kept)
        removed_until = kept if kept is not None and kept < compaction else compaction
    on_branch = sorted(
        (index, target, edit.removes)
        for edit in edits
        if (index := branch.index(edit.at)) is not None and (target := branch.index(edit.target)) is not None
    )
    last = {target: removes for index, target, removes in on_branch if index >= removed_until}
    return ActiveContext(
        branch,
        removed_until,
        compaction,
        frozenset(target for target, removes in last.items() if removes),
        frozenset(target for _, target, _ in on_branch if target < removed_until),
    )
