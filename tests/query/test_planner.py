"""A message list and evidence to what the model gets: what fits, what makes way, and where evidence stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.query.agent_messages import (
    STAMP,
    Message,
    answer,
    budgets,
    calls,
    custom,
    evidence,
    result,
    sized,
    summary,
    system,
    user,
)
from uncompact.query.evidence import EvidenceItem, is_evidence
from uncompact.query.plan_budgets import PlanBudgets
from uncompact.query.plan_report import Plan
from uncompact.query.plan_validation import Placement
from uncompact.query.planner import plan_context

E1, E2, E3 = evidence("e1", score=300), evidence("e2", score=200), evidence("e3", score=100)
PIECE = E1.message.tokens


def plan(
    messages: list[Message],
    items: Sequence[EvidenceItem] = (E1, E2),
    limits: PlanBudgets | None = None,
    placement: Placement = "latest-user",
) -> Plan:
    return plan_context(messages, items, limits or budgets(), placement=placement)


def outline(made: Plan, messages: list[Message]) -> list[int | str]:
    """Name each message of a plan: its place in the caller's list, or the entry that it quotes."""
    places = {id(message): at for at, message in enumerate(messages)}
    quoted = {item.message.content: item.entry_id for item in (E1, E2, E3)}
    return [places[id(one)] if id(one) in places else quoted[one["content"]] for one in made.messages]


def reasons(made: Plan) -> dict[str, list[str]]:
    """Group what was left out by reason: the entry, or the group."""
    found: dict[str, list[str]] = {}
    for item in made.excluded:
        found.setdefault(item.reason, []).append(item.entry_id or item.group_id)
    return found


TURNS = [user("a"), answer("b"), user("c"), answer("d"), user("request")]

PLACES: dict[str, tuple[list[Message], list[int | str], list[int | str]]] = {
    "a request behind turns": (TURNS, [0, 1, 2, 3, "e1", "e2", 4], ["e1", "e2", 0, 1, 2, 3, 4]),
    "a request alone": ([user("a")], ["e1", "e2", 0], ["e1", "e2", 0]),
    "inside a tool loop": (
        [user("a"), answer("b"), user("c"), calls("x"), result("x")],
        [0, 1, "e1", "e2", 2, 3, 4],
        ["e1", "e2", 0, 1, 2, 3, 4],
    ),
    "several calls, results in another order": (
        [user("a"), calls("x", "y", "z"), result("z"), result("x"), result("y"), user("b")],
        [0, 1, 2, 3, 4, "e1", "e2", 5],
        ["e1", "e2", 0, 1, 2, 3, 4, 5],
    ),
    "a call that was aborted": (
        [user("a"), calls("x", "y"), result("x"), user("b"), calls("z")],
        [0, 1, 2, "e1", "e2", 3, 4],
        ["e1", "e2", 0, 1, 2, 3, 4],
    ),
    "a result whose call is gone": (
        [summary("s"), result("x"), answer("b"), user("c")],
        [0, 1, 2, "e1", "e2", 3],
        [0, "e1", "e2", 1, 2, 3],
    ),
    "a call that is open at the request": (
        [user("a"), calls("x"), user("b"), result("x")],
        [0, "e1", "e2", 1, 2, 3],
        ["e1", "e2", 0, 1, 2, 3],
    ),
    "system messages and a summary": (
        [system("p"), summary("s"), answer("kept"), user("c"), system("tools"), answer("d"), user("e")],
        [0, 1, 2, 3, 4, 5, "e1", "e2", 6],
        [0, 1, "e1", "e2", 2, 3, 4, 5, 6],
    ),
    "extensions' messages": (
        [custom("m"), user("a"), answer("b"), custom("n"), user("c"), custom("o")],
        [0, 1, 2, 3, "e1", "e2", 4, 5],
        ["e1", "e2", 0, 1, 2, 3, 4, 5],
    ),
    "two messages of the user in a row": (
        [user("a"), answer("b"), user("c"), user("d")],
        [0, 1, 2, "e1", "e2", 3],
        ["e1", "e2", 0, 1, 2, 3],
    ),
}


@pytest.mark.parametrize(("messages", "late", "early"), PLACES.values(), ids=PLACES)
def test_evidence_stands_before_the_request_or_behind_the_opening(
    messages: list[Message], late: list[int | str], early: list[int | str]
) -> None:
    by_request, by_prefix = plan(messages), plan(messages, placement="stable-prefix")

    assert (outline(by_request, messages), by_request.evidence_at) == (late, late.index("e1"))
    assert (outline(by_prefix, messages), by_prefix.evidence_at) == (early, early.index("e1"))
    assert {by_request.status, by_prefix.status} == {"planned"}


def test_inserted_evidence_is_the_users_with_the_requests_time() -> None:
    made = plan([user("a")], [E1])

    assert made.messages[0] == {"role": "user", "content": E1.message.content, "timestamp": STAMP}


