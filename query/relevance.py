"""Candidates to hits by lexical relevance alone: no points for literals, roles or age (``retrieval.ranking = relevance``).

BM25 over passages, each term counted once or twice; what the dialogue around an entry says counts in part, and the share
of the request's terms that is covered raises a score. An entry that ends with a question asks rather than tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from .candidates import Candidate, Found
from .excerpt import match_spans
from .prepared import Numbers, PreparedQueries
from .ranking import RankedHit, Ranking, identity_lists, removed_lists
from .scope import Scope

__all__ = ["RELEVANCE_POOL", "rank_by_relevance"]

# An entry's neighbours must be candidates, too, so that the pool is larger than for the points.
RELEVANCE_POOL = 512

# What an entry gets of what is said so many entries before (positive) or behind it: 760 questions on long dialogues
# are answered best with about these (benchmarks/README.md).
_SHARES = {0: 1.0, 1: 0.5, -1: 0.4, 2: 0.3, -2: 0.2, 3: 0.15, -3: 0.1}
_DIALOGUE = frozenset({"user", "assistant"})
_MOST_TIMES = 2


def rank_by_relevance(queries: PreparedQueries, scope: Scope, found: Found) -> Ranking:
    """Rank the candidates that are on the branch and removed from its context: a total order.

    ``found`` has the texts of all its candidates. The tier is said as in the other ranking but orders nothing.
    """
    candidates = [one for one in found.candidates if one.matches]
    eligible = [one for one in candidates if scope.holds(one.segment, one.position)]
    if not eligible:
        return Ranking(off_branch=len(candidates))
    lists = {
        **identity_lists(candidates),
        **_candidate_lists(candidates, found),
        **_match_lists(candidates, found),
        **removed_lists(scope),
    }
    hits = tuple(
        RankedHit(
            candidates[int(at)],
            _tier(candidates[int(at)]),
            score,
            {"lexical": lexical, "coverage": coverage, "question": question},
        )
        for at, score, lexical, coverage, question in queries.run("rank_relevance", **lists)
    )
    entries = len({one.entry for one in eligible})
    return Ranking(hits, entries - len(hits), len(candidates) - len(eligible))


def _candidate_lists(candidates: Sequence[Candidate], found: Found) -> dict[str, Numbers]:
    tokens = [one.tokens for one in candidates]
    return {
        "tokens": tokens,
        "dialogue": [int(one.role in _DIALOGUE) for one in candidates],
        "asks": [int(found.texts[one.passage].rstrip().endswith("?")) for one in candidates],
        "length": [max(sum(tokens) / len(tokens), 1)],
        "distance": list(_SHARES),
        "share": list(_SHARES.values()),
    }


def _match_lists(candidates: Sequence[Candidate], found: Found) -> dict[str, Numbers]:
    terms = found.postings.terms
    matches = [
        (at, match.term.number, times)
        for at, one in enumerate(candidates)
        for match, times in zip(one.matches, _times(one, found.texts[one.passage]), strict=True)
    ]
    return {
        "holder": [at for at, _, _ in matches],
        "term": [number for _, number, _ in matches],
        "times": [times for _, _, times in matches],
        "number": [term.number for term in terms],
        "weight": [term.weight for term in terms],
        "total": [sum(term.weight for term in terms)],
    }


def _times(candidate: Candidate, text: str) -> list[int]:
    """Count each match in the text, once at least: it may stand in the label."""
    numbered = ((at, "", match.term.alternatives, False) for at, match in enumerate(candidate.matches))
    counts = [0] * len(candidate.matches)
    for _, _, at in match_spans(text, numbered):
        counts[at] += 1
    return [min(max(count, 1), _MOST_TIMES) for count in counts]


def _tier(candidate: Candidate) -> str:
    kinds = {match.term.term.kind for match in candidate.matches if match.literal}
    if "identifier" in kinds:
        return "literal-identifier"
    return "literal-phrase" if "phrase" in kinds else "lexical"
