"""Times of calls: CPU and wall, over several rounds, in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

__all__ = [
    "ASKED_AGAIN",
    "Answer",
    "Ask",
    "Measured",
    "Quantiles",
    "Way",
    "measure_rounds",
    "over_rounds",
    "quantiles",
    "time_call",
]

Result = TypeVar("Result")

ASKED_AGAIN = ", asked again"


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Median, 95th percentile (nearest rank) and maximum; milliseconds."""

    p50: float
    p95: float
    most: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The entries that came back, best first, and how long each stage took (wall, milliseconds) where that is told."""

    entry_ids: tuple[str, ...]
    stages: Mapping[str, float] = field(default_factory=dict[str, float])


Ask = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer: ``open`` gives what is asked.

    ``repeats`` caps the rounds it takes part in, ``again`` asks everything a second time, from memory.
    """

    name: str
    open: Callable[[], AbstractContextManager[Ask]]
    requests: Sequence[str]
    repeats: int
    again: bool = False


@dataclass(slots=True)
class Measured:
    """What one way took for each request, in each round."""

    cpu: list[list[float]] = field(default_factory=list[list[float]])
    wall: list[list[float]] = field(default_factory=list[list[float]])
    answers: list[Answer] = field(default_factory=list[Answer])

    def add_round(self, ask: Ask, requests: Sequence[str]) -> None:
        """Ask every request once."""
        timed = [time_call(partial(ask, request)) for request in requests]
        self.cpu.append([cpu for cpu, _, _ in timed])
        self.wall.append([wall for _, wall, _ in timed])
        self.answers += [answer for _, _, answer in timed]

    @property
    def mean_hits(self) -> float:
        """Entries in an answer."""
        return statistics.mean(len(answer.entry_ids) for answer in self.answers)

    def stage(self, name: str) -> Quantiles:
        """Wall of one stage, over all answers that had it."""
        return quantiles([answer.stages[name] for answer in self.answers if name in answer.stages])

    @property
    def stages(self) -> list[str]:
        """All stages, in the order in which they ran."""
        return list(dict.fromkeys(name for answer in self.answers for name in answer.stages))


def time_call(call: Callable[[], Result]) -> tuple[float, float, Result]:
    """Call, and return CPU and wall milliseconds, all threads' together, and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    spent = time.process_time() - cpu
    return spent * 1000, (time.perf_counter() - wall) * 1000, result


def quantiles(values: Sequence[float]) -> Quantiles:
    """Summarise at least one value."""
    ordered = sorted(values)
    return Quantiles(statistics.median(ordered), ordered[-(-len(ordered) * 95 // 100) - 1], ordered[-1])


def over_rounds(rounds: Sequence[Sequence[float]]) -> Quantiles:
    """Take each request's median over the rounds, then summarise over the requests."""
    return quantiles([statistics.median(one) for one in zip(*rounds, strict=True)])


def measure_rounds(ways: Sequence[Way], warm_ups: Sequence[str]) -> dict[str, Measured]:
    """Let all ways answer in turn, round by round, so that a busy machine slows them alike.

    Each round opens anew and warms up with other requests: an answer that is remembered is none that is measured.
    """
    measured: dict[str, Measured] = {}
    for number in range(max(way.repeats for way in ways)):
        for way in ways:
            if number < way.repeats:
                _measure_round(way, warm_ups, measured)
    return measured


def _measure_round(way: Way, warm_ups: Sequence[str], measured: dict[str, Measured]) -> None:
    with way.open() as ask:
        for request in warm_ups:
            ask(request)
        measured.setdefault(way.name, Measured()).add_round(ask, way.requests)
        if way.again:
            measured.setdefault(way.name + ASKED_AGAIN, Measured()).add_round(ask, way.requests)
