"""The lake on disk: Parquet files that Polars writes, made one state by Delta commits.

A run stages files, then commits each table once, ``sessions`` last; that commit names the versions of all tables.
A reader takes the newest ``sessions`` commit and reads the other tables at the versions it names, so it sees one
state although tables are committed one after the other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import polars as pl
from deltalake import CommitProperties, DeltaTable, Schema
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from .errors import StoreError
from .schema import LAKE_VERSION, PARTITION, TABLES, Table

__all__ = ["LakeSnapshot", "LakeWriter", "create_lake", "open_lake"]

_VERSIONS = "uncompact_versions"
_LAKE_VERSION = "uncompact_lake_version"
# Rows held back until a table has enough for a file of a good size.
_FILE_BYTES = 64 << 20
_ROW_GROUP_ROWS = 16_384
_FILE = "__file"


@dataclass(frozen=True, slots=True)
class LakeSnapshot:
    """One state of the lake: each table at the version the newest ``sessions`` commit names."""

    root: Path
    versions: dict[str, int]

    def scan(self, table: str) -> pl.LazyFrame:
        """Return a table's rows, in no promised order."""
        schema = TABLES[table].schema
        files = self.files(table)
        if not files:
            return pl.DataFrame(schema=schema).lazy()
        # Only our own partition counts: a folder above the store may look like one, too.
        frame = pl.scan_parquet(files, glob=False, hive_partitioning=False, include_file_paths=_FILE)
        project = pl.col(_FILE).str.extract(f"{PARTITION}=([^/\\\\]*)[/\\\\][^/\\\\]*$").alias(PARTITION)
        return frame.with_columns(project).select(schema.names())

    def files(self, table: str) -> list[str]:
        """Return a table's Parquet files; ``project_key`` is not in them but in their folders' names.

        Plain paths, although Delta states them as URLs: Polars and DuckDB would take an escaped blank literally.
        """
        try:
            handle = DeltaTable(self.root / table, version=self.versions[table])
        except DeltaError as error:
            raise _damaged(self.root) from error
        return [str(self.root / table / unquote(path)) for path in _relative_paths(handle)]


def create_lake(root: Path) -> None:
    """Make the lake's empty tables where they are missing."""
    for table in TABLES.values():
        DeltaTable.create(
            root / table.name,
            _delta_schema(table),
            mode="ignore",
            partition_by=[PARTITION],
            commit_properties=CommitProperties(custom_metadata={_LAKE_VERSION: LAKE_VERSION}),
        )


def open_lake(root: Path) -> LakeSnapshot:
    """Open the lake's newest state.

    Raises ``StoreError`` when there is no lake, or it is damaged or of another version.
    """
    try:
        sessions = DeltaTable(root / "sessions")
        commit: dict[str, Any] = sessions.history(1)[0]
    except TableNotFoundError as error:
        raise StoreError(
            root, "no lake here", hint="`uncompact reindex` with the same --store makes one"
        ) from error
    except DeltaError as error:
        raise _damaged(root) from error
    found = commit.get(_LAKE_VERSION)
    if found != LAKE_VERSION:
        raise StoreError(
            root,
            f"lake version {found}, this program reads version {LAKE_VERSION}",
            hint="use the program that wrote it, or remove the store folder and run `uncompact reindex`",
        )
    stated: str | None = commit.get(_VERSIONS)
    versions: dict[str, int] = json.loads(stated) if stated else {}
    versions["sessions"] = sessions.version()
    return LakeSnapshot(root, {name: versions.get(name, 0) for name in TABLES})


def _damaged(root: Path) -> StoreError:
    return StoreError(root, "damaged lake", hint="remove the store folder and run `uncompact reindex`")


def _relative_paths(handle: DeltaTable) -> list[str]:
    actions = pl.DataFrame(handle.get_add_actions(flatten=True))
    return sorted(actions["path"].to_list()) if actions.height else []


def _delta_schema(table: Table) -> Schema:
    empty = cast("Any", table.schema.to_frame()).to_arrow()
    return Schema.from_arrow(empty.schema)


