"""The companion as a file: loaded in place, or built anew beside the present one and put in its place."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import apsw

from .companion import load_changes
from .companion_damage import DAMAGE, find_broken_parts, find_signs
from .companion_db import connect_writer, create_companion, finish_companion, state_lake_versions
from .companion_errors import named_companion_errors
from .companion_generations import (
    new_generation,
    present_companion,
    publish,
    remove_generation,
    remove_strays,
)
from .companion_meta import raise_counter
from .companion_seal import is_sealed, seal
from .lake import LakeSnapshot
from .progress import NO_PROGRESS, Progress
from .sql_files import load_sql
from .sqlite import execute, value
from .store import StorePaths

__all__ = ["load_companion", "rebuild_companion", "tidy_companion"]

# Words of replaced sessions are cleared by building anew when they are this many and this share of all.
_LEFT_OVER_PASSAGES = 2000
_LEFT_OVER_SHARE = 0.2
# A companion that began with too few passages to train a dictionary gets one when it has grown to so many.
_PLAIN_PASSAGES = 5000

# Building anew would meet these again.
_OF_THE_DEVICE = (apsw.BusyError, apsw.FullError, apsw.NoMemError, apsw.ReadOnlyError)

# A run merges about so many pages of the word index: a term costs 1 µs more for each segment it is looked up in.
_MERGED_PAGES = 500
_TIDY_BUSY_MS = 200


def load_companion(snapshot: LakeSnapshot, paths: StorePaths, progress: Progress = NO_PROGRESS) -> Path:
    """Bring a store's companion up to a state of the lake, and return its file; the writer's lock is held.

    One that is missing, damaged or of another version is built anew, and so is one that has grown without a
    dictionary, or of whose words more than a fifth belong to sessions that were loaded anew since. Raises
    ``StoreError``.
    """
    with named_companion_errors(paths.root):
        remove_strays(paths)
        present = present_companion(paths)
        if present is not None and _is_loaded(snapshot, present, progress):
            return present
    return rebuild_companion(snapshot, paths, progress)


def rebuild_companion(snapshot: LakeSnapshot, paths: StorePaths, progress: Progress = NO_PROGRESS) -> Path:
    """Build a companion under a name of its own, make it the store's, and return its file; the writer's lock is held.

    Readers go on with the one before until they ask again. A build that fails leaves everything as it was. Raises
    ``StoreError``, also when something that is no file is in the pointer's place.
    """
    remove_strays(paths)
    built = new_generation(paths)
    try:
        with named_companion_errors(paths.root), closing(create_companion(built)) as connection:
            load_changes(connection, snapshot, progress)
            state_lake_versions(connection, snapshot.versions)
            raise_counter(connection, "built_passages", value(connection, _sql("select_totals")))
            execute(connection, "insert into words (words) values ('optimize')")
            finish_companion(connection)
        seal(built)
        publish(paths, built)
    except BaseException:
        if present_companion(paths) != built:
            remove_generation(built)
        raise
    return built


def tidy_companion(paths: StorePaths) -> None:
    """Merge what many small loads left in the word index, and empty the write-ahead log, as far as readers let it.

    Costs some milliseconds; whatever hinders it is left to a later run.
    """
    present = present_companion(paths)
    if present is None:
        return
    was_sealed = is_sealed(present)
    with suppress(apsw.Error), closing(connect_writer(present)) as connection:
        connection.set_busy_timeout(_TIDY_BUSY_MS)
        if int(value(connection, "select count(distinct segid) from words_idx")) > 1:
            execute(connection, "insert into words (words, rank) values ('merge', ?)", (_MERGED_PAGES,))
        execute(connection, "pragma wal_checkpoint(truncate)")
    if was_sealed:
        seal(present)


def _is_loaded(snapshot: LakeSnapshot, path: Path, progress: Progress) -> bool:
    """Load changes into a companion; tell whether it is whole and worth keeping."""
    try:
        with closing(connect_writer(path)) as connection:
            # A sync must not commit between what is read here and what is written.
            execute(connection, "begin immediate")
            if find_signs(connection) or (not is_sealed(path) and find_broken_parts(connection)):
                return False
            load_changes(connection, snapshot, progress)
            state_lake_versions(connection, snapshot.versions)
            if _is_wasteful(connection):
                return False
            execute(connection, "commit")
    except _OF_THE_DEVICE:
        raise
    except DAMAGE:
        return False
    seal(path)
    return True


def _is_wasteful(connection: apsw.Connection) -> bool:
    left_over: int = value(connection, _sql("select_counter"), {"name": "left_over_passages"}) or 0
    held: int = value(connection, _sql("select_totals"))
    plain = value(connection, _sql("select_counter"), {"name": "dictionary"}) is None
    # Building anew is worth a second try only when there is much more to learn from.
    built_with: int = value(connection, _sql("select_counter"), {"name": "built_passages"}) or 0
    if plain and held > max(_PLAIN_PASSAGES, 2 * built_with):
        return True
    return left_over > _LEFT_OVER_PASSAGES and left_over > _LEFT_OVER_SHARE * (left_over + held)


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
