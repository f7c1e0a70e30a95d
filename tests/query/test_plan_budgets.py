"""A model's window divided: reserves, limits, caps, and figures that make no sense."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.query.plan_budgets import PlanBudgets, PlanCaps, budget_problem, compute_budgets


@pytest.mark.parametrize(
    ("window", "max_output", "expected"),
    [
        # window, output: reserve, safety, hard, soft, target
        (200_000, 64_000, (32_768, 4_000, 163_232, 160_000, 140_000)),
        (200_000, 8_000, (8_000, 4_000, 180_000, 160_000, 140_000)),
        (128_000, 16_384, (16_384, 2_560, 109_056, 102_400, 89_600)),
        (32_768, 8_192, (8_192, 1_024, 23_552, 23_552, 22_937)),
        (32_768, 1_000, (1_000, 1_024, 29_491, 26_214, 22_937)),
        (1_000_000, 64_000, (32_768, 8_192, 900_000, 800_000, 700_000)),
        (40_001, None, (10_000, 1_024, 28_977, 28_977, 28_000)),
        (50_050, 8_192, (8_192, 1_024, 40_834, 40_040, 35_035)),
        (55_555, 8_192, (8_192, 1_112, 46_251, 44_444, 38_888)),
    ],
)
def test_a_window_is_divided(
    window: int, max_output: int | None, expected: tuple[int, int, int, int, int]
) -> None:
    made = compute_budgets(window, max_output=max_output)

    assert (made.output_reserve, made.safety, made.hard, made.soft, made.target) == expected
    assert made.problem is None


@pytest.mark.parametrize(
    ("window", "recent", "history"),
    [
        (40_000, 12_000, 4_000), (40_001, 24_000, 8_000), (131_072, 24_000, 8_000), (131_073, 32_000, 16_000),
        (262_144, 32_000, 16_000), (262_145, 64_000, 16_000),
    ],
)  # fmt: skip
def test_caps_grow_with_the_window(window: int, recent: int, history: int) -> None:
    made = compute_budgets(window)

    assert (made.recent_tail, made.history) == (recent, history)


def test_caps_can_be_set() -> None:
    caps = PlanCaps(recent_tail_tokens=100_000, retrieved_history_tokens=100_000, summary_tokens=7)
    made = compute_budgets(500_000, caps=caps)

    assert (made.recent_tail, made.history, made.summary) == (64_000, 32_000, 7)
    assert compute_budgets(500_000, caps=PlanCaps(recent_tail_tokens=5)).recent_tail == 5


def test_an_estimate_that_is_too_low_divides_the_limits() -> None:
    made = compute_budgets(200_000, max_output=8_000, token_ratio=1.25)

    assert (made.hard, made.soft, made.target) == (144_000, 128_000, 112_000)


def test_an_estimate_that_is_too_high_changes_nothing() -> None:
    assert compute_budgets(200_000, token_ratio=0.5) == compute_budgets(200_000)


SENSELESS: dict[str, dict[str, Any]] = {
    "no window": {"window": 0},
    "a negative window": {"window": -1},
    "an absurd window": {"window": 10**400},
    "a window that is yes": {"window": True},
    "a window with a fraction": {"window": 200_000.0},
    "a window that is no number": {"window": float("nan")},
    "a window in words": {"window": "200k"},
    "a window smaller than the reserve": {"window": 8_000, "max_output": 8_192},
    "a window of the answer alone": {"window": 32_768, "max_output": 32_768},
    "no output": {"window": 200_000, "max_output": 0},
    "a negative output": {"window": 200_000, "max_output": -5},
    "an output that is yes": {"window": 200_000, "max_output": True},
    "negative fixed tokens": {"window": 200_000, "fixed_tokens": -1},
    "fixed tokens that are no": {"window": 200_000, "fixed_tokens": False},
    "no ratio": {"window": 200_000, "token_ratio": 0},
    "a ratio that is yes": {"window": 200_000, "token_ratio": True},
    "a ratio that is no number": {"window": 200_000, "token_ratio": float("nan")},
    "an endless ratio": {"window": 200_000, "token_ratio": float("inf")},
    "a ratio of text": {"window": 200_000, "token_ratio": "1.1"},
    "a ratio that leaves nothing": {"window": 200_000, "token_ratio": 900_000},
    "a negative cap": {"window": 200_000, "caps": PlanCaps(summary_tokens=-1)},
    "a cap that is yes": {"window": 200_000, "caps": PlanCaps(recent_tail_tokens=True)},
    "caps of another kind": {"window": 200_000, "caps": {"summary_tokens": 5}},
}


@pytest.mark.parametrize("arguments", SENSELESS.values(), ids=SENSELESS)
def test_figures_without_sense_are_a_problem_and_no_error(arguments: dict[str, Any]) -> None:
    made = compute_budgets(**arguments)

    assert made.problem
    assert budget_problem(made) == made.problem
    assert len(made.problem) < 200


GOOD = compute_budgets(200_000)
NAN: Any = float("nan")
ENDLESS: Any = float("inf")


@pytest.mark.parametrize(
    "wrong",
    [
        replace(GOOD, hard=-1),
        replace(GOOD, target=True),
        replace(GOOD, history=NAN),
        replace(GOOD, fixed=ENDLESS),
        replace(GOOD, target=0),
        replace(GOOD, hard=GOOD.window + 1),
        replace(GOOD, soft=GOOD.target - 1),
        None,
        200_000,
        {"window": 200_000},
    ],
)
def test_budgets_made_by_hand_are_checked(wrong: object) -> None:
    assert budget_problem(wrong)


def test_good_budgets_have_no_problem() -> None:
    assert budget_problem(GOOD) is None


@given(
    window=st.integers(1, 10**9),
    max_output=st.none() | st.integers(1, 10**7),
    fixed=st.integers(0, 10**7),
    ratio=st.floats(0.1, 10),
)
def test_limits_rise_and_leave_room_for_the_answer(
    window: int, max_output: int | None, fixed: int, ratio: float
) -> None:
    made: PlanBudgets = compute_budgets(window, max_output=max_output, fixed_tokens=fixed, token_ratio=ratio)

    if made.problem is None:
        assert 0 <= made.target <= made.soft <= made.hard <= window * 0.9
        assert made.hard + made.output_reserve + made.safety <= window
