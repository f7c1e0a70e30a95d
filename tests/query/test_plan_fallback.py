"""When a list stays as it is: nothing to insert, nothing that fits, or input that makes no sense."""

from __future__ import annotations

from typing import Any

import pytest

from tests.query.agent_messages import Message, answer, budgets, calls, custom, evidence, result, sized, user
from uncompact.query.evidence import EvidenceItem
from uncompact.query.plan_budgets import PlanBudgets
from uncompact.query.planner import plan_context

E1 = evidence("e1")
TURNS = [user("a"), answer("b"), user("c"), answer("d"), user("request")]

STAYS: dict[str, tuple[list[Message], list[EvidenceItem], PlanBudgets, str, str]] = {
    "no evidence": (TURNS, [], budgets(), "unchanged", "no-evidence"),
    "no request": ([answer("a"), custom("b")], [E1], budgets(), "unchanged", "no-request"),
    "no messages": ([], [E1], budgets(), "unchanged", "no-request"),
    "evidence is too long": (TURNS, [E1], budgets(60), "unchanged", "nothing-fits"),
    "no history is wanted": (TURNS, [E1], budgets(history=0), "unchanged", "nothing-fits"),
    "what must be sent is over the target": (TURNS, [E1], budgets(10, hard=10_000), "unchanged", "nothing-fits"),
    "what must be sent is over the limit": (TURNS, [E1], budgets(9), "fallback", "mandatory-over-hard"),
    "what must be sent is over the limit besides fixed tokens": (
        TURNS, [E1], budgets(15, fixed=6), "fallback", "mandatory-over-hard",
    ),
    "a turn whose call the current one answers is over the target": (
        [user(sized(300)), calls("x"), user("request"), result("x")],
        [E1], budgets(200, hard=10_000), "unchanged", "nothing-fits",
    ),
    "all that the user wrote in a row must be sent": (
        [answer(""), user(sized(100)), user(sized(100)), user(sized(100))],
        [E1], budgets(299 + E1.message.tokens, recent_tail=0), "unchanged", "nothing-fits",
    ),
    "fixed tokens are over the limit": (TURNS, [E1], budgets(60, fixed=61), "fallback", "fixed-over-hard"),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "items", "limits", "status", "reason"), STAYS.values(), ids=STAYS)
def test_a_list_without_a_plan_is_the_callers_own(
    messages: list[Message], items: list[EvidenceItem], limits: PlanBudgets, status: str, reason: str
) -> None:
    made = plan_context(messages, items, limits)

    assert made.messages is messages
    assert (made.status, made.reason) == (status, reason)
    assert made.detail
    assert made.tokens == made.original_tokens == sum(made.tokens_by_kind.values())
    assert sorted(at for item in made.included for at in item.indices) == list(range(len(messages)))
    assert {item.entry_id for item in made.excluded} == {item.entry_id for item in items}
    assert {item.reason for item in made.included} <= {"as-it-was"}


def test_a_list_beyond_the_limits_that_stays_is_warned_of() -> None:
    limits = budgets(50, hard=60)

    assert plan_context([user(sized(50))], [], limits).warnings == ()
    assert plan_context([user(sized(60))], [], limits).warnings == ()
    assert plan_context([user(sized(61))], [], limits).warnings == ("over-soft-limit", "over-hard-limit")


class Unreadable(list[Message]):
    """A list that fails when it is read."""

    def __iter__(self) -> Any:
        raise RuntimeError("secret")


