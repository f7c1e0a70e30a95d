"""An open store: the companion and a DuckDB engine, and everything one can ask of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..pipelines.companion_db import connect_reader, read_codec
from ..pipelines.errors import NotFoundError, StoreError
from ..pipelines.paths import display_path
from ..pipelines.sqlite import rows
from ..pipelines.store import StorePaths
from ..pipelines.timestamps import format_time
from .limits import MAX_RESULTS, MAX_RETRIEVED_HISTORY_TOKENS, Limits
from .scope import SessionRow, find_session
from .sql import query_sql

if TYPE_CHECKING:
    import duckdb

    from .retrieval import Retrieval

__all__ = ["HistoryStore", "open_store"]


class HistoryStore:
    """An open store. Not for use by several threads at once; close it, or use it in a ``with`` block."""

    def __init__(self, paths: StorePaths) -> None:
        self.paths = paths
        self._open_companion()
        self._opened_engine: duckdb.DuckDBPyConnection | None = None

    def _open_companion(self) -> None:
        self._file = _identity(self.paths.companion)
        self._connection = connect_reader(self.paths.companion)
        self._codec = read_codec(self._connection)

    def _follow_companion(self) -> None:
        """Go over to a companion that was built anew since; one that is gone for now is read on."""
        current = _identity(self.paths.companion)
        if current is not None and current != self._file:
            self._connection.close()
            self._open_companion()

    @contextmanager
    def _one_state(self) -> Generator[None]:
        """Read one state of the newest companion, whatever a run commits meanwhile."""
        self._follow_companion()
        with self._connection:
            yield

    @property
    def _engine(self) -> duckdb.DuckDBPyConnection:
        """DuckDB, connected when it is first needed: listing sessions is quicker without."""
        if self._opened_engine is None:
            import duckdb

            self._opened_engine = duckdb.connect(config={"threads": 1})
        return self._opened_engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close both engines."""
        if self._opened_engine is not None:
            self._opened_engine.close()
        self._connection.close()

    def session(self, name: str | Path) -> SessionRow:
        """Find a session by its log's path, its id or its key.

        Raises ``NotFoundError`` when there is none, naming what there is.
        """
        with self._one_state():
            return self._find(name)

    def _find(self, name: str | Path) -> SessionRow:
        text = str(name)
        try:
            return find_session(self._connection, text)
        except NotFoundError:
            if not os.path.lexists(text):
                raise
        return find_session(self._connection, display_path(Path(os.path.abspath(text))))

    def sessions(self) -> list[dict[str, Any]]:
        """List the sessions, the newest first; times are ISO 8601 in UTC."""
        names = (
            "session", "session_id", "source", "path", "project", "name", "leaf", "entries", "branches",
            "compactions", "started_at", "last_at", "state",
        )  # fmt: skip
        with self._one_state():
            found = list(rows(self._connection, query_sql("list_sessions")))
        listed = [dict(zip(names, row, strict=True)) for row in found]
        return [
            {**row, "started_at": format_time(row["started_at"]), "last_at": format_time(row["last_at"])}
            for row in listed
        ]

    def show(self, session: str | Path, leaf: str | None = None) -> dict[str, Any]:
        """List a session's entries with the state of each for ``leaf``: see ``show_session``."""
        from .show import show_session

        with self._one_state():
            row = self._find(session)
            return show_session(self._connection, self._engine, self.paths, row, leaf)

    def status(self) -> dict[str, Any]:
        """Describe the store: see ``store_status``."""
        from .status import store_status

        with self._one_state():
            return store_status(self._connection, self._engine, self.paths)

    def retrieve(
        self,
        session: str | Path,
        request: str,
        leaf: str | None = None,
        *,
        context_ids: Collection[str] | None = None,
        max_results: int = MAX_RESULTS,
        max_retrieved_history_tokens: int = MAX_RETRIEVED_HISTORY_TOKENS,
    ) -> Retrieval:
        """Find what a compaction removed from the branch of ``leaf`` and the request is about.

        ``context_ids`` are the entries in the active context when the caller knows them better than the log.
        Raises ``NotFoundError`` for an unknown session or leaf, ``LimitError`` for limits out of range.
        """
        from .retrieval import retrieve

        limits = Limits(max_results, max_retrieved_history_tokens)
        with self._one_state():
            row = self._find(session)
            return retrieve(
                self._connection,
                self._codec,
                self._engine,
                row,
                request,
                leaf=leaf,
                context_ids=context_ids,
                limits=limits,
            )


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from one that took its place."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def open_store(store: Path) -> HistoryStore:
    """Open a store for reading.

    Raises ``StoreError`` when there is none, or when it is damaged or of another version.
    """
    paths = StorePaths(Path(os.path.abspath(store)))
    if not paths.root.is_dir():
        raise StoreError(
            paths.root, "no store here", hint="`uncompact reindex` with the same --store makes one"
        )
    return HistoryStore(paths)
