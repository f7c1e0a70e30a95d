"""Postings to candidates: the passages with the most evidence, with their entries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import apsw

from ..pipelines.passage_codec import PassageCodec
from ..pipelines.sqlite import rows
from .known_postings import KnownPostings
from .passage_order import Held, PassageOrder
from .postings import Postings, read_postings
from .scope import Scope
from .sql import query_sql
from .terms import SearchTerm

__all__ = ["POOL", "Candidate", "Found", "Match", "find_candidates", "read_texts"]

# Passages that are ranked, unless more results are wanted: those with the most evidence.
POOL = 128

# An entry has at most so many passages in the pool; its best one counts.
_PASSAGES_AN_ENTRY = 3


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
    """Candidates, most evidence first, and the ``texts`` of the passages that were read on the way.

    ``matching`` counts the passages that the index gave, ``verified`` those of them that were not found without any
    term when they were looked up; with ``whole`` unset there were too many to look at all.
    """

    postings: Postings
    candidates: tuple[Candidate, ...] = ()
    matching: int = 0
    verified: int = 0
    whole: bool = True
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
    known: KnownPostings | None = None,
) -> Found:
    """Find the passages of a scope that hold the terms, most evidence first; what the index cannot tell is looked up.

    At most ``pool`` candidates come back. ``known`` are postings read before.
    """
    postings = read_postings(connection, scope, terms, known)
    order = PassageOrder(
        postings.terms,
        postings.eligible,
        postings.base,
        lambda passages: read_texts(connection, codec, scope, passages),
    )
    candidates = tuple(islice(_candidates(connection, scope, order, pool), pool))
    matching = postings.matching
    return Found(postings, candidates, matching, matching - order.dropped, order.is_whole, order.texts)


def read_texts(
    connection: apsw.Connection, codec: PassageCodec, scope: Scope, passages: Sequence[int]
) -> Iterator[tuple[int, str, str]]:
    """Yield passages with their texts and labels, in no promised order."""
    wanted = {"ids": json.dumps(passages), "base": scope.session.base}
    found = 0
    for passage, body, label in rows(connection, query_sql("select_texts"), wanted):
        found += 1
        yield passage, codec.unpack(body), label
    _check_all_there(found, passages)


def _candidates(
    connection: apsw.Connection, scope: Scope, order: PassageOrder, at_once: int
) -> Iterator[Candidate]:
    """Yield candidates in order; an entry of many passages does not crowd out others."""
    matches: dict[tuple[int, int], tuple[Match, ...]] = {}
    of_entry: dict[int, int] = {}
    passages = order.passages()
    while held := list(islice(passages, at_once)):
        for one, (passage, entry, *of_it) in zip(held, _read_entries(connection, scope, held), strict=True):
            of_entry[entry] = of_entry.get(entry, 0) + 1
            if of_entry[entry] > _PASSAGES_AN_ENTRY:
                continue
            key = one.terms, one.literals
            if key not in matches:
                matches[key] = tuple(_matches(order.terms, one))
            yield Candidate(matches[key], passage, entry, *of_it)


def _matches(terms: Iterable[SearchTerm], held: Held) -> Iterator[Match]:
    for term in terms:
        if held.terms >> term.number & 1:
            yield Match(term, bool(held.literals >> term.number & 1))


def _read_entries(connection: apsw.Connection, scope: Scope, held: Sequence[Held]) -> list[tuple[Any, ...]]:
    wanted = {"ids": json.dumps([one.passage for one in held]), "base": scope.session.base}
    found = list(rows(connection, query_sql("select_candidates"), wanted))
    _check_all_there(len(found), held)
    return found


def _check_all_there(found: int, wanted: Sequence[object]) -> None:
    """Raise ``CorruptError`` unless all were found: a search without what the index knows would pass for an answer."""
    if found != len(wanted):
        raise apsw.CorruptError("the word index has passages that are not there")