@pytest.mark.parametrize("stamp", [None, True, "today"])
def test_a_time_that_is_none_is_not_taken_over(stamp: object) -> None:
    assert set(plan([{**user("a"), "timestamp": stamp}], [E1]).messages[0]) == {"role", "content"}


def test_neither_input_is_changed() -> None:
    messages, items = list(TURNS), [E1, E2]
    plan(messages, items)

    assert (messages, items) == (TURNS, [E1, E2])


# Each message of a user has 100 tokens.
FIVE = [user(sized(100)) if at % 2 == 0 else answer("") for at in range(9)]
TURN, REQUEST = 112, 100


def test_what_does_not_fit_besides_evidence_makes_way_the_oldest_first() -> None:
    made = plan(FIVE, [E1], budgets(REQUEST + 3 * TURN + PIECE, recent_tail=2 * TURN))

    assert outline(made, FIVE) == [2, 3, 4, 5, 6, 7, "e1", 8]
    assert reasons(made) == {"over-target": ["group:0-1"]}
    assert made.tokens == REQUEST + 3 * TURN + PIECE


def test_recent_turns_go_before_evidence() -> None:
    made = plan(FIVE, [E1, E2], budgets(REQUEST + 4 * TURN + PIECE))

    assert outline(made, FIVE) == [0, 1, 2, 3, 4, 5, 6, 7, "e1", 8]
    assert reasons(made) == {"over-target": ["e2"]}


def test_evidence_goes_before_turns_beyond_the_tail() -> None:
    made = plan(FIVE, [E1, E2], budgets(REQUEST + 2 * TURN + 2 * PIECE, recent_tail=2 * TURN))

    assert outline(made, FIVE) == [4, 5, 6, 7, "e1", "e2", 8]
    assert reasons(made) == {"over-target": ["group:2-3"], "older-than-left-out": ["group:0-1"]}


def test_evidence_goes_before_summaries() -> None:
    messages = [summary(sized(100)), answer("kept"), user("a")]
    made = plan(messages, [E1], budgets(100 + PIECE))

    assert outline(made, messages) == [1, "e1", 2]
    assert reasons(made) == {"over-target": ["group:0-0"]}


def test_a_turn_that_fits_behind_one_that_does_not_is_left_out_so_that_no_gap_opens() -> None:
    messages = [user("a"), user(sized(500)), answer(""), user(sized(100)), answer(""), user(sized(100))]
    made = plan(messages, [E1], budgets(REQUEST + TURN + PIECE + 50))

    assert outline(made, messages) == [3, 4, "e1", 5]
    assert reasons(made) == {"over-target": ["group:1-2"], "older-than-left-out": ["group:0-0"]}


def test_the_newest_turn_may_be_longer_than_the_tail() -> None:
    made = plan(FIVE, [E1], budgets(REQUEST + TURN + PIECE, recent_tail=10))

    assert outline(made, FIVE) == [6, 7, "e1", 8]
    assert [item.reason for item in made.included] == ["current-request", "recent-turn", "retrieved"]


def test_evidence_that_does_not_fit_is_skipped_and_the_next_is_tried() -> None:
    long = evidence("long", chars=2_000)
    made = plan([user("a")], [E1, long, E2], budgets(history=2 * PIECE))

    assert reasons(made) == {"over-history-cap": ["long"]}
    assert made.retrieved_event_ids == ("e1", "e2")


def test_evidence_together_stays_within_its_cap() -> None:
    made = plan(list(TURNS), [E1, E2, E3], budgets(history=3 * PIECE - 1))

    assert (made.retrieved_event_ids, reasons(made)) == (("e1", "e2"), {"over-history-cap": ["e3"]})


def test_evidence_keeps_the_order_given_whatever_its_score() -> None:
    assert plan(list(TURNS), [E3, E1, E2]).retrieved_event_ids == ("e3", "e1", "e2")


def test_summaries_beyond_their_cap_stay_only_while_there_is_room() -> None:
    messages = [summary(sized(100)), summary(sized(100), "branchSummary"), user(sized(100))]
    roomy = plan(messages, [E1], budgets(300 + PIECE, summary=100))
    tight = plan(messages, [E1], budgets(299 + PIECE, summary=100))

    assert outline(roomy, messages) == [0, 1, "e1", 2]
    assert [item.reason for item in roomy.included][2:] == ["summary", "room-left"]
    assert outline(tight, messages) == [1, "e1", 2]


def test_a_call_and_its_results_go_together() -> None:
    messages = [user(sized(200)), calls("x"), user("b"), result("x"), user(sized(100))]
    made = plan(messages, [E1], budgets(REQUEST + PIECE + 50))

    assert outline(made, messages) == ["e1", 4]
    assert reasons(made) == {"over-target": ["group:0-3"]}


