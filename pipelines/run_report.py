"""What a reindex run did: counts, timings and warnings, never a word of the logs."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

__all__ = ["RunReport"]


@dataclass(slots=True)
class RunReport:
    """The run report; ``to_dict`` is its JSON form."""

    seen: int = 0
    changed: int = 0
    unchanged: int = 0
    vanished: int = 0
    failed: int = 0
    without_entries: int = 0
    entries_added: int = 0
    entries_total: int = 0
    rejects: dict[str, int] = field(default_factory=dict[str, int])
    bytes_read: int = 0
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    warnings: list[str] = field(default_factory=list[str])

    def count_rejects(self, rejects: dict[str, int]) -> None:
        """Add a log's rejected lines, by reason."""
        for reason, count in rejects.items():
            self.rejects[reason] = self.rejects.get(reason, 0) + count

    @contextmanager
    def timed(self, stage: str) -> Generator[None]:
        """Add the time spent inside to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values; seconds are wall time, memory the process's peak so far."""
        return {
            "sources": {
                "seen": self.seen,
                "changed": self.changed,
                "unchanged": self.unchanged,
                "vanished": self.vanished,
                "failed": self.failed,
                "without_entries": self.without_entries,
            },
            "entries": {"added": self.entries_added, "total": self.entries_total},
            "rejects": {"total": sum(self.rejects.values()), "by_reason": dict(sorted(self.rejects.items()))},
            "bytes_read": self.bytes_read,
            "seconds": {stage: round(seconds, 6) for stage, seconds in self.seconds.items()},
            "peak_rss_mb": _peak_rss_mb(),
            "warnings": self.warnings,
        }


def _peak_rss_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
