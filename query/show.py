"""A session's entries with the state of each for a leaf: what the model sees, what it lost, what it never had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw
import duckdb

from ..pipelines.active_context import ActiveContext
from ..pipelines.companion_db import first_row, lake_versions
from ..pipelines.sqlite import rows
from ..pipelines.store import StorePaths
from ..pipelines.timestamps import format_time
from .lake_rows import query_lake
from .scope import SessionRow, read_scope
from .sql import query_sql

__all__ = ["show_session"]

_COLUMNS = (
    "entry_id", "parent_id", "type", "role", "created_at", "state", "text_chars", "line", "segment", "position",
)  # fmt: skip

_BEHIND = "the lake has not all entries of this session yet: `uncompact reindex` brings it up to date"


def show_session(
    connection: apsw.Connection,
    engine: duckdb.DuckDBPyConnection,
    paths: StorePaths,
    session: SessionRow,
    leaf: str | None,
) -> dict[str, Any]:
    """List a session's entries in file order, each with its state for ``leaf``, by default the current one.

    States: ``in_context``, ``compacted`` (on the branch, no longer in context), ``edited_out`` (an edit shows
    other content or none), ``sibling`` (on another branch or on none), ``superseded`` (a later line took over
    its id). Times are ISO 8601 in UTC; ``leaves`` has the latest first, and ``segments`` says which
    segment and position each segment leaves. Entries come from the lake, as it was when the companion was loaded from
    it: when the session was synced since, ``warnings`` says that the last ones are missing. Raises ``NotFoundError`` for an unknown leaf.
    """
    scope = read_scope(connection, session, leaf)
    context = None if scope is None else scope.context
    bounds = {"session": session.number, "first": session.base, "end": first_row(session.number + 1)}
    versions = lake_versions(connection)
    # A store that only synced has no lake yet.
    has_lake = paths.lake.is_dir()
    return {
        "session": session.session_key,
        "session_id": session.session_id,
        "path": session.path,
        "leaf": None if scope is None else scope.leaf,
        "leaves": [found for (found,) in rows(connection, query_sql("select_leaves"), bounds)],
        "segments": [
            dict(zip(("segment", "parent_segment", "parent_position"), row, strict=True))
            for row in rows(connection, query_sql("select_segments"), {"session": session.number})
        ],
        "entries": _entries(engine, paths, versions, session.session_key, context) if has_lake else [],
        "warnings": [] if has_lake and _is_current(engine, paths, versions, session) else [_BEHIND],
    }


def _is_current(
    engine: duckdb.DuckDBPyConnection, paths: StorePaths, versions: dict[str, int] | None, session: SessionRow
) -> bool:
    found = query_lake(
        engine, paths, "sessions", "select_fingerprint", versions, session_key=session.session_key
    )
    return found == [(session.fingerprint,)]


def _entries(
    engine: duckdb.DuckDBPyConnection,
    paths: StorePaths,
    versions: dict[str, int] | None,
    session_key: str,
    context: ActiveContext | None,
) -> list[dict[str, Any]]:
    rows = query_lake(
        engine,
        paths,
        "entries",
        "entry_states",
        versions,
        session_key=session_key,
        spans=[] if context is None else list(_spans(context)),
        edited=[] if context is None else list(_edited(context)),
    )
    entries = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    return [{**entry, "created_at": format_time(entry["created_at"])} for entry in entries]


def _spans(context: ActiveContext) -> Iterator[dict[str, Any]]:
    """Cut a branch where its active context does: what was removed, what the compaction kept, the rest.

    Of what the compaction kept, system messages are not in context all the same.
    """
    branch, removed_until, compaction = context.branch, context.removed_until, context.compaction or 0
    pieces = (
        (branch.slice(0, removed_until), "compacted", False),
        (branch.slice(removed_until, compaction), "in_context", True),
        (branch.slice(max(removed_until, compaction), branch.length), "in_context", False),
    )
    for intervals, state, drops_system in pieces:
        for one in intervals:
            yield {
                "segment": one.segment,
                "first": one.first,
                "last": one.last,
                "state": state,
                "drops_system": drops_system,
            }


def _edited(context: ActiveContext) -> Iterator[dict[str, int]]:
    for index in context.rewritten | context.emptied:
        for one in context.branch.slice(index, index + 1):
            yield {"segment": one.segment, "position": one.first}
