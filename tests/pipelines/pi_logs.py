"""A Pi log written to a folder and opened by its adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.cases.builders import encode, header
from uncompact.pipelines.sources import find_file
from uncompact.pipelines.sources.pi import PiLog, PiSource
from uncompact.pipelines.sources.records import Cursor, Entry, Header, Link, Log, Record

JsonObject = dict[str, Any]

# An entry of version 1, without id and parent.
MESSAGE: JsonObject = {"type": "message", "message": {"role": "user", "content": "x"}}


def write(folder: Path, *lines: JsonObject | bytes) -> Path:
    path = folder / "s.jsonl"
    path.write_bytes(b"".join(line if isinstance(line, bytes) else encode(line) for line in lines))
    return path


def recognised(folder: Path, *lines: JsonObject | bytes) -> Header | None:
    return PiSource().recognise(find_file(write(folder, *lines)))


def open_log(folder: Path, *lines: JsonObject | bytes, version: object = 3) -> PiLog:
    """Open a log of a header and these lines."""
    found = find_file(write(folder, {**header(), "version": version}, *lines))
    known = PiSource().recognise(found)
    assert known is not None
    return PiSource().open(found, known, Cursor())


def records(folder: Path, *lines: JsonObject | bytes, version: object = 3) -> list[Record]:
    return list(open_log(folder, *lines, version=version).records())


def entries(folder: Path, *lines: JsonObject | bytes, version: object = 3) -> list[Entry]:
    return [record for record in records(folder, *lines, version=version) if isinstance(record, Entry)]


class ChangingLog:
    """A log to whose file something happens while its records are read, after the first entry."""

    def __init__(self, log: Log, change: Callable[[], object]) -> None:
        self.header = log.header
        self.links: Callable[[], Iterator[Link]] = log.links
        self.leaf_pos: Callable[[], int | None] = log.leaf_pos
        self.cursor: Callable[[], Cursor] = log.cursor
        self.pending_line: Callable[[], int | None] = log.pending_line
        self._log = log
        self._change: Callable[[], object] | None = change

    def records(self) -> Iterator[Record]:
        for record in self._log.records():
            yield record
            if self._change is not None and isinstance(record, Entry):
                self._change()
                self._change = None
