"""A descriptor's terms to candidates: postings within the eligible ranges, the best of them verified by text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import apsw
import duckdb

from ..pipelines.index_text import index_text, is_unspaced
from ..pipelines.passage_codec import PassageCodec
from ..pipelines.sqlite import rows, value
from .arrow import arrow_table
from .descriptor import Descriptor, Term
from .matching import find_literal, find_words, split_words
from .scope import Range, Scope
from .sql import query_sql

__all__ = ["Candidate", "Match", "SearchTerm", "count_matches", "find_candidates", "prepare_terms"]

# Passages whose text is verified and ranked: those with the most evidence.
POOL = 400

# Of a literal's passages so many, the newest, are looked up in the text before the pool is cut.
_MOST_LOOKED_UP = 4000
# An entry has at most so many passages in a full pool, which is refilled at most so often.
_PASSAGES_AN_ENTRY = 8
_POOL_ROUNDS = 4
_LITERAL_KINDS = frozenset({"identifier", "phrase"})

_TOKENIZER = "unicode61"
_TOKENIZER_OPTIONS = ["remove_diacritics", "2"]
# What the index makes of operators: two or three bytes in hex.
_OPERATOR_WORD = re.compile(r"zp(?:[2-7][0-9a-f]){2,3}")


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A term, the FTS5 query for its words, the words as texts spell them, and how rare it is in the scope."""

    number: int
    term: Term
    match: str
    words: tuple[str, ...]
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Match:
    """A term found in a passage's text, as a ``literal`` or by its words."""

    passage: int
    term: int
    literal: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage with its entry; ``entry`` is a row id, times are microseconds since 1970 UTC."""

    passage: int
    start: int
    text: str
    entry: int
    entry_id: str
    role: str | None
    created_at: int | None
    tokens: int
    text_hash: str
    label: str
    segment: int
    position: int
    type: str
    first_passage: int
    passages: int


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates with their verified matches; ``matching`` counts the passages that the index gave."""

    candidates: tuple[Candidate, ...] = ()
    matches: tuple[Match, ...] = ()
    terms: tuple[SearchTerm, ...] = ()
    matching: int = 0


def prepare_terms(connection: apsw.Connection, descriptor: Descriptor) -> tuple[SearchTerm, ...]:
    """Spell a descriptor's terms as the word index does; one without any word cannot be searched."""
    tokenize: Any = connection.fts5_tokenizer(_TOKENIZER, _TOKENIZER_OPTIONS)

    def spell(text: str) -> list[str]:
        encoded = text.encode("utf-8", "replace")
        return [word for _, _, word in tokenize(encoded, apsw.FTS5_TOKENIZE_QUERY, None)]

    prepared: list[SearchTerm] = []
    for term in descriptor.terms:
        match = " ".join(_quoted_words(term.text, spell))
        if match:
            prepared.append(SearchTerm(len(prepared), term, match, split_words(term.text)))
    return tuple(prepared)


def _quoted_words(text: str, spell: Callable[[str], list[str]]) -> list[str]:
    """Quote the words that any text with the term has in the index, all of them wanted.

    In a script without spaces those are the pairs inside a run: whether its last character ends a run of the
    text, too, is not known. A run of one character begins a pair or ends a run.
    """
    quoted: list[str] = []
    for unspaced, characters in groupby(text, key=is_unspaced):
        run = "".join(characters)
        if not unspaced:
            quoted.extend(f'"{word}"' for word in spell(index_text(run)))
        elif len(run) == 1:
            quoted.extend(f'"{word}"*' for word in spell(run))
        else:
            quoted.extend(f'"{word}"' for at in range(len(run) - 1) for word in spell(run[at : at + 2]))
    spoken = [word for word in quoted if not _OPERATOR_WORD.fullmatch(word.strip('"*'))]
    return spoken or quoted


def find_candidates(
    connection: apsw.Connection,
    codec: PassageCodec,
    engine: duckdb.DuckDBPyConnection,
    scope: Scope,
    terms: Sequence[SearchTerm],
) -> Found:
    """Find the passages of a scope that hold the terms, most evidence first, each match verified by its text."""
    postings = {term.number: _postings(connection, term, scope.eligible) for term in terms}
    weighted = _weigh(terms, postings, sum(last - first + 1 for first, last in scope.eligible))
    matching = len(set[int]().union(*postings.values()))
    literals = _verify_literals(connection, codec, scope, weighted, postings)
    candidates = _read_pool(connection, codec, engine, scope, weighted, postings, literals)
    holders = {number: set(passages) for number, passages in postings.items()}
    matches = [
        match
        for candidate in candidates
        for term in weighted
        if candidate.passage in holders[term.number] and (match := _verify(candidate, term)) is not None
    ]
    return Found(tuple(candidates), tuple(matches), weighted, matching)


def _verify_literals(
    connection: apsw.Connection,
    codec: PassageCodec,
    scope: Scope,
    terms: Sequence[SearchTerm],
    postings: dict[int, list[int]],
) -> set[int]:
    """Look literals up in the text before the pool is cut, when not all that matches fits into it.

    Drops from ``postings`` the passages that hold a literal's words but not the literal nor the words together,
    and returns those that hold a literal: the index knows neither case nor order.
    """
    found: set[int] = set()
    if len(set[int]().union(*postings.values())) <= POOL:
        return found
    for term in terms:
        if term.term.kind not in _LITERAL_KINDS:
            continue
        looked_up = postings[term.number][-_MOST_LOOKED_UP:]
        matches = [
            match
            for candidate in _read_candidates(connection, codec, scope, looked_up)
            if (match := _verify(candidate, term)) is not None
        ]
        found.update(match.passage for match in matches if match.literal)
        rest = postings[term.number][: -len(looked_up) or None] if looked_up else []
        postings[term.number] = [*rest, *(match.passage for match in matches)]
    return found