class Changing(dict[str, Any]):
    """A request that changes an earlier message when its time is read: another thread's doing, made repeatable."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__(user("request"))
        self.messages = messages

    def get(self, key: str, default: Any = None) -> Any:
        if key == "timestamp":
            self.messages[0]["content"] = E1.message.content
        return super().get(key, default)


def test_a_plan_that_breaks_a_rule_is_given_up() -> None:
    messages = [user("a"), answer("b")]
    messages.append(Changing(messages))
    made = plan_context(messages, [E1], budgets())

    assert made.messages is messages
    assert (made.status, made.reason) == ("fallback", "invalid-evidence")
    assert [item.reason for item in made.excluded] == ["no-plan"]


def cyclic() -> Message:
    message = user("a")
    message["content"] = [message]
    return message


BAD_LISTS: dict[str, tuple[Any, str]] = {
    "none": (None, "not-a-list"),
    "a tuple": ((user("a"),), "not-a-list"),
    "a text": ("hello", "not-a-list"),
    "none within": ([None, user("a")], "not-a-message"),
    "a list within": ([[user("a")]], "not-a-message"),
    "no role": ([{"content": "a"}, user("a")], "not-a-message"),
    "an unknown role": ([{"role": "narrator", "content": "a"}, user("a")], "unknown-role"),
    "what JSON cannot hold": ([answer("a") | {"content": [{"type": "x", "at": {1}}]}, user("a")], "not-json"),
    "a message within itself": ([cyclic(), user("a")], "not-json"),
    "a list that fails": (Unreadable([user("a")]), "planner-failed"),
}


@pytest.mark.parametrize(("messages", "reason"), BAD_LISTS.values(), ids=BAD_LISTS)
def test_a_list_that_cannot_be_read_comes_back(messages: Any, reason: str) -> None:
    made = plan_context(messages, [E1], budgets())

    assert made.messages is messages
    assert (made.status, made.reason) == ("fallback", reason)
    assert "secret" not in str(made.to_dict())


def item(**fields: Any) -> EvidenceItem:
    sound: dict[str, Any] = {"entry_id": "e", "session": "s1", "score": 1.0, "message": E1.message}
    return EvidenceItem(**{**sound, **fields})


NAN: Any = float("nan")

BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "no budgets": ({"budgets": None}, "bad-budgets"),
    "a number for budgets": ({"budgets": 200_000}, "bad-budgets"),
    "a negative budget": ({"budgets": budgets(history=-1)}, "bad-budgets"),
    "a budget that is yes": ({"budgets": budgets(summary=True)}, "bad-budgets"),
    "a budget that is no number": ({"budgets": budgets(target=NAN)}, "bad-budgets"),
    "no window": ({"budgets": budgets(0)}, "bad-budgets"),
    "no placement": ({"placement": None}, "bad-placement"),
    "an unknown placement": ({"placement": "hybrid"}, "bad-placement"),
    "no evidence at all": ({"evidence": None}, "bad-evidence"),
    "a text for evidence": ({"evidence": "e1"}, "bad-evidence"),
    "an object for evidence": ({"evidence": [E1.message.to_dict()]}, "bad-evidence"),
    "none among evidence": ({"evidence": [E1, None]}, "bad-evidence"),
    "a score that is no number": ({"evidence": [item(score=NAN)]}, "bad-evidence"),
    "an endless score": ({"evidence": [item(score=float("-inf"))]}, "bad-evidence"),
    "a score that is yes": ({"evidence": [item(score=True)]}, "bad-evidence"),
    "a score in words": ({"evidence": [item(score="high")]}, "bad-evidence"),
    "a huge score": ({"evidence": [item(score=10**400)]}, "bad-evidence"),
    "a message that is none": ({"evidence": [item(message=None)]}, "bad-evidence"),
    "an id that is none": ({"evidence": [item(entry_id=None)]}, "bad-evidence"),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "reason"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS)
def test_arguments_without_sense_bring_the_list_back(wrong: dict[str, Any], reason: str) -> None:
    messages = list(TURNS)
    arguments: dict[str, Any] = {"evidence": [E1], "budgets": budgets(), **wrong}
    made = plan_context(messages, **arguments)

    assert made.messages is messages
    assert (made.status, made.reason) == ("fallback", reason)
    assert made.detail
    assert made.to_dict()["status"] == "fallback"
