"""Each rule that a finished list must keep to, broken once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.query.agent_messages import (
    Message,
    answer,
    budgets,
    calls,
    evidence,
    result,
    summary,
    system,
    user,
)
from uncompact.query.messages import read_messages
from uncompact.query.plan_validation import Draft, Placement, build_messages, find_violation

E1, E2 = (evidence(name).message.to_dict() for name in ("e1", "e2"))

LIST = [
    system("p"), summary("s"), user("a"), calls("x", "y"), result("y"), result("x"), user("request"), answer("b"),
]  # fmt: skip
ALL = tuple(range(len(LIST)))
REQUEST = 6


def violation(
    kept: tuple[int, ...] = ALL,
    inserted: tuple[Message, ...] = (E1, E2),
    *,
    before: int = REQUEST,
    request: int = REQUEST,
    placement: Placement = "latest-user",
    target: int = 10_000,
    messages: list[Message] = LIST,
    planned: list[Any] | None = None,
) -> str | None:
    draft = Draft(kept, inserted, before, request, placement)
    made = build_messages(messages, draft) if planned is None else planned
    return find_violation(messages, read_messages(messages), made, draft, budgets(target))


def without(*left_out: int) -> tuple[int, ...]:
    return tuple(at for at in ALL if at not in left_out)


@pytest.mark.parametrize(
    "keywords",
    [
        {}, {"kept": without(2, 3, 4, 5)}, {"kept": without(1)}, {"inserted": ()},
        {"before": 2, "placement": "stable-prefix"},
        {"before": 2, "placement": "stable-prefix", "kept": without(0, 1)},
        {"before": 6, "placement": "stable-prefix", "kept": without(2, 3, 4, 5)},
    ],
    ids=str,
)  # fmt: skip
def test_a_list_that_keeps_to_the_rules_passes(keywords: dict[str, Any]) -> None:
    assert violation(**keywords) is None


SWAPPED = [LIST[1], LIST[0], *LIST[2:6], E1, E2, *LIST[6:]]
COPIED = [dict(LIST[0]), *LIST[1:6], E1, E2, *LIST[6:]]

BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "swapped": ("order", {"planned": SWAPPED}),
    "copied": ("order", {"planned": COPIED}),
    "shorter": ("order", {"planned": SWAPPED[:-1]}),
    "kept twice": ("order", {"kept": (0, 0, *ALL[1:])}),
    "kept in another order": ("order", {"kept": (1, 0, *ALL[2:])}),
    "kept from elsewhere": ("order", {"kept": (*ALL, 8), "planned": SWAPPED}),
    "no request": ("request", {"kept": without(6)}),
    "an earlier request": ("request", {"request": 2, "before": 2}),
    "nothing behind the request": ("request", {"kept": without(7)}),
    "an insert that is no evidence": ("evidence", {"inserted": (answer("x"),)}),
    "an insert that is the user's": ("evidence", {"inserted": (user("x"),)}),
    "evidence twice": ("evidence", {"inserted": (E1, E1)}),
    "evidence that was there": ("evidence", {"messages": [*LIST[:2], E1, *LIST[3:]]}),
    "a call without a result it had": ("split-call", {"kept": without(4)}),
    "a result without its call": ("split-call", {"kept": without(3)}),
    "between call and result": ("split-call", {"before": 4}),
    "between results": ("split-call", {"before": 5}),
    "before an earlier message": ("placement", {"before": 3}),
    "behind the request": ("placement", {"before": 7}),
    "before a summary": ("placement", {"before": 1, "placement": "stable-prefix"}),
    "behind the opening": ("placement", {"before": 3, "placement": "stable-prefix"}),
    "too much": ("over-target", {"target": 200}),
}


@pytest.mark.parametrize(("rule", "keywords"), BROKEN.values(), ids=BROKEN)
def test_a_list_that_breaks_a_rule_is_found(rule: str, keywords: dict[str, Any]) -> None:
    assert violation(**keywords) == rule
