"""What is wrong with a store, and what mends it: its folder, its lake, its companion, and what the sources hold beside it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from .companion_check import check_companion
from .companion_db import connect_current
from .coverage import Coverage, compare_sources
from .errors import StoreError
from .findings import Finding
from .lake import LakeSnapshot, open_lake
from .lake_check import check_lake
from .paths import display_path
from .run_history import read_runs
from .store import StorePaths
from .tombstones import read_tombstones

__all__ = ["examine_store", "find_coverage"]

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_REINDEX = "`uncompact reindex`"
# A reindex writes the companion anew beside the present one; with less room than that it may not end.
_SPARE_BYTES = 64 << 20


def examine_store(store: Path, roots: Sequence[Path], *, deep: bool = True) -> list[Finding]:
    """Find what is wrong with a store, the worst first; nothing is changed.

    ``deep`` reads all of the lake and the companion, and builds a second companion in a temporary folder to compare;
    without it only what every reindex looks at is looked at. ``roots`` are the folders that the sources' logs are in.
    """
    paths = StorePaths(Path(os.path.abspath(store)))
    if not paths.root.is_dir():
        found = "is not a folder" if os.path.lexists(paths.root) else "there is no store"
        return [Finding(display_path(paths.root), found, f"{_REINDEX} with the same --store makes one")]
    return list(_examine(paths, roots, deep=deep))


def _examine(paths: StorePaths, roots: Sequence[Path], *, deep: bool) -> Iterator[Finding]:
    damage = check_lake(paths.lake, deep=deep)
    yield from damage
    yield from check_companion(None if damage else _snapshot(paths), paths, deep=deep)
    yield from _find_kept_damage(paths)
    yield from _find_open_files(paths)
    yield from _find_little_room(paths)
    yield from _find_unfinished_run(paths)
    coverage = find_coverage(paths, roots)
    if coverage is not None:
        yield from _find_gaps(coverage)


def find_coverage(paths: StorePaths, roots: Sequence[Path]) -> Coverage | None:
    """Compare the sources with the companion; ``None`` when that cannot be read."""
    try:
        _, connection = connect_current(paths)
        with closing(connection):
            return compare_sources(roots, connection, read_tombstones(paths.tombstones))
    except StoreError:
        return None


def _snapshot(paths: StorePaths) -> LakeSnapshot | None:
    return open_lake(paths.lake) if paths.lake.is_dir() else None


def _find_kept_damage(paths: StorePaths) -> Iterator[Finding]:
    for folder in sorted(paths.root.glob(f"{paths.lake.name}.damaged-*")):
        problem = "is what a repair could not read, kept for looking at; it holds texts of logs"
        yield Finding(display_path(folder), problem, "remove it, or restore it from a backup of the store")


def _find_open_files(paths: StorePaths) -> Iterator[Finding]:
    status = paths.root.stat()
    if status.st_mode & _OTHERS and status.st_uid == os.getuid():
        problem = f"may be read by others (mode {stat.S_IMODE(status.st_mode):04o})"
        yield Finding(display_path(paths.root), problem, _REINDEX)


def _find_little_room(paths: StorePaths) -> Iterator[Finding]:
    free = shutil.disk_usage(paths.root).free
    try:
        wanted = paths.companion.stat().st_size + _SPARE_BYTES
    except (OSError, StoreError):
        wanted = _SPARE_BYTES
    if free < wanted:
        problem = f"its device has {free >> 20} MB free, and a rebuilt companion may need {wanted >> 20} MB"
        yield Finding(display_path(paths.root), problem, "make room, or name another folder with --store")


def _find_unfinished_run(paths: StorePaths) -> Iterator[Finding]:
    last = next(iter(read_runs(paths.runs, 1)), None)
    if last is not None and last["outcome"] in ("unfinished", "failed"):
        problem = (
            f"the run of {last['started_at']} {'failed' if last['outcome'] == 'failed' else 'did not end'}"
        )
        yield Finding(display_path(paths.runs), problem, _REINDEX)


def _find_gaps(coverage: Coverage) -> Iterator[Finding]:
    for count, problem in (
        (coverage.missing, "logs are not in the store"),
        (coverage.behind, "logs have grown or changed since they were read"),
    ):
        if count:
            yield Finding("sources", f"{count:,} {problem}, such as {coverage.named[0]}", _REINDEX)
    if coverage.unreadable:
        problem = f"{coverage.unreadable:,} files or folders cannot be looked at"
        yield Finding("sources", problem, "make them readable, or name other folders")
