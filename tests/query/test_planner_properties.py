"""Laws of the planner: for lists of every shape, and for lists that are none."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from tests.query.agent_messages import (
    Message,
    answer,
    budgets,
    calls,
    custom,
    evidence,
    result,
    shell,
    sized,
    summary,
    system,
    user,
)
from uncompact.query.evidence import EvidenceItem
from uncompact.query.messages import find_request, measure_message
from uncompact.query.plan_budgets import PlanBudgets
from uncompact.query.plan_report import Plan
from uncompact.query.plan_validation import Placement
from uncompact.query.planner import PLACEMENTS, plan_context

OFFERED = [evidence(f"e{nth}", score=200.0 - nth, chars=40 + 90 * nth) for nth in range(6)]
STALE = evidence("stale")

texts = st.integers(8, 90).map(sized)
call_ids = st.sampled_from("abc")
some_calls = st.lists(call_ids, min_size=1, max_size=3, unique=True).map(lambda ids: calls(*ids))
some_results = st.builds(result, call_ids, texts)
quoted = st.sampled_from([item.message.to_dict() for item in (*OFFERED[:2], STALE)]).map(dict[str, Any])
work = st.one_of(some_calls, some_results, some_calls, some_results, texts.map(answer))
others = texts.map(custom) | texts.map(shell) | texts.map(system) | texts.map(summary)
history = st.one_of(texts.map(user), work, work, others, quoted)
history_lists = st.lists(history, min_size=6, max_size=24)


def with_request(before: list[Message], request: Message, after: list[Message]) -> list[Message]:
    return [*before, request, *after]


# Most lists have a request near their end; any list may come.
messages = st.one_of(
    st.builds(with_request, history_lists, texts.map(user), st.lists(work, max_size=4)),
    st.builds(with_request, history_lists, texts.map(user), st.lists(work, max_size=4)),
    st.builds(with_request, history_lists, texts.map(user), st.just([])),
    st.lists(history, max_size=24),
)
offers = st.lists(st.sampled_from(OFFERED), min_size=2, max_size=6)
limits = st.builds(
    budgets,
    st.sampled_from([150, 400, 500, 600, 700, 900, 1_200, 2_000]),
    recent_tail=st.sampled_from([0, 100, 200, 300, 600]),
    history=st.sampled_from([900, 600, 400, 200, 0]),
    summary=st.integers(0, 300),
    fixed=st.integers(0, 80),
)
placements = st.sampled_from(PLACEMENTS)

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "id", "toolCallId", "text", "arguments"]), inner
        )
    ),
    max_leaves=8,
)


def links_of(listed: list[Message]) -> set[tuple[int, int]]:
    """Return (call, result) by object: each result with the latest call of its id before it."""
    latest: dict[str, Message] = {}
    found: set[tuple[int, int]] = set()
    for message in listed:
        if message["role"] == "toolResult" and message["toolCallId"] in latest:
            found.add((id(latest[message["toolCallId"]]), id(message)))
        if message["role"] == "assistant":
            for block in message["content"]:
                if block["type"] == "toolCall":
                    latest[block["id"]] = message
    return found


def inserted_of(plan: Plan, listed: list[Message]) -> list[int]:
    """Return the places of what is not the caller's own."""
    own = {id(message) for message in listed}
    return [at for at, message in enumerate(plan.messages) if id(message) not in own]


