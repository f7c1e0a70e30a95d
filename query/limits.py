"""How much evidence one request may bring back."""

from __future__ import annotations

from dataclasses import dataclass

from ..pipelines.errors import UncompactError

__all__ = ["MAX_RESULTS", "MAX_RETRIEVED_HISTORY_TOKENS", "LimitError", "Limits"]

MAX_RESULTS = 12
MAX_RETRIEVED_HISTORY_TOKENS = 16_000
_RESULTS_RANGE = (1, 100)


class LimitError(UncompactError):
    """A limit is outside its range."""

    kind = "usage"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much evidence one request may bring back."""

    max_results: int = MAX_RESULTS
    max_retrieved_history_tokens: int = MAX_RETRIEVED_HISTORY_TOKENS

    def __post_init__(self) -> None:
        low, high = _RESULTS_RANGE
        if not low <= self.max_results <= high:
            raise LimitError(f"max_results is {self.max_results}", hint=f"give a number from {low} to {high}")
        if self.max_retrieved_history_tokens < 0:
            raise LimitError(
                f"max_retrieved_history_tokens is {self.max_retrieved_history_tokens}",
                hint="give 0 or a positive number of tokens",
            )
