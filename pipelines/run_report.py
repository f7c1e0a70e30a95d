"""What a reindex run did: counts, timings and warnings, never a word of the logs."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Literal

from .errors import UncompactError
from .log_events import log_event
from .memory import peak_rss_mb
from .timestamps import format_time

__all__ = ["Outcome", "RunReport"]

Outcome = Literal["running", "ok", "rejects", "failed", "interrupted"]


def _now() -> int:
    return time.time_ns() // 1000


@dataclass(slots=True)
class RunReport:
    """The run report; ``to_dict`` is its JSON form.

    ``outcome`` is ``rejects`` when a line, a file or a whole log came to nothing, ``failed`` after an error, whose
    kind is ``error``, and ``interrupted`` after a signal. ``copies`` are those of all entries in the store that repeat
    one of an earlier session, ``forgotten`` the logs that a tombstone holds back. Times are microseconds since 1970
    UTC.
    """

    seen: int = 0
    changed: int = 0
    unchanged: int = 0
    vanished: int = 0
    drifted: int = 0
    forgotten: int = 0
    failed: int = 0
    without_entries: int = 0
    entries_added: int = 0
    entries_total: int = 0
    copies: int = 0
    rejects: dict[str, int] = field(default_factory=dict[str, int])
    bytes_read: int = 0
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    warnings: list[str] = field(default_factory=list[str])
    peak_worker_rss_mb: float = 0.0
    started_at: int = field(default_factory=_now)
    ended_at: int | None = None
    store: str = ""
    outcome: Outcome = "running"
    error: str | None = None

    @property
    def is_lossy(self) -> bool:
        """Tell whether a line, a file or a whole log came to nothing."""
        return bool(self.failed or self.rejects or self.without_entries)

    def count_rejects(self, rejects: dict[str, int]) -> None:
        """Add a log's rejected lines, by reason."""
        for reason, count in rejects.items():
            self.rejects[reason] = self.rejects.get(reason, 0) + count

    @contextmanager
    def timed(self, stage: str) -> Generator[None]:
        """Add the time spent inside to a stage, and log it with the counts so far."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[stage] = self.seconds.get(stage, 0.0) + spent
            log_event(stage, seconds=round(spent, 4), **self.counts())

    def end(self, error: BaseException | None = None) -> None:
        """Note that the run ended now, and how."""
        self.ended_at = _now()
        if error is None:
            self.outcome = "rejects" if self.is_lossy else "ok"
        elif isinstance(error, Exception):
            self.outcome, self.error = "failed", _kind(error)
        else:
            self.outcome = "interrupted"

    def counts(self) -> dict[str, int]:
        """Return what a log may say of the run: numbers alone."""
        return {
            "seen": self.seen,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "vanished": self.vanished,
            "failed": self.failed,
            "forgotten": self.forgotten,
            "entries_added": self.entries_added,
            "rejects": sum(self.rejects.values()),
            "bytes_read": self.bytes_read,
            "warnings": len(self.warnings),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values: seconds are wall time, times ISO 8601 in UTC.

        ``peak_rss_mb`` is the most memory that one process of the run held, ``peak_worker_rss_mb`` the most that
        one of its worker processes did, 0 without any.
        """
        return {
            "outcome": self.outcome,
            "store": self.store,
            "version": version("uncompact"),
            "started_at": format_time(self.started_at),
            "ended_at": format_time(self.ended_at),
            "sources": {
                "seen": self.seen,
                "changed": self.changed,
                "unchanged": self.unchanged,
                "vanished": self.vanished,
                "drifted": self.drifted,
                "forgotten": self.forgotten,
                "failed": self.failed,
                "without_entries": self.without_entries,
            },
            "entries": {"added": self.entries_added, "total": self.entries_total},
            "copies": self.copies,
            "rejects": {"total": sum(self.rejects.values()), "by_reason": dict(sorted(self.rejects.items()))},
            "bytes_read": self.bytes_read,
            "seconds": {stage: round(seconds, 6) for stage, seconds in self.seconds.items()},
            "peak_rss_mb": max(peak_rss_mb(), self.peak_worker_rss_mb),
            "peak_worker_rss_mb": self.peak_worker_rss_mb,
            "warnings": self.warnings,
        }


def _kind(error: Exception) -> str:
    """Name an error as the command line does, without its message: that may name a path."""
    if isinstance(error, UncompactError):
        return error.kind
    return "io" if isinstance(error, OSError) else "internal"