def test_system_messages_are_never_left_out() -> None:
    messages = [system(sized(100)), user(sized(100)), system(sized(100)), answer(""), user(sized(100))]
    made = plan(messages, [E1], budgets(300 + PIECE))

    assert outline(made, messages) == [0, 2, "e1", 4]


def test_what_the_user_wrote_just_before_the_request_is_never_left_out() -> None:
    messages = [user(sized(300)), answer(""), user(sized(100)), user(sized(100))]

    assert outline(plan(messages, [E1], budgets(200 + PIECE)), messages) == [2, "e1", 3]


def test_fixed_tokens_count() -> None:
    made = plan([user(sized(100))], [E1, E2], budgets(100 + 50 + PIECE, fixed=50))

    assert (made.tokens, made.original_tokens, made.retrieved_event_ids) == (150 + PIECE, 150, ("e1",))


def test_a_plan_says_what_each_kind_costs() -> None:
    messages = [system(sized(20)), summary(sized(30)), user(sized(100)), answer(""), user(sized(100))]
    made = plan(messages, [E1, E2], budgets(fixed=7))

    assert made.tokens_by_kind == {
        "fixed": 7, "current": 100, "system": 20, "recent": TURN, "retrieval": 2 * PIECE, "summary": 30,
    }  # fmt: skip
    assert sum(made.tokens_by_kind.values()) == made.tokens


def test_a_plan_reports_what_a_manifest_needs_and_no_text() -> None:
    messages = [user("secret one"), answer("secret two"), user("secret three")]
    made = plan_context(messages, [E1, evidence("big", chars=9_000)], budgets(400))

    assert made.to_dict() == {
        "status": "planned",
        "reason": None,
        "detail": None,
        "tokens": 37 + PIECE,
        "original_tokens": 37,
        "tokens_by_kind": {"fixed": 0, "current": 11, "recent": 26, "retrieval": PIECE},
        "placement": "latest-user",
        "evidence_at": 2,
        "retrieved_event_ids": ["e1"],
        "included": [
            {"kind": "current", "priority": 1000, "tokens": 11, "reason": "current-request",
             "group_id": "group:2-2", "indices": [2]},
            {"kind": "recent", "priority": 100, "tokens": 26, "reason": "recent-turn",
             "group_id": "group:0-1", "indices": [0, 1]},
            {"kind": "retrieval", "priority": 85.3, "tokens": PIECE, "reason": "retrieved",
             "group_id": "evidence:0", "indices": [], "entry_id": "e1", "session": "s1", "score": 300},
        ],
        "excluded": [
            {"kind": "retrieval", "priority": 85.1, "tokens": evidence("big", chars=9_000).message.tokens,
             "reason": "over-target", "group_id": "evidence:1", "indices": [], "entry_id": "big",
             "session": "s1", "score": 100.0},
        ],
        "warnings": [],
        "budgets": {
            "window": 400, "output_reserve": 0, "safety": 0, "hard": 400, "soft": 400, "target": 400,
            "recent_tail": 100_000, "history": 100_000, "summary": 100_000, "fixed": 0, "problem": None,
        },
    }  # fmt: skip


def test_evidence_that_stands_in_the_list_is_moved_to_its_place() -> None:
    copy: Message = {"role": "custom", "customType": "uncompact", "content": E1.message.content}
    messages = [copy, *TURNS[:4], E2.message.to_dict(), TURNS[4]]
    made = plan(messages)

    assert [is_evidence(str(one["content"])) for one in made.messages] == [False] * 4 + [True] * 2 + [False]
    assert reasons(made) == {"moved": ["group:0-0", "group:5-5"]}


def test_planning_a_planned_list_changes_nothing() -> None:
    first = plan(list(TURNS))
    again = plan(first.messages)

    assert (again.status, again.reason) == ("unchanged", "already-planned")
    assert again.messages is first.messages
    assert (again.included[2:], again.tokens) == (first.included[2:], first.tokens)


def test_evidence_that_is_sent_anyway_is_not_inserted() -> None:
    sent = answer(E1.message.content)
    made = plan([sent, user("a"), E2.message.to_dict()], [E1, E2, E3, E3])

    assert made.retrieved_event_ids == ("e3",)
    assert reasons(made) == {"in-context": ["e1", "e2"], "duplicate": ["e3"]}


def test_what_has_not_the_frame_of_evidence_is_not_inserted() -> None:
    bare = EvidenceItem("bare", "s1", 1.0, type(E1.message)("do as I say", 11))
    made = plan([user("a")], [bare, E1])

    assert (made.retrieved_event_ids, reasons(made)) == (("e1",), {"not-evidence": ["bare"]})


def test_evidence_may_come_from_a_generator() -> None:
    assert plan_context([user("a")], (item for item in (E1, E2)), budgets()).status == "planned"
