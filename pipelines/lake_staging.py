"""Rows to Parquet files that no reader sees yet: the staged part of a run, of bounded memory."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path

import polars as pl
from deltalake.transaction import AddAction

from .lake_file import seal_file
from .schema import PARTITION, TABLES

__all__ = ["StagedRows", "add_action"]

# Rows held back in all tables together: then the one with most of them has enough for a file of a good size.
_HELD_BYTES = 32 << 20
# Fewer than these are better written together with others'.
_SMALL_FILE_BYTES = 4 << 20
_ROW_GROUP_ROWS = 16_384


class StagedRows:
    """Rows of one run, by table: held until there are many, then written as one file for each project.

    Files are named after ``prefix`` and numbered, so that several may stage for one run.
    """

    def __init__(self, root: Path, prefix: str) -> None:
        self._root = root
        self._prefix = prefix
        self._held: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
        self._held_bytes: dict[str, int] = dict.fromkeys(TABLES, 0)
        self._adds: dict[str, list[AddAction]] = {name: [] for name in TABLES}
        self._files = 0

    def add(self, table: str, rows: pl.DataFrame) -> None:
        """Hold rows of a table, and stage a file of them when there are many."""
        if rows.height == 0:
            return
        self._held[table].append(rows)
        self._held_bytes[table] += int(rows.estimated_size())
        if sum(self._held_bytes.values()) >= _HELD_BYTES:
            self._stage(max(self._held_bytes, key=self._held_bytes.__getitem__))

    def discard(self, session_key: str) -> None:
        """Take back the rows added for a session whose log could not be read to its end."""
        others = pl.col("session_key") != session_key
        for table, held in self._held.items():
            kept = [rows.filter(others) for rows in held]
            self._held[table] = [rows for rows in kept if rows.height]
            self._held_bytes[table] = sum(int(rows.estimated_size()) for rows in self._held[table])
        for table, staged in self._adds.items():
            self._adds[table] = []
            for action in staged:
                rows = pl.read_parquet(self._root / table / action.path, glob=False, hive_partitioning=False)
                left = rows.filter(others)
                if left.height == rows.height:
                    self._adds[table].append(action)
                elif left.height:
                    project = str(action.partition_values[PARTITION])
                    self._adds[table].append(self.write_file(table, project, left))

    def add_files(self, table: str, files: Iterable[AddAction]) -> None:
        """Take over files that were staged elsewhere for the same run."""
        self._adds[table].extend(files)

    def take_held(self, table: str) -> pl.DataFrame | None:
        """Return what is held of a table, and hold it no longer."""
        held = self._held[table]
        self._held[table], self._held_bytes[table] = [], 0
        return pl.concat(held) if held else None

    def take_few(self, table: str) -> pl.DataFrame | None:
        """Return what is held of a table unless it is worth a file of its own."""
        return self.take_held(table) if self._held_bytes[table] < _SMALL_FILE_BYTES else None

    def take(self, table: str) -> list[AddAction]:
        """Write what is held of a table, and return the actions that add all its staged files."""
        self._stage(table)
        actions, self._adds[table] = self._adds[table], []
        return actions

    def write_file(self, table: str, project: str, rows: pl.DataFrame) -> AddAction:
        """Write rows of one project as a file; their column ``project_key`` may be there or not."""
        folder = f"{PARTITION}={project}"
        path = self._root / table / folder / f"{self._prefix}-{self._files:06}.parquet"
        self._files += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = rows.sort(TABLES[table].order, maintain_order=True)
        rows.write_parquet(path, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP_ROWS)
        path = seal_file(path)
        return add_action(path, rows["session_key"])

    def _stage(self, table: str) -> None:
        held = self._held[table]
        if not held:
            return
        self._held[table], self._held_bytes[table] = [], 0
        rows = pl.concat(held)
        del held
        for (project,), part in rows.partition_by(PARTITION, as_dict=True, include_key=False).items():
            self._adds[table].append(self.write_file(table, str(project), part))


def add_action(path: Path, keys: pl.Series) -> AddAction:
    """Return the action that adds a file to its table; ``keys`` are its rows' session keys."""
    folder = path.parent.name
    stats = {
        "numRecords": len(keys),
        "minValues": {"session_key": keys.min()},
        "maxValues": {"session_key": keys.max()},
        "nullCount": {"session_key": 0},
    }
    now = time.time_ns() // 1_000_000
    project = folder.removeprefix(f"{PARTITION}=")
    return AddAction(
        f"{folder}/{path.name}", path.stat().st_size, {PARTITION: project}, now, True, json.dumps(stats)
    )
