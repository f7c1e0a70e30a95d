"""One run's commits: each table once, ``sessions`` last, with what the lake held of sessions read anew taken out."""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from urllib.parse import unquote

import polars as pl
from deltalake import CommitProperties, DeltaTable
from deltalake.transaction import AddAction, RemoveAction

from .lake import LAKE_VERSION_KEY, VERSIONS_KEY, LakeSnapshot
from .lake_staging import StagedRows
from .schema import LAKE_VERSION, PARTITION, TABLES

__all__ = ["LakeWriter"]


class LakeWriter:
    """Stages one run's rows and commits them on top of ``state``.

    Rows that the lake holds of sessions read anew are removed by the same commits that add the new ones. What a
    killed run had committed to some tables only is undone first.
    """

    def __init__(self, state: LakeSnapshot, run: str) -> None:
        self._root = state.root
        self._state = state
        self._run = run
        self._staged = StagedRows(state.root, run)

    def add(self, table: str, rows: pl.DataFrame) -> None:
        """Hold rows of a table, and stage a file of them when there are many."""
        self._staged.add(table, rows)

    def discard(self, session_key: str) -> None:
        """Take back the rows added for a session whose log could not be read to its end."""
        self._staged.discard(session_key)

    def commit(self, dropped: Collection[str], restated: Collection[str] = ()) -> LakeSnapshot:
        """Commit all tables; a table without a change keeps its version.

        All older rows of ``dropped`` sessions go; of ``restated`` ones only the older ``sessions`` row.
        """
        versions: dict[str, int] = {}
        for table in TABLES:
            handle = self._open(table)
            gone = {*dropped, *restated} if table == "sessions" else dropped
            removes, rewritten = self._rewrite_without(handle, table, gone)
            actions: list[AddAction | RemoveAction] = [*self._staged.take(table), *rewritten, *removes]
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
        metadata = {"uncompact_run": self._run, LAKE_VERSION_KEY: LAKE_VERSION}
        if table == "sessions":
            metadata[VERSIONS_KEY] = json.dumps(versions)
        handle.create_write_transaction(
            actions,
            mode="append",
            schema=handle.schema(),
            partition_by=[PARTITION],
            commit_properties=CommitProperties(custom_metadata=metadata),
        )

    def _rewrite_without(
        self, handle: DeltaTable, table: str, dropped: Collection[str]
    ) -> tuple[list[RemoveAction], list[AddAction]]:
        """Remove the files that hold rows of dropped sessions, writing what else they hold anew."""
        if not dropped:
            return [], []
        removes: list[RemoveAction] = []
        rewritten: list[AddAction] = []
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
                rewritten.append(self._staged.write_file(table, project, kept))
        return removes, rewritten
