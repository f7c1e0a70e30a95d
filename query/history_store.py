"""An open store: the companion and a DuckDB engine, and everything one can ask of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..pipelines.companion_damage import find_signs, is_session_whole, look_at_all
from ..pipelines.companion_db import connect_current, is_frozen, read_codec
from ..pipelines.companion_errors import companion_error, damaged_companion, named_companion_errors
from ..pipelines.companion_seal import is_sealed, stamps
from ..pipelines.errors import NotFoundError, StoreError
from ..pipelines.paths import display_path
from ..pipelines.sqlite import rows
from ..pipelines.store import StorePaths
from ..pipelines.timestamps import format_time
from .known_postings import KnownPostings
from .limits import MAX_RESULTS, MAX_RETRIEVED_HISTORY_TOKENS, Limits
from .scope import SessionRow, find_session
from .sql import query_sql

if TYPE_CHECKING:
    import apsw
    import duckdb

    from .prepared import PreparedQueries
    from .retrieval import Question, Retrieval
    from .settings import RetrievalSettings

__all__ = ["HistoryStore", "RetrievalRequest", "open_store"]

# Requests that are ranked in one pass, and answers that are remembered for a tool loop that asks again.
_AT_ONCE = 64
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """A request in its place, as ``retrieve`` takes it."""

    session: str | Path
    request: str
    leaf: str | None = None
    context_ids: Collection[str] | None = None


class HistoryStore:
    """An open store. Not for use by several threads at once; close it, or use it in a ``with`` block."""

    def __init__(self, paths: StorePaths) -> None:
        self.paths = paths
        self._companion, self._connection = _open_companion(paths)
        self._begin_companion()
        self._opened_engine: duckdb.DuckDBPyConnection | None = None
        self._opened_queries: PreparedQueries | None = None
        self._memo: dict[Hashable, Retrieval] = {}

    def _begin_companion(self) -> None:
        self._is_frozen = is_frozen(self._connection)
        self._file = self._identity(self._companion)
        self._codec = read_codec(self._connection)
        self._known = KnownPostings()
        self._vouched_for = b""

    def _identity(self, path: Path) -> tuple[int | bytes, ...]:
        """Return what tells a file from one that took its place, or that was written where that is not seen."""
        try:
            status = path.stat()
        except OSError:
            return ()
        return status.st_dev, status.st_ino, stamps(path) if self._is_frozen else b""

    def _follow_companion(self) -> None:
        """Go over to a companion that was built anew since."""
        current = self.paths.companion
        if current != self._companion or self._identity(current) != self._file:
            before = self._connection
            self._companion, self._connection = _open_companion(self.paths)
            before.close()
            self._begin_companion()

    @contextmanager
    def _one_state(self) -> Generator[None]:
        """Read one state of the newest companion, whatever a run commits meanwhile."""
        self._follow_companion()
        with named_companion_errors(self._companion), self._connection:
            yield

    @contextmanager
    def _one_listing(self) -> Generator[None]:
        """Read one state, and name the companion where a value in it is none that can be shown."""
        with self._one_state():
            try:
                yield
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise companion_error(self._companion, error) from error

    @property
    def _engine(self) -> duckdb.DuckDBPyConnection:
        """DuckDB, connected when it is first needed: listing sessions is quicker without."""
        if self._opened_engine is None:
            import duckdb

            self._opened_engine = duckdb.connect(config={"threads": 1})
        return self._opened_engine

    @property
    def _queries(self) -> PreparedQueries:
        """The queries that a retrieval runs, planned once."""
        if self._opened_queries is None:
            from .prepared import PreparedQueries

            self._opened_queries = PreparedQueries(self._engine)
        return self._opened_queries

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
        with self._one_listing():
            found = rows(self._connection, query_sql("list_sessions"))
            listed = [dict(zip(names, row, strict=True)) for row in found]
            return [
                {**row, "started_at": format_time(row["started_at"]), "last_at": format_time(row["last_at"])}
                for row in listed
            ]

    def show(self, session: str | Path, leaf: str | None = None) -> dict[str, Any]:
        """List a session's entries with the state of each for ``leaf``: see ``show_session``."""
        from .show import show_session

        with self._one_listing():
            row = self._find(session)
            return show_session(self._connection, self._engine, self.paths, row, leaf)

    def status(self, roots: Sequence[Path] = ()) -> dict[str, Any]:
        """Describe the store, and what of the logs below ``roots`` it has: see ``store_status``."""
        from .status import store_status

        with self._one_state():
            return store_status(self._connection, self._engine, self.paths, roots)

    def retrieve(
        self,
        session: str | Path,
        request: str,
        leaf: str | None = None,
        *,
        context_ids: Collection[str] | None = None,
        max_results: int = MAX_RESULTS,
        max_retrieved_history_tokens: int = MAX_RETRIEVED_HISTORY_TOKENS,
        settings: RetrievalSettings | None = None,
    ) -> Retrieval:
        """Find what a compaction removed from the branch of ``leaf`` and the request is about.

        ``context_ids`` are the entries in the active context when the caller knows them better than the log;
        ``settings`` tell it to rank or to match otherwise than by default.
        Raises ``NotFoundError`` for an unknown session or leaf, ``LimitError`` for limits out of range.
        """
        asked = RetrievalRequest(session, request, leaf, context_ids)
        (answer,) = self.retrieve_many(
            [asked],
            max_results=max_results,
            max_retrieved_history_tokens=max_retrieved_history_tokens,
            settings=settings,
        )
        return answer

    def retrieve_many(
        self,
        requests: Sequence[RetrievalRequest],
        *,
        max_results: int = MAX_RESULTS,
        max_retrieved_history_tokens: int = MAX_RETRIEVED_HISTORY_TOKENS,
        settings: RetrievalSettings | None = None,
    ) -> list[Retrieval]:
        """Answer several requests, ranked together, each as ``retrieve`` alone would.

        The same question to an unchanged session is answered from memory. Raises as ``retrieve`` does.
        """
        from .retrieval import Question

        limits = Limits(max_results, max_retrieved_history_tokens)
        with self._one_state():
            questions = [
                Question(self._find(one.session), one.request, one.leaf, one.context_ids) for one in requests
            ]
            keys = [(self._file, limits, settings, *_identify(question)) for question in questions]
            new = {
                key: question for key, question in zip(keys, questions, strict=True) if key not in self._memo
            }
            answers = dict(zip(new, self._answer(list(new.values()), limits, settings), strict=True))
            answers |= {key: self._memo[key] for key in keys if key in self._memo}
        for key, answer in answers.items():
            if answer.status != "failed":
                self._memo[key] = answer
        while len(self._memo) > _REMEMBERED:
            del self._memo[next(iter(self._memo))]
        return [answers[key] for key in keys]

    def _answer(
        self, questions: Sequence[Question], limits: Limits, settings: RetrievalSettings | None
    ) -> list[Retrieval]:
        from .retrieval import Engines, retrieve

        engines = Engines(self._connection, self._codec, self._known, self._queries)
        answers: list[Retrieval] = []
        for start in range(0, len(questions), _AT_ONCE):
            asked = questions[start : start + _AT_ONCE]
            for question, answer in zip(asked, retrieve(engines, asked, limits, settings), strict=True):
                if damage := self._find_damage(answer, question.session):
                    error = damaged_companion(self._companion, damage)
                    answer.status, answer.hits, answer.counts = "failed", (), {}
                    answer.reason = f"{error.message}; {error.hint}"
                answers.append(answer)
        return answers

    def _find_damage(self, answer: Retrieval, session: SessionRow) -> str | None:
        """Say what is wrong with the companion when a session has lost its end, or when nothing was found in it.

        Before it says that nothing is there, a companion that something else changed is looked at as a whole, once.
        """
        if answer.status not in ("complete", "no-hits"):
            return None
        if not is_session_whole(self._connection, session.number):
            return f"session {session.session_key} has lost rows"
        found = stamps(self._companion)
        if answer.hits or is_sealed(self._companion) or found == self._vouched_for:
            return None
        broken = look_at_all(self._companion)
        if not broken:
            self._vouched_for = found
        return next(iter(broken), None)


def _open_companion(paths: StorePaths) -> tuple[Path, apsw.Connection]:
    path, connection = connect_current(paths)
    try:
        with named_companion_errors(path), connection:
            if signs := find_signs(connection):
                raise damaged_companion(path, signs[0])
    except StoreError:
        connection.close()
        raise
    return path, connection


def _identify(question: Question) -> tuple[Hashable, ...]:
    """Return what an answer depends on, besides the limits: the session as it is now, the leaf and what is asked."""
    session, ids = question.session, question.context_ids
    known = None if ids is None else frozenset(ids)
    return session.number, session.fingerprint, question.leaf or session.leaf, known, question.request


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
