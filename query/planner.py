"""An agent's messages and evidence to the list that the model gets, within the budgets of its window.

What must be sent stands first: the current request with all behind it, and system messages. Then follow recent turns
(priority 100), evidence (85), summaries (75) and, while there is room, what is older (40). Decided here, where the rules
left it open: native messages only ever make way for evidence, so without evidence that fits nothing is left out; and
what is beyond its cap (older turns, long summaries) still stays while the target has room for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from .evidence import EvidenceItem
from .message_groups import CallLink, MessageGroup, group_messages, link_calls, place_before
from .messages import MessageError, MessageView, message_text, read_messages, request_of
from .plan_budgets import PlanBudgets, budget_problem
from .plan_report import Plan, PlanItem, PlanStatus
from .plan_selection import (
    Choice,
    Offer,
    choose,
    copy_item,
    evidence_problem,
    first_current,
    items_as_they_were,
    make_offers,
    offer_item,
)
from .plan_validation import LEADING_KINDS, Draft, Placement, build_messages, find_violation

__all__ = ["PLACEMENTS", "plan_context"]

PLACEMENTS: tuple[Placement, ...] = ("latest-user", "stable-prefix")

_NO_BUDGETS = PlanBudgets(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "there are no budgets")


@dataclass(frozen=True, slots=True)
class _Case:
    """What is planned: the caller's list as it was read, and what is offered for it."""

    messages: list[Any]
    views: Sequence[MessageView]
    request: int | None
    offers: Sequence[Offer]
    refused: Sequence[PlanItem]
    budgets: PlanBudgets
    placement: Placement

    @property
    def tokens(self) -> int:
        return self.budgets.fixed + sum(view.tokens for view in self.views)


def plan_context(
    messages: list[Any],
    evidence: Iterable[EvidenceItem],
    budgets: PlanBudgets,
    *,
    placement: Placement = "latest-user",
) -> Plan:
    """Insert evidence into an agent's message list, as much as fits, and leave out what has to make way for it.

    Status ``planned`` brings a new list that holds the caller's own message objects. ``unchanged`` (nothing to insert)
    and ``fallback`` (something is wrong) bring the caller's list, the same object, with a ``reason``. Neither input is
    changed. Evidence is taken in the order given; a piece that does not fit is skipped and the next one tried. Copies
    of offered evidence that stand in the list already are replaced, so planning a planned list changes nothing. Never
    raises: a fault of the planner itself is a ``fallback``, too. The same input gives the same plan.

    Reasons of ``unchanged``: ``no-request``, ``no-evidence``, ``nothing-fits``, ``already-planned``. Of ``fallback``:
    ``not-a-list``, ``not-a-message``, ``unknown-role``, ``not-json``, ``bad-evidence``, ``bad-budgets``,
    ``bad-placement``, ``fixed-over-hard``, ``mandatory-over-hard``, ``planner-failed``, and ``invalid-`` with a rule of
    ``find_violation``.

    ``placement``: with ``latest-user`` evidence stands directly before the request that it bears on, or in
    front of a tool call that is still open there. Providers cache a prompt from its beginning up to the first change, so
    a new turn reads the one before it anew. With ``stable-prefix`` it stands behind the leading system messages and
    summaries: while the same evidence is given, everything stays cached; when it changes, all behind it is read anew.
    """
    try:
        return _plan(messages, evidence, budgets, placement)
    except MessageError as error:
        return _fall_back(messages, budgets, error.code, str(error))
    except Exception as error:  # noqa: BLE001  # whatever is wrong must never stop the agent's call
        name = type(error).__name__
        return _fall_back(messages, budgets, "planner-failed", f"the planner failed: {name}")


def _plan(
    messages: list[Any], evidence: Iterable[EvidenceItem], budgets: PlanBudgets, placement: Placement
) -> Plan:
    items = tuple(evidence) if _is_iterable(evidence) else None
    problem = _input_problem(messages, items, budgets, placement)
    if problem is not None or items is None:
        return _fall_back(messages, budgets, *(problem or ("bad-evidence", "the evidence is no list")))
    case = _read(messages, items, budgets, placement)
    if case.request is None:
        return _leave(case, "unchanged", "no-request", "no message is the user's own")
    if not case.offers:
        return _leave(case, "unchanged", "no-evidence", "no evidence is offered that the list does not hold")
    if budgets.fixed > budgets.hard:
        return _leave(
            case, "fallback", "fixed-over-hard", "system prompt and tools alone exceed the hard limit"
        )
    return _insert(case, case.request)


def _is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, Iterable)


def _input_problem(
    messages: object, evidence: Sequence[object] | None, budgets: object, placement: object
) -> tuple[str, str] | None:
    if not isinstance(messages, list):
        return "not-a-list", "the messages are not a list"
    problem = budget_problem(budgets)
    if problem is not None:
        return "bad-budgets", problem
    if placement not in PLACEMENTS:
        return "bad-placement", f"placement is none of {', '.join(PLACEMENTS)}"
    problem = "the evidence is no list" if evidence is None else evidence_problem(evidence)
    return None if problem is None else ("bad-evidence", problem)


