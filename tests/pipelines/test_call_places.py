"""The entry that made a call is found by the call's id, however many calls there are."""

from __future__ import annotations

import pytest

from uncompact.pipelines.call_places import CallPlaces
from uncompact.pipelines.sources.records import ToolCall


def call(call_id: str | None, pos: int) -> ToolCall:
    return ToolCall(pos, 0, call_id, "read", "", None, None)


def test_of_several_calls_with_one_id_the_first_counts() -> None:
    calls = CallPlaces()
    calls.add([call("a", 1), call("a", 2)])
    calls.add([call("a", 3), call("b", 4), call(None, 5), call("", 6)])

    assert [calls.find(one) for one in ("a", "b", "", "c")] == [1, 4, None, None]


def test_calls_that_were_read_before_count_first() -> None:
    calls = CallPlaces({"a": 1}.get)
    calls.add([call("a", 7), call("b", 8)])

    assert [calls.find(one) for one in ("a", "b")] == [1, 8]


@pytest.mark.parametrize("step", [50_000, 100_001], ids=["in parts", "all at once"])
def test_many_calls_are_found_like_few(step: int) -> None:
    calls = CallPlaces()
    ids = [f"call_{at % 240_000}" for at in range(250_000)]
    for first in range(0, len(ids), step):
        calls.add(call(one, at) for at, one in enumerate(ids[first : first + step], first))

    assert [calls.find(f"call_{at}") for at in (0, 99_999, 100_000, 239_999)] == [0, 99_999, 100_000, 239_999]
    assert calls.find("call_240000") is None
