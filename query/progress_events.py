"""A run's progress as JSON objects, one a line on standard error."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

from ..pipelines.progress import Stage
from ..pipelines.run_report import RunReport
from .printing import write_error_line

__all__ = ["ProgressEvents"]

# A stage's first and last event always come; of those in between a few a second.
_SECONDS_BETWEEN = 0.25


class ProgressEvents:
    """Writes ``{"event": ...}`` lines.

    ``stage`` begins a stage, ``progress`` comes while it goes on and once at its end: both have ``stage``,
    ``done_bytes``, ``total_bytes`` (``null`` when unknown), ``logs`` done and ``seconds`` since its beginning; bytes
    are characters in the stage ``companion``. ``warning`` has a ``message``. ``done`` is the last line and has
    ``outcome``, ``error`` (its kind, or ``null``), ``logs`` seen, ``entries_added``, ``bytes_read``, ``warnings``
    and ``seconds``.
    """

    def __init__(
        self,
        write: Callable[[str], None] = write_error_line,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._write = write
        self._clock = clock
        self._begun = self._told_at = clock()
        self._stage: Stage | None = None
        self._total_bytes: int | None = None
        self._done_bytes = 0
        self._logs = 0
        self._stage_begun = self._begun

    def stage(self, name: Stage, total_bytes: int | None = None) -> None:
        """End the stage before and begin one."""
        self._end_stage()
        self._stage, self._total_bytes = name, total_bytes
        self._done_bytes = self._logs = 0
        self._stage_begun = self._clock()
        self._tell("stage")

    def advance(self, done_bytes: int, logs: int = 1) -> None:
        """Count what was done, and tell it when the last event is long enough ago."""
        self._done_bytes += done_bytes
        self._logs += logs
        if self._clock() - self._told_at >= _SECONDS_BETWEEN:
            self._tell("progress")

    def end(self, report: RunReport) -> None:
        """Tell the warnings, and how the run ended."""
        self._end_stage()
        self.warn(report.warnings)
        self._emit(
            event="done",
            outcome=report.outcome,
            error=report.error,
            logs=report.seen,
            entries_added=report.entries_added,
            bytes_read=report.bytes_read,
            warnings=len(report.warnings),
            seconds=round(self._clock() - self._begun, 3),
        )

    def warn(self, warnings: Sequence[str]) -> None:
        """Tell warnings; they may name paths, and nothing else here does."""
        for warning in warnings:
            self._emit(event="warning", message=warning)

    def _end_stage(self) -> None:
        if self._stage is not None:
            self._tell("progress")
            self._stage = None

    def _tell(self, event: str) -> None:
        self._told_at = self._clock()
        self._emit(
            event=event,
            stage=self._stage,
            done_bytes=self._done_bytes,
            total_bytes=self._total_bytes,
            logs=self._logs,
            seconds=round(self._told_at - self._stage_begun, 3),
        )

    def _emit(self, **event: str | float | None) -> None:
        self._write(json.dumps(event))
