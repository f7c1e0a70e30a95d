"""What a retrieval may be told to do otherwise; the defaults are those the quality benchmark chose (benchmarks/README.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["RankingName", "RetrievalSettings"]

RankingName = Literal["seed", "relevance"]


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """The settings of ``retrieval`` by name.

    ``ranking``: ``seed`` is the documented table of points, ``relevance`` lexical relevance alone. ``stems``: a word is
    found in its other forms, too. ``subtokens``: a name is found by its parts, however they are joined.
    ``near_duplicates``: of texts that differ in a few lines the first in order stays. ``tool_pairs``: a tool call and
    its results are one item.
    """

    ranking: RankingName = "seed"
    stems: bool = True
    subtokens: bool = True
    near_duplicates: bool = True
    tool_pairs: bool = True
