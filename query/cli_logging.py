"""Logs of the command line on standard error, quiet unless asked for: counts and timings, as text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging import WARNING, Formatter, Handler, LogRecord

from click.exceptions import Exit

from ..pipelines.log_events import LOGGER, log_event
from .cli_errors import problem_of
from .printing import write_error_line

__all__ = ["logging_to_stderr"]


@contextmanager
def logging_to_stderr(level: str, form: str) -> Generator[None]:
    """Write this package's own log events to standard error while inside; other libraries' are nobody's here."""
    handler = _ErrorLines()
    handler.setFormatter(_JsonFormatter() if form == "json" else _TextFormatter())
    before = LOGGER.level, LOGGER.propagate
    LOGGER.setLevel(level.upper())
    LOGGER.propagate = False
    LOGGER.addHandler(handler)
    try:
        yield
    except Exception as error:
        if not isinstance(error, Exit):
            log_event(f"error-{problem_of(error).kind}", WARNING)
        raise
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(before[0])
        LOGGER.propagate = before[1]


class _ErrorLines(Handler):
    def emit(self, record: LogRecord) -> None:
        write_error_line(self.format(record))


class _TextFormatter(Formatter):
    """``2026-03-14T09:00:00.000Z INFO read seconds=0.1 seen=3``."""

    def format(self, record: LogRecord) -> str:
        event, facts = _told(record)
        return " ".join((_time(record), record.levelname, event, *(f"{k}={v}" for k, v in facts.items())))


class _JsonFormatter(Formatter):
    """``{"time", "level", "event", ...}`` with the event's counts and timings."""

    def format(self, record: LogRecord) -> str:
        event, facts = _told(record)
        return json.dumps({"time": _time(record), "level": record.levelname.lower(), "event": event, **facts})


def _told(record: LogRecord) -> tuple[str, dict[str, float]]:
    """Return what ``log_event`` put into a record; of any other record only that there was one."""
    return getattr(record, "event", "other"), getattr(record, "facts", {})


def _time(record: LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
