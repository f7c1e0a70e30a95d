"""What belongs together in a message list, and where something may be inserted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.query.agent_messages import Message, answer, calls, custom, result, summary, system, user
from uncompact.query.message_groups import (
    CallLink,
    group_messages,
    is_between_call_and_result,
    link_calls,
    place_before,
)
from uncompact.query.messages import read_messages


def links(*messages: Message) -> list[tuple[int, int]]:
    return [(link.call, link.result) for link in link_calls(read_messages(messages))]


def groups(*messages: Message) -> list[tuple[str, tuple[int, ...]]]:
    views = read_messages(messages)
    return [(group.kind, group.indices) for group in group_messages(views, link_calls(views))]


LISTS: dict[str, tuple[list[Message], list[tuple[int, int]]]] = {
    "one call": ([calls("a"), result("a")], [(0, 1)]),
    "several calls in one message": ([calls("a", "b"), result("a"), result("b")], [(0, 1), (0, 2)]),
    "results in another order": ([calls("a", "b"), result("b"), result("a")], [(0, 1), (0, 2)]),
    "a call without a result": ([calls("a", "b"), result("b")], [(0, 1)]),
    "a result without a call": ([user("u"), result("a")], []),
    "two results of one call": ([calls("a"), result("a"), result("a")], [(0, 1), (0, 2)]),
    "an id used again": ([calls("a"), result("a"), calls("a"), result("a")], [(0, 1), (2, 3)]),
    "an id used again after an abort": ([calls("a"), user("u"), calls("a"), result("a")], [(2, 3)]),
    "a result in front of its call": ([result("a"), calls("a")], [(1, 0)]),
    "a result of a turn without calls": ([result("a"), user("u"), calls("a"), result("a")], [(2, 3)]),
    "a message between call and result": ([calls("a"), user("u"), result("a")], [(0, 2)]),
    "calls woven into each other": (
        [calls("a"), calls("b"), result("a"), result("b")],
        [(0, 2), (1, 3)],
    ),
}


@pytest.mark.parametrize(("messages", "expected"), LISTS.values(), ids=LISTS)
def test_a_result_is_joined_with_its_call(messages: list[Message], expected: list[tuple[int, int]]) -> None:
    assert links(*messages) == expected


def test_a_turn_lasts_until_the_next_user_message() -> None:
    found = groups(user("a"), calls("c"), result("c"), answer("x"), user("b"), answer("y"))

    assert found == [("turn", (0, 1, 2, 3)), ("turn", (4, 5))]


def test_what_stands_before_the_first_user_message_is_a_turn() -> None:
    assert groups(summary("s"), answer("x"), user("a")) == [
        ("summary", (0,)), ("turn", (1,)), ("turn", (2,)),
    ]  # fmt: skip


def test_system_messages_and_summaries_stand_for_themselves() -> None:
    found = groups(system("p"), user("a"), system("q"), summary("s", "branchSummary"), answer("x"))

    assert found == [("system", (0,)), ("system", (2,)), ("summary", (3,)), ("turn", (1, 4))]


def test_an_extensions_message_opens_no_turn() -> None:
    assert groups(user("a"), custom("n"), answer("x")) == [("turn", (0, 1, 2))]


def test_a_call_answered_after_the_next_request_joins_both_turns() -> None:
    assert groups(user("a"), calls("c"), user("b"), result("c")) == [("turn", (0, 1, 2, 3))]


def test_turns_that_are_joined_leave_out_those_between() -> None:
    messages = [user("a"), calls("c"), user("b"), answer("x"), user("d"), result("c")]

    assert groups(*messages) == [("turn", (2, 3)), ("turn", (0, 1, 4, 5))]


def test_a_group_is_named_and_sums_its_tokens() -> None:
    (group,) = group_messages(read_messages([user("12345678"), answer("1234")]), [])

    assert (group.group_id, group.tokens) == ("group:0-1", 8 + 2 + 8 + 4 + 1)


@pytest.mark.parametrize(("place", "expected"), [(0, 0), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 6)])
def test_a_place_within_calls_moves_in_front_of_them(place: int, expected: int) -> None:
    woven = [CallLink(1, 3), CallLink(2, 5)]

    assert place_before(woven, place) == expected


def test_a_long_chain_of_woven_calls_is_left_at_once(time_limit: None) -> None:
    woven = [CallLink(at, at + 2) for at in range(100_000)]

    assert place_before(woven, 100_000) == 0


pairs = st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] != pair[1])


@given(st.lists(pairs.map(lambda pair: CallLink(*pair)), max_size=8), st.integers(0, 13))
def test_the_place_is_the_latest_without_an_open_call(woven: list[CallLink], place: int) -> None:
    free = [at for at in range(place + 1) if not is_between_call_and_result(woven, at)]

    assert place_before(woven, place) == free[-1]
