"""Tree labels: a branch as a handful of (segment, last position) rows, without recursion.

The first child of an entry continues its segment at the next position; every later child, and every root, opens a
new segment. Labels never change when entries are appended, and "is this entry on that branch" is one comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .sources.records import Link

__all__ = ["NO_SEGMENT", "Interval", "Tree", "label_tree"]

NO_SEGMENT = -1


@dataclass(frozen=True, slots=True)
class Interval:
    """Positions ``first`` to ``last``, both included, of one segment."""

    segment: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Tree:
    """A session's labelled tree; the sequences run over its entries in file order.

    ``parents`` holds the place of each entry's parent, or -1 at a root. An entry that is on no branch (a later
    line took over its id, or it was recovered from a damaged line) has ``NO_SEGMENT``. ``gaps`` holds the places
    of entries whose stated parent is in no line, or was cut to end a cycle.
    """

    parents: Sequence[int]
    segments: Sequence[int]
    positions: Sequence[int]
    segment_parents: Sequence[tuple[int, int] | None]
    segment_entries: Sequence[Sequence[int]]
    gaps: frozenset[int]
    places: dict[str, int]

    def branch(self, leaf: int) -> list[Interval]:
        """Return the branch that ends at the entry in place ``leaf``, root first.

        Empty for an entry that is on no branch.
        """
        segment, position = self.segments[leaf], self.positions[leaf]
        intervals: list[Interval] = []
        while segment != NO_SEGMENT:
            intervals.append(Interval(segment, 0, position))
            parent = self.segment_parents[segment]
            if parent is None:
                break
            segment, position = parent
        return intervals[::-1]

    def path(self, leaf: int) -> list[int]:
        """Return the places of a branch's entries, root first."""
        return [
            place
            for interval in self.branch(leaf)
            for place in self.segment_entries[interval.segment][interval.first : interval.last + 1]
        ]

    def leaves(self) -> list[int]:
        """Return the places of entries that none continues, in file order."""
        parents = set(self.parents)
        return [
            place
            for place, segment in enumerate(self.segments)
            if segment != NO_SEGMENT and place not in parents
        ]


def label_tree(links: Sequence[Link]) -> Tree:
    """Label a session's entries in linear time, whatever their parents say.

    Rules equal to Pi's: the last line with an id is the entry of that id; a parent that is in no line makes a
    root. Where Pi would not end, the first entry of a cycle in file order becomes a root.
    """
    places = {link.entry_id: place for place, link in enumerate(links) if not link.recovered}
    on_tree = [places.get(link.entry_id) == place and not link.recovered for place, link in enumerate(links)]
    parents = [
        places.get(link.parent_id, -1) if alive and link.parent_id is not None else -1
        for link, alive in zip(links, on_tree, strict=True)
    ]
    gaps = {
        place
        for place, link in enumerate(links)
        if on_tree[place] and link.parent_id is not None and parents[place] < 0
    }
    gaps.update(_cut_cycles(parents))
    segments, positions, segment_parents, segment_entries = _assign(parents, on_tree)
    return Tree(parents, segments, positions, segment_parents, segment_entries, frozenset(gaps), places)


def _cut_cycles(parents: list[int]) -> Iterator[int]:
    """Make each cycle's first entry a root, in place, and yield it."""
    done = [False] * len(parents)
    for start in range(len(parents)):
        walk: list[int] = []
        walked: set[int] = set()
        place = start
        while place >= 0 and not done[place] and place not in walked:
            walk.append(place)
            walked.add(place)
            place = parents[place]
        if place in walked:
            first = min(walk[walk.index(place) :])
            parents[first] = -1
            yield first
        for place in walk:
            done[place] = True


def _assign(
    parents: Sequence[int], on_tree: Sequence[bool]
) -> tuple[list[int], list[int], list[tuple[int, int] | None], list[list[int]]]:
    segments = [NO_SEGMENT] * len(parents)
    positions = [0] * len(parents)
    segment_parents: list[tuple[int, int] | None] = []
    segment_entries: list[list[int]] = []
    continued = [False] * len(parents)
    for place in _parents_first(parents, on_tree):
        parent = parents[place]
        if parent >= 0 and not continued[parent]:
            continued[parent] = True
            segments[place] = segments[parent]
            positions[place] = positions[parent] + 1
            segment_entries[segments[place]].append(place)
        else:
            segments[place] = len(segment_entries)
            segment_entries.append([place])
            segment_parents.append((segments[parent], positions[parent]) if parent >= 0 else None)
    return segments, positions, segment_parents, segment_entries


def _parents_first(parents: Sequence[int], on_tree: Sequence[bool]) -> Iterator[int]:
    """Yield the places on the tree in file order, but each parent before its children.

    A parent that stands after its child occurs only in damaged files; its waiting descendants follow it.
    """
    ready = [False] * len(parents)
    waiting: dict[int, list[int]] = {}
    for place in range(len(parents)):
        if not on_tree[place]:
            continue
        parent = parents[place]
        if parent >= 0 and not ready[parent]:
            waiting.setdefault(parent, []).append(place)
            continue
        stack = [place]
        while stack:
            entry = stack.pop()
            ready[entry] = True
            yield entry
            stack.extend(reversed(waiting.pop(entry, [])))
