"""One request to evidence: each step in its order, and an explanation when nothing comes back."""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import apsw
import duckdb
import zstandard

from ..pipelines.errors import NotFoundError
from ..pipelines.passage_codec import PassageCodec
from .candidates import POOL, Found, find_candidates, read_texts
from .descriptor import Descriptor, describe
from .known_postings import KnownPostings
from .limits import Limits
from .prepared import PreparedQueries
from .ranking import Asked, Ranking, rank_hits
from .relevance import RELEVANCE_POOL, rank_by_relevance
from .scope import Scope, SessionRow, read_scope
from .selection import Hit, Sources, select_hits
from .settings import RetrievalSettings
from .terms import prepare_terms

__all__ = ["Engines", "Question", "Retrieval", "retrieve"]

Status = Literal["complete", "no-query", "no-hits", "disabled", "failed"]

# Candidates for each result that is wanted: several may be of one text.
_POOL_A_RESULT = 3

# What rows with missing, mistyped or undecodable values end in.
_DAMAGED = (ArithmeticError, LookupError, TypeError, ValueError)
_FAILURES = (apsw.Error, duckdb.Error, zstandard.ZstdError, NotFoundError, *_DAMAGED)


@dataclass(slots=True)
class Retrieval:
    """The answer to one request; ``reason`` says why there is no evidence when there is none."""

    status: Status
    session: str
    leaf: str | None
    descriptor: Descriptor
    reason: str | None = None
    hits: tuple[Hit, ...] = ()
    counts: dict[str, int] = field(default_factory=dict[str, int])
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    warnings: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Estimated tokens of all evidence messages."""
        return sum(hit.message.tokens for hit in self.hits)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the answer as plain values; with ``explain`` hits say where their terms stand."""
        return {
            "status": self.status,
            "reason": self.reason,
            "session": self.session,
            "leaf": self.leaf,
            "descriptor": self.descriptor.to_dict(),
            "hits": [hit.to_dict(explain=explain) for hit in self.hits],
            "counts": self.counts,
            "tokens": self.tokens,
            "timings_ms": self.timings_ms,
            "warnings": list(self.warnings),
        }

    @contextmanager
    def timed(self, stage: str) -> Generator[None]:
        """Note how long a stage took."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings_ms[stage] = round((time.perf_counter() - start) * 1000, 3)


@dataclass(frozen=True, slots=True)
class Engines:
    """What answers: the companion, the codec of its texts, what was read of its word index, and DuckDB's queries."""

    connection: apsw.Connection
    codec: PassageCodec
    known: KnownPostings
    queries: PreparedQueries


@dataclass(frozen=True, slots=True)
class Question:
    """A request in its place: ``context_ids`` are the entries in context when the asker knows them better than the log."""

    session: SessionRow
    request: str
    leaf: str | None = None
    context_ids: Collection[str] | None = None


@dataclass(slots=True)
class _Search:
    """A question on its way to an answer; without ``asked`` there is nothing to search."""

    question: Question
    answer: Retrieval
    asked: Asked | None = None


def retrieve(
    engines: Engines,
    questions: Sequence[Question],
    limits: Limits | None = None,
    settings: RetrievalSettings | None = None,
) -> list[Retrieval]:
    """Find, for each question, the removed entries of its session's branch that bear on it, as quoted evidence.

    An answer is the same for the same session, leaf, request and limits, whatever else the store holds and whatever
    is asked beside it: all questions are ranked in one pass, each by itself. A failing search gives status
    ``failed`` and a reason, never an exception. Raises ``NotFoundError`` for an unknown leaf.
    """
    limits, settings = limits or Limits(), settings or RetrievalSettings()
    searches = [_begin(engines, question, limits, settings) for question in questions]
    open_ones = [search for search in searches if search.asked is not None]
    asked = [search.asked for search in open_ones if search.asked is not None]
    start = time.perf_counter()
    try:
        rankings = _rank(engines, asked, settings)
    except _FAILURES as error:
        for search in open_ones:
            _fail(search.answer, error)
        return [search.answer for search in searches]
    spent = _milliseconds_since(start) / max(len(asked), 1)
    for search, one, ranking in zip(open_ones, asked, rankings, strict=True):
        search.answer.timings_ms["ranking"] = round(spent, 3)
        with _failing_open(search):
            _finish(engines, one, ranking, search.answer, limits, settings)
    return [_timed(search.answer) for search in searches]


