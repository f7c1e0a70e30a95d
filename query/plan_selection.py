"""Groups of messages and offered evidence to what is sent: by priority, within the budgets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .evidence import EvidenceItem, EvidenceMessage, is_evidence
from .message_groups import MessageGroup
from .messages import MessageView, measure_message
from .plan_budgets import PlanBudgets
from .plan_report import ItemKind, ItemReason, PlanItem

__all__ = [
    "Choice",
    "Offer",
    "choose",
    "copy_item",
    "evidence_problem",
    "first_current",
    "group_item",
    "items_as_they_were",
    "make_offers",
    "offer_item",
]

_MUST, _RECENT, _EVIDENCE, _SUMMARY, _OLDER = 1000, 100, 85, 75, 40
_LARGEST_SCORE = 1e12
_NATIVE: Mapping[str, tuple[ItemKind, int]] = {
    "system": ("system", _MUST),
    "turn": ("recent", _RECENT),
    "summary": ("summary", _SUMMARY),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A piece of evidence as the message that would be inserted; ``number`` is its place among the offered."""

    number: int
    item: EvidenceItem
    message: dict[str, Any]
    tokens: int


@dataclass(slots=True)
class Choice:
    """What was chosen so far, and the tokens of all that is sent."""

    used: int
    groups: list[MessageGroup] = field(default_factory=list[MessageGroup])
    offers: list[Offer] = field(default_factory=list[Offer])
    included: list[PlanItem] = field(default_factory=list[PlanItem])
    excluded: list[PlanItem] = field(default_factory=list[PlanItem])

    def take(self, group: MessageGroup, kind: ItemKind, priority: float, reason: ItemReason) -> None:
        """Include a group."""
        self.used += group.tokens
        self.groups.append(group)
        self.included.append(group_item(group, kind, priority, reason))


def choose(
    groups: Sequence[MessageGroup], offers: Sequence[Offer], first_current: int, budgets: PlanBudgets
) -> Choice:
    """Choose groups and evidence: what must be sent, recent turns, evidence in the order given, summaries, the rest.

    What must be sent (system messages; every group that reaches ``first_current``) is taken whatever it costs; nothing
    else takes the sum beyond the target. Choosing again among what was chosen chooses the same.
    """
    choice = Choice(budgets.fixed)
    rest = _take_mandatory(choice, groups, first_current)
    rest = _take_recent(choice, rest, budgets)
    _take_evidence(choice, offers, budgets)
    rest = _take_summaries(choice, rest, budgets)
    _take_older(choice, rest, budgets)
    return choice


def first_current(views: Sequence[MessageView], request: int) -> int:
    """Return the first of the user's messages that stand together up to the request, with no answer between them."""
    first = request
    for view in reversed(views):
        if view.index < first:
            if view.kind != "user":
                break
            first = view.index
    return first


def evidence_problem(evidence: Sequence[object]) -> str | None:
    """Say what is wrong with offered evidence, without a word of it; ``None`` when nothing is."""
    for number, item in enumerate(evidence):
        if not isinstance(item, EvidenceItem) or not _is_message(item.message):
            return f"evidence {number} is a {type(item).__name__}; make it with evidence_from_hits"
        if not all(_is_text(text) for text in (item.entry_id, item.session, item.message.content)):
            return f"evidence {number} has an id or a content that is no text"
        if not _is_score(item.score):
            return f"evidence {number} has a score that is no number of a usual size"
    return None


def make_offers(
    evidence: Iterable[EvidenceItem], stamp: object, in_context: Collection[str]
) -> tuple[list[Offer], list[PlanItem]]:
    """Turn evidence into messages, and refuse what is none, repeats another or is ``in_context`` word for word.

    ``stamp`` is the request's own time, so that no clock enters a plan.
    """
    offers: list[Offer] = []
    refused: list[PlanItem] = []
    seen: set[str] = set()
    dated = isinstance(stamp, (int, float)) and not isinstance(stamp, bool)
    for number, item in enumerate(evidence):
        message: dict[str, Any] = {**item.message.to_dict(), **({"timestamp": stamp} if dated else {})}
        offer = Offer(number, item, message, measure_message(message))
        reason = _refusal(item.message.content, in_context, seen)
        if reason is None:
            seen.add(item.message.content)
            offers.append(offer)
        else:
            refused.append(offer_item(offer, reason))
    return offers, refused


def group_item(group: MessageGroup, kind: ItemKind, priority: float, reason: ItemReason) -> PlanItem:
    """Report a group of messages."""
    return PlanItem(kind, priority, group.tokens, reason, group.group_id, group.indices)


