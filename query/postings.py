"""Where terms' words stand in a session, from the word index: within its range of row ids, whatever else is indexed."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import apsw

from ..pipelines.sqlite import value
from .known_postings import KnownPostings, query_passages
from .scope import Range, Scope
from .sql import query_sql
from .terms import SearchTerm

__all__ = ["Postings", "count_matches", "read_postings", "within"]

# A term in more passages than this is common: of those only the ones with another term are read, and the newest. Of a
# literal's the oldest, too: the index knows its words alone, and where they are common the name itself may not be.
_COMMON = 5000
_NEWEST = 1000
_OLDEST = 1000


@dataclass(slots=True)
class Postings:
    """Passages that hold each term's words, by the term's number, ascending.

    ``everywhere`` are all of the session, ``eligible`` those that may be evidence. With ``whole`` unset, some of a
    common term's are missing in both. ``terms`` have their weights.
    """

    terms: tuple[SearchTerm, ...]
    everywhere: dict[int, list[int]]
    eligible: dict[int, list[int]]
    whole: bool

    def union(self, ranges: Sequence[Range]) -> set[int]:
        """Return the passages of some ranges that hold any of the terms' words."""
        return set[int]().union(*(within(passages, ranges) for passages in self.everywhere.values()))


def read_postings(
    connection: apsw.Connection, scope: Scope, terms: Sequence[SearchTerm], known: KnownPostings | None = None
) -> Postings:
    """Read the terms' postings, and weigh each term by its rarity in the session: the idf of BM25, never negative."""
    known = known or KnownPostings()
    session = scope.session.all_passages
    passages = session[1] - session[0] + 1
    everywhere: dict[int, list[int]] = {}
    counts: dict[int, int] = {}
    for term in terms:
        found = known.read(connection, scope.session, term.match, _COMMON + 1)
        counts[term.number] = len(found)
        if len(found) > _COMMON:
            counts[term.number] = _count(connection, term.match, session)
            found = _read_common(connection, term, terms, session)
        everywhere[term.number] = found
    return Postings(
        tuple(replace(term, weight=_rarity(counts[term.number], passages)) for term in terms),
        everywhere,
        {number: within(found, scope.eligible) for number, found in everywhere.items()},
        whole=max(counts.values(), default=0) <= _COMMON,
    )


def count_matches(
    connection: apsw.Connection, scope: Scope, postings: Postings, ranges: Iterable[Range]
) -> int:
    """Count the passages of some ranges in which any of the terms' words stand."""
    if postings.whole:
        return len(postings.union(tuple(ranges)))
    match = " OR ".join(f"({term.match})" for term in postings.terms)
    return sum(_count(connection, match, one) for one in ranges)


def within(passages: Sequence[int], ranges: Sequence[Range]) -> list[int]:
    """Return those of ascending passages that stand in one of the ranges."""
    found: list[int] = []
    for first, last in ranges:
        found += passages[bisect_left(passages, first) : bisect_right(passages, last)]
    return found


def _read_common(
    connection: apsw.Connection, term: SearchTerm, terms: Sequence[SearchTerm], session: Range
) -> list[int]:
    found = query_passages(connection, "select_newest_postings", term.match, session, _NEWEST)
    if term.is_literal:
        found += query_passages(connection, "select_postings", term.match, session, _OLDEST)
    if others := " OR ".join(f"({other.match})" for other in terms if other is not term):
        found += query_passages(connection, "select_postings", f"({term.match}) AND ({others})", session)
    return sorted(set(found))


def _count(connection: apsw.Connection, match: str, session: Range) -> int:
    bound = {"match": match, "first": session[0], "last": session[1]}
    return int(value(connection, query_sql("count_postings"), bound))


def _rarity(count: int, passages: int) -> float:
    return math.log(1 + (max(passages - count, 0) + 0.5) / (count + 0.5))
