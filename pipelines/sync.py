"""Bring one session of the companion up to its log, in front of a retrieval; the lake follows at the next reindex.

Costs what was appended, not what is there. A log that was rewritten, or is new, is read whole.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import apsw

from .companion_db import check_version, connect_syncer, create_companion, finish_companion, fold_log
from .companion_errors import named_companion_errors
from .companion_generations import new_generation, publish, remove_generation
from .companion_seal import is_sealed, seal
from .errors import BusyError, StoreError
from .freshness import is_fresh
from .sqlite import execute
from .store import StorePaths, writer_lock

__all__ = ["SyncResult", "Syncer", "sync_log"]

# A retrieval does not wait for a run that is loading the companion: it goes on with what is there.
_BUSY_MS = 50
# Nor does it run after one that replaces the companion again and again.
_MOST_COMPANIONS = 5


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did.

    ``busy`` when another process is writing the companion, ``forgotten`` when a tombstone holds the log back: then
    nothing was done.
    """

    outcome: Literal["unchanged", "appended", "read", "busy", "forgotten"]
    entries: int = 0
    bytes_read: int = 0


class Syncer:
    """Keeps a store's companion open from one sync to the next; close it, or use it in a ``with`` block.

    Holds nobody up in between. Not for use by several threads at once.
    """

    def __init__(self, store: Path) -> None:
        self._paths = StorePaths(Path(os.path.abspath(store)))
        self._companion: Path | None = None
        self._connection: apsw.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the companion."""
        if self._connection is not None:
            self._connection.close()
        self._companion = self._connection = None

    def sync(self, log: Path) -> SyncResult:
        """Bring a log's session up to date in the companion; a store without anything gets one first.

        Raises ``SourceError`` when the file is no session log, ``OSError`` when it cannot be read, and
        ``StoreError`` when the companion is damaged, or missing although there is a lake.
        """
        log = Path(os.path.abspath(log))
        for _ in range(_MOST_COMPANIONS):
            companion = self._present_companion()
            if companion is None:
                break
            try:
                with named_companion_errors(companion):
                    result = self._sync_into(companion, log)
            except StoreError:
                self.close()
                if self._paths.companion == companion:
                    raise
                continue
            # What went into a companion that was replaced meanwhile, nobody will read.
            if self._paths.companion == companion:
                return result
        return SyncResult("busy")

    def _present_companion(self) -> Path | None:
        """Return the companion; ``None`` when another process is about to make the first."""
        if self._paths.companion_pointer.exists() or (self._paths.lake / "sessions").exists():
            return self._paths.companion
        try:
            with writer_lock(self._paths):
                if not self._paths.companion_pointer.exists():
                    _make_companion(self._paths)
        except BusyError:
            return None
        return self._paths.companion

    def _sync_into(self, companion: Path, log: Path) -> SyncResult:
        connection = self._connected(companion)
        if is_fresh(connection, log):
            return SyncResult("unchanged")
        was_sealed = is_sealed(companion)
        result = _sync_changed(connection, log, self._paths.tombstones)
        fold_log(companion, connection)
        if was_sealed and not is_sealed(companion):
            seal(companion)
        return result

    def _connected(self, companion: Path) -> apsw.Connection:
        if self._connection is None or self._companion != companion:
            self.close()
            connection = connect_syncer(companion)
            self._companion, self._connection = companion, connection
            check_version(companion, connection)
            connection.set_busy_timeout(_BUSY_MS)
        return self._connection


def sync_log(store: Path, log: Path) -> SyncResult:
    """Bring a log's session up to date in the companion: see ``Syncer.sync``."""
    with closing(Syncer(store)) as syncer:
        return syncer.sync(log)


def _make_companion(paths: StorePaths) -> None:
    built = new_generation(paths)
    try:
        with closing(create_companion(built)) as connection:
            finish_companion(connection)
        seal(built)
        publish(paths, built)
    except BaseException:
        remove_generation(built)
        raise


def _sync_changed(connection: apsw.Connection, log: Path, tombstones: Path) -> SyncResult:
    # Most syncs find nothing to do, and need none of it.
    from .session_sync import sync_session

    try:
        execute(connection, "begin immediate")
    except apsw.BusyError:
        return SyncResult("busy")
    try:
        result = SyncResult(*sync_session(connection, log, tombstones))
        execute(connection, "commit")
    except BaseException:
        # SQLite has done it by itself where the device was full.
        if connection.in_transaction:
            execute(connection, "rollback")
        raise
    return result
