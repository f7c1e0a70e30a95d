"""Candidates to hits: the branch join, the documented score, the order and the removal of equal texts, in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .candidates import Candidate, Found, Match
from .descriptor import Descriptor
from .prepared import PreparedQueries
from .scope import Scope

__all__ = ["TIERS", "Asked", "RankedHit", "Ranking", "identities", "rank_hits", "removed_rows"]

TIERS = {2: "literal-identifier", 1: "literal-phrase", 0: "lexical"}

_COMPONENTS: tuple[str, ...] = (
    "exact", "phrase", "fts", "extra_matches", "branch", "files", "symbols", "errors", "authority", "recency",
    "length",
)  # fmt: skip

_AUTHORITY = {"user": 8, "assistant": 5, "toolResult": 4, "bashExecution": 4}
_LEAST_AUTHORITY = 1
_YEAR_2100_US = 4_102_444_800_000_000

_Row = tuple[int | float | None, ...]


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A ranked entry with its best passage and what matched there."""

    candidate: Candidate
    tier: str
    score: float
    components: dict[str, float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in order, equal texts once.

    ``duplicates`` counts the entries left out, ``off_branch`` the candidates that are not among the removed entries
    of the branch.
    """

    hits: tuple[RankedHit, ...] = ()
    duplicates: int = 0
    off_branch: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it is ranked: where it may look, what it asks about, and what was found."""

    scope: Scope
    descriptor: Descriptor
    found: Found

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates with a verified match; one without any cannot qualify."""
        return [one for one in self.found.candidates if one.matches]

    def eligible(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return those that are removed from the branch's context."""
        return [one for one in candidates if self.scope.holds(one.segment, one.position)]


def rank_hits(queries: PreparedQueries, asked: Sequence[Asked]) -> list[Ranking]:
    """Rank each request's candidates that are on its branch and removed from its context: a total order.

    Score and tiers are the table in README.md; what stands above 60 for a full-text match is the passage's sum
    of term rarities, scaled to 0-10 by the best of the candidates. Requests are ranked in one statement, each as if
    it were alone.
    """
    candidates = [one.candidates for one in asked]
    eligible = [one.eligible(found) for one, found in zip(asked, candidates, strict=True)]
    rows: list[_Row] = []
    removed: list[_Row] = []
    for at, one in enumerate(asked):
        if eligible[at]:
            rows += _rows_of(at, one, candidates[at], eligible[at])
            removed += removed_rows(at, one.scope)
    ranked = queries.run("rank_hits", candidates=rows, removed=removed) if rows else ()
    hits: list[list[RankedHit]] = [list[RankedHit]() for _ in asked]
    for at, place, tier, score, components in ranked:
        named: dict[str, float] = dict(zip(_COMPONENTS, components, strict=True))
        hits[int(at)].append(RankedHit(candidates[int(at)][int(place)], TIERS[tier], score, named))
    return [
        Ranking(tuple(ranked), len({one.entry for one in chosen}) - len(ranked), len(found) - len(chosen))
        for ranked, chosen, found in zip(hits, eligible, candidates, strict=True)
    ]


def identities(at: int, candidates: Sequence[Candidate]) -> Iterator[_Row]:
    """Yield what each candidate of request ``at`` is told apart and joined by.

    That is the request, its own number, one for equal texts, its place by entry and passage, its time, segment and
    position.
    """
    alike: dict[str, int] = {}
    by_id = sorted(range(len(candidates)), key=lambda number: _identity(candidates[number]))
    places = [0] * len(candidates)
    for place, number in enumerate(by_id):
        places[number] = place
    for number, one in enumerate(candidates):
        same = alike.setdefault(one.text_hash, len(alike))
        yield at, number, same, places[number], one.created_at, one.segment, one.position


def removed_rows(at: int, scope: Scope) -> list[_Row]:
    """List the intervals of a request's branch whose entries are removed from its context."""
    return [(at, interval.segment, interval.first, interval.last) for interval in scope.removed]


def _rows_of(
    at: int, asked: Asked, candidates: Sequence[Candidate], eligible: Sequence[Candidate]
) -> Iterator[_Row]:
    points: dict[int, _Row] = {}
    bounds = _bounds(eligible)
    for identity, one in zip(identities(at, candidates), candidates, strict=True):
        # Candidates share what matched, and what it is worth is worked out once.
        matched = id(one.matches)
        if matched not in points:
            points[matched] = _count_matches(one.matches, asked.descriptor)
        authority = _AUTHORITY.get(one.role or "", _LEAST_AUTHORITY)
        yield *identity, authority, one.tokens, *points[matched], *bounds


def _bounds(eligible: Sequence[Candidate]) -> _Row:
    """Return what scores are scaled by; a broken clock far in the future must not take all recency to itself."""
    times = [
        one.created_at for one in eligible if one.created_at is not None and one.created_at < _YEAR_2100_US
    ]
    most = max(map(_lexical, {id(one.matches): one.matches for one in eligible}.values()))
    return most, min(times, default=0), max(times, default=0)


def _count_matches(matches: Sequence[Match], descriptor: Descriptor) -> _Row:
    """Count matches: all, literal identifiers and phrases, and literals that are files, symbols and errors; and weigh all."""
    literals = [match.term.term for match in matches if match.literal]
    return (
        len(matches),
        sum(term.kind == "identifier" for term in literals),
        sum(term.kind == "phrase" for term in literals),
        sum(term.text in descriptor.files for term in literals),
        sum(term.text in descriptor.symbols for term in literals),
        sum(term.text in descriptor.errors for term in literals),
        _lexical(matches),
    )


def _lexical(matches: Sequence[Match]) -> float:
    return sum(match.term.weight for match in matches)


def _identity(candidate: Candidate) -> tuple[str, int, int]:
    return candidate.entry_id, candidate.entry, candidate.passage
