"""Figures of ranked answers, and how sure they are."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

__all__ = [
    "average",
    "bootstrap_interval",
    "count_near_duplicates",
    "ndcg_at",
    "rank_of",
    "recall_at",
    "reciprocal_rank",
    "shingles",
    "with_interval",
]

_RESAMPLES = 1000
_SHINGLE = 5
_NEARLY_EQUAL = 0.8
_WORD = re.compile(r"\w+")


def rank_of(ranked: Sequence[str], relevant: Collection[str]) -> int | None:
    """Return the place of the first relevant id, counted from 1."""
    return next((at for at, one in enumerate(ranked, 1) if one in relevant), None)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 over the first relevant id's place, 0 without any."""
    rank = rank_of(ranked, relevant)
    return 1 / rank if rank else 0.0


def recall_at(ranked: Sequence[str], relevant: Collection[str], most: int) -> float:
    """Return the share of the relevant ids that are among the first ``most``."""
    return len(set(ranked[:most]) & set(relevant)) / len(relevant)


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], most: int) -> float:
    """Return nDCG with relevance 0 or 1 and a discount of log2 (place + 1)."""
    gained = sum(1 / math.log2(at + 1) for at, one in enumerate(ranked[:most], 1) if one in relevant)
    ideal = sum(1 / math.log2(at + 1) for at in range(1, min(most, len(relevant)) + 1))
    return gained / ideal


def average(values: Iterable[float]) -> float:
    """Return the mean, 0 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def bootstrap_interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """Return where the mean lies in 95 of 100 resamples: seeded, 1,000 of them."""
    if not values:
        return 0.0, 0.0
    rng = random.Random(seed)
    means = sorted(average(rng.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[int(_RESAMPLES * 0.025)], means[int(_RESAMPLES * 0.975) - 1]


def shingles(text: str) -> frozenset[str]:
    """Return a text's runs of five words; of a shorter text all its words in one."""
    words = _WORD.findall(text.lower())
    last = max(1, len(words) - _SHINGLE + 1)
    return frozenset(" ".join(words[at : at + _SHINGLE]) for at in range(last))


def count_near_duplicates(texts: Sequence[frozenset[str]]) -> int:
    """Count the texts that say nearly what an earlier one says: four in five of both's shingles are in both."""
    repeated: set[int] = set()
    for (_, first), (at, second) in combinations(enumerate(texts), 2):
        if at not in repeated and len(first & second) >= _NEARLY_EQUAL * len(first | second):
            repeated.add(at)
    return len(repeated)


def with_interval(values: Sequence[float]) -> str:
    """Write a mean with its interval."""
    low, high = bootstrap_interval(values)
    return f"{average(values):.3f} ({low:.3f}-{high:.3f})"
