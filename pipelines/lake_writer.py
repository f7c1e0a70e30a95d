"""One run's commits: each table once, ``sessions`` last, with what the lake held of sessions read anew taken out."""

from __future__ import annotations

import json
import os
import shutil
import time
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl
from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties
from deltalake.transaction import AddAction, RemoveAction

from .copies import ReadSessions, read_changes
from .lake import LAKE_VERSION_KEY, VERSIONS_KEY, LakeSnapshot
from .lake_file import DamagedLakeError, read_file
from .lake_log import ACTIONS_KEY, LoggedFile, newest_version, read_table_log
from .lake_merge import plan_merges
from .lake_staging import StagedRows, add_action
from .schema import LAKE_VERSION, PARTITION, TABLES

__all__ = ["LakeWriter", "commit_table"]

# Checkpoints are made, and logs cleaned up, when all tables are at the versions that a run named: see ``lake_upkeep``.
_NO_HOOKS = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)


class _Changes(NamedTuple):
    """Files to take out of a table, and others to put in."""

    out: list[LoggedFile]
    put: list[AddAction]


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
        self._adopted: dict[str, list[AddAction]] = {}
        self._read = ReadSessions()

    def add(self, table: str, rows: pl.DataFrame) -> None:
        """Hold rows of a table, and stage a file of them when there are many."""
        self._read.note(table, rows)
        self._staged.add(table, rows)

    def add_staged(self, table: str, files: Iterable[AddAction], sessions: Iterable[str]) -> None:
        """Take over files that were staged elsewhere for this run, of sessions read from their beginning."""
        if table == "entries":
            self._read.first_places.update(dict.fromkeys(sessions, 0))
        self._staged.add_files(table, files)

    def adopt(self, table: str, file: Path, rows: pl.DataFrame) -> None:
        """Take over a file of another lake as it is; ``rows`` are its rows' keys."""
        path = self._root / table / file.parent.name / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(file, path)
        except OSError:
            shutil.copy2(file, path)
        self._read.note(table, rows)
        self._adopted.setdefault(table, []).append(add_action(path, rows["session_key"]))

    def discard(self, session_key: str) -> None:
        """Take back the rows added for a session whose log could not be read to its end."""
        self._read.discard(session_key)
        self._staged.discard(session_key)

    def commit(self, dropped: Collection[str], restated: Collection[str] = ()) -> LakeSnapshot:
        """Commit all tables; a table without a change keeps its version.

        All older rows of ``dropped`` sessions go; of ``restated`` ones only the older ``sessions`` row. ``copies``
        is brought up to date with the entries. Where a project has many small files of a table, they become one.

        Raises ``DamagedLakeError`` when a file that has to be written anew is damaged.
        """
        versions: dict[str, int] = {}
        for table in TABLES:
            gone = {*dropped, *restated} if table == "sessions" else dropped
            if table == "copies":
                gone = self._renew_copies(versions, dropped)
            added = [*self._adopted.get(table, ()), *self._staged.take(table)]
            actions = _settled([*self._undo(table), *added, *self._rewrite(table, gone)])
            if actions or table == "sessions":
                self._write(table, actions, versions)
            else:
                # A killed run may have left just what is wanted.
                versions[table] = newest_version(self._root / table)
        return LakeSnapshot(self._root, versions)

    def _renew_copies(self, versions: Mapping[str, int], dropped: Collection[str]) -> set[str]:
        """Stage what is new in ``copies``, and return the sessions whose older rows go."""
        now = LakeSnapshot(self._root, {**self._state.versions, **versions})
        replaced, rows = read_changes(self._state, now, self._read, dropped)
        self._staged.add("copies", rows)
        return replaced

    def _undo(self, table: str) -> list[AddAction | RemoveAction]:
        """Take back what a killed run has committed to a table."""
        if newest_version(self._root / table) == self._state.versions[table]:
            return []
        log = read_table_log(self._root / table)
        if log.damage:
            raise DamagedLakeError(*log.damage[0])
        stated = {file.path: file for file in self._state.logged_files(table)}
        put_back = [_put_back(file) for path, file in stated.items() if path not in log.files]
        return [*put_back, *_remove_all(file for path, file in log.files.items() if path not in stated)]

    def _rewrite(self, table: str, dropped: Collection[str]) -> list[AddAction | RemoveAction]:
        """Take dropped sessions out of the files that hold rows of them, and make many small files one."""
        files = self._state.logged_files(table)
        without = self._without(table, files, sorted(dropped))
        left = [file for file in files if file not in without.out]
        merged = self._merged(table, left)
        removes = _remove_all((*without.out, *merged.out))
        return [*without.put, *merged.put, *removes]

    def _without(self, table: str, files: Sequence[LoggedFile], dropped: Sequence[str]) -> _Changes:
        changes = _Changes([], [])
        for file in files:
            _, first, last = file.rows_and_keys()
            at = bisect_left(dropped, first)
            if at == len(dropped) or dropped[at] > last:
                continue
            path = self._root / table / file.name
            if not _holds_any(path, dropped):
                continue
            kept = read_file(path).filter(~pl.col("session_key").is_in(list(dropped)))
            changes.out.append(file)
            if kept.height:
                changes.put.append(self._staged.write_file(table, file.project, kept))
        return changes

    def _merged(self, table: str, files: Sequence[LoggedFile]) -> _Changes:
        changes = _Changes([], [])
        for group in plan_merges(files):
            rows = pl.concat([read_file(self._root / table / file.name) for file in group])
            changes.out.extend(group)
            changes.put.append(
                replace(self._staged.write_file(table, group[0].project, rows), data_change=False)
            )
        return changes

    def _write(self, table: str, actions: list[AddAction | RemoveAction], versions: dict[str, int]) -> None:
        metadata = {"uncompact_run": self._run}
        if table == "sessions":
            metadata[VERSIONS_KEY] = json.dumps(versions)
        versions[table] = commit_table(self._root / table, actions, metadata)


