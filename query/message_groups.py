"""Messages to atomic groups: what belongs together is kept together or left out together.

A turn is a user's message and all that follows it up to the next one; system messages and summaries within it stand for
themselves. Turns that a tool call and its result join are one group, so no call is ever parted from its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .messages import MessageView

__all__ = [
    "CallLink",
    "GroupKind",
    "MessageGroup",
    "group_messages",
    "is_between_call_and_result",
    "link_calls",
    "place_before",
]

GroupKind = Literal["system", "turn", "summary"]


@dataclass(frozen=True, slots=True)
class CallLink:
    """A tool call and a result of it, by the places of their messages."""

    call: int
    result: int

    @property
    def first(self) -> int:
        """The earlier of the two places."""
        return min(self.call, self.result)

    @property
    def last(self) -> int:
        """The later of the two places."""
        return max(self.call, self.result)


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """Messages that stay together: their places, ascending, and their estimated tokens.

    ``system`` one system message; ``summary`` one summary; ``turn`` all else: what stands before the first user message
    is a turn whose beginning was compacted.
    """

    kind: GroupKind
    indices: tuple[int, ...]
    tokens: int

    @property
    def group_id(self) -> str:
        """The group's name: its first and last place."""
        return f"group:{self.indices[0]}-{self.indices[-1]}"


def link_calls(views: Sequence[MessageView]) -> list[CallLink]:
    """Join each tool result with its call, in order of the results.

    The call is the latest one before it with that id (ids repeat), or, where none is before, the next one behind it in
    the same turn. A call without a result, as an abort leaves it, and a result without a call have no link.
    """
    links: list[CallLink] = []
    waiting: dict[str, list[int]] = {}
    calls: dict[str, int] = {}
    for view in views:
        if view.kind == "user":
            waiting.clear()
        for call in view.calls:
            calls[call] = view.index
            links += (CallLink(view.index, result) for result in waiting.pop(call, ()))
        if view.answers is None:
            continue
        if view.answers in calls:
            links.append(CallLink(calls[view.answers], view.index))
        else:
            waiting.setdefault(view.answers, []).append(view.index)
    return sorted(links, key=lambda link: link.result)


def is_between_call_and_result(links: Sequence[CallLink], place: int) -> bool:
    """Tell whether a message inserted in front of ``place`` would stand between a call and its result."""
    return any(link.first < place <= link.last for link in links)


def place_before(links: Sequence[CallLink], place: int) -> int:
    """Return the latest place not behind ``place`` at which no call is waiting for its result."""
    for link in sorted(links, key=lambda link: -link.last):
        if link.last < place:
            break
        place = min(place, link.first)
    return place


def group_messages(views: Sequence[MessageView], links: Sequence[CallLink]) -> list[MessageGroup]:
    """Split a list into groups, in order of their last message; every message is in exactly one.

    Leaving groups out changes neither the members nor the order of those that stay.
    """
    drafts = _draft_groups(views)
    home = {view.index: number for number, (_, members) in enumerate(drafts) for view in members}
    root = list(range(len(drafts)))
    for link in links:
        one, other = _find(root, home[link.call]), _find(root, home[link.result])
        root[max(one, other)] = min(one, other)
    merged: dict[int, list[MessageView]] = {}
    for number, (_, members) in enumerate(drafts):
        merged.setdefault(_find(root, number), []).extend(members)
    groups = [
        MessageGroup(
            drafts[number][0],
            tuple(sorted(view.index for view in members)),
            sum(view.tokens for view in members),
        )
        for number, members in merged.items()
    ]
    return sorted(groups, key=lambda group: group.indices[-1])


def _draft_groups(views: Sequence[MessageView]) -> list[tuple[GroupKind, list[MessageView]]]:
    drafts: list[tuple[GroupKind, list[MessageView]]] = []
    turn: list[MessageView] | None = None
    for view in views:
        if view.kind in ("system", "summary"):
            # Alone, so that either can stay without the other; the turn goes on behind it.
            drafts.append((view.kind, [view]))
        elif turn is None or view.kind == "user":
            turn = [view]
            drafts.append(("turn", turn))
        else:
            turn.append(view)
    return drafts


def _find(root: list[int], number: int) -> int:
    while root[number] != number:
        root[number] = root[root[number]]
        number = root[number]
    return number
