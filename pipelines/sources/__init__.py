"""Adapters: one file per coding agent, all behind one protocol."""

from __future__ import annotations

from pathlib import Path

from .discover import find_file, find_files
from .pi import PiSource
from .records import Found, Header, Source

__all__ = ["SOURCES", "default_roots", "find_file", "find_files", "recognise"]

SOURCES: tuple[Source, ...] = (PiSource(),)


def default_roots() -> list[Path]:
    """Return every agent's own folder of logs that exists."""
    return [root for source in SOURCES for root in source.default_roots() if root.exists()]


def recognise(found: Found) -> tuple[Source, Header] | None:
    """Return the adapter that knows a file, and the log's header; ``None`` when none does.

    Raises ``OSError`` when the file cannot be read.
    """
    for source in SOURCES:
        header = source.recognise(found)
        if header is not None:
            return source, header
    return None
