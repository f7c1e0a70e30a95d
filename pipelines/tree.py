"""Tree labels: a branch as a handful of (segment, last position) rows, without recursion.

The first child of an entry continues its segment at the next position; every later child, and every root, opens a
new segment. Labels never change when entries are appended, and "is this entry on that branch" is one comparison.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import ge
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    # Who asks a store needs no adapters.
    from .sources.records import Entry, Link

__all__ = [
    "NO_SEGMENT",
    "Interval",
    "KnownEntries",
    "Labels",
    "PlaceLabels",
    "Tree",
    "extend_labels",
    "label_places",
    "label_tree",
]

NO_SEGMENT = -1


@dataclass(frozen=True, slots=True)
class Interval:
    """Positions ``first`` to ``last``, both included, of one segment."""

    segment: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Labels:
    """Tree labels of the entries from place ``first`` on, and the segments they open.

    ``segments`` and ``positions`` run over those entries in file order, ``gaps`` holds places, ``opened`` has
    (segment, parent's segment and position or ``None`` at a root) for each new segment.
    """

    first: int
    segments: Sequence[int]
    positions: Sequence[int]
    gaps: frozenset[int]
    opened: Sequence[tuple[int, tuple[int, int] | None]]
    places: Callable[[str], int | None]

    def label(self, place: int) -> tuple[int, int]:
        """Return segment and position of an entry."""
        return self.segments[place - self.first], self.positions[place - self.first]


class KnownEntries(Protocol):
    """What was read of a session before, as far as new entries need it."""

    @property
    def segments(self) -> int:
        """Number of segments."""
        ...

    def place(self, entry_id: str) -> int | None:
        """Return the place of the entry of an id, if there is one on the tree."""
        ...

    def label(self, place: int) -> tuple[int, int]:
        """Return segment and position of an entry on the tree."""
        ...

    def is_continued(self, segment: int, position: int) -> bool:
        """Tell whether an entry stands at the next position."""
        ...

    def is_awaited(self, entry_id: str) -> bool:
        """Tell whether an entry named this id, as its parent or otherwise, when no line had it."""
        ...


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

    def labels(self) -> Labels:
        """Return the labels of all entries."""
        opened = list(enumerate(self.segment_parents))
        return Labels(0, self.segments, self.positions, self.gaps, opened, self.places.get)

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


def label_tree(links: Sequence[Link | Entry]) -> Tree:
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
        if parents[place] < 0 and link.parent_id is not None and on_tree[place]
    }
    labelled = label_places(parents, on_tree)
    entries = _segment_entries(labelled)
    return Tree(
        parents,
        labelled.segments,
        labelled.positions,
        labelled.segment_parents,
        entries,
        frozenset(gaps | labelled.cut),
        places,
    )


class PlaceLabels(NamedTuple):
    """Labels by place, each segment's parent, and the places that were made roots to end a cycle."""

    segments: array[int]
    positions: array[int]
    segment_parents: list[tuple[int, int] | None]
    cut: frozenset[int]


def label_places(parents: MutableSequence[int], on_tree: Sequence[int]) -> PlaceLabels:
    """Label entries by the places of their parents, -1 at a root; cuts cycles in ``parents``, in place.

    ``on_tree`` is false of an entry that is on no branch; it has no parent.
    """
    order: Iterable[int] = compress(range(len(parents)), on_tree)
    cut: frozenset[int] = frozenset()
    # A log that was only ever appended to has every parent before its children.
    if any(map(ge, parents, range(len(parents)))):
        cut = frozenset(_cut_cycles(parents))
        order = _parents_first(parents, on_tree)
    return PlaceLabels(*_assign(parents, order), cut)


def extend_labels(links: Sequence[Link | Entry], first: int, known: KnownEntries) -> Labels | None:
    """Label entries appended from place ``first`` on, at a cost that does not grow with the session.

    Gives the labels that ``label_tree`` gives for the whole session, or ``None`` where those before would change:
    an id that is there already, or one that an earlier entry waits for.
    """
    places: dict[str, int] = {}
    segments: list[int] = []
    positions: list[int] = []
    opened: list[tuple[int, tuple[int, int] | None]] = []
    gaps: set[int] = set()
    ends: set[tuple[int, int]] = set()
    for place, link in enumerate(links, first):
        if link.recovered:
            segments.append(NO_SEGMENT)
            positions.append(0)
            continue
        if (
            link.entry_id in places
            or known.place(link.entry_id) is not None
            or known.is_awaited(link.entry_id)
        ):
            return None
        parent = _parent_label(link, first, places, known, (segments, positions))
        if parent is None and link.parent_id is not None:
            gaps.add(place)
        known_segment = parent is not None and parent[0] < known.segments
        continued = parent in ends or (parent is not None and known_segment and known.is_continued(*parent))
        if parent is not None and not continued:
            segment, position = parent[0], parent[1] + 1
        else:
            segment, position = known.segments + len(opened), 0
            opened.append((segment, parent))
        if parent is not None:
            ends.add(parent)
        places[link.entry_id] = place
        segments.append(segment)
        positions.append(position)
    if gaps & {place for place, link in enumerate(links, first) if link.parent_id in places}:
        return None

    def find(entry_id: str) -> int | None:
        return places[entry_id] if entry_id in places else known.place(entry_id)

    return Labels(first, segments, positions, frozenset(gaps), opened, find)


def _parent_label(
    link: Link | Entry,
    first: int,
    places: dict[str, int],
    known: KnownEntries,
    labels: tuple[Sequence[int], Sequence[int]],
) -> tuple[int, int] | None:
    if link.parent_id is None:
        return None
    if link.parent_id in places:
        at = places[link.parent_id] - first
        return labels[0][at], labels[1][at]
    place = known.place(link.parent_id)
    return None if place is None else known.label(place)


def _cut_cycles(parents: MutableSequence[int]) -> Iterator[int]:
    """Make each cycle's first entry a root, in place, and yield it."""
    # The walk that came by first.
    walks = array("i", [-1]) * len(parents)
    for start in range(len(parents)):
        place = start
        while place >= 0 and walks[place] < 0:
            walks[place] = start
            place = parents[place]
        if place >= 0 and walks[place] == start:
            first = end = place
            while (place := parents[place]) != end:
                first = min(first, place)
            parents[first] = -1
            yield first


def _assign(
    parents: Sequence[int], order: Iterable[int]
) -> tuple[array[int], array[int], list[tuple[int, int] | None]]:
    segments = array("i", [NO_SEGMENT]) * len(parents)
    positions = array("i", [0]) * len(parents)
    segment_parents: list[tuple[int, int] | None] = []
    continued = bytearray(len(parents))
    for place in order:
        parent = parents[place]
        if parent >= 0 and not continued[parent]:
            continued[parent] = True
            segments[place] = segments[parent]
            positions[place] = positions[parent] + 1
        else:
            segments[place] = len(segment_parents)
            segment_parents.append((segments[parent], positions[parent]) if parent >= 0 else None)
    return segments, positions, segment_parents


def _segment_entries(labelled: PlaceLabels) -> list[list[int]]:
    sizes = Counter(labelled.segments)
    entries = [[0] * sizes[segment] for segment in range(len(labelled.segment_parents))]
    for place, (segment, position) in enumerate(zip(labelled.segments, labelled.positions, strict=True)):
        if segment != NO_SEGMENT:
            entries[segment][position] = place
    return entries


def _parents_first(parents: Sequence[int], on_tree: Sequence[int]) -> Iterator[int]:
    """Yield the places on the tree in file order, but each parent before its children.

    A parent that stands after its child occurs only in damaged files; its waiting descendants follow it.
    """
    ready = bytearray(len(parents))
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
