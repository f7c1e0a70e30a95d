"""The table: a line for each measured thing, with the budget it is held against and whether it was met."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import apsw
import duckdb
from quality.tables import Cell, Table
from speed.measure import Quantiles

__all__ = [
    "Budget", "Line", "alone_budget", "batch_budget", "cold_budget", "make_table", "predecessor_budget", "warm_budget",
]  # fmt: skip

_HEADER = (
    "store", "what", "n", "CPU p50", "CPU p95", "CPU max", "wall p50", "wall p95", "wall max", "hits",
    "ours / baseline", "budget", "by CPU", "by wall",
)  # fmt: skip

# Entries of the one session of a store: p50 and p95 in milliseconds.
_WARM = ((5_000, 4.0, 8.0), (200_000, 15.0, 40.0))
_BATCH_MS = 1.5
_COLD_MS = 200.0
_AMONG_OTHERS = 1.5
_FASTER = 8
_PREDECESSOR = (32.7, 52.7)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that the median, and the 95th percentile where there is one, may take; milliseconds."""

    text: str
    p50: float
    p95: float | None = None

    def verdict(self, found: Quantiles) -> str:
        """Say whether it was met."""
        over = found.p50 > self.p50 or (self.p95 is not None and found.p95 > self.p95)
        return "missed" if over else "met"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, held against one budget for CPU and one for wall; ``ratio`` is ours to the baseline, of CPU medians."""

    store: str
    what: str
    count: int
    cpu: Quantiles | None
    wall: Quantiles
    hits: float | None = None
    ratio: float | None = None
    cpu_budget: Budget | None = None
    wall_budget: Budget | None = None

    def within(self, budget: Budget | None) -> Self:
        """Return the line held against the same budget for both."""
        return replace(self, cpu_budget=budget, wall_budget=budget)

    def to_row(self) -> list[Cell]:
        """Lay the line out under the header."""
        cpu = (None,) * 3 if self.cpu is None else (self.cpu.p50, self.cpu.p95, self.cpu.most)
        return [
            self.store, self.what, self.count, *cpu, self.wall.p50, self.wall.p95, self.wall.most, self.hits, self.ratio,
            self.cpu_budget and self.cpu_budget.text,
            self.cpu_budget and self.cpu and self.cpu_budget.verdict(self.cpu),
            self.wall_budget and self.wall_budget.verdict(self.wall),
        ]  # fmt: skip


def warm_budget(entries: int) -> Budget | None:
    """Return the budget of one session in a store of its own: that of the next size for which there is one."""
    for most, p50, p95 in _WARM:
        if entries <= most:
            return Budget(f"up to {most:,} entries: p50 {p50:g}, p95 {p95:g}", p50, p95)
    return None


def alone_budget(alone: Quantiles) -> Budget:
    """Return what a session may take among others, given what it took alone."""
    text = f"{_AMONG_OTHERS:g} x the same alone"
    return Budget(text, _AMONG_OTHERS * alone.p50, _AMONG_OTHERS * alone.p95)


def batch_budget(entries: int) -> Budget | None:
    """Return the budget of one request in a batch, for sessions up to 5,000 entries."""
    return Budget(f"{_BATCH_MS:g} a request", _BATCH_MS) if entries <= _WARM[0][0] else None


def cold_budget() -> Budget:
    """Return the budget of a process."""
    return Budget(f"{_COLD_MS:g}", _COLD_MS)


def predecessor_budget(entries: int) -> Budget | None:
    """Return an eighth of the CPU that the implementation before this one took, for sessions up to 5,000 entries.

    It took 32.7 ms at the median and 52.7 at the 95th percentile, on another day of a like machine: a ceiling in
    milliseconds, no ratio of one run.
    """
    if entries > _WARM[0][0]:
        return None
    p50, p95 = (spent / _FASTER for spent in _PREDECESSOR)
    return Budget(f"1/{_FASTER} of the predecessor's CPU: p50 {p50:.1f}, p95 {p95:.1f}", p50, p95)


def make_table(lines: Sequence[Line], load_before: float) -> Table:
    """Lay all lines out; the notes say on what they were measured."""
    notes = (
        "Milliseconds. Each request's median over the rounds, then p50, p95 and maximum over the requests; batches: a"
        " request's share, over the repeats; stages: wall of every answer. CPU is what to quote of a shared machine."
        f" {platform.system()} on {os.cpu_count()} CPUs, load {load_before:.1f} before and {os.getloadavg()[0]:.1f} after;"
        f" Python {sys.version.split()[0]}, duckdb {duckdb.__version__}, SQLite {apsw.sqlite_lib_version()}."
    )
    return Table("Speed of retrieval", _HEADER, [line.to_row() for line in lines], notes)