class LakeWriter:
    """Stages one run's rows and commits them on top of ``state``.

    Rows that the lake holds of sessions read anew are removed by the same commits that add the new ones. What a
    killed run had committed to some tables only is undone first.
    """

    def __init__(self, state: LakeSnapshot, run: str) -> None:
        self._root = state.root
        self._state = state
        self._run = run
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
        if self._held_bytes[table] >= _FILE_BYTES:
            self._stage(table)

    def discard(self, session_key: str) -> None:
        """Take back the rows added for a session whose log could not be read to its end."""
        others = pl.col("session_key") != session_key
        for table, held in self._held.items():
            self._held[table] = [rows.filter(others) for rows in held]
        for table, staged in self._adds.items():
            self._adds[table] = []
            for action in staged:
                rows = pl.read_parquet(self._root / table / action.path, glob=False, hive_partitioning=False)
                kept = rows.filter(others)
                if kept.height == rows.height:
                    self._adds[table].append(action)
                elif kept.height:
                    project = str(action.partition_values[PARTITION])
                    self._adds[table].append(self._write_file(table, project, kept))

    def commit(self, dropped: Collection[str], restated: Collection[str] = ()) -> LakeSnapshot:
        """Commit all tables; a table without a change keeps its version.

        All older rows of ``dropped`` sessions go; of ``restated`` ones only the older ``sessions`` row.
        """
        versions: dict[str, int] = {}
        for table in TABLES:
            self._stage(table)
            handle = self._open(table)
            gone = {*dropped, *restated} if table == "sessions" else dropped
            removes = self._rewrite_without(handle, table, gone)
            actions: list[AddAction | RemoveAction] = [*self._adds[table], *removes]
            if actions or table == "sessions":
                self._write(handle, table, actions, versions)
                handle = DeltaTable(self._root / table)
            versions[table] = handle.version()
        return LakeSnapshot(self._root, versions)

    def _open(self, table: str) -> DeltaTable:
        handle = DeltaTable(self._root / table)
        stated = self._state.versions[table]
        if handle.version() != stated:
            handle.restore(stated)
            handle = DeltaTable(self._root / table)
        return handle

    def _write(
        self,
        handle: DeltaTable,
        table: str,
        actions: list[AddAction | RemoveAction],
        versions: dict[str, int],
    ) -> None:
        metadata = {"uncompact_run": self._run, _LAKE_VERSION: LAKE_VERSION}
        if table == "sessions":
            metadata[_VERSIONS] = json.dumps(versions)
        handle.create_write_transaction(
            actions,
            mode="append",
            schema=handle.schema(),
            partition_by=[PARTITION],
            commit_properties=CommitProperties(custom_metadata=metadata),
        )

    def _stage(self, table: str) -> None:
        held = self._held[table]
        if not held:
            return
        rows = pl.concat(held)
        self._held[table] = []
        self._held_bytes[table] = 0
        for (project,), part in rows.partition_by(PARTITION, as_dict=True, include_key=False).items():
            self._adds[table].append(self._write_file(table, str(project), part))

    def _write_file(self, table: str, project: str, rows: pl.DataFrame) -> AddAction:
        name = f"{PARTITION}={project}/{self._run}-{self._files:06}.parquet"
        self._files += 1
        path = self._root / table / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = rows.sort(TABLES[table].order, maintain_order=True)
        rows.write_parquet(path, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP_ROWS)
        keys = rows["session_key"]
        stats = {
            "numRecords": rows.height,
            "minValues": {"session_key": keys.min()},
            "maxValues": {"session_key": keys.max()},
            "nullCount": {"session_key": 0},
        }
        now = time.time_ns() // 1_000_000
        return AddAction(name, path.stat().st_size, {PARTITION: project}, now, True, json.dumps(stats))

    def _rewrite_without(
        self, handle: DeltaTable, table: str, dropped: Collection[str]
    ) -> Iterable[RemoveAction]:
        """Remove the files that hold rows of dropped sessions, staging what else they hold anew."""
        if not dropped:
            return []
        removes: list[RemoveAction] = []
        for action in pl.DataFrame(handle.get_add_actions(flatten=True)).iter_rows(named=True):
            first, last = action["min.session_key"], action["max.session_key"]
            if not any(first <= key <= last for key in dropped):
                continue
            path = self._root / table / unquote(action["path"])
            rows = pl.read_parquet(path, glob=False, hive_partitioning=False)
            kept = rows.filter(~pl.col("session_key").is_in(list(dropped)))
            if kept.height == rows.height:
                continue
            project: str = action[f"partition.{PARTITION}"]
            now = time.time_ns() // 1_000_000
            removes.append(
                RemoveAction(action["path"], True, now, action["size_bytes"], {PARTITION: project})
            )
            if kept.height:
                self._adds[table].append(self._write_file(table, project, kept))
        return removes
