"""Forget sessions: every row, word and older file of them leaves the store, and hashes keep it from coming back.

The logs themselves are never touched. Tombstones are on the disk before anything is removed, so that a forget that
is killed is finished by the next run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from .companion_db import connect_reader
from .engine_failures import named_failures
from .erasure import files_that_name, finish_erasure, store_bytes
from .errors import NotFoundError, StoreError
from .forget_report import ForgetReport, measure_sessions
from .forget_selection import Selection, select_sessions
from .lake import LakeSnapshot, open_lake
from .paths import display_path
from .sources import SOURCES, find_file, recognise
from .sql_files import load_sql
from .sqlite import rows
from .store import StorePaths, writer_lock
from .tombstones import Tombstone, Tombstones, new_tombstone, read_tombstones, write_tombstones

__all__ = ["allow", "forget", "forgotten_at", "list_forgotten"]

_Row = Mapping[str, Any]

_KINDS = tuple(source.kind for source in SOURCES)
_SYNCED = (
    "session_key", "project_key", "session_id", "source", "path", "project", "last_at", "entries", "text_chars",
    "file_size", "file_mtime_ns", "file_ctime_ns", "file_inode", "fingerprint", "state",
)  # fmt: skip


def forget(
    store: Path,
    sessions: Iterable[str | Path] = (),
    *,
    project: str | Path | None = None,
    before: date | datetime | str | None = None,
    dry_run: bool = False,
    wait_s: float = 0,
) -> ForgetReport:
    """Forget sessions; of several kinds of choice those count that all of them choose.

    ``sessions`` are ids, keys or paths, ``project`` is an exact working directory, ``before`` chooses the sessions
    whose last entry the store knows is older. Every log that has a named id goes. With ``dry_run`` nothing is
    changed and no lock taken. Readers that were open before may answer from what they hold until they ask again.

    Raises ``SelectionError`` when nothing is named, ``NotFoundError`` when nothing is chosen, ``StoreError`` when
    the store cannot be used, and ``BusyError`` when another process is writing it for longer than ``wait_s``.
    """
    selection = Selection.of(sessions, project, before)
    paths = _existing(store)
    if dry_run:
        return _plan(paths, selection, ForgetReport(dry_run=True))[0]
    with writer_lock(paths, wait_s=wait_s), named_failures(paths.root):
        size = store_bytes(paths.root)
        report = ForgetReport(dry_run=False, finished=finish_erasure(paths))
        try:
            report, stones = _plan(paths, selection, report)
        except NotFoundError as error:
            if report.finished and _are_forgotten(paths, selection):
                return report
            if _are_forgotten(paths, selection):
                error.hint = "it was forgotten before: `uncompact forget --list`"
            raise
        held = read_tombstones(paths.tombstones)
        older = [stone for stone in held.all if stone.key in {new.key for new in stones}]
        write_tombstones(paths.tombstones, [*held.without(older).all, *stones])
        finish_erasure(paths)
        report.disk_bytes = max(size - store_bytes(paths.root), 0)
    return report


def forgotten_at(store: Path, name: str | Path) -> str | None:
    """Return when a session was forgotten that is named by its id, key or log; ``None`` when it was not.

    Raises ``StoreError`` as ``list_forgotten`` does.
    """
    stones = read_tombstones(_existing(store).tombstones)
    found = stones.named(str(name), _KINDS) or _holding_back(stones, Path(name))
    return found[0].forgotten_at if found else None


def list_forgotten(store: Path) -> list[Tombstone]:
    """List what was forgotten, the latest last. Raises ``StoreError`` when there is no store or it is damaged."""
    stones = read_tombstones(_existing(store).tombstones).all
    return sorted(stones, key=lambda stone: (stone.forgotten_at, stone.short))


def allow(store: Path, name: str | Path, *, wait_s: float = 0) -> list[Tombstone]:
    """Lift what holds a log back, named by its session's id or key, its path, or the short hash it is listed with.

    The next reindex reads it again. Raises ``NotFoundError`` when nothing of the name was forgotten, ``StoreError``
    and ``BusyError`` as ``forget`` does.
    """
    paths = _existing(store)
    with writer_lock(paths, wait_s=wait_s), named_failures(paths.root):
        finish_erasure(paths)
        stones = read_tombstones(paths.tombstones)
        lifted = [*stones.named(str(name), _KINDS), *_holding_back(stones, Path(name))]
        if not lifted:
            existing = [f"{stone.short} ({stone.forgotten_at})" for stone in stones.all]
            raise NotFoundError(
                "forgotten session", str(name), existing, hint="`uncompact forget --list` lists them"
            )
        left = stones.without(lifted)
        write_tombstones(paths.tombstones, left.all)
    return [stone for stone in stones.all if stone not in set(left.all)]


def _existing(store: Path) -> StorePaths:
    paths = StorePaths(Path(os.path.abspath(store)))
    if not paths.root.is_dir():
        raise StoreError(
            paths.root, "no store here", hint="`uncompact reindex` with the same --store makes one"
        )
    return paths


def _plan(
    paths: StorePaths, selection: Selection, report: ForgetReport
) -> tuple[ForgetReport, list[Tombstone]]:
    """Say what goes, and make its tombstones."""
    snapshot = open_lake(paths.lake)
    known = _known_sessions(paths, snapshot)
    chosen = select_sessions(known, selection)
    if selection.before is not None:
        report.without_time = sum(row["last_at"] is None for row in known)
    measure_sessions(report, snapshot, chosen, known)
    report.warnings += [
        f"{path}: names a forgotten session; it is no file of the store's and was left as it is"
        for path in map(display_path, files_that_name(paths, chosen))
    ]
    if report.dry_run:
        chars, all_chars = (sum(row["text_chars"] for row in some) for some in (chosen, known))
        report.disk_bytes = round(store_bytes(paths.root) * chars / max(all_chars, 1))
    return report, _tombstones(snapshot, chosen, known)


def _known_sessions(paths: StorePaths, snapshot: LakeSnapshot) -> list[_Row]:
    """Return the lake's sessions, and those that only a sync has brought into the companion."""
    lake = snapshot.scan("sessions").with_columns(cs.datetime().to_physical()).collect()
    known = {row["session_key"]: row for row in lake.sort("session_key").iter_rows(named=True)}
    for row in _synced_sessions(paths):
        before = known.setdefault(row["session_key"], row)
        # What a sync appended is not in the lake yet.
        if row["last_at"] is not None:
            before["last_at"] = max(before["last_at"] or 0, row["last_at"])
    return [*known.values()]


