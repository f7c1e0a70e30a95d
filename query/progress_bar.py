"""A run's progress as a bar on a terminal: one line for each stage, gone when the run has ended."""

from __future__ import annotations

import io
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from ..pipelines.progress import Stage

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

__all__ = ["ProgressBar"]

_REFRESHES_PER_SECOND = 4
# Moving a bar costs more than reading a small log.
_SECONDS_BETWEEN = 0.1


class ProgressBar:
    """Draws bars on standard error; a terminal that went away is none of the run's business."""

    def __init__(self) -> None:
        self._bars = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            _FiguresColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=_lenient_stderr(), force_terminal=True),
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
        )
        self._current: TaskID | None = None
        self._done_bytes = 0
        self._logs = 0
        self._moved_at = 0.0

    def start(self) -> None:
        """Begin to draw."""
        self._bars.start()

    def stop(self) -> None:
        """Clear the bars away and give the terminal back its cursor."""
        self._bars.stop()

    def stage(self, name: Stage, total_bytes: int | None = None) -> None:
        """Fill the bar of the stage before and begin one."""
        self._end_stage()
        self._done_bytes = self._logs = 0
        self._current = self._bars.add_task(name, total=total_bytes, logs=0)

    def advance(self, done_bytes: int, logs: int = 1) -> None:
        """Move the bar on."""
        self._done_bytes += done_bytes
        self._logs += logs
        if self._current is not None and time.perf_counter() - self._moved_at >= _SECONDS_BETWEEN:
            self._bars.update(self._current, completed=self._done_bytes, logs=self._logs)
            self._moved_at = time.perf_counter()

    def _end_stage(self) -> None:
        if self._current is not None:
            done = self._done_bytes
            self._bars.update(self._current, total=done, completed=done, logs=self._logs)


class _Lenient(io.RawIOBase):
    """Standard error as it was when the run began; what it does not take is lost."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        with suppress(OSError, ValueError, AttributeError):
            self._stream.buffer.write(data)
            self._stream.buffer.flush()
        return memoryview(data).nbytes


def _lenient_stderr() -> io.TextIOWrapper:
    encoding = getattr(sys.stderr, "encoding", "ascii")
    return io.TextIOWrapper(io.BufferedWriter(_Lenient()), encoding, errors="backslashreplace")


class _FiguresColumn(ProgressColumn):
    """How much a stage has done, at which rate, and how many logs that was; nothing where nothing is counted."""

    def render(self, task: Task) -> Text:
        figures: list[str] = []
        if task.total and not task.finished:
            figures.append(f"{_size(task.completed)} of {_size(task.total)}")
        elif task.completed:
            figures.append(_size(task.completed))
        if task.speed and not task.finished:
            figures.append(f"{_size(task.speed)}/s")
        if logs := task.fields["logs"]:
            figures.append(f"{logs:,} {'log' if logs == 1 else 'logs'}")
        return Text(", ".join(figures))


def _size(size: float) -> str:
    return decimal(int(size))
