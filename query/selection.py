"""Ranked hits to evidence, in order and within the limits; what says nothing new is passed over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from ..pipelines.passage_codec import PassageCodec
from ..pipelines.sqlite import rows
from ..pipelines.timestamps import format_time
from .candidates import Candidate
from .diversity import Chosen, Fingerprint, fingerprint
from .evidence import EvidenceMessage, render_evidence
from .excerpt import EXCERPT_CHARS, cut_excerpt, match_spans
from .limits import Limits
from .match_places import describe_matches
from .ranking import RankedHit
from .scope import Scope
from .settings import RetrievalSettings
from .sql import query_sql

__all__ = ["Hit", "Sources", "select_hits"]

# A message's frame costs about so much; with less left no excerpt is worth quoting.
_SMALLEST_MESSAGE_TOKENS = 48
_FRAME_CHARS = 800
_SMALLEST_EXCERPT_CHARS = 256
_SHRINK = 0.7


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

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the hit as plain values; with ``explain`` its ``matches``, too: see ``describe_matches``."""
        candidate = self.ranked.candidate
        matches = {"matches": describe_matches(candidate.matches, self.excerpt)} if explain else {}
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
            **matches,
            "reason": self.reason,
            "excerpt": self.excerpt,
            "truncated": self.truncated,
            "tokens": self.message.tokens,
            "message": self.message.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the texts of hits come from; ``texts`` are those that were read on the way."""

    connection: apsw.Connection
    codec: PassageCodec
    scope: Scope
    texts: Mapping[int, str]


def select_hits(
    sources: Sources, ranked: Sequence[RankedHit], limits: Limits, settings: RetrievalSettings
) -> tuple[list[Hit], dict[str, int]]:
    """Render hits in order while they fit; one that does not fit is skipped, not the end.

    Returns them, and how many were left out for which reason.
    """
    hits: list[Hit] = []
    chosen = Chosen()
    remaining = limits.max_retrieved_history_tokens
    left = {"near_duplicate": 0, "same_tool_call": 0, "over_limit": 0, "over_budget": 0}
    for at, hit in enumerate(ranked):
        if len(hits) == limits.max_results:
            left["over_limit"] += len(ranked) - at
            break
        if remaining < _SMALLEST_MESSAGE_TOKENS:
            left["over_budget"] += len(ranked) - at
            break
        if settings.tool_pairs and chosen.has_other_half(hit.candidate):
            left["same_tool_call"] += 1
            continue
        text, complete = _surroundings(sources, hit.candidate)
        pieces: Fingerprint = fingerprint(text) if settings.near_duplicates else frozenset()
        if chosen.is_near_duplicate(pieces):
            left["near_duplicate"] += 1
            continue
        rendered = _render(sources.scope, hit, text, remaining, complete=complete)
        if rendered is None:
            left["over_budget"] += 1
            continue
        hits.append(rendered)
        chosen.add(hit.candidate, pieces)
        remaining -= rendered.message.tokens
    return hits, left


def _render(scope: Scope, hit: RankedHit, text: str, remaining: int, *, complete: bool) -> Hit | None:
    candidate = hit.candidate
    spans = match_spans(
        text,
        (
            (match.term.number, match.term.term.text, match.term.alternatives, match.literal)
            for match in candidate.matches
        ),
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
    matched = tuple(match.term.term.text for match in candidate.matches)
    truncated = not (complete and excerpt.whole)
    return Hit(hit, scope.session.session_key, matched, excerpt.text, truncated, reason, message)


def _surroundings(sources: Sources, candidate: Candidate) -> tuple[str, bool]:
    """Return the entry's text around its best passage, as much as an excerpt can show, and whether it is all."""
    if candidate.passages == 1 and candidate.passage in sources.texts:
        return sources.texts[candidate.passage], True
    reach = EXCERPT_CHARS // 1000
    end = candidate.first_passage + candidate.passages - 1
    first = max(candidate.first_passage, candidate.passage - reach)
    last = min(end, candidate.passage + reach)
    bodies = rows(sources.connection, query_sql("select_bodies"), {"first": first, "last": last})
    text = "".join(sources.codec.unpack(body) for _, body in bodies)
    return text, (first, last) == (candidate.first_passage, end)


def _reason(hit: RankedHit) -> str:
    literal = {"identifier": "exact identifier", "phrase": "exact phrase"}
    parts: list[str] = []
    for kind, words in literal.items():
        texts = [
            match.term.term.text
            for match in hit.candidate.matches
            if match.literal and match.term.term.kind == kind
        ]
        if texts:
            parts.append(f"{words}: {', '.join(texts)}")
    parts.append(f"FTS: {', '.join(match.term.term.text for match in hit.candidate.matches)}")
    parts.append("active branch")
    return "; ".join(parts)