def _read(
    messages: list[Any], evidence: Sequence[EvidenceItem], budgets: PlanBudgets, placement: Placement
) -> _Case:
    views = read_messages(messages)
    request = request_of(views)
    stays = {
        message_text(messages[view.index].get("content")) for view in views if not _is_movable(view, request)
    }
    stamp = None if request is None else messages[request].get("timestamp")
    offers, refused = make_offers(evidence, stamp, stays)
    return _Case(messages, views, request, offers, refused, budgets, placement)


def _is_movable(view: MessageView, request: int | None) -> bool:
    """Tell whether a message may be evidence that was inserted before, as the user's or as an extension's."""
    return view.kind in ("evidence", "injected") and request is not None and view.index < request


def _insert(case: _Case, request: int) -> Plan:
    copies, natives = _part_copies(case, request)
    links = link_calls(natives)
    first = first_current(natives, request)
    groups = group_messages(natives, links)
    choice = choose(groups, case.offers, first, case.budgets)
    mandatory = sum(item.tokens for item in choice.included if item.kind in ("current", "system"))
    if case.budgets.fixed + mandatory > case.budgets.hard:
        return _leave(
            case,
            "fallback",
            "mandatory-over-hard",
            "the current request and what follows exceed the hard limit",
        )
    if not choice.offers:
        return _leave(case, "unchanged", "nothing-fits", "no evidence fits", _of_evidence(choice))
    draft = _draft(case, choice, links, natives, request)
    planned = build_messages(case.messages, draft)
    violation = find_violation(case.messages, case.views, planned, draft, case.budgets)
    if violation is not None:
        return _leave(
            case, "fallback", f"invalid-{violation}", f"the finished list breaks the rule {violation}"
        )
    same = _is_same(planned, case.messages)
    return Plan(
        "unchanged" if same else "planned",
        case.messages if same else planned,
        case.budgets,
        reason="already-planned" if same else None,
        detail="the list holds this evidence in its place already" if same else None,
        tokens=choice.used,
        original_tokens=case.tokens,
        placement=case.placement,
        evidence_at=sum(1 for index in draft.kept if index < draft.before),
        included=tuple(choice.included),
        excluded=(
            *choice.excluded,
            *case.refused,
            *(copy_item(view) for view in (() if same else copies)),
        ),
    )


def _of_evidence(choice: Choice) -> list[PlanItem]:
    return [item for item in choice.excluded if item.kind == "retrieval"]


def _part_copies(case: _Case, request: int) -> tuple[list[MessageView], list[MessageView]]:
    """Part the list into copies of offered evidence and all else."""
    offered = {offer.item.message.content for offer in case.offers}
    copies: list[MessageView] = []
    natives: list[MessageView] = []
    for view in case.views:
        is_copy = (
            _is_movable(view, request) and message_text(case.messages[view.index].get("content")) in offered
        )
        (copies if is_copy else natives).append(view)
    return copies, natives


def _draft(
    case: _Case, choice: Choice, links: Sequence[CallLink], natives: Sequence[MessageView], request: int
) -> Draft:
    kept = sorted(index for group in choice.groups for index in group.indices)
    stays = set(kept)
    if case.placement == "stable-prefix":
        before = next(
            view.index for view in natives if view.index in stays and view.kind not in LEADING_KINDS
        )
    else:
        before = place_before([link for link in links if link.call in stays], request)
    inserted = tuple(offer.message for offer in choice.offers)
    return Draft(tuple(kept), inserted, before, request, case.placement)


def _is_same(planned: Sequence[Any], messages: Sequence[Any]) -> bool:
    return len(planned) == len(messages) and all(
        one is other or one == other for one, other in zip(planned, messages, strict=True)
    )


def _leave(
    case: _Case, status: PlanStatus, reason: str, detail: str, excluded: Sequence[PlanItem] | None = None
) -> Plan:
    """Give back the caller's list, with all that it holds and all that was offered."""
    tokens, budgets = case.tokens, case.budgets
    first = None if case.request is None else first_current(case.views, case.request)
    groups: list[MessageGroup] = group_messages(case.views, link_calls(case.views))
    left = [offer_item(offer, "no-plan") for offer in case.offers] if excluded is None else excluded
    limits = {"over-soft-limit": budgets.soft, "over-hard-limit": budgets.hard}
    return Plan(
        status,
        case.messages,
        budgets,
        reason=reason,
        detail=detail,
        tokens=tokens,
        original_tokens=tokens,
        included=tuple(items_as_they_were(groups, first)),
        excluded=(*left, *case.refused),
        warnings=tuple(name for name, limit in limits.items() if tokens > limit),
    )


def _fall_back(messages: list[Any], budgets: object, reason: str, detail: str) -> Plan:
    """Give back a list that was not read."""
    known = budgets if isinstance(budgets, PlanBudgets) else _NO_BUDGETS
    return Plan("fallback", messages, known, reason=reason, detail=detail)
