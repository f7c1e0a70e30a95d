"""Which entries of a session may be evidence for a leaf: on its branch, no longer in its active context."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import apsw

from ..pipelines.active_context import ActiveContext, Branch, CompactionMark, EditMark, active_context
from ..pipelines.companion_db import first_row
from ..pipelines.errors import NotFoundError
from ..pipelines.sqlite import rows, value
from ..pipelines.tree import Interval
from .sql import query_sql

__all__ = ["Scope", "SessionRow", "find_session", "read_scope"]

# A range of passage ids, both ends included.
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the companion knows it; ``passages`` counts those for automatic retrieval."""

    number: int
    session_key: str
    session_id: str
    path: str
    project: str
    leaf: str | None
    passages: int
    fingerprint: str

    @property
    def base(self) -> int:
        """The first row id of the session's range."""
        return first_row(self.number)

    @property
    def all_passages(self) -> Range:
        """The range of all passages that automatic retrieval may use on some branch."""
        return self.base, self.base + self.passages - 1


@dataclass(frozen=True, slots=True)
class Scope:
    """What automatic retrieval may use for one leaf.

    ``removed`` holds the eligible entries as intervals of tree labels, ``eligible`` their passages' ranges;
    ``in_context`` and ``edited_out`` are the ranges of what else is on the branch; ``unknown_ids`` counts the stated
    context ids that are no entries of the session.
    """

    session: SessionRow
    leaf: str
    context: ActiveContext
    removed: tuple[Interval, ...]
    eligible: tuple[Range, ...]
    in_context: tuple[Range, ...]
    edited_out: tuple[Range, ...]
    unknown_ids: int = 0

    def holds(self, segment: int, position: int) -> bool:
        """Tell whether a tree label is among the removed entries of the branch."""
        return any(one.segment == segment and one.first <= position <= one.last for one in self.removed)


def find_session(connection: apsw.Connection, name: str) -> SessionRow:
    """Find a session by its key, its id or its log's path.

    Raises ``NotFoundError`` when there is none, or when an id is shared by several logs.
    """
    # Halves of surrogate pairs, from an argument that is not UTF-8, stand in a store as U+FFFD.
    stored = name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    found = [SessionRow(*row) for row in rows(connection, query_sql("select_sessions"), {"name": stored})]
    if len(found) == 1:
        return found[0]
    if found:
        paths = [row.path for row in found]
        hint = "several logs have this id or beginning: name one by its path or key"
        raise NotFoundError("single session", name, paths, hint=hint)
    known = [row[1] for row in rows(connection, query_sql("list_sessions"))]
    raise NotFoundError("session", name, known, hint="`uncompact sessions` lists them")


def read_scope(
    connection: apsw.Connection,
    session: SessionRow,
    leaf: str | None,
    context_ids: Collection[str] | None = None,
) -> Scope | None:
    """Work out the scope of a leaf, by default the session's current one; ``None`` when it has none.

    ``context_ids`` names the entries in the active context when the caller knows them better than the log does.
    Raises ``NotFoundError`` for an unknown leaf.
    """
    leaf = leaf if leaf is not None else session.leaf
    if leaf is None:
        return None
    branch = Branch(list(_branch_intervals(connection, session, leaf)))
    edits = list(_edit_marks(connection, session))
    context = active_context(branch, _compaction_marks(connection, session), edits)
    if context_ids is None:
        removed = branch.slice(0, context.removed_until)
        shown: set[int] = set()
        taken_out = {*context.rewritten, *context.emptied}
        kept = list(_place_ranges(connection, session, branch.slice(context.removed_until, branch.length)))
    else:
        removed = branch.slice(0, branch.length)
        shown = _places_of(connection, session, context_ids)
        taken_out = set(_edited(branch, edits))
        kept = _single(shown)
    edited = {place for index in taken_out for place in _places(connection, session, branch, index)} - shown
    places = list(_place_ranges(connection, session, removed))
    return Scope(
        session,
        leaf,
        context,
        tuple(removed),
        tuple(_passage_ranges(connection, session, _without(places, edited | shown))),
        tuple(_passage_ranges(connection, session, _without(kept, edited))),
        tuple(_passage_ranges(connection, session, _single(edited))),
        max(len(set(context_ids or ())) - len(shown), 0),
    )


def _edited(branch: Branch, edits: Iterable[EditMark]) -> Iterator[int]:
    """Yield the path index of each entry whose text an edit on the branch took out or replaced."""
    for edit in edits:
        target = branch.index(edit.target)
        if target is not None and branch.index(edit.at) is not None:
            yield target


