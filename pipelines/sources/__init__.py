"""Adapters: one file per coding agent, all behind one protocol."""

from __future__ import annotations

from .discover import find_file, find_files
from .pi import PiSource
from .records import Found, Header, Source

__all__ = ["SOURCES", "find_file", "find_files", "recognise"]

SOURCES: tuple[Source, ...] = (PiSource(),)


def recognise(found: Found) -> tuple[Source, Header] | None:
    """Return the adapter that knows a file, and the log's header; ``None`` when none does.

    Raises ``OSError`` when the file cannot be read.
    """
    for source in SOURCES:
        header = source.recognise(found)
        if header is not None:
            return source, header
    return None
