"""Candidates to hits: the branch join, the documented score, the order and the removal of equal texts, in DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from .arrow import arrow_table
from .candidates import Candidate, Found, Match, SearchTerm
from .descriptor import Descriptor
from .scope import Scope
from .sql import query_sql

__all__ = ["TIERS", "RankedHit", "Ranking", "rank_hits"]

TIERS = {2: "literal-identifier", 1: "literal-phrase", 0: "lexical"}

_COMPONENTS = (
    "exact", "phrase", "fts", "extra_matches", "branch", "files", "symbols", "errors", "authority", "recency",
    "length",
)  # fmt: skip

_YEAR_2100_US = 4_102_444_800_000_000

# A candidate with its verified matches.
Matched = tuple[Candidate, tuple[tuple[SearchTerm, Match], ...]]


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A ranked entry with its best passage and what matched there."""

    candidate: Candidate
    tier: str
    score: float
    components: dict[str, float]
    matches: tuple[tuple[SearchTerm, Match], ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in order, equal texts once; ``duplicates`` counts those left out."""

    hits: tuple[RankedHit, ...] = ()
    duplicates: int = 0


def rank_hits(
    engine: duckdb.DuckDBPyConnection, scope: Scope, descriptor: Descriptor, found: Found
) -> Ranking:
    """Rank the candidates that are on the branch and removed from its context: a total order.

    Score and tiers are the table in README.md; what stands above 60 for a full-text match is the passage's sum
    of term rarities, scaled to 0-10 by the best of the candidates.
    """
    matched = _with_matches(found)
    eligible = [one for one in matched.values() if scope.holds(one[0].segment, one[0].position)]
    if not eligible:
        return Ranking()
    engine.register("candidates", _candidates_table(list(matched.values()), descriptor))
    engine.register("removed", _removed_table(scope))
    rows = engine.execute(query_sql("rank_hits"), _bounds(eligible)).fetchall()
    hits = tuple(
        RankedHit(
            matched[passage][0],
            TIERS[tier],
            score,
            dict(zip(_COMPONENTS, components, strict=True)),
            matched[passage][1],
        )
        for passage, _, tier, score, *components, copy in rows
        if copy == 0
    )
    return Ranking(hits, len({entry for _, entry, *_ in rows}) - len(hits))


def _with_matches(found: Found) -> dict[int, Matched]:
    """Put each candidate's verified matches beside it; one without any cannot qualify."""
    terms = {term.number: term for term in found.terms}
    matches: dict[int, list[tuple[SearchTerm, Match]]] = {}
    for match in found.matches:
        matches.setdefault(match.passage, []).append((terms[match.term], match))
    return {
        one.passage: (one, tuple(matches[one.passage])) for one in found.candidates if one.passage in matches
    }


def _bounds(matched: Sequence[Matched]) -> dict[str, float]:
    """Return what scores are scaled by; a broken clock far in the future must not take all recency to itself."""
    times = [
        one.created_at for one, _ in matched if one.created_at is not None and one.created_at < _YEAR_2100_US
    ]
    return {
        "most": max(sum(term.weight for term, _ in matches) for _, matches in matched),
        "oldest": min(times, default=0),
        "newest": max(times, default=0),
    }


def _candidates_table(matched: Sequence[Matched], descriptor: Descriptor) -> Any:
    candidates = [candidate for candidate, _ in matched]
    literals = [[term.term for term, match in matches if match.literal] for _, matches in matched]
    return arrow_table(
        passage=("int64", [one.passage for one in candidates]),
        entry=("int64", [one.entry for one in candidates]),
        entry_id=("string", [one.entry_id for one in candidates]),
        role=("string", [one.role for one in candidates]),
        created_at=("int64", [one.created_at for one in candidates]),
        tokens=("int64", [one.tokens for one in candidates]),
        text_hash=("string", [one.text_hash for one in candidates]),
        segment=("int64", [one.segment for one in candidates]),
        position=("int64", [one.position for one in candidates]),
        terms=("int64", [len(matches) for _, matches in matched]),
        lexical=("float64", [sum(term.weight for term, _ in matches) for _, matches in matched]),
        identifiers=("int64", [sum(term.kind == "identifier" for term in found) for found in literals]),
        phrases=("int64", [sum(term.kind == "phrase" for term in found) for found in literals]),
        files=("int64", [sum(term.text in descriptor.files for term in found) for found in literals]),
        symbols=("int64", [sum(term.text in descriptor.symbols for term in found) for found in literals]),
        errors=("int64", [sum(term.text in descriptor.errors for term in found) for found in literals]),
    )


def _removed_table(scope: Scope) -> Any:
    return arrow_table(
        segment=("int64", [interval.segment for interval in scope.removed]),
        first=("int64", [interval.first for interval in scope.removed]),
        last=("int64", [interval.last for interval in scope.removed]),
    )