def _branch_intervals(connection: apsw.Connection, session: SessionRow, leaf: str) -> Iterator[Interval]:
    row = next(
        rows(connection, query_sql("select_entry"), {"session": session.number, "entry_id": leaf}), None
    )
    if row is None:
        bounds = {"session": session.number, "first": session.base, "end": first_row(session.number + 1)}
        leaves = [found for (found,) in rows(connection, query_sql("select_leaves"), bounds)]
        hint = f"leaves of session {session.session_id}, the latest first"
        raise NotFoundError("entry", leaf, leaves, hint=hint)
    _, segment, position = row
    intervals: list[Interval] = []
    while segment is not None and segment >= 0:
        intervals.append(Interval(segment, 0, position))
        wanted = {"session": session.number, "segment": segment}
        parent = next(rows(connection, query_sql("select_segment"), wanted), None)
        if parent is None or (parent[0] is not None and parent[0] >= segment):
            raise apsw.CorruptError(f"segment {segment} leaves no earlier one")
        segment, position = parent
    yield from reversed(intervals)


def _compaction_marks(connection: apsw.Connection, session: SessionRow) -> Iterator[CompactionMark]:
    bounds = {"session": session.number, "base": session.base}
    for segment, position, kept_segment, kept_position in rows(
        connection, query_sql("select_compactions"), bounds
    ):
        kept = None if kept_segment is None else (kept_segment, kept_position)
        yield CompactionMark((segment, position), kept)


def _edit_marks(connection: apsw.Connection, session: SessionRow) -> Iterator[EditMark]:
    bounds = {"session": session.number, "base": session.base}
    for segment, position, target_segment, target_position, removes in rows(
        connection, query_sql("select_context_edits"), bounds
    ):
        target = None if target_segment is None else (target_segment, target_position)
        yield EditMark((segment, position), target, bool(removes))


def _places_of(connection: apsw.Connection, session: SessionRow, entry_ids: Iterable[str]) -> set[int]:
    wanted = {"session": session.number, "entry_ids": json.dumps(list(entry_ids))}
    return {row[0] - session.base for row in rows(connection, query_sql("select_labels"), wanted)}


def _places(connection: apsw.Connection, session: SessionRow, branch: Branch, index: int) -> Iterator[int]:
    for first, last in _place_ranges(connection, session, branch.slice(index, index + 1)):
        yield from range(first, last + 1)


def _place_ranges(
    connection: apsw.Connection, session: SessionRow, intervals: Iterable[Interval]
) -> Iterator[Range]:
    """Yield the stretches of the log, in file order, in which the intervals' entries stand."""
    stretches: list[Range] = []
    for interval in intervals:
        wanted = {
            "session": session.number,
            "segment": interval.segment,
            "first": interval.first,
            "last": interval.last,
        }
        stretches.extend((first, last) for first, last in rows(connection, query_sql("select_runs"), wanted))
    yield from _merged(sorted(stretches))


def _merged(ranges: Iterable[Range]) -> Iterator[Range]:
    held: Range | None = None
    for first, last in ranges:
        if held is not None and first == held[1] + 1:
            held = held[0], last
            continue
        if held is not None:
            yield held
        held = first, last
    if held is not None:
        yield held


def _single(places: Iterable[int]) -> list[Range]:
    return list(_merged((place, place) for place in sorted(places)))


def _without(ranges: Iterable[Range], places: Collection[int]) -> Iterator[Range]:
    cuts = sorted(places)
    for first, last in ranges:
        start = first
        for cut in cuts[bisect_left(cuts, first) : bisect_right(cuts, last)]:
            if start < cut:
                yield start, cut - 1
            start = cut + 1
        if start <= last:
            yield start, last


def _passage_ranges(
    connection: apsw.Connection, session: SessionRow, places: Iterable[Range]
) -> Iterator[Range]:
    """Turn stretches of entries into ranges of their automatic passages; empty ones are left out."""
    for first, last in places:
        start = _next_passage(connection, session, first)
        end = _next_passage(connection, session, last + 1) - 1
        if start <= end:
            yield start, end


def _next_passage(connection: apsw.Connection, session: SessionRow, place: int) -> int:
    following = value(connection, query_sql("select_next_passage"), {"id": session.base + place})
    return session.base + session.passages if following is None else int(following)
