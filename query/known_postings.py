"""The word index, asked for passages; what it said lately is remembered."""

from __future__ import annotations

import apsw

from ..pipelines.sqlite import value
from .scope import Range, SessionRow
from .sql import query_sql

__all__ = ["KnownPostings", "query_passages"]

_ALL = -1

# Passages that are remembered, in all: some 20 MB. A query weighs as much as some passages do.
_MOST_KNOWN = 500_000
_A_QUERY = 16


class KnownPostings:
    """What was read of the word index lately, by session, as it is now, and query.

    The words of a conversation, and of a batch, come again: reading a word's postings is a third of a search. Another
    file of the companion needs another one of these.
    """

    def __init__(self) -> None:
        self._lists: dict[tuple[int, str, str, int], list[int]] = {}
        self._held = 0

    def read(self, connection: apsw.Connection, session: SessionRow, match: str, most: int) -> list[int]:
        """Return at most ``most`` passages of a session in which a query's words stand, ascending; not to be changed."""
        key = session.number, session.fingerprint, match, most
        found = self._lists.pop(key, None)
        if found is None:
            found = query_passages(connection, "select_postings", match, session.all_passages, most)
            self._held += len(found) + _A_QUERY
        # The last one asked for is the last to go.
        self._lists[key] = found
        while self._held > _MOST_KNOWN:
            self._held -= len(self._lists.pop(next(iter(self._lists)))) + _A_QUERY
        return found


def query_passages(
    connection: apsw.Connection, statement: str, match: str, session: Range, most: int = _ALL
) -> list[int]:
    """Return at most ``most`` passages of a range of ids in which a query's words stand, ascending."""
    bound = {"match": match, "first": session[0], "last": session[1], "most": most}
    joined: str | int | None = value(connection, query_sql(statement), bound)
    return sorted(map(int, str(joined).split(","))) if joined is not None else []
