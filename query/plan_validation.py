"""What every plan must keep to, checked on the finished list alone: the planner gives back the original where one fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from operator import is_
from typing import Any, Literal

from .message_groups import CallLink, is_between_call_and_result, link_calls, place_before
from .messages import MessageView, message_text, read_messages, request_of
from .plan_budgets import PlanBudgets

__all__ = ["LEADING_KINDS", "Draft", "Placement", "build_messages", "find_violation"]

Placement = Literal["latest-user", "stable-prefix"]
# Behind those that open a list goes evidence of a stable prefix.
LEADING_KINDS = frozenset({"system", "summary"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan before it is accepted: places of the original that stay, ascending, and what is inserted.

    ``before`` is the place of the original in front of which ``inserted`` goes; ``request`` that of the user's request.
    """

    kept: tuple[int, ...]
    inserted: tuple[Mapping[str, Any], ...]
    before: int
    request: int
    placement: Placement


def build_messages(original: Sequence[Any], draft: Draft) -> list[Any]:
    """Return a new list of the messages that stay, themselves, with the inserted ones in their place."""
    ahead = [original[index] for index in draft.kept if index < draft.before]
    behind = [original[index] for index in draft.kept if index >= draft.before]
    return [*ahead, *draft.inserted, *behind]


def find_violation(
    original: Sequence[Any],
    views: Sequence[MessageView],
    planned: Sequence[Any],
    draft: Draft,
    budgets: PlanBudgets,
) -> str | None:
    """Name the first rule that a finished list breaks, or return ``None``; ``views`` are those of ``original``.

    ``order``: the list is the original's own messages, in its order, with the inserted ones in one place. ``request``:
    the request and all behind it stay, and it is still the latest real user message. ``evidence``: what is inserted is
    evidence, and stands in the list exactly once. ``split-call``: no call is without results it had, and nothing is
    inserted between them. ``placement``: latest-user evidence stands directly before the request unless a call is open
    there; that of a stable prefix behind the leading messages. ``over-target``: everything together fits the target.
    Raises ``MessageError`` where an inserted message cannot be read.
    """
    if not _keeps_order(original, planned, draft):
        return "order"
    stays = set(draft.kept)
    kept = [view for view in views if view.index in stays]
    inserted = read_messages(draft.inserted)
    if not _keeps_request(len(original), kept, draft):
        return "request"
    if any(view.kind != "evidence" for view in inserted) or not _holds_each_once(planned, draft.inserted):
        return "evidence"
    links = link_calls(kept)
    parted = any((link.call in stays) != (link.result in stays) for link in link_calls(views))
    if parted or is_between_call_and_result(links, draft.before):
        return "split-call"
    if not _is_well_placed(kept, links, draft):
        return "placement"
    if budgets.fixed + sum(view.tokens for view in (*kept, *inserted)) > budgets.target:
        return "over-target"
    return None


def _keeps_order(original: Sequence[Any], planned: Sequence[Any], draft: Draft) -> bool:
    kept = draft.kept
    if any(one >= other for one, other in pairwise(kept)):
        return False
    if kept and not 0 <= kept[0] <= kept[-1] < len(original):
        return False
    wanted = build_messages(original, draft)
    return len(planned) == len(wanted) and all(map(is_, planned, wanted))


def _keeps_request(count: int, kept: Sequence[MessageView], draft: Draft) -> bool:
    behind = [view.index for view in kept if view.index >= draft.request]
    return request_of(kept) == draft.request and behind == list(range(draft.request, count))


def _holds_each_once(planned: Sequence[Any], inserted: Sequence[Mapping[str, Any]]) -> bool:
    texts = Counter(message_text(message.get("content")) for message in planned)
    return all(texts[message_text(message.get("content"))] == 1 for message in inserted)


def _is_well_placed(kept: Sequence[MessageView], links: Sequence[CallLink], draft: Draft) -> bool:
    if draft.placement == "latest-user":
        return draft.before == place_before(links, draft.request)
    opening = takewhile(lambda view: view.kind in LEADING_KINDS, kept)
    return sum(1 for _ in opening) == sum(1 for view in kept if view.index < draft.before)
