"""Candidates to hits: the branch join, the documented score, the order and the removal of equal texts, in DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .candidates import Candidate, Found
from .descriptor import Descriptor
from .prepared import Numbers, PreparedQueries
from .scope import Scope

__all__ = ["TIERS", "Asked", "RankedHit", "Ranking", "identity_lists", "rank_hits", "removed_lists"]

TIERS = {2: "literal-identifier", 1: "literal-phrase", 0: "lexical"}

_COMPONENTS: tuple[str, ...] = (
    "exact", "phrase", "fts", "extra_matches", "branch", "files", "symbols", "errors", "authority", "recency",
    "length",
)  # fmt: skip

_AUTHORITY = {"user": 8, "assistant": 5, "toolResult": 4, "bashExecution": 4}
_LEAST_AUTHORITY = 1
_YEAR_2100_US = 4_102_444_800_000_000


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
    lists: dict[str, list[int | float | None]] = {}
    for at, one in enumerate(asked):
        if eligible[at]:
            for name, values in _lists_of(at, one, candidates[at], eligible[at]).items():
                lists.setdefault(name, []).extend(values)
    hits: list[list[RankedHit]] = [list[RankedHit]() for _ in asked]
    for at, place, tier, score, *components in queries.run("rank_hits", **lists) if lists else ():
        named: dict[str, float] = dict(zip(_COMPONENTS, components, strict=True))
        hits[int(at)].append(RankedHit(candidates[int(at)][int(place)], TIERS[tier], score, named))
    return [
        Ranking(tuple(ranked), len({one.entry for one in chosen}) - len(ranked), len(found) - len(chosen))
        for ranked, chosen, found in zip(hits, eligible, candidates, strict=True)
    ]


def _lists_of(
    at: int, asked: Asked, candidates: Sequence[Candidate], eligible: Sequence[Candidate]
) -> dict[str, Numbers]:
    removed = removed_lists(asked.scope)
    return {
        "request": [at] * len(candidates),
        **identity_lists(candidates),
        **_candidate_lists(candidates, asked.descriptor),
        "removed_request": [at] * len(removed["first"]),
        **removed,
        "bounded": [at],
        **_bounds(eligible),
    }


def _bounds(eligible: Sequence[Candidate]) -> dict[str, Numbers]:
    """Return what scores are scaled by; a broken clock far in the future must not take all recency to itself."""
    times = [
        one.created_at for one in eligible if one.created_at is not None and one.created_at < _YEAR_2100_US
    ]
    return {
        "most": [max(_lexical(one) for one in eligible)],
        "oldest": [min(times, default=0)],
        "newest": [max(times, default=0)],
    }


def _lexical(candidate: Candidate) -> float:
    return sum(match.term.weight for match in candidate.matches)


def identity_lists(candidates: Sequence[Candidate]) -> dict[str, Numbers]:
    """List what candidates are told apart and joined by, in their order."""
    alike: dict[str, int] = {}
    by_id = sorted(range(len(candidates)), key=lambda at: _identity(candidates[at]))
    place = [0] * len(candidates)
    for order, at in enumerate(by_id):
        place[at] = order
    return {
        "candidate": range(len(candidates)),
        "alike": [alike.setdefault(one.text_hash, len(alike)) for one in candidates],
        "place": place,
        "created_at": [one.created_at for one in candidates],
        "segment": [one.segment for one in candidates],
        "position": [one.position for one in candidates],
    }


def removed_lists(scope: Scope) -> dict[str, Numbers]:
    """List the intervals of the branch whose entries are removed from its context."""
    return {
        "removed_segment": [interval.segment for interval in scope.removed],
        "first": [interval.first for interval in scope.removed],
        "last": [interval.last for interval in scope.removed],
    }


def _candidate_lists(candidates: Sequence[Candidate], descriptor: Descriptor) -> dict[str, Numbers]:
    literals = [[match.term.term for match in one.matches if match.literal] for one in candidates]
    files, symbols, errors = map(frozenset, (descriptor.files, descriptor.symbols, descriptor.errors))
    return {
        "authority": [_AUTHORITY.get(one.role or "", _LEAST_AUTHORITY) for one in candidates],
        "tokens": [one.tokens for one in candidates],
        "terms": [len(one.matches) for one in candidates],
        "identifiers": [sum(term.kind == "identifier" for term in found) for found in literals],
        "phrases": [sum(term.kind == "phrase" for term in found) for found in literals],
        "files": [sum(term.text in files for term in found) for found in literals],
        "symbols": [sum(term.text in symbols for term in found) for found in literals],
        "errors": [sum(term.text in errors for term in found) for found in literals],
        "lexical": [_lexical(one) for one in candidates],
    }


def _identity(candidate: Candidate) -> tuple[str, int, int]:
    return candidate.entry_id, candidate.entry, candidate.passage
