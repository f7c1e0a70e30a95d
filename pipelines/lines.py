"""Log files to lines: bytes split on 0x0A only, streaming, with byte ranges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Line", "read_lines"]

_CHUNK_BYTES = 1 << 20
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line of a log: ``raw`` is without its 0x0A; a last line without one is not ``complete``."""

    number: int
    start: int
    end: int
    raw: bytes
    complete: bool


def read_lines(path: Path, *, start: int = 0, number: int = 1, end: int | None = None) -> Iterator[Line]:
    """Yield the lines from byte ``start`` (line ``number``, from 1) to byte ``end`` or the end of the file.

    ``start`` must be the beginning of a line. A byte order mark at the file's beginning is skipped. Memory is
    bounded by the longest line plus 1 MiB. Raises ``OSError`` when the file cannot be read.
    """
    with path.open("rb") as file:
        file.seek(start)
        offset = start
        parts: list[bytes] = []
        remaining = None if end is None else end - start
        while chunk := file.read(_CHUNK_BYTES if remaining is None else min(_CHUNK_BYTES, remaining)):
            if remaining is not None:
                remaining -= len(chunk)
            *ended, rest = chunk.split(b"\n")
            for piece in ended:
                raw = piece if not parts else b"".join([*parts, piece])
                parts.clear()
                yield Line(number, offset, offset + len(raw) + 1, _without_bom(raw, offset), complete=True)
                offset += len(raw) + 1
                number += 1
            if rest:
                parts.append(rest)
        if parts:
            raw = b"".join(parts)
            yield Line(number, offset, offset + len(raw), _without_bom(raw, offset), complete=False)


def _without_bom(raw: bytes, offset: int) -> bytes:
    return raw.removeprefix(_BOM) if offset == 0 else raw
