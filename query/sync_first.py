"""A log that a request names is brought up to date first; where that cannot be, the store answers with what it has."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ..pipelines.companion_db import connect_reader
from ..pipelines.errors import BusyError, SourceError, StoreError, UncompactError
from ..pipelines.freshness import is_fresh
from ..pipelines.store import StorePaths

__all__ = ["lake_first", "sync_first"]


def sync_first(store: Path, log: Path) -> list[str]:
    """Bring a log's session up to date in the companion; costs a ``stat`` when nothing was written since.

    Returns a warning when the store is behind the log and stays so. Raises what kept the log from being read when the
    store has nothing of it: ``SourceError``, ``BusyError``, ``StoreError`` or ``OSError``.
    """
    fresh = _is_fresh(store, log)
    if fresh:
        return []
    from ..pipelines.sync import sync_log

    def update() -> None:
        if sync_log(store, log).outcome == "busy":
            raise BusyError(
                f"{store}: another process is writing this store", hint="try again when it has ended"
            )

    return _attempt(update, is_held=fresh is not None)


def lake_first(store: Path, log: Path) -> list[str]:
    """Bring a log's session up to date in the lake, too; warns and raises as ``sync_first`` does."""
    from ..pipelines.reindex import reindex

    return _attempt(lambda: reindex([log], store), is_held=True)


def _attempt(update: Callable[[], object], *, is_held: bool) -> list[str]:
    try:
        update()
    except (UncompactError, OSError) as error:
        if not is_held:
            raise
        return [f"the store is behind this log: {_reason(error)}"]
    return []


def _is_fresh(store: Path, log: Path) -> bool | None:
    """Ask the companion; ``None`` when it has no session of the log."""
    paths = StorePaths(Path(os.path.abspath(store)))
    try:
        with closing(connect_reader(paths.companion)) as connection:
            return is_fresh(connection, Path(os.path.abspath(log)))
    except StoreError:
        # Whether there is none yet or it is damaged: what comes next says it.
        return None


def _reason(error: UncompactError | OSError) -> str:
    if isinstance(error, BusyError):
        return "another process is writing the store"
    if isinstance(error, SourceError):
        return error.reason
    return error.message if isinstance(error, UncompactError) else error.strerror or type(error).__name__