def offer_item(offer: Offer, reason: ItemReason) -> PlanItem:
    """Report a piece of evidence; the score lifts its priority by less than one."""
    item = offer.item
    return PlanItem(
        "retrieval",
        _EVIDENCE + min(0.999999, max(0.0, item.score / 1000)),
        offer.tokens,
        reason,
        f"evidence:{offer.number}",
        entry_id=item.entry_id,
        session=item.session,
        score=item.score,
    )


def copy_item(view: MessageView) -> PlanItem:
    """Report a copy of offered evidence that stood in the caller's list."""
    name = f"group:{view.index}-{view.index}"
    return PlanItem("retrieval", _EVIDENCE, view.tokens, "moved", name, (view.index,))


def items_as_they_were(groups: Sequence[MessageGroup], first: int | None) -> list[PlanItem]:
    """Report the groups of a list that stays as it is, the newest first."""
    items: list[PlanItem] = []
    for group in reversed(groups):
        kind, priority = _NATIVE[group.kind]
        if first is not None and group.indices[-1] >= first:
            kind, priority = "current", _MUST
        items.append(group_item(group, kind, priority, "as-it-was"))
    return items


def _is_message(value: object) -> bool:
    return isinstance(value, EvidenceMessage)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_score(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST_SCORE


def _refusal(content: str, in_context: Collection[str], seen: Collection[str]) -> ItemReason | None:
    if not is_evidence(content):
        return "not-evidence"
    if content in in_context:
        return "in-context"
    return "duplicate" if content in seen else None


def _take_mandatory(choice: Choice, groups: Sequence[MessageGroup], first: int) -> list[MessageGroup]:
    """Take what must be sent; returns the rest, newest first."""
    rest: list[MessageGroup] = []
    for group in reversed(groups):
        if group.indices[-1] >= first:
            choice.take(group, "current", _MUST, "current-request")
        elif group.kind == "system":
            choice.take(group, "system", _MUST, "system-message")
        else:
            rest.append(group)
    return rest


def _take_recent(choice: Choice, rest: Sequence[MessageGroup], budgets: PlanBudgets) -> list[MessageGroup]:
    """Take turns, newest first, until one does not fit; only the newest may be longer than the tail's cap."""
    left: list[MessageGroup] = []
    tail, newest, closed = 0, True, False
    for group in rest:
        if group.kind != "turn" or closed:
            left.append(group)
            continue
        within = newest or tail + group.tokens <= budgets.recent_tail
        if within and choice.used + group.tokens <= budgets.target:
            choice.take(group, "recent", _RECENT, "recent-turn")
            tail += group.tokens
        else:
            closed = True
            left.append(group)
        newest = False
    return left


def _take_evidence(choice: Choice, offers: Sequence[Offer], budgets: PlanBudgets) -> None:
    spent = 0
    for offer in offers:
        if spent + offer.tokens > budgets.history:
            choice.excluded.append(offer_item(offer, "over-history-cap"))
        elif choice.used + offer.tokens > budgets.target:
            choice.excluded.append(offer_item(offer, "over-target"))
        else:
            spent += offer.tokens
            choice.used += offer.tokens
            choice.offers.append(offer)
            choice.included.append(offer_item(offer, "retrieved"))


def _take_summaries(choice: Choice, rest: Sequence[MessageGroup], budgets: PlanBudgets) -> list[MessageGroup]:
    left: list[MessageGroup] = []
    spent = 0
    for group in rest:
        within = spent + group.tokens <= budgets.summary
        if group.kind == "summary" and within and choice.used + group.tokens <= budgets.target:
            spent += group.tokens
            choice.take(group, "summary", _SUMMARY, "summary")
        else:
            left.append(group)
    return left


def _take_older(choice: Choice, rest: Sequence[MessageGroup], budgets: PlanBudgets) -> None:
    """Fill what room is left, newest first; a turn that does not fit ends the turns, so that no gap opens."""
    closed = False
    for group in rest:
        is_turn = group.kind == "turn"
        kind: ItemKind = "older" if is_turn else "summary"
        if is_turn and closed:
            choice.excluded.append(group_item(group, kind, _OLDER, "older-than-left-out"))
        elif choice.used + group.tokens > budgets.target:
            closed = closed or is_turn
            choice.excluded.append(group_item(group, kind, _OLDER, "over-target"))
        else:
            choice.take(group, kind, _OLDER, "room-left")
