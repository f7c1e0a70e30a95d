"""Where a hit's terms stand in its excerpt: what ``--explain`` shows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from .candidates import Match
from .excerpt import match_spans

__all__ = ["describe_matches"]

# Of a term that stands everywhere some places say enough.
_MOST_PLACES = 3


def describe_matches(matches: Sequence[Match], excerpt: str) -> list[dict[str, Any]]:
    """Describe each match, in the order of the request's terms.

    Has ``term``, its ``kind``, ``literal``, ``weight`` (its rarity in the session), ``times`` in the excerpt, and
    ``places``: of the first few ``line`` and ``column``, counted from 1 in code points, and the ``text`` that stands
    there, which may be another form of the word. One without a place stands in the label of a tool call, or in a part
    of the entry that the excerpt leaves out.
    """
    starts = [0, *(at + 1 for at, character in enumerate(excerpt) if character == "\n")]
    return [_describe(match, excerpt, starts) for match in matches]


def _describe(match: Match, excerpt: str, starts: Sequence[int]) -> dict[str, Any]:
    term = match.term
    spans = match_spans(excerpt, [(0, term.term.text, term.alternatives, match.literal)])
    places: list[dict[str, Any]] = []
    for start, end, _ in spans[:_MOST_PLACES]:
        line = bisect_right(starts, start)
        places.append({"line": line, "column": start - starts[line - 1] + 1, "text": excerpt[start:end]})
    return {
        "term": term.term.text,
        "kind": term.term.kind,
        "literal": match.literal,
        "weight": round(term.weight, 3),
        "times": len(spans),
        "places": places,
    }
