"""Where terms' words stand in a session, from the word index: within its range of row ids, whatever else is indexed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import apsw

from .bitsets import bits_of_ranges, union
from .known_postings import KnownPostings
from .scope import Range, Scope
from .terms import SearchTerm

__all__ = ["Postings", "read_postings"]


@dataclass(frozen=True, slots=True)
class Postings:
    """Passages that hold each term's words, by the term's number: bits by their place behind ``base``.

    ``everywhere`` are all of the session's ``size`` passages, ``eligible`` those that may be evidence. ``terms`` have
    their weights.
    """

    terms: tuple[SearchTerm, ...]
    base: int
    size: int
    everywhere: Mapping[int, int]
    eligible: Mapping[int, int]

    def count(self, ranges: Sequence[Range]) -> int:
        """Count the passages of some ranges of ids in which any of the terms' words stand."""
        return (union(self.everywhere.values()) & _bits(ranges, self.base, self.size)).bit_count()

    @property
    def matching(self) -> int:
        """The number of passages that may be evidence and hold any of the terms' words."""
        return union(self.eligible.values()).bit_count()


def read_postings(
    connection: apsw.Connection, scope: Scope, terms: Sequence[SearchTerm], known: KnownPostings | None = None
) -> Postings:
    """Read the terms' postings, and weigh each term by its rarity in the session: the idf of BM25, never negative."""
    known = known or KnownPostings()
    session = scope.session
    everywhere = {term.number: known.read(connection, session, term.match) for term in terms}
    may_be_evidence = _bits(scope.eligible, session.base, session.passages)
    return Postings(
        tuple(
            replace(term, weight=_rarity(everywhere[term.number].bit_count(), session.passages))
            for term in terms
        ),
        session.base,
        session.passages,
        everywhere,
        {number: bits & may_be_evidence for number, bits in everywhere.items()},
    )


def _bits(ranges: Sequence[Range], base: int, size: int) -> int:
    return bits_of_ranges([(first - base, last - base) for first, last in ranges], size)


def _rarity(count: int, passages: int) -> float:
    return math.log(1 + (max(passages - count, 0) + 0.5) / (count + 0.5))
