"""What a store does for a request, in numbers that are the same on every machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import apsw

import uncompact
from tests.cases.builders import IndexedLogs
from tests.query.histories import ask_store
from uncompact.query.settings import RankingName

__all__ = ["Watch", "WatchedStore", "Work", "open_watched", "retrieval_work"]


@dataclass(slots=True)
class Work:
    """SQLite's work: statements run, steps of its virtual machine, and rows passed over in scans of whole tables.

    What the word index runs by itself, to find a word in each of its segments, only counts as ``lookups``.
    """

    statements: int = 0
    lookups: int = 0
    steps: int = 0
    scanned: int = 0

    def without(self, other: Work) -> Work:
        """Return what is left when another work is taken off."""
        return Work(
            self.statements - other.statements,
            self.lookups - other.lookups,
            self.steps - other.steps,
            self.scanned - other.scanned,
        )


@dataclass(slots=True)
class Watch:
    """Counts what a connection does from its beginning on: SQLite's own numbers go on from a statement's earlier runs."""

    connection: apsw.Connection
    _work: Work = field(default_factory=Work)
    _before: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def __post_init__(self) -> None:
        watched: Any = self.connection
        watched.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._add)

    @contextmanager
    def counting(self) -> Generator[Work]:
        """Count what is done meanwhile."""
        self._work = Work()
        yield self._work
        self._work = Work()

    def _add(self, event: dict[str, Any]) -> None:
        status = event["stmt_status"]
        now = status["SQLITE_STMTSTATUS_VM_STEP"], status["SQLITE_STMTSTATUS_FULLSCAN_STEP"]
        # A statement that has run once may stand where another stood before.
        first = status["SQLITE_STMTSTATUS_RUN"] == 1
        steps, scanned = (0, 0) if first else self._before.get(event["id"], (0, 0))
        self._before[event["id"]] = now
        if "'words_" in event["sql"]:
            self._work.lookups += 1
            return
        self._work.statements += 1
        self._work.steps += now[0] - steps
        self._work.scanned += now[1] - scanned


@dataclass(frozen=True, slots=True)
class WatchedStore:
    """A store that is open, and the watch on its companion."""

    store: uncompact.HistoryStore
    watch: Watch


@contextmanager
def open_watched(logs: IndexedLogs) -> Generator[WatchedStore]:
    """Open a store so that what it does can be counted."""
    watches: list[Watch] = []

    def watch(connection: apsw.Connection) -> None:
        watches.append(Watch(connection))

    apsw.connection_hooks.append(watch)
    try:
        store = uncompact.open_store(logs.store)
    finally:
        apsw.connection_hooks.remove(watch)
    with store:
        yield WatchedStore(store, watches[-1])


def retrieval_work(logs: IndexedLogs, request: str, *, ranking: RankingName = "seed") -> Work:
    """Count what a request to the log ``s.jsonl`` costs in a store that was just opened, once the session is found."""
    with open_watched(logs) as opened:
        with opened.watch.counting() as naming:
            opened.store.session(logs.root / "s.jsonl")
        with opened.watch.counting() as work:
            ask_store(opened.store, logs, request, ranking=ranking)
    return work.without(naming)
