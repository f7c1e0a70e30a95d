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
from ..pipelines.sqlite import rows
from ..pipelines.timestamps import format_time
from .candidates import Found, count_matches, find_candidates, prepare_terms
from .descriptor import Descriptor, describe
from .evidence import EvidenceMessage, render_evidence
from .excerpt import EXCERPT_CHARS, cut_excerpt, match_spans
from .limits import Limits
from .ranking import RankedHit, Ranking, rank_hits
from .scope import Scope, SessionRow, read_scope
from .sql import query_sql

__all__ = ["Hit", "Retrieval", "retrieve"]

Status = Literal["complete", "no-query", "no-hits", "disabled", "failed"]

# A message's frame costs about so much; with less left no excerpt is worth quoting.
_SMALLEST_MESSAGE_TOKENS = 48
_FRAME_CHARS = 800
_SMALLEST_EXCERPT_CHARS = 256
_SHRINK = 0.7

# What rows with missing, mistyped or undecodable values end in.
_DAMAGED = (ArithmeticError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence, with why and how it was chosen."""

    ranked: RankedHit
    session: str
    matched: tuple[str, ...]
    excerpt: str
    truncated: bool
    reason: str
    message: EvidenceMessage

    def to_dict(self) -> dict[str, Any]:
        """Return the hit as plain values."""
        candidate = self.ranked.candidate
        return {
            "entry_id": candidate.entry_id,
            "session": self.session,
            "type": candidate.type,
            "role": candidate.role,
            "created_at": format_time(candidate.created_at),
            "tier": self.ranked.tier,
            "score": self.ranked.score,
            "components": self.ranked.components,
            "matched": list(self.matched),
            "reason": self.reason,
            "excerpt": self.excerpt,
            "truncated": self.truncated,
            "tokens": self.message.tokens,
            "message": self.message.to_dict(),
        }


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

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {
            "status": self.status,
            "reason": self.reason,
            "session": self.session,
            "leaf": self.leaf,
            "descriptor": self.descriptor.to_dict(),
            "hits": [hit.to_dict() for hit in self.hits],
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


def retrieve(
    connection: apsw.Connection,
    codec: PassageCodec,
    engine: duckdb.DuckDBPyConnection,
    session: SessionRow,
    request: str,
    *,
    leaf: str | None = None,
    context_ids: Collection[str] | None = None,
    limits: Limits | None = None,
) -> Retrieval:
    """Find the removed entries of a session's branch that bear on a request, as quoted evidence.

    The answer is the same for the same session, leaf, request and limits, whatever else the store holds. A
    failing search gives status ``failed`` and a reason, never an exception. Raises ``NotFoundError`` for an
    unknown leaf.
    """
    limits = limits or Limits()
    start = time.perf_counter()
    answer = Retrieval("complete", session.session_key, leaf or session.leaf, describe(request))
    answer.timings_ms["descriptor"] = round((time.perf_counter() - start) * 1000, 3)
    with answer.timed("total"):
        if not answer.descriptor.has_topic:
            answer.status, answer.reason = "no-query", "the request names no topic"
            return answer
        try:
            with answer.timed("scope"):
                scope = read_scope(connection, session, leaf, context_ids)
            if scope is None:
                answer.status, answer.reason = "disabled", "the session has no current leaf"
                return answer
            _search(connection, codec, engine, scope, answer, limits)
        except (apsw.Error, duckdb.Error, zstandard.ZstdError, NotFoundError, *_DAMAGED) as error:
            if isinstance(error, NotFoundError) and leaf is not None:
                raise
            answer.status, answer.hits, answer.counts = "failed", (), {}
            answer.reason = f"the search failed ({type(error).__name__}); `uncompact reindex --rebuild-companion` repairs a damaged companion"
    return answer


def _search(
    connection: apsw.Connection,
    codec: PassageCodec,
    engine: duckdb.DuckDBPyConnection,
    scope: Scope,
    answer: Retrieval,
    limits: Limits,
) -> None:
    with answer.timed("candidates"):
        terms = prepare_terms(connection, answer.descriptor)
        found = find_candidates(connection, codec, engine, scope, terms)
    with answer.timed("ranking"):
        ranking = rank_hits(engine, scope, answer.descriptor, found)
    with answer.timed("evidence"):
        hits, left = _select(connection, codec, scope, ranking.hits, limits)
    answer.hits = tuple(hits)
    with answer.timed("counts"):
        answer.counts = {**_counts(connection, scope, found, ranking), **left}
    if scope.unknown_ids:
        answer.warnings = (f"{scope.unknown_ids} of the context ids are no entries of this session",)
    if not hits:
        answer.status = "no-hits"
        answer.reason = _why_nothing(answer.counts, scope)


def _select(
    connection: apsw.Connection,
    codec: PassageCodec,
    scope: Scope,
    ranked: Sequence[RankedHit],
    limits: Limits,
) -> tuple[list[Hit], dict[str, int]]:
    """Render hits in order while they fit; one that does not fit is skipped, not the end.

    Returns them, and how many were left out for which limit.
    """
    hits: list[Hit] = []
    remaining = limits.max_retrieved_history_tokens
    left = {"over_limit": 0, "over_budget": 0}
    for hit in ranked:
        if len(hits) == limits.max_results:
            left["over_limit"] += 1
            continue
        room = remaining >= _SMALLEST_MESSAGE_TOKENS
        rendered = _render(connection, codec, scope, hit, remaining) if room else None
        if rendered is None:
            left["over_budget"] += 1
            continue
        hits.append(rendered)
        remaining -= rendered.message.tokens
    return hits, left


def _render(
    connection: apsw.Connection, codec: PassageCodec, scope: Scope, hit: RankedHit, remaining: int
) -> Hit | None:
    candidate = hit.candidate
    text, complete = _surroundings(connection, codec, hit)
    spans = match_spans(
        text, ((term.number, term.term.text, term.words, match.literal) for term, match in hit.matches)
    )
    reason = _reason(hit)
    chars = min(EXCERPT_CHARS, max(_SMALLEST_EXCERPT_CHARS, 4 * remaining - _FRAME_CHARS))
    while True:
        excerpt = cut_excerpt(text, spans, chars)
        message = render_evidence(
            entry_id=candidate.entry_id,
            created_at=candidate.created_at,
            role=candidate.role or candidate.type,
            score=hit.score,
            reason=reason,
            excerpt=excerpt.text,
        )
        if message.tokens <= remaining:
            break
        if chars <= _SMALLEST_EXCERPT_CHARS:
            return None
        chars = max(_SMALLEST_EXCERPT_CHARS, int(chars * _SHRINK))
    matched = tuple(term.term.text for term, _ in hit.matches)
    truncated = not (complete and excerpt.whole)
    return Hit(hit, scope.session.session_key, matched, excerpt.text, truncated, reason, message)


def _surroundings(connection: apsw.Connection, codec: PassageCodec, hit: RankedHit) -> tuple[str, bool]:
    """Return the entry's text around its best passage, as much as an excerpt can show, and whether it is all."""
    candidate = hit.candidate
    if candidate.passages == 1:
        return candidate.text, True
    reach = EXCERPT_CHARS // 1000
    end = candidate.first_passage + candidate.passages - 1
    first = max(candidate.first_passage, candidate.passage - reach)
    last = min(end, candidate.passage + reach)
    bodies = rows(connection, query_sql("select_bodies"), {"first": first, "last": last})
    text = "".join(codec.unpack(body) for _, body in bodies)
    return text, (first, last) == (candidate.first_passage, end)


def _reason(hit: RankedHit) -> str:
    literal = {"identifier": "exact identifier", "phrase": "exact phrase"}
    parts: list[str] = []
    for kind, words in literal.items():
        texts = [term.term.text for term, match in hit.matches if match.literal and term.term.kind == kind]
        if texts:
            parts.append(f"{words}: {', '.join(texts)}")
    parts.append(f"FTS: {', '.join(term.term.text for term, _ in hit.matches)}")
    parts.append("active branch")
    return "; ".join(parts)


def _counts(connection: apsw.Connection, scope: Scope, found: Found, ranking: Ranking) -> dict[str, int]:
    """Count passages that match, by why they are or are not evidence."""
    everywhere = count_matches(connection, found.terms, [scope.session.all_passages])
    in_context = count_matches(connection, found.terms, scope.in_context)
    edited_out = count_matches(connection, found.terms, scope.edited_out)
    return {
        "candidates": found.matching,
        "verified": len({match.passage for match in found.matches}),
        "ranked": len(ranking.hits),
        "duplicate": ranking.duplicates,
        "in_context": in_context,
        "edited_out": edited_out,
        "sibling": max(everywhere - found.matching - in_context - edited_out, 0),
        "alternate_branch_candidates": sum(
            not scope.holds(one.segment, one.position) for one in found.candidates
        ),
    }


def _why_nothing(counts: dict[str, int], scope: Scope) -> str:
    if counts["over_budget"]:
        return "matching entries exceed the token budget"
    if counts["in_context"]:
        return "what matches is still in the active context"
    if not scope.removed:
        return "nothing was removed from this branch's context"
    if not scope.eligible and not counts["edited_out"]:
        return "what was removed from this branch's context has no text to search"
    if counts["sibling"] or counts["edited_out"]:
        return "what matches is on another branch or was taken out on purpose"
    return "nothing on this branch matches"