def _begin(engines: Engines, question: Question, limits: Limits, settings: RetrievalSettings) -> _Search:
    session = question.session
    start = time.perf_counter()
    descriptor = describe(question.request)
    answer = Retrieval("complete", session.session_key, question.leaf or session.leaf, descriptor)
    answer.timings_ms["descriptor"] = round(_milliseconds_since(start), 3)
    search = _Search(question, answer)
    if not descriptor.has_topic:
        answer.status, answer.reason = "no-query", "the request names no topic"
        return search
    with _failing_open(search):
        with answer.timed("scope"):
            scope = read_scope(engines.connection, session, question.leaf, question.context_ids)
        if scope is None:
            answer.status, answer.reason = "disabled", "the session has no current leaf"
            return search
        pool = RELEVANCE_POOL if settings.ranking == "relevance" else POOL
        with answer.timed("candidates"):
            terms = prepare_terms(engines.connection, descriptor, settings)
            found = find_candidates(
                engines.connection,
                engines.codec,
                scope,
                terms,
                max(pool, _POOL_A_RESULT * limits.max_results),
                engines.known,
            )
        search.asked = Asked(scope, descriptor, found)
    return search


def _rank(engines: Engines, asked: Sequence[Asked], settings: RetrievalSettings) -> list[Ranking]:
    if settings.ranking == "seed":
        return rank_hits(engines.queries, asked)
    for one in asked:
        unread = [passage for passage in one.found.passages if passage not in one.found.texts]
        read = read_texts(engines.connection, engines.codec, one.scope, unread)
        one.found.texts.update((passage, text) for passage, text, _ in read)
    return rank_by_relevance(engines.queries, asked)


def _finish(
    engines: Engines,
    asked: Asked,
    ranking: Ranking,
    answer: Retrieval,
    limits: Limits,
    settings: RetrievalSettings,
) -> None:
    with answer.timed("evidence"):
        sources = Sources(engines.connection, engines.codec, asked.scope, asked.found.texts)
        hits, left = select_hits(sources, ranking.hits, limits, settings)
    answer.hits = tuple(hits)
    with answer.timed("counts"):
        answer.counts = {**_counts(asked.scope, asked.found, ranking), **left}
    if asked.scope.unknown_ids:
        answer.warnings = (f"{asked.scope.unknown_ids} of the context ids are no entries of this session",)
    if not hits:
        answer.status = "no-hits"
        answer.reason = _why_nothing(answer.counts, asked.scope, whole=asked.found.whole)


@contextmanager
def _failing_open(search: _Search) -> Generator[None]:
    """Make a failing search an answer without evidence; only a leaf that is not there is the caller's to know."""
    try:
        yield
    except _FAILURES as error:
        if isinstance(error, NotFoundError) and search.question.leaf is not None:
            raise
        _fail(search.answer, error)


def _fail(answer: Retrieval, error: Exception) -> None:
    answer.status, answer.hits, answer.counts = "failed", (), {}
    answer.reason = f"the search failed ({type(error).__name__}); `uncompact reindex --rebuild-companion` repairs a damaged companion"


def _timed(answer: Retrieval) -> Retrieval:
    answer.timings_ms["total"] = round(sum(answer.timings_ms.values()), 3)
    return answer


def _milliseconds_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _counts(scope: Scope, found: Found, ranking: Ranking) -> dict[str, int]:
    """Count passages that match, by why they are or are not evidence."""
    everywhere, in_context, edited_out = (
        found.postings.count(ranges)
        for ranges in ([scope.session.all_passages], scope.in_context, scope.edited_out)
    )
    return {
        "candidates": found.matching,
        "verified": found.verified,
        "ranked": len(ranking.hits),
        "duplicate": ranking.duplicates,
        "in_context": in_context,
        "edited_out": edited_out,
        "sibling": max(everywhere - found.matching - in_context - edited_out, 0),
        "alternate_branch_candidates": ranking.off_branch,
    }


def _why_nothing(counts: dict[str, int], scope: Scope, *, whole: bool) -> str:
    if counts["over_budget"]:
        return "matching entries exceed the token budget"
    if counts["candidates"] and not whole:
        return "the words stand in more entries than are looked at; name something else of it, too"
    if counts["in_context"]:
        return "what matches is still in the active context"
    if not scope.removed:
        return "nothing was removed from this branch's context"
    if not scope.eligible and not counts["edited_out"]:
        return "what was removed from this branch's context has no text to search"
    if counts["sibling"] or counts["edited_out"]:
        return "what matches is on another branch or was taken out on purpose"
    return "nothing on this branch matches"
