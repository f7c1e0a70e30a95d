"""Logs to staged rows, one chunk of logs after the other: what may be done in any process, in any order.

A chunk is given by the logs alone, and so are the files its rows go to, whoever reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from deltalake.transaction import AddAction

from .errors import SourceError
from .held_columns import HeldColumns
from .lake_staging import StagedRows
from .normalize import Reading, log_columns
from .schema import TABLES
from .session_totals import SessionTotals, content_chain

__all__ = ["Chunk", "ChunkRows", "LogRead", "ReadJob", "make_chunks", "read_chunk", "reason_of"]

_CHUNK_BYTES = 24 << 20


@dataclass(frozen=True, slots=True)
class ReadJob:
    """A log to read from its beginning, unless its lines have the chain ``unless``."""

    reading: Reading
    unless: str | None = None


@dataclass(frozen=True, slots=True)
class LogRead:
    """What reading a log came to: nothing but ``is_same`` or a ``failure``, or its rows and ``totals``."""

    totals: SessionTotals
    is_same: bool = False
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Logs that are read one after the other, and what the names of their files begin with."""

    lake: Path
    prefix: str
    jobs: Sequence[ReadJob]

    @property
    def size(self) -> int:
        """Bytes of all logs."""
        return sum(job.reading.found.size for job in self.jobs)


@dataclass(slots=True)
class ChunkRows:
    """What became of a chunk's logs, in their order, the files staged, and rows too few for a file.

    ``helper_peak_mb`` is the most memory that the helper which read them has held, 0 where there was none.
    """

    logs: list[LogRead] = field(default_factory=list[LogRead])
    files: dict[str, list[AddAction]] = field(default_factory=dict[str, list[AddAction]])
    few: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    helper_peak_mb: float = 0.0


def make_chunks(lake: Path, run: str, jobs: Iterable[ReadJob]) -> list[Chunk]:
    """Divide logs into chunks of about 24 MB, in their order; a log is never divided."""
    return [Chunk(lake, f"{run}-{at:05}", group) for at, group in enumerate(_groups(jobs))]


def read_chunk(chunk: Chunk, done: Callable[[ReadJob], None] | None = None) -> ChunkRows:
    """Read a chunk's logs and stage their rows; ``done`` is told of each log.

    A log that cannot be read costs no other. Raises what writing raises.
    """
    staged, held = StagedRows(chunk.lake, chunk.prefix), HeldColumns()
    rows = ChunkRows()
    for job in chunk.jobs:
        rows.logs.append(_read(job, held, staged))
        if done is not None:
            done(job)
    _stage(held, staged)
    for table in TABLES:
        # Who commits must see every session's row.
        few = staged.take_held(table) if table == "sessions" else staged.take_few(table)
        if few is not None:
            rows.few[table] = few
        files = staged.take(table)
        if files:
            rows.files[table] = files
    return rows


def reason_of(error: OSError | SourceError) -> str:
    """Say why a log could not be read, without naming it."""
    return error.reason if isinstance(error, SourceError) else str(error.strerror or error)


def _groups(jobs: Iterable[ReadJob]) -> Iterator[list[ReadJob]]:
    group: list[ReadJob] = []
    size = 0
    for job in jobs:
        if group and size + job.reading.found.size > _CHUNK_BYTES:
            yield group
            group, size = [], 0
        group.append(job)
        size += job.reading.found.size
    if group:
        yield group


def _read(job: ReadJob, held: HeldColumns, staged: StagedRows) -> LogRead:
    totals = SessionTotals()
    has_rows = False
    try:
        if job.unless is not None and content_chain(job.reading.log) == job.unless:
            return LogRead(totals, is_same=True)
        for table, columns in log_columns(job.reading, totals):
            held.add(table, columns)
            has_rows = True
            if held.is_full:
                _stage(held, staged)
    except (OSError, SourceError) as error:
        if has_rows:
            _stage(held, staged)
            staged.discard(job.reading.key.session_key)
        return LogRead(totals, failure=reason_of(error))
    return LogRead(totals)


def _stage(held: HeldColumns, staged: StagedRows) -> None:
    for table, rows in held.take():
        staged.add(table, rows)
