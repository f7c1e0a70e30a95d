"""Log files to lines: bytes split on 0x0A only, streaming, with byte ranges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

__all__ = ["Line", "read_lines"]

_BUFFER_BYTES = 64 << 10
_NO_END = 1 << 62
_BOM = b"\xef\xbb\xbf"


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a log: ``raw`` is without its 0x0A; a last line without one is not ``complete``."""

    number: int
    start: int
    end: int
    raw: bytes
    complete: bool


def read_lines(path: Path, *, start: int = 0, number: int = 1, end: int | None = None) -> Iterator[Line]:
    """Yield the lines from byte ``start`` (line ``number``, from 1) to byte ``end`` or the end of the file.

    ``start`` must be the beginning of a line. A byte order mark at the file's beginning is skipped. Memory is
    bounded by the longest line. Raises ``OSError`` when the file cannot be read.
    """
    left = _NO_END if end is None else end - start
    with path.open("rb", buffering=_BUFFER_BYTES) as file:
        file.seek(start)
        while raw := file.readline(left):
            after = start + len(raw)
            left -= len(raw)
            complete = raw.endswith(b"\n")
            content = raw[:-1] if complete else raw
            yield Line(number, start, after, content if start else content.removeprefix(_BOM), complete)
            start = after
            number += 1