@given(messages, offers, limits, placements)
def test_without_a_plan_the_list_is_the_callers_own(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    before = list(listed)
    plan = plan_context(listed, items, limit, placement=placement)
    event(f"{plan.status} {plan.reason} {sorted({item.kind for item in plan.excluded})}")

    assert listed == before
    assert (plan.messages is listed) == (plan.status != "planned")
    assert (plan.reason is None) == (plan.status == "planned")
    assert plan.reason is None or not plan.reason.startswith(("invalid", "planner"))


@given(messages, offers, limits, placements)
def test_each_message_stays_in_order_or_is_named_among_the_excluded(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    plan = plan_context(listed, items, limit, placement=placement)
    out = {at for item in plan.excluded for at in item.indices}
    stays = {at for item in plan.included for at in item.indices}
    own = {id(message) for message in listed}

    assert [id(one) for one in plan.messages if id(one) in own] == [
        id(message) for at, message in enumerate(listed) if at not in out
    ]
    assert sorted([*out, *stays]) == list(range(len(listed))) or plan.reason == "already-planned"


@given(messages, offers, limits, placements)
def test_each_offer_is_accounted_for_once(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    plan = plan_context(listed, items, limit, placement=placement)
    accounted = [item.group_id for item in (*plan.included, *plan.excluded) if item.entry_id is not None]

    assert sorted(accounted) == [f"evidence:{number}" for number in range(len(items))]


@given(messages, offers, limits, placements)
def test_no_call_is_parted_from_its_results(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    plan = plan_context(listed, items, limit, placement=placement)
    places = {id(message): at for at, message in enumerate(plan.messages)}
    inserted = inserted_of(plan, listed)

    for call, answered in links_of(listed):
        assert (call in places) == (answered in places)
        if call in places:
            assert not any(places[call] < at < places[answered] for at in inserted)


@given(messages, offers, limits, placements)
def test_evidence_stands_together_in_its_place(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    plan = plan_context(listed, items, limit, placement=placement)
    inserted = inserted_of(plan, listed)
    request, asked = find_request(plan.messages), find_request(listed)
    if plan.status != "planned":
        return
    assert request is not None
    assert asked is not None
    assert plan.messages[request.index] is listed[asked.index]
    assert inserted == list(range(plan.evidence_at or 0, (plan.evidence_at or 0) + len(inserted)))
    behind = plan.messages[inserted[-1] + 1 : request.index]
    if placement == "stable-prefix":
        assert {one["role"] for one in plan.messages[: inserted[0]]} <= {"system", "compactionSummary"}
    elif behind:
        # Only a call that is still open at the request holds evidence off.
        assert behind[0]["role"] in ("assistant", "toolResult")


@given(messages, offers, limits, placements)
def test_no_budget_is_exceeded(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    plan = plan_context(listed, items, limit, placement=placement)
    kinds = plan.tokens_by_kind
    capped = sum(item.tokens for item in plan.included if item.reason == "summary")
    tail = [item.tokens for item in plan.included if item.reason == "recent-turn"]

    assert plan.tokens == limit.fixed + sum(map(measure_message, plan.messages)) == sum(kinds.values())
    if plan.status == "planned":
        assert sum(kinds.values()) <= limit.target
        assert kinds.get("retrieval", 0) <= limit.history
        assert capped <= limit.summary
        assert sum(tail) <= limit.recent_tail or len(tail) == 1


@given(messages, offers, limits, placements)
def test_evidence_keeps_the_order_in_which_it_was_offered(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    plan = plan_context(listed, items, limit, placement=placement)
    numbers = [int(item.group_id.split(":")[1]) for item in plan.included if item.entry_id is not None]
    quoted = [plan.messages[at]["content"] for at in inserted_of(plan, listed)]

    assert all(one < other for one, other in pairwise(numbers))
    assert plan.status != "planned" or quoted == [items[number].message.content for number in numbers]


@given(messages, offers, limits, placements)
def test_the_same_input_gives_the_same_plan(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    one = plan_context(listed, items, limit, placement=placement)
    other = plan_context([dict(message) for message in listed], list(items), limit, placement=placement)

    assert one == other


@given(messages, offers, limits, placements)
def test_planning_a_planned_list_changes_nothing(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets, placement: Placement
) -> None:
    first = plan_context(listed, items, limit, placement=placement)
    again = plan_context(first.messages, items, limit, placement=placement)
    if first.status != "planned":
        return

    assert (again.status, again.reason) == ("unchanged", "already-planned")
    assert again.messages is first.messages
    assert again.retrieved_event_ids == first.retrieved_event_ids


@given(messages, offers, limits)
def test_native_messages_make_way_only_where_the_target_is_full(
    listed: list[Message], items: list[EvidenceItem], limit: PlanBudgets
) -> None:
    plan = plan_context(listed, items, limit)
    if plan.tokens is None or not plan.retrieved_event_ids:
        return
    for item in plan.excluded:
        if item.reason == "over-target":
            assert plan.tokens + item.tokens > limit.target or item.kind == "retrieval"
        assert item.kind != "current"
        assert item.kind != "system"


@given(anything | st.lists(anything), anything | st.just(OFFERED), anything | limits, anything | placements)
def test_nothing_that_is_given_raises(listed: Any, items: Any, limit: Any, placement: Any) -> None:
    plan = plan_context(listed, items, limit, placement=placement)

    assert plan.messages is listed or plan.status == "planned"
    assert isinstance(plan.to_dict(), dict)