def commit_table(
    folder: Path, actions: Sequence[AddAction | RemoveAction], metadata: Mapping[str, str]
) -> int:
    """Commit to one table, and return its new version."""
    handle = DeltaTable(folder)
    stated = {**metadata, LAKE_VERSION_KEY: LAKE_VERSION, ACTIONS_KEY: len(actions)}
    handle.create_write_transaction(
        list(actions),
        mode="append",
        schema=handle.schema(),
        partition_by=[PARTITION],
        commit_properties=CommitProperties(custom_metadata=stated),
        post_commithook_properties=_NO_HOOKS,
    )
    return newest_version(folder)


def _put_back(file: LoggedFile) -> AddAction:
    """Put a file that is already there into a table."""
    now = time.time_ns() // 1_000_000
    return AddAction(file.path, file.size, {PARTITION: file.project}, now, True, file.stats)


def _settled(actions: Sequence[AddAction | RemoveAction]) -> list[AddAction | RemoveAction]:
    """Leave out what puts a file back only to take it out: what a killed run did already may be what is to be done."""
    put = {action.path for action in actions if isinstance(action, AddAction)}
    out = {action.path for action in actions if isinstance(action, RemoveAction)}
    return [action for action in actions if action.path not in put & out]


def _remove_all(files: Iterable[LoggedFile]) -> list[RemoveAction]:
    now = time.time_ns() // 1_000_000
    return [RemoveAction(file.path, True, now, file.size, {PARTITION: file.project}) for file in files]


def _holds_any(path: Path, keys: Sequence[str]) -> bool:
    """Tell whether a file has rows of one of the sessions; their keys are quicker to read than the whole."""
    held = pl.scan_parquet(path, glob=False, hive_partitioning=False).select("session_key")
    return not held.filter(pl.col("session_key").is_in(list(keys))).head(1).collect().is_empty()
