"""What is measured: engines that rank a session's entries for a request, ours and simple ones to compare with.

All but ours get the texts that may be returned and nothing else: they are told the scope that ours works out.
"""

from __future__ import annotations

import importlib.util
import math
import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
from quality.lexicon import STOPWORDS, content_words, stems

from uncompact import HistoryStore, RetrievalSettings
from uncompact.pipelines.sqlite import execute, execute_many, rows

__all__ = [
    "BM25S",
    "Corpus",
    "Engine",
    "Ranked",
    "bm25s_engine",
    "coverage_engine",
    "fts5_engine",
    "has_bm25s",
    "longest_engine",
    "our_rankings",
    "random_engine",
    "store_engine",
]

BM25S = "bm25s"

_MOST = 100
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry in an answer, with what is shown of it and the terms that matched, where the engine tells."""

    entry_id: str
    excerpt: str | None = None
    matched: tuple[str, ...] = ()


# (session, request) to entries, best first.
Engine = Callable[[str, str], Sequence[Ranked]]
# Each session's texts by entry id, in the order of the branch.
Corpus = Mapping[str, Mapping[str, str]]


def our_rankings(settings: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """Return the engines of ours to measure: both rankings, or one with the settings that are given."""
    if settings is not None:
        return {"uncompact": settings}
    return {
        "uncompact, seed": {"settings": RetrievalSettings(ranking="seed")},
        "uncompact, relevance": {"settings": RetrievalSettings(ranking="relevance")},
    }


def store_engine(
    store: HistoryStore,
    paths: Mapping[str, Path],
    *,
    context_ids: Collection[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Engine:
    """Ask an open store; ``settings`` are further arguments of ``HistoryStore.retrieve``."""

    def rank(session: str, request: str) -> list[Ranked]:
        answer = store.retrieve(paths[session], request, context_ids=context_ids, **(settings or {}))
        return [Ranked(str(hit.to_dict()["entry_id"]), hit.excerpt, hit.matched) for hit in answer.hits]

    return rank


def fts5_engine(corpus: Corpus, tokenizer: str) -> Engine:
    """Rank by FTS5's ``bm25`` over an OR of the request's words that are no stopwords."""
    tables = {session: _fts5_table(texts, tokenizer) for session, texts in corpus.items()}
    ids = {session: list(texts) for session, texts in corpus.items()}

    def rank(session: str, request: str) -> list[Ranked]:
        match = " OR ".join(f'"{word}"' for word in _query_words(request))
        if not match:
            return []
        query = "select rowid from words where words match ? order by bm25(words), rowid limit ?"
        found: list[tuple[int]] = list(rows(tables[session], query, (match, _MOST)))
        return [Ranked(ids[session][row]) for (row,) in found]

    return rank


def _fts5_table(texts: Mapping[str, str], tokenizer: str) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    execute(
        connection, f"create virtual table words using fts5 (body, content = '', tokenize = '{tokenizer}')"
    )
    execute_many(connection, "insert into words (rowid, body) values (?, ?)", enumerate(texts.values()))
    return connection


def _query_words(request: str) -> list[str]:
    return list(dict.fromkeys(word for word in _WORD.findall(request) if word.lower() not in STOPWORDS))


def coverage_engine(corpus: Corpus) -> Engine:
    """Rank by how many different words of the request an entry holds, as stems and parts of names, then the rarer.

    No index and no passages: what careful lexical search can reach on questions that are fair.
    """
    found = {
        session: [(one, stems(text)) for one, text in texts.items()] for session, texts in corpus.items()
    }
    holders = {session: _holders(entries) for session, entries in found.items()}

    def rank(session: str, request: str) -> list[Ranked]:
        words = stems(request)
        scored = [
            (len(held), math.fsum(1 / holders[session][word] for word in held), at, one)
            for at, (one, of_entry) in enumerate(found[session])
            if (held := words & of_entry)
        ]
        return [Ranked(one) for *_, one in sorted(scored, reverse=True)[:_MOST]]

    return rank


def _holders(entries: Sequence[tuple[str, frozenset[str]]]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for _, of_entry in entries:
        for word in of_entry:
            counted[word] = counted.get(word, 0) + 1
    return counted


def random_engine(corpus: Corpus, seed: int = 1) -> Engine:
    """Rank at random: the first control. The same request gets the same answer."""

    def rank(session: str, request: str) -> list[Ranked]:
        ids = list(corpus[session])
        rng = random.Random(f"{seed} {session} {request}")
        return [Ranked(one) for one in rng.sample(ids, min(_MOST, len(ids)))]

    return rank


def longest_engine(corpus: Corpus) -> Engine:
    """Rank the longest first, whatever is asked: the second control."""
    longest = {
        session: [Ranked(one) for one in sorted(texts, key=lambda one: -len(texts[one]))[:_MOST]]
        for session, texts in corpus.items()
    }
    return lambda session, _: longest[session]


def has_bm25s() -> bool:
    """Tell whether the package ``bm25s`` is installed."""
    return importlib.util.find_spec(BM25S) is not None


def bm25s_engine(corpus: Corpus, k1: float = 0.9, b: float = 0.4) -> Engine:
    """Rank by the package ``bm25s`` over stems."""
    bm25s: Any = importlib.import_module(BM25S)
    indexes: dict[str, Any] = {}
    for session, texts in corpus.items():
        indexes[session] = bm25s.BM25(k1=k1, b=b)
        indexes[session].index([content_words(text) for text in texts.values()], show_progress=False)
    ids = {session: list(texts) for session, texts in corpus.items()}

    def rank(session: str, request: str) -> list[Ranked]:
        words = content_words(request)
        if not words:
            return []
        most = min(_MOST, len(ids[session]))
        found, scores = indexes[session].retrieve([words], k=most, show_progress=False)
        return [
            Ranked(ids[session][int(at)]) for at, score in zip(found[0], scores[0], strict=True) if score > 0
        ]

    return rank
