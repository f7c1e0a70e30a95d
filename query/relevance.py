"""Candidates to hits by lexical relevance alone: no points for literals, roles or age (``retrieval.ranking = relevance``).

BM25 over passages, each term counted once or twice; what the dialogue around an entry says counts in part, and the share
of the request's terms that is covered raises a score. An entry that ends with a question asks rather than tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .candidates import Candidate, Found
from .matching import Alternatives, find_parts, find_words
from .prepared import PreparedQueries
from .ranking import Asked, RankedHit, Ranking, identities, removed_rows

__all__ = ["RELEVANCE_POOL", "rank_by_relevance"]

# An entry's neighbours must be candidates, too, so that the pool is larger than for the points.
RELEVANCE_POOL = 512

# What an entry gets of what is said so many entries before (positive) or behind it: 760 questions on long dialogues
# are answered best with about these (benchmarks/README.md).
_SHARES = {0: 1.0, 1: 0.5, -1: 0.4, 2: 0.3, -2: 0.2, 3: 0.15, -3: 0.1}
_DIALOGUE = frozenset({"user", "assistant"})
_MOST_TIMES = 2

_Row = tuple[int | float | None, ...]


def rank_by_relevance(queries: PreparedQueries, asked: Sequence[Asked]) -> list[Ranking]:
    """Rank each request's candidates that are on its branch and removed from its context: a total order.

    What was found has the texts of all its candidates. The tier is said as in the other ranking but orders nothing.
    Requests are ranked in one statement, each as if it were alone.
    """
    candidates = [one.candidates for one in asked]
    eligible = [one.eligible(found) for one, found in zip(asked, candidates, strict=True)]
    relations: dict[str, list[_Row]] = {
        name: [] for name in ("requests", "terms", "candidates", "matches", "removed")
    }
    for at, one in enumerate(asked):
        if eligible[at]:
            terms = one.found.postings.terms
            mean_tokens = sum(candidate.tokens for candidate in candidates[at]) / len(candidates[at])
            relations["requests"].append((at, max(mean_tokens, 1), sum(term.weight for term in terms)))
            relations["terms"] += [(at, term.number, term.weight) for term in terms]
            relations["candidates"] += _candidate_rows(at, one.found, candidates[at])
            relations["matches"] += _match_rows(at, one.found, candidates[at])
            relations["removed"] += removed_rows(at, one.scope)
    hits: list[list[RankedHit]] = [list[RankedHit]() for _ in asked]
    if relations["candidates"]:
        ranked = queries.run("rank_relevance", neighbours=list(_SHARES.items()), **relations)
        for at, place, score, lexical, coverage, question in ranked:
            candidate = candidates[int(at)][int(place)]
            components = {"lexical": lexical, "coverage": coverage, "question": question}
            hits[int(at)].append(RankedHit(candidate, _tier(candidate), score, components))
    return [
        Ranking(tuple(ranked), len({one.entry for one in chosen}) - len(ranked), len(found) - len(chosen))
        for ranked, chosen, found in zip(hits, eligible, candidates, strict=True)
    ]


def _candidate_rows(at: int, found: Found, candidates: Sequence[Candidate]) -> Iterator[_Row]:
    for identity, one in zip(identities(at, candidates), candidates, strict=True):
        asks = int(found.texts[one.passage].rstrip().endswith("?"))
        yield *identity, one.tokens, int(one.role in _DIALOGUE), asks


def _match_rows(at: int, found: Found, candidates: Sequence[Candidate]) -> Iterator[_Row]:
    for number, one in enumerate(candidates):
        for match, times in zip(one.matches, _times(one, found.texts[one.passage]), strict=True):
            yield at, number, match.term.number, times


def _times(candidate: Candidate, text: str) -> list[int]:
    """Count each match in the text, once at least: it may stand in the label."""
    return [max(_count(text, match.term.alternatives), 1) for match in candidate.matches]


def _count(text: str, alternatives: Alternatives) -> int:
    words = islice(find_words(text, alternatives), _MOST_TIMES)
    return sum(1 for _ in words) or sum(1 for _ in islice(find_parts(text, alternatives), _MOST_TIMES))


def _tier(candidate: Candidate) -> str:
    kinds = {match.term.term.kind for match in candidate.matches if match.literal}
    if "identifier" in kinds:
        return "literal-identifier"
    return "literal-phrase" if "phrase" in kinds else "lexical"
