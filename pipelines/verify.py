"""Whether the lake's rows of a log are those that reading the log gives: by digests, no rows kept.

A digest of some rows is their number and the sum of their hashes, so that neither their order nor how they are
spread over files matters. Hashes are of this process; they are never stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec
import polars as pl

from .catalogue import KnownLog
from .frames import SessionKey
from .lake import LakeSnapshot
from .normalize import Reading, TableRows, normalize_log
from .schema import TABLES
from .session_totals import SessionTotals
from .sources.records import Cursor, Found, Header, Source

__all__ = ["Drift", "RowDigests", "find_drift", "lake_digests"]

# Number of rows and sum of their hashes, by table.
RowDigests = Mapping[str, tuple[int, int]]

# Copies come of what other sessions hold.
_OF_THE_LOG = tuple(table for table in TABLES if table != "copies")
# When rows were written is no property of the log.
_NOT_OF_THE_LOG = "indexed_at"
_LOW_BITS = 0xFFFF_FFFF
_NO_ROWS = (0, 0)


@dataclass(frozen=True, slots=True)
class Drift:
    """How a log and the lake's rows of it differ: ``log_changed`` when the log's own lines are other ones now."""

    tables: tuple[str, ...]
    log_changed: bool

    def __str__(self) -> str:
        found = "the log was changed unseen" if self.log_changed else "the log is as it was read"
        return f"the lake had other {', '.join(self.tables)} than the log, read anew ({found})"


def lake_digests(snapshot: LakeSnapshot) -> dict[str, RowDigests]:
    """Digest the lake's rows of every session: by session key, then by table."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for table in _OF_THE_LOG:
        digests = _digest(snapshot.scan(table), table).collect(engine="streaming")
        for key, count, total in digests.iter_rows():
            found.setdefault(key, {})[table] = (count, total)
    return dict(found)


def find_drift(
    found: Found, source: Source, header: Header, known: KnownLog, held: RowDigests
) -> Drift | None:
    """Read as much of a log as the lake has read, and compare the rows with ``held``, the lake's.

    ``None`` when they are the same. Raises ``OSError`` and ``SourceError`` as reading does.
    """
    row = known.row
    read_before = msgspec.structs.replace(
        found,
        size=row["file_size"],
        mtime_ns=row["file_mtime_ns"],
        ctime_ns=row["file_ctime_ns"],
        inode=row["file_inode"],
    )
    consumed = msgspec.structs.replace(read_before, size=row["bytes"])
    session = SessionKey(row["project_key"], known.key)
    log = source.open(consumed, header, Cursor())
    totals = SessionTotals()
    reading = Reading(log, session, read_before, source.kind, 0)
    read = _reading_digests(normalize_log(reading, totals))
    tables = tuple(table for table in _OF_THE_LOG if read.get(table, _NO_ROWS) != held.get(table, _NO_ROWS))
    return Drift(tables, totals.chain != row["fingerprint"]) if tables else None


def _reading_digests(tables: Iterable[TableRows]) -> dict[str, tuple[int, int]]:
    sums: dict[str, tuple[int, int]] = {}
    for table, rows in tables:
        for _, count, total in _digest(rows.lazy(), table).collect().iter_rows():
            before = sums.get(table, _NO_ROWS)
            sums[table] = (before[0] + count, before[1] + total)
    return sums


def _digest(rows: pl.LazyFrame, table: str) -> pl.LazyFrame:
    columns = [name for name in TABLES[table].schema.names() if name != _NOT_OF_THE_LOG]
    hashed = pl.struct(columns).hash().and_(_LOW_BITS).alias("hash")
    return (
        rows.select("session_key", hashed)
        .group_by("session_key")
        .agg(pl.len().alias("rows"), pl.col("hash").cast(pl.Int64).sum())
    )
