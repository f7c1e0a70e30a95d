"""A model's window to what a plan may fill: reserves, limits of the whole input, and a cap for each kind of message."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, TypeGuard

from .limits import MAX_RETRIEVED_HISTORY_TOKENS

__all__ = ["PlanBudgets", "PlanCaps", "budget_problem", "compute_budgets"]

_LARGEST_OUTPUT_RESERVE = 32_768
_SMALLEST_SAFETY = 1_024
_LARGEST_SAFETY = 8_192
_SAFETY_SHARE = 50  # a fiftieth of the window
_HARD_TENTHS, _SOFT_TENTHS, _TARGET_TENTHS = 9, 8, 7
# Larger figures are mistakes, not models.
_LARGEST_WINDOW = 1_000_000_000
_UNKNOWN_OUTPUT_SHARE = 4

# Up to this window: most tokens of recent turns, and of retrieved history.
_CEILINGS = ((40_000, 12_000, 4_000), (131_072, 24_000, 8_000), (262_144, 32_000, 16_000))
_CEILINGS_BEYOND = (64_000, 32_000)


@dataclass(frozen=True, slots=True)
class PlanCaps:
    """The most tokens that each kind may take, whatever the window."""

    recent_tail_tokens: int = 64_000
    retrieved_history_tokens: int = MAX_RETRIEVED_HISTORY_TOKENS
    summary_tokens: int = 12_000


@dataclass(frozen=True, slots=True)
class PlanBudgets:
    """What a plan may fill, in estimated tokens.

    No plan passes ``target``; beyond ``soft`` or ``hard``, an untouched list is worth a warning; all three count
    ``fixed``, which is sent besides the messages (system prompt, tools). ``recent_tail``, ``history`` and
    ``summary`` are caps of recent turns, evidence and summaries. With a ``problem`` nothing can be planned.
    """

    window: int
    output_reserve: int
    safety: int
    hard: int
    soft: int
    target: int
    recent_tail: int
    history: int
    summary: int
    fixed: int = 0
    problem: str | None = None


def compute_budgets(
    window: int,
    *,
    max_output: int | None = None,
    fixed_tokens: int = 0,
    token_ratio: float = 1.0,
    caps: PlanCaps | None = None,
) -> PlanBudgets:
    """Divide a model's window.

    The reserve for the answer is what the model can write (``max_output``; unknown: a quarter of the window), at most
    32,768. Safety is 2 % of the window, between 1,024 and 8,192. The hard limit is the rest, at most 90 % of the
    window; the soft limit is 80 %, the target 70 %. ``token_ratio`` says how many real tokens one estimated token was
    in the past: above 1 it divides the three limits. Never raises: figures that make no sense come back as ``problem``.
    """
    caps = caps or PlanCaps()
    problem = _input_problem(window, max_output, fixed_tokens, token_ratio, caps)
    if problem is not None:
        return PlanBudgets(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, problem)
    writes = window // _UNKNOWN_OUTPUT_SHARE if max_output is None else max_output
    reserve = min(_LARGEST_OUTPUT_RESERVE, writes)
    safety = min(_LARGEST_SAFETY, max(_SMALLEST_SAFETY, -(-window // _SAFETY_SHARE)))
    hard = min(window - reserve - safety, window * _HARD_TENTHS // 10)
    soft, target = min(hard, window * _SOFT_TENTHS // 10), min(hard, window * _TARGET_TENTHS // 10)
    ratio = max(1.0, token_ratio)
    hard, soft, target = (max(0, math.floor(limit / ratio)) for limit in (hard, soft, target))
    if hard == 0:
        problem = (
            f"a window of {window:,} tokens has no room beside {reserve:,} for the answer and {safety:,} of safety; "
            "give the model's real window and output limit"
        )
    recent, history = next((row[1:] for row in _CEILINGS if window <= row[0]), _CEILINGS_BEYOND)
    return PlanBudgets(
        window=window,
        output_reserve=reserve,
        safety=safety,
        hard=hard,
        soft=soft,
        target=target,
        recent_tail=min(recent, caps.recent_tail_tokens),
        history=min(history, caps.retrieved_history_tokens),
        summary=caps.summary_tokens,
        fixed=fixed_tokens,
        problem=problem,
    )


def budget_problem(budgets: object) -> str | None:
    """Say why nothing can be planned within budgets, however they were made; ``None`` when something can."""
    if not isinstance(budgets, PlanBudgets):
        return f"budgets are {_shown(budgets)}; make them with compute_budgets"
    if budgets.problem is not None:
        return budgets.problem
    for field in fields(budgets):
        value: Any = getattr(budgets, field.name)
        if field.name != "problem" and not _is_count(value):
            return f"{field.name} is {_shown(value)}; give 0 or a positive number of tokens"
    if not 0 < budgets.target <= budgets.soft <= budgets.hard <= budgets.window:
        return (
            f"target {budgets.target:,}, soft limit {budgets.soft:,}, hard limit {budgets.hard:,} and window "
            f"{budgets.window:,} must rise in this order from above 0"
        )
    return None


def _input_problem(
    window: object, max_output: object, fixed_tokens: object, token_ratio: object, caps: object
) -> str | None:
    if not isinstance(caps, PlanCaps):
        return f"caps are {_shown(caps)}; give a PlanCaps"
    if not _is_count(window) or not 0 < window <= _LARGEST_WINDOW:
        return f"window is {_shown(window)}; give a number of tokens from 1 to {_LARGEST_WINDOW:,}"
    if max_output is not None and (not _is_count(max_output) or max_output == 0):
        return f"max_output is {_shown(max_output)}; give a positive number of tokens, or none"
    counts = {"fixed_tokens": fixed_tokens} | {
        field.name: getattr(caps, field.name) for field in fields(caps)
    }
    for name, value in counts.items():
        if not _is_count(value):
            return f"{name} is {_shown(value)}; give 0 or a positive number of tokens"
    if (
        isinstance(token_ratio, bool)
        or not isinstance(token_ratio, (int, float))
        or not 0 < token_ratio < 1e6
    ):
        return f"token_ratio is {_shown(token_ratio)}; give real tokens for each estimated one, such as 1.1"
    return None


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _shown(value: object) -> str:
    """Write a figure that makes no sense; anything but a number may be text of a message, so only its type."""
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 10**15):
        return repr(value)
    return "a huge number" if isinstance(value, int) else f"a {type(value).__name__}"