def _synced_sessions(paths: StorePaths) -> list[dict[str, Any]]:
    try:
        with closing(connect_reader(paths.companion)) as connection:
            found = list(rows(connection, load_sql("uncompact.pipelines", "select_synced_sessions")))
    except StoreError:
        return []
    return [dict(zip(_SYNCED, row, strict=True)) for row in found]


def _tombstones(snapshot: LakeSnapshot, chosen: Sequence[_Row], known: Sequence[_Row]) -> list[Tombstone]:
    """Make tombstones: for a whole session id, unless another log of it is kept."""
    now = time.time_ns() // 1000
    keys = {row["session_key"] for row in chosen}
    kept: dict[tuple[str, str], list[str]] = {}
    for row in known:
        if row["session_key"] not in keys:
            kept.setdefault((row["source"], row["session_id"]), []).append(row["session_key"])
    stones: list[Tombstone] = []
    for row in chosen:
        others = kept.get((row["source"], row["session_id"]), [])
        stones.append(
            new_tombstone(
                row,
                covers="log" if others else "session",
                content_was_kept=bool(others) and _have_beginning(snapshot, others, row),
                forgotten_at=now,
            )
        )
    return stones


def _have_beginning(snapshot: LakeSnapshot, keys: Sequence[str], row: _Row) -> bool:
    """Tell whether one of some sessions begins with all entries of another."""
    same = snapshot.scan("entries").filter(
        pl.col("session_key").is_in(list(keys)),
        pl.col("pos") == row["entries"] - 1,
        pl.col("chain") == row["fingerprint"],
    )
    return bool(same.select(pl.len()).collect().item())


def _are_forgotten(paths: StorePaths, selection: Selection) -> bool:
    """Tell whether all that is named was forgotten before."""
    stones = read_tombstones(paths.tombstones)
    return bool(selection.sessions) and all(
        stones.named(name, _KINDS) or _holding_back(stones, Path(name)) for name in selection.sessions
    )


def _holding_back(stones: Tombstones, path: Path) -> list[Tombstone]:
    """Return all tombstones that hold the log at a path back."""
    found = stones.at(Path(os.path.abspath(path)), _KINDS)
    try:
        item = find_file(Path(os.path.abspath(path)))
        recognised = recognise(item)
        while recognised and (stone := stones.without(found).of(item, *recognised)):
            found.append(stone)
    except (OSError, ValueError):
        # No file of that name: what was named is an id.
        pass
    return found