def _read_pool(
    connection: apsw.Connection,
    codec: PassageCodec,
    engine: duckdb.DuckDBPyConnection,
    scope: Scope,
    terms: Sequence[SearchTerm],
    postings: dict[int, list[int]],
    literals: set[int],
) -> list[Candidate]:
    """Read the pool; an entry of many passages keeps a few of the best, so that it does not crowd out others."""
    left_out: set[int] = set()
    candidates: list[Candidate] = []
    for _ in range(_POOL_ROUNDS):
        open_postings = {
            number: [passage for passage in found if passage not in left_out]
            for number, found in postings.items()
        }
        pool = _select_pool(engine, open_postings, terms, literals)
        candidates = _read_candidates(connection, codec, scope, pool)
        crowding = _crowding(candidates, pool) if len(pool) == POOL else set[int]()
        if not crowding:
            break
        left_out |= crowding
    return candidates


def _crowding(candidates: Sequence[Candidate], pool: Sequence[int]) -> set[int]:
    """Return the passages of entries that have more than a few in the pool, but for their best."""
    order = {passage: at for at, passage in enumerate(pool)}
    of_entry: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        of_entry.setdefault(candidate.entry, []).append(candidate)
    crowding: set[int] = set()
    for several in of_entry.values():
        if len(several) > _PASSAGES_AN_ENTRY:
            best = sorted(several, key=lambda one: order[one.passage])[:_PASSAGES_AN_ENTRY]
            first, count = several[0].first_passage, several[0].passages
            crowding |= set(range(first, first + count)) - {one.passage for one in best}
    return crowding


def count_matches(connection: apsw.Connection, terms: Sequence[SearchTerm], ranges: Sequence[Range]) -> int:
    """Count the passages of some ranges in which any of the terms' words stand."""
    if not terms or not ranges:
        return 0
    match = " OR ".join(f"({term.match})" for term in terms)
    return int(value(connection, query_sql("count_postings"), _bound(match, ranges)))


def _postings(connection: apsw.Connection, term: SearchTerm, ranges: Sequence[Range]) -> list[int]:
    if not ranges:
        return []
    found = rows(connection, query_sql("select_postings"), _bound(term.match, ranges))
    return [passage for (passage,) in found]


def _bound(match: str, ranges: Sequence[Range]) -> dict[str, str]:
    return {"match": match, "ranges": json.dumps(ranges)}


def _weigh(
    terms: Sequence[SearchTerm], postings: dict[int, list[int]], passages: int
) -> tuple[SearchTerm, ...]:
    """Weigh each term by its rarity in the scope: the idf of BM25, never negative."""
    return tuple(
        replace(
            term,
            weight=math.log(
                1 + (passages - len(postings[term.number]) + 0.5) / (len(postings[term.number]) + 0.5)
            ),
        )
        for term in terms
    )


def _select_pool(
    engine: duckdb.DuckDBPyConnection,
    postings: dict[int, list[int]],
    terms: Sequence[SearchTerm],
    literals: set[int],
) -> list[int]:
    passages = [passage for found in postings.values() for passage in found]
    if not passages:
        return []
    numbers = [number for number, found in postings.items() for _ in found]
    engine.register(
        "matches",
        arrow_table(
            passage=("int64", passages),
            term=("int32", numbers),
            literal=("bool_", [passage in literals for passage in passages]),
        ),
    )
    engine.register(
        "terms",
        arrow_table(
            term=("int32", [term.number for term in terms]),
            weight=("float64", [term.weight for term in terms]),
        ),
    )
    best = engine.execute(query_sql("select_candidates"), {"pool": POOL}).fetchall()
    return [passage for passage, _ in best]


def _read_candidates(
    connection: apsw.Connection, codec: PassageCodec, scope: Scope, passages: Sequence[int]
) -> list[Candidate]:
    wanted: dict[str, Any] = {"ids": json.dumps(sorted(passages)), "base": scope.session.base}
    return [
        Candidate(passage, start, codec.unpack(body), *entry)
        for passage, start, body, *entry in rows(connection, query_sql("select_passages"), wanted)
    ]


def _verify(candidate: Candidate, term: SearchTerm) -> Match | None:
    """Look a term up in the passage itself: the index knows words, not case, order or neighbours."""
    literal = term.term.kind in ("identifier", "phrase")
    if literal and next(find_literal(candidate.text, term.term.text), None) is not None:
        return Match(candidate.passage, term.number, literal=True)
    # One word is what the index says it is, but pairs of characters may be so by chance.
    if len(term.words) == 1 and not is_unspaced(term.words[0]):
        return Match(candidate.passage, term.number, literal=False)
    labelled = f"{candidate.label}\n{candidate.text}"
    if next(find_words(labelled, term.words), None) is not None:
        return Match(candidate.passage, term.number, literal=False)
    return None
