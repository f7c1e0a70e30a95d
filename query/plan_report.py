"""What a plan says of itself: what goes to the model, what does not, and why; never a word of any message."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from .plan_budgets import PlanBudgets

__all__ = ["ItemKind", "ItemReason", "Plan", "PlanItem", "PlanStatus"]

PlanStatus = Literal["planned", "unchanged", "fallback"]
ItemKind = Literal["current", "system", "recent", "retrieval", "summary", "older"]
ItemReason = Literal[
    # In:
    "current-request", "system-message", "recent-turn", "retrieved", "summary", "room-left", "as-it-was",
    # Out:
    "over-history-cap", "over-target", "older-than-left-out", "in-context", "duplicate", "not-evidence", "moved",
    "no-plan",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlanItem:
    """A group of messages or a piece of evidence, with its priority, estimated tokens and why it is in or out.

    ``indices`` are a group's places in the caller's list, from 0. Evidence has none, but the entry it quotes; a copy of
    it that stood in the caller's list has its place.

    In are ``current-request`` and ``system-message``, which must be sent; ``recent-turn``, ``retrieved`` and
    ``summary``, within their caps; ``room-left``, beyond a cap but within the target; ``as-it-was``, of a list that
    stays. Out are ``over-history-cap``; ``over-target``; ``older-than-left-out``, a turn that would stand behind a gap;
    ``in-context``, a text that is sent already; ``duplicate``, offered twice; ``not-evidence``, without the frame that
    evidence has; ``moved``, a copy in the caller's list that made way for the offered one; ``no-plan``, as the list stays.
    """

    kind: ItemKind
    priority: float
    tokens: int
    reason: ItemReason
    group_id: str
    indices: tuple[int, ...] = ()
    entry_id: str | None = None
    session: str | None = None
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the item as plain values; what only evidence has is left out of groups."""
        values = asdict(self) | {"indices": list(self.indices)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Plan:
    """A message list for the model, and how it came about.

    ``messages`` is the caller's own list unless ``status`` is ``planned``. ``reason`` is a code for programs and
    ``detail`` the same for people, both only without a new list. ``tokens`` estimates the whole input that ``messages``
    makes, ``original_tokens`` that of the caller's list, system prompt and tools included; both are ``None`` for a list
    that could not be read. ``evidence_at`` is the place of the first inserted message. ``included`` and ``excluded``
    are in order of choice. ``warnings`` are codes: ``over-soft-limit``, ``over-hard-limit``.
    """

    status: PlanStatus
    messages: list[Any]
    budgets: PlanBudgets
    reason: str | None = None
    detail: str | None = None
    tokens: int | None = None
    original_tokens: int | None = None
    placement: str | None = None
    evidence_at: int | None = None
    included: tuple[PlanItem, ...] = ()
    excluded: tuple[PlanItem, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def retrieved_event_ids(self) -> tuple[str, ...]:
        """Ids of the entries that are quoted, best first, each once."""
        return tuple(dict.fromkeys(item.entry_id for item in self.included if item.entry_id is not None))

    @property
    def tokens_by_kind(self) -> dict[str, int]:
        """Tokens of what is included, by kind; ``fixed`` are the system prompt and tools. Their sum is ``tokens``."""
        sums = {"fixed": self.budgets.fixed}
        for item in self.included:
            sums[item.kind] = sums.get(item.kind, 0) + item.tokens
        return sums

    def to_dict(self) -> dict[str, Any]:
        """Return all but the messages as plain values."""
        return {
            "status": self.status,
            "reason": self.reason,
            "detail": self.detail,
            "tokens": self.tokens,
            "original_tokens": self.original_tokens,
            "tokens_by_kind": self.tokens_by_kind,
            "placement": self.placement,
            "evidence_at": self.evidence_at,
            "retrieved_event_ids": list(self.retrieved_event_ids),
            "included": [item.to_dict() for item in self.included],
            "excluded": [item.to_dict() for item in self.excluded],
            "warnings": list(self.warnings),
            "budgets": asdict(self.budgets),
        }
