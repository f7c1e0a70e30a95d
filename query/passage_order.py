"""Passages in the order of their evidence; texts are looked up only as far as that order needs them.

What the index says of a literal is the most that can be true of a passage. So passages are taken in the order of what
could be true, looked up some at a time, and given away as soon as no other one can come before them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import NamedTuple

from .matching import find_literal, find_words
from .terms import SearchTerm

__all__ = ["Held", "PassageOrder"]

# Terms of one passage that earn points in the score; more weigh by their rarity alone.
_COUNTED_TERMS = 3
_LITERAL_LEVEL = _COUNTED_TERMS + 1

# Passages that are looked up at once, and in all.
_AT_ONCE = 64
_MOST_LOOKED_UP = 4000

# How much evidence a passage is: its level, the rarity of its terms, and its id, as newer ones come first.
_Evidence = tuple[int, float, int]


class Held(NamedTuple):
    """A passage with the terms it holds and those that stand in it as literals: a bit for each term's number."""

    passage: int
    terms: int
    literals: int


@dataclass(slots=True)
class PassageOrder:
    """The passages of one search: ``terms`` with their weights, and the ``postings`` of each by its number.

    ``read`` yields (passage, text, label) for some passages. ``texts`` holds what was read, ``dropped`` counts the
    passages that turned out to hold no term.
    """

    terms: Sequence[SearchTerm]
    postings: Mapping[int, Sequence[int]]
    read: Callable[[Sequence[int]], Iterable[tuple[int, str, str]]]
    texts: dict[int, str] = field(default_factory=dict[int, str])
    dropped: int = 0
    _weights: dict[int, float] = field(default_factory=dict[int, float])
    _in_text: Sequence[SearchTerm] = ()

    def __post_init__(self) -> None:
        """Find the terms that the index alone cannot tell."""
        self._in_text = [term for term in self.terms if term.needs_text]

    def passages(self) -> Iterator[Held]:
        """Yield passages: those with a literal, then by number of terms as the score counts them, then by rarity.

        Of equal evidence the newest comes first.
        """
        likely = self._likely()
        waiting: list[tuple[tuple[int, float, int], Held]] = []
        batch = list(islice(likely, _AT_ONCE))
        while batch:
            for held in self._looked_up(batch):
                level, weight, passage = self._evidence(held)
                heapq.heappush(waiting, ((-level, -weight, -passage), held))
            batch = list(islice(likely, _AT_ONCE))
            level, weight, passage = self._evidence(batch[0]) if batch else (0, 0.0, 0)
            while waiting and (not batch or waiting[0][0] <= (-level, -weight, -passage)):
                yield heapq.heappop(waiting)[1]

    def _likely(self) -> Iterator[Held]:
        """Yield all passages by what the index says of them: the most evidence that each can be."""
        literals = sum(1 << term.number for term in self.terms if term.is_literal)
        holding = {term.number: set(self.postings[term.number]) for term in self.terms}
        given: set[int] = set()
        for level in self._levels(holding):
            fresh = level - given
            given |= fresh
            alike: dict[int, list[int]] = {}
            for passage, terms in _terms_of(fresh, holding).items():
                alike.setdefault(terms, []).append(passage)
            by_weight: dict[float, list[int]] = {}
            for terms in alike:
                by_weight.setdefault(self._weight(terms), []).append(terms)
            for weight in sorted(by_weight, reverse=True):
                equal = [(passage, terms) for terms in by_weight[weight] for passage in alike[terms]]
                for passage, terms in sorted(equal, reverse=True):
                    yield Held(passage, terms, terms & literals)

    def _levels(self, holding: Mapping[int, set[int]]) -> Iterator[set[int]]:
        """Yield sets of passages, each with less evidence than the one before; one may be in several."""
        literal = set[int]().union(*(holding[term.number] for term in self.terms if term.is_literal))
        if literal:
            yield literal
        # Passages with at least so many terms, the most first.
        counted: list[set[int]] = [set() for _ in range(_COUNTED_TERMS)]
        for passages in holding.values():
            for more, fewer in pairwise(counted):
                more |= fewer & passages
            counted[-1] |= passages
        yield from counted

    def _evidence(self, held: Held) -> _Evidence:
        level = _LITERAL_LEVEL if held.literals else min(held.terms.bit_count(), _COUNTED_TERMS)
        return level, self._weight(held.terms), held.passage

    def _weight(self, terms: int) -> float:
        if terms not in self._weights:
            self._weights[terms] = sum(term.weight for term in self.terms if terms >> term.number & 1)
        return self._weights[terms]

    def _looked_up(self, batch: Sequence[Held]) -> Iterator[Held]:
        """Yield what stands of some passages once their texts are read."""
        in_text = self._in_text
        asked = sum(1 << term.number for term in in_text)
        unread = [held.passage for held in batch if held.terms & asked][: _MOST_LOOKED_UP - len(self.texts)]
        labels: dict[int, str] = {}
        for passage, text, label in self.read(unread) if unread else ():
            self.texts[passage], labels[passage] = text, label
        for held in batch:
            if held.passage not in labels:
                # Without a look nothing is a literal.
                yield Held(held.passage, held.terms, 0)
                continue
            found = _look_up(held, in_text, self.texts[held.passage], labels[held.passage])
            if found.terms:
                yield found
            else:
                self.dropped += 1


def _terms_of(passages: set[int], holding: Mapping[int, set[int]]) -> dict[int, int]:
    """Return the terms that some passages hold, as bits."""
    held = dict.fromkeys(passages, 0)
    for number, those in holding.items():
        bit = 1 << number
        for passage in passages & those:
            held[passage] |= bit
    return held


def _look_up(held: Held, in_text: Iterable[SearchTerm], text: str, label: str) -> Held:
    """Return a passage with those of its terms that stand in its text, as literals or by their words."""
    terms, literals = held.terms, 0
    labelled = f"{label}\n{text}"
    for term in in_text:
        bit = 1 << term.number
        if not terms & bit:
            continue
        if term.is_literal and next(find_literal(text, term.term.text), None) is not None:
            literals |= bit
        elif next(find_words(labelled, term.alternatives), None) is None:
            terms &= ~bit
    return Held(held.passage, terms, literals)
