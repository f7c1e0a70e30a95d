"""Passages in the order of their evidence; texts are looked up only as far as that order needs them.

What the index says of a literal is the most that can be true of a passage. So passages are taken in the order of what
could be true, looked up some at a time, and given away as soon as no other one can come before them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import NamedTuple

from .bitsets import ascending, bits_of, descending, union
from .matching import find_literal, find_words
from .terms import SearchTerm

__all__ = ["Held", "PassageOrder"]

# Terms of one passage that earn points in the score; more weigh by their rarity alone.
_COUNTED_TERMS = 3
_LITERAL_LEVEL = _COUNTED_TERMS + 1

# Passages that are looked up at once, and in all; of those the oldest with a literal's words, where there are more.
_AT_ONCE = 64
_MOST_LOOKED_UP = 4000
_OLDEST_LOOKED_UP = 1000

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

    Postings are bits by a passage's place behind ``base``. ``read`` yields (passage, text, label) for some passages. ``texts`` holds what was read, ``dropped`` counts the
    passages that turned out to hold no term; ``is_whole`` is unset once a passage was too many to look at.
    """

    terms: Sequence[SearchTerm]
    postings: Mapping[int, int]
    base: int
    read: Callable[[Sequence[int]], Iterable[tuple[int, str, str]]]
    texts: dict[int, str] = field(default_factory=dict[int, str])
    dropped: int = 0
    is_whole: bool = True
    _weights: dict[int, float] = field(default_factory=dict[int, float])
    _in_text: Sequence[SearchTerm] = ()
    _asked: int = 0
    _uncertain: int = 0

    def __post_init__(self) -> None:
        """Find the terms that the index alone cannot tell."""
        self._in_text = [term for term in self.terms if term.is_literal or term.is_uncertain]
        self._asked = sum(1 << term.number for term in self._in_text)
        self._uncertain = sum(1 << term.number for term in self.terms if term.is_uncertain)

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
        given = 0
        for number, level in enumerate(self._levels()):
            places = self._looked_up_first(level) if number == 0 else self._by_weight(level & ~given)
            given |= level
            for place, terms in places:
                yield Held(self.base + place, terms, terms & literals)

    def _levels(self) -> Iterator[int]:
        """Yield sets of passages, each with less evidence than the one before; one may be in several."""
        yield union(self.postings[term.number] for term in self.terms if term.is_literal)
        # Passages with at least so many terms, the most first.
        counted = [0] * _COUNTED_TERMS
        for passages in self.postings.values():
            for more in range(_COUNTED_TERMS - 1):
                counted[more] |= counted[more + 1] & passages
            counted[-1] |= passages
        yield from counted

    def _looked_up_first(self, level: int) -> Iterator[tuple[int, int]]:
        """Yield the passages of literals; of more than are looked up, the oldest come before those in between.

        The first mention of a name says the most of it.
        """
        if level.bit_count() <= _MOST_LOOKED_UP:
            yield from self._by_weight(level)
            return
        first = list(islice(self._by_weight(level), _MOST_LOOKED_UP - _OLDEST_LOOKED_UP))
        yield from first
        left = level & ~bits_of((place for place, _ in first), level.bit_length())
        oldest = bits_of(islice(ascending(left), _OLDEST_LOOKED_UP), level.bit_length())
        yield from self._by_weight(oldest)
        yield from self._by_weight(left & ~oldest)

    def _by_weight(self, level: int) -> Iterator[tuple[int, int]]:
        """Yield places with their terms by the rarity of these, the newest first of equal ones.

        A set is split by one term after another, always the one next that may hold the rarest passages: only as many
        splits are made as passages are taken.
        """
        order = sorted((term.number for term in self.terms), key=lambda number: -self._weight(1 << number))
        left = [sum(1 << number for number in order[at:]) for at in range(len(order) + 1)]
        splits: list[tuple[float, int, int, int, int]] = [(-self._weight(left[0]), 0, 0, 0, level)]
        serial = 0
        weight, equal = 0.0, list[tuple[int, int]]()
        while splits:
            if equal and -splits[0][0] < weight:
                yield from _newest_first(equal)
                equal = []
            bound, _, at, terms, places = heapq.heappop(splits)
            if at == len(order):
                weight = -bound
                equal.append((places, terms))
                continue
            held = places & self.postings[order[at]]
            for part, more in ((held, 1 << order[at]), (places ^ held, 0)):
                if part:
                    serial += 1
                    most = self._weight(terms | more | left[at + 1])
                    heapq.heappush(splits, (-most, serial, at + 1, terms | more, part))
        if equal:
            yield from _newest_first(equal)

    def _evidence(self, held: Held) -> _Evidence:
        level = _LITERAL_LEVEL if held.literals else min(held.terms.bit_count(), _COUNTED_TERMS)
        return level, self._weight(held.terms), held.passage

    def _weight(self, terms: int) -> float:
        if terms not in self._weights:
            self._weights[terms] = sum(term.weight for term in self.terms if terms >> term.number & 1)
        return self._weights[terms]

    def _looked_up(self, batch: Sequence[Held]) -> Iterator[Held]:
        """Yield what stands of some passages once their texts are read."""
        unread = [held.passage for held in batch if held.terms & self._asked][
            : _MOST_LOOKED_UP - len(self.texts)
        ]
        labels: dict[int, str] = {}
        for passage, text, label in self.read(unread) if unread else ():
            self.texts[passage], labels[passage] = text, label
        for held in batch:
            if held.passage in labels:
                found = _look_up(held, self._in_text, self.texts[held.passage], labels[held.passage])
            else:
                # Without a look nothing is a literal, and several words are none that follow each other.
                found = Held(held.passage, held.terms & ~self._uncertain, 0)
                self.is_whole = self.is_whole and not held.terms & self._asked
            if found.terms:
                yield found
            else:
                self.dropped += 1


def _newest_first(groups: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the places of some sets, each with what its set goes with."""
    streams = [zip(descending(places), repeat(terms)) for places, terms in groups]
    return heapq.merge(*streams, reverse=True) if len(streams) > 1 else iter(streams[0])


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
