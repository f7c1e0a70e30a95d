"""Logs as chunks to be read, and what came of them as plain values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from uncompact.pipelines.frames import SessionKey, project_key, session_key
from uncompact.pipelines.lake import create_lake
from uncompact.pipelines.log_rows import Chunk, ChunkRows, ReadJob
from uncompact.pipelines.normalize import Reading
from uncompact.pipelines.sources import find_file, recognise
from uncompact.pipelines.sources.records import Cursor
from uncompact.pipelines.workers import read_chunks


def read_job(path: Path, *, unless: str | None = None) -> ReadJob:
    found = find_file(path)
    known = recognise(found)
    assert known is not None
    source, header = known
    key = SessionKey(project_key(header.project), session_key(source.kind, os.fsencode(path)))
    return ReadJob(Reading(source.open(found, header, Cursor()), key, found, source.kind, 0), unless)


def single_chunks(paths: Sequence[Path], lake: Path) -> list[Chunk]:
    """Make a chunk of each log."""
    create_lake(lake)
    return [Chunk(lake, f"run-{at}", [read_job(path)]) for at, path in enumerate(paths)]


def ignore(_job: ReadJob) -> None:
    """Take no notice of a log."""


def read_all(chunks: Sequence[Chunk], helpers: int = 0) -> list[ChunkRows]:
    with closing(read_chunks(chunks, helpers, ignore)) as read:
        return list(read)


def plain(rows: ChunkRows) -> object:
    """Return what came of a chunk's logs, and its rows by table."""
    few = {table: frame.rows() for table, frame in rows.few.items()}
    return [(log.totals, log.is_same, log.failure) for log in rows.logs], few
