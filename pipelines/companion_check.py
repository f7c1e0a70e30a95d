"""Check a store's companion: what costs little, or all of it, down to every text and word that the lake gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw

from .companion_comparison import compare_with_lake
from .companion_damage import DAMAGE, find_broken_parts, find_signs
from .companion_db import connect_checker, is_frozen, lake_versions
from .companion_seal import is_sealed
from .errors import StoreError
from .findings import Finding
from .lake import LakeSnapshot
from .sqlite import execute
from .store import StorePaths

__all__ = ["check_companion"]

_REINDEX = "`uncompact reindex`"
_REBUILD = "`uncompact reindex --rebuild-companion`"


def check_companion(snapshot: LakeSnapshot | None, paths: StorePaths, *, deep: bool = False) -> list[Finding]:
    """Return what is wrong with a store's companion; nothing is changed.

    Looks at what every reindex looks at: the cheap signs and, when something else than a run or a sync changed the
    file, its pages, its word index and the number of its rows. ``deep`` looks at these in any case, and compares every
    row, text and word with those of a companion that it builds anew from ``snapshot``. Without a snapshot the
    companion is checked by itself.
    """
    try:
        path = paths.companion
        connection = connect_checker(path)
    except StoreError as error:
        return [Finding(str(error.place), error.message.removeprefix(f"{error.place}: "), _REINDEX)]
    with closing(connection):
        execute(connection, "begin")
        found = list(_find(snapshot, path, connection, deep=deep))
        immutable = is_frozen(connection)
    if deep and snapshot is not None:
        found.extend(_compare(snapshot, path, immutable=immutable))
    return found


def _find(
    snapshot: LakeSnapshot | None, path: Path, connection: apsw.Connection, *, deep: bool
) -> Iterator[Finding]:
    signs = find_signs(connection)
    yield from (Finding(str(path), sign, _REINDEX) for sign in signs)
    if signs:
        return
    if deep or not is_sealed(path):
        broken = find_broken_parts(connection, complete=deep)
        yield from (Finding(str(path), part, _REBUILD) for part in broken)
    if snapshot is not None and lake_versions(connection) != snapshot.versions:
        yield Finding(str(path), "was loaded from another state of the lake", _REINDEX)


def _compare(snapshot: LakeSnapshot, path: Path, *, immutable: bool) -> Iterator[Finding]:
    try:
        for key, problem in compare_with_lake(snapshot, path, immutable=immutable):
            yield Finding(f"session {key}", problem, _REBUILD)
    except DAMAGE as error:
        yield Finding(str(path), f"cannot be compared with the lake ({type(error).__name__})", _REBUILD)
