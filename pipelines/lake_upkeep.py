"""Keep a lake small and quick to open: files that no reader needs, logs of long ago, and all that was forgotten.

Every function here is for the one that holds the writer lock.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from deltalake import DeltaTable

from .lake import VERSIONS_KEY, LakeSnapshot, open_lake
from .lake_file import DamagedLakeError
from .lake_folders import damaged_folders, work_folder
from .lake_log import (
    LOG_FOLDER,
    checkpoint_path,
    commit_path,
    log_versions,
    newest_version,
    project_of,
    read_table_log,
)
from .lake_writer import LakeWriter, commit_table
from .schema import TABLES

__all__ = ["erase_sessions", "keep_up", "merge_files", "trim_logs", "vacuum_lake"]

# A reader may go on with the files of a state for so long, and look up which ones they are for an hour.
KEEP_HOURS = 24.0
_LOG_HOURS = 1.0
_CHECKPOINT_COMMITS = 20
# What a killed writer leaves in a log.
_UNFINISHED = re.compile(r"_commit_.*\.tmp|.*#\d+")


def keep_up(root: Path) -> None:
    """Do what is due after a run that has committed something: trim the logs, remove files out of use."""
    trim_logs(root)
    vacuum_lake(root)


def merge_files(root: Path, run: str) -> LakeSnapshot:
    """Make many small files one where a project has them; a run that commits does so anyway."""
    return LakeWriter(open_lake(root), run).commit(())


def vacuum_lake(root: Path, *, keep_hours: float = KEEP_HOURS) -> int:
    """Remove files that no state of the last ``keep_hours`` has, a day at most, and return their number.

    What a killed run has staged goes whatever its age.
    """
    state = open_lake(root)
    since_ms = _hours_ago_ms(keep_hours)
    gone = 0
    for table in TABLES:
        folder = root / table
        log = read_table_log(folder, state.versions[table])
        if log.damage:
            raise DamagedLakeError(*log.damage[0])
        needed = {file.name for file in log.files.values()}
        needed.update(unquote(path) for path, removed_at in log.removed.items() if removed_at >= since_ms)
        gone += sum(_remove_unneeded(project, needed) for project in _project_folders(folder))
        for entry in os.scandir(folder / LOG_FOLDER):
            if _UNFINISHED.fullmatch(entry.name):
                os.unlink(entry.path)
    return gone


def trim_logs(root: Path, *, keep_hours: float = _LOG_HOURS) -> None:
    """Sum up a table's commits in a checkpoint when they are many, and remove what is older than one of before.

    The newest commit stays: it names the versions of all tables.
    """
    state = open_lake(root)
    for table in TABLES:
        folder, version = root / table, state.versions[table]
        if newest_version(folder) != version:
            # A killed run got ahead here; the next commit takes that back.
            continue
        _, checkpoints = log_versions(folder)
        if version - max(checkpoints, default=-1) >= _CHECKPOINT_COMMITS:
            _make_checkpoint(folder)
        _cut_log(folder, keep_hours)


def erase_sessions(root: Path, keys: Collection[str], run: str) -> LakeSnapshot:
    """Remove sessions so that no file of the lake has anything of them, the logs and damaged folders included.

    When it was killed, doing it again finishes it. Readers of an earlier state lose its files.
    """
    LakeWriter(open_lake(root), run).commit(keys)
    versions: dict[str, int] = {}
    for table in TABLES:
        # One more commit, so that the one which says what was removed can go.
        stated = {VERSIONS_KEY: json.dumps(versions)} if table == "sessions" else {}
        versions[table] = commit_table(root / table, [], {"uncompact_run": run, **stated})
    for table in TABLES:
        _make_checkpoint(root / table)
        _cut_log(root / table, 0)
        _forget_removals(root / table)
    vacuum_lake(root, keep_hours=0)
    for folder in (work_folder(root), *damaged_folders(root)):
        if folder.exists():
            shutil.rmtree(folder)
    return open_lake(root)


def _make_checkpoint(folder: Path) -> None:
    DeltaTable(folder).create_checkpoint()


def _cut_log(folder: Path, keep_hours: float) -> None:
    """Remove commits and checkpoints that no state of the last hours is made of."""
    since_ms = _hours_ago_ms(keep_hours)
    commits, checkpoints = log_versions(folder)
    if not checkpoints:
        return
    current = [at for at in commits if commit_path(folder, at).stat().st_mtime_ns <= since_ms * 1_000_000]
    first_needed = commits[-1] if keep_hours == 0 else max(current, default=-1)
    base = max((at for at in checkpoints if at <= first_needed), default=-1)
    outdated = [commit_path(folder, at) for at in commits if at < base]
    outdated += [checkpoint_path(folder, at) for at in checkpoints if at < base]
    if outdated and not read_table_log(folder, base).damage:
        for path in outdated:
            path.unlink()


def _forget_removals(folder: Path) -> None:
    """Take what was removed out of the newest checkpoint: the names of its files tell the project."""
    _, checkpoints = log_versions(folder)
    path = checkpoint_path(folder, checkpoints[-1])
    # Polars would write the maps of a checkpoint as lists; Arrow has no type hints.
    parquet: Any = import_module("pyarrow.parquet")
    compute: Any = import_module("pyarrow.compute")
    actions = parquet.read_table(path)
    unfinished = path.with_name(f"{path.name}#0")
    parquet.write_table(actions.filter(compute.is_null(actions["remove"])), unfinished, compression="zstd")
    os.replace(unfinished, path)
    (folder / LOG_FOLDER / "_last_checkpoint").unlink(missing_ok=True)


def _project_folders(folder: Path) -> list[os.DirEntry[str]]:
    return [entry for entry in os.scandir(folder) if project_of(entry.name) and entry.is_dir()]


def _remove_unneeded(project: os.DirEntry[str], needed: Collection[str]) -> int:
    """Remove a project's files but those needed, and its folder when nothing is left; return how many went."""
    names = os.listdir(project.path)
    unneeded = [name for name in names if ".parquet" in name and f"{project.name}/{name}" not in needed]
    for name in unneeded:
        os.unlink(os.path.join(project.path, name))
    if len(unneeded) == len(names):
        os.rmdir(project.path)
    return len(unneeded)


def _hours_ago_ms(hours: float) -> int:
    return int(time.time() * 1000 - hours * 3_600_000)
