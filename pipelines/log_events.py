"""Structured logs of what the pipelines do: names of events, counts and timings, never a path, an id or a text."""

from __future__ import annotations

import logging
from typing import Final

__all__ = ["LOGGER", "log_event"]

LOGGER: Final = logging.getLogger("uncompact")


def log_event(event: str, level: int = logging.INFO, /, **facts: float) -> None:
    """Log an event with its counts and timings.

    The message reads ``event name=value ...``; the record has the same as ``event`` and ``facts`` for a handler
    that writes JSON. Facts are numbers and events are words of this package, so that nothing of a log can get in.
    """
    if LOGGER.isEnabledFor(level):
        shown = " ".join((event, *(f"{name}={value}" for name, value in facts.items())))
        LOGGER.log(level, "%s", shown, extra={"event": event, "facts": facts})
