"""Postings to candidates: literals looked up in the text, then the passages with the most evidence, with their entries."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import apsw

from ..pipelines.passage_codec import PassageCodec
from ..pipelines.sqlite import rows
from .matching import find_literal, find_words
from .postings import Postings, read_postings
from .scope import Scope
from .sql import query_sql
from .terms import SearchTerm

__all__ = ["POOL", "Candidate", "Found", "Match", "find_candidates", "read_texts"]

# Passages that are ranked, unless more results are wanted: those with the most evidence.
POOL = 128

# Of a term's passages so many, the newest, are looked up in the text.
_MOST_LOOKED_UP = 4000
# An entry has at most so many passages in the pool; its best one counts.
_PASSAGES_AN_ENTRY = 3
# Terms of one passage that earn points in the score; more weigh by their rarity alone.
_COUNTED_TERMS = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A term found in a passage, as a ``literal`` or by its words."""

    term: SearchTerm
    literal: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage with its entry and what matched in it; ``entry`` is a row id, times are microseconds since 1970 UTC."""

    matches: tuple[Match, ...]
    passage: int
    entry: int
    entry_id: str
    role: str | None
    created_at: int | None
    tokens: int
    text_hash: str
    segment: int
    position: int
    type: str
    turn_group: int
    first_passage: int
    passages: int


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, most evidence first; ``matching`` counts the passages that the index gave, ``verified`` those that stand.

    ``texts`` holds the passages that were read on the way.
    """

    postings: Postings
    candidates: tuple[Candidate, ...] = ()
    matching: int = 0
    verified: int = 0
    texts: dict[int, str] = field(default_factory=dict[int, str])

    @property
    def passages(self) -> list[int]:
        """The candidates' passages."""
        return [one.passage for one in self.candidates]


def find_candidates(
    connection: apsw.Connection,
    codec: PassageCodec,
    scope: Scope,
    terms: Sequence[SearchTerm],
    pool: int = POOL,
) -> Found:
    """Find the passages of a scope that hold the terms, most evidence first; what the index cannot tell is looked up.

    At most ``pool`` candidates come back.
    """
    postings = read_postings(connection, scope, terms)
    holders = {number: set(passages) for number, passages in postings.eligible.items()}
    matching = len(set[int]().union(*holders.values()))
    literals: dict[int, set[int]] = {}
    texts: dict[int, str] = {}
    for term in postings.terms:
        if term.needs_text:
            looked_up = postings.eligible[term.number][-_MOST_LOOKED_UP:]
            found = read_texts(connection, codec, scope, looked_up)
            literals[term.number] = _look_up(term, found, holders[term.number], texts)
    ordered = _order_by_evidence(postings.terms, holders, literals, pool)
    candidates = _read_pool(connection, scope, postings.terms, ordered, holders, literals, pool)
    verified = len(set[int]().union(*holders.values()))
    return Found(postings, tuple(candidates), matching, verified, texts)


def _look_up(
    term: SearchTerm, found: Iterable[tuple[int, str, str]], holders: set[int], texts: dict[int, str]
) -> set[int]:
    """Return the passages that hold a literal, and drop from ``holders`` those with neither it nor its words together."""
    literal: set[int] = set()
    for passage, text, label in found:
        texts[passage] = text
        if term.is_literal and next(find_literal(text, term.term.text), None) is not None:
            literal.add(passage)
        elif next(find_words(f"{label}\n{text}", term.alternatives), None) is None:
            holders.discard(passage)
    return literal


def read_texts(
    connection: apsw.Connection, codec: PassageCodec, scope: Scope, passages: Sequence[int]
) -> Iterator[tuple[int, str, str]]:
    """Yield passages with their texts and labels, in no promised order."""
    wanted = {"ids": json.dumps(passages), "base": scope.session.base}
    for passage, body, label in rows(connection, query_sql("select_texts"), wanted):
        yield passage, codec.unpack(body), label


def _order_by_evidence(
    terms: Sequence[SearchTerm], holders: dict[int, set[int]], literals: dict[int, set[int]], enough: int
) -> list[int]:
    """Order passages: those that hold a literal, then by number of terms as the score counts them, then by rarity.

    Of equal evidence the newest comes first. Whole levels of evidence, as many as give ``enough`` passages, are put
    in order; the rest follows as it comes.
    """
    literal = set[int]().union(*literals.values())
    ordered: list[int] = []
    for level in (literal, *_by_count(holders.values())):
        fresh = level.difference(ordered)
        if len(ordered) >= enough:
            ordered += sorted(fresh, reverse=True)
            continue
        counted = [(term.weight, holders[term.number]) for term in terms]
        ordered += sorted(
            fresh,
            key=lambda passage: (sum(weight for weight, held in counted if passage in held), passage),
            reverse=True,
        )
    return ordered


def _by_count(holders: Iterable[set[int]]) -> list[set[int]]:
    """Return the passages in at least three, two and one of some sets."""
    at_least: list[set[int]] = [set() for _ in range(_COUNTED_TERMS)]
    for held in holders:
        for more, fewer in pairwise(reversed(at_least)):
            more |= fewer & held
        at_least[0] |= held
    return at_least[::-1]


def _read_pool(
    connection: apsw.Connection,
    scope: Scope,
    terms: Sequence[SearchTerm],
    ordered: Sequence[int],
    holders: dict[int, set[int]],
    literals: dict[int, set[int]],
    most: int,
) -> list[Candidate]:
    """Read passages in order until the pool is full; an entry of many passages does not crowd out others."""
    candidates: list[Candidate] = []
    of_entry: dict[int, int] = {}
    for start in range(0, len(ordered), most):
        for passage, entry, *of_it in _read_entries(connection, scope, ordered[start : start + most]):
            of_entry[entry] = of_entry.get(entry, 0) + 1
            if of_entry[entry] > _PASSAGES_AN_ENTRY:
                continue
            matches = tuple(
                Match(term, passage in literals.get(term.number, ()))
                for term in terms
                if passage in holders[term.number]
            )
            candidates.append(Candidate(matches, passage, entry, *of_it))
            if len(candidates) == most:
                return candidates
    return candidates


def _read_entries(
    connection: apsw.Connection, scope: Scope, passages: Collection[int]
) -> list[tuple[Any, ...]]:
    wanted = {"ids": json.dumps(list(passages)), "base": scope.session.base}
    found = list(rows(connection, query_sql("select_candidates"), wanted))
    if len(found) != len(passages):
        # A search that left out what the index knows would pass for an answer.
        raise apsw.CorruptError("the word index has passages that are not there")
    return found
