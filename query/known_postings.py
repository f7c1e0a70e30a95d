"""The word index, asked for passages; what it said is remembered, and only what was appended since is read."""

from __future__ import annotations

import json

import apsw

from ..pipelines.sqlite import value
from .bitsets import bits_of
from .scope import SessionRow
from .sql import query_sql

__all__ = ["KnownPostings"]

# Bytes of what is remembered, in all; a set weighs at least so much.
_MOST_BYTES = 16 << 20
_LEAST_BYTES = 200


class KnownPostings:
    """Passages by query, as bits by their place in the session, of one file of the companion.

    The words of a conversation come again, and a session's passages only grow: one that is loaded anew gets another
    number. Reading a word's passages for the first time is a third of a search.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[int, int]] = {}
        self._bytes = 0

    def read(self, connection: apsw.Connection, session: SessionRow, match: str) -> int:
        """Return the passages of a session, up to its last one, in which a query's words stand."""
        bits, known = self._take(session.number, match)
        if known > session.passages:
            bits, known = 0, 0
        if known < session.passages:
            bits |= _read(connection, match, session, known)
        self._put(session, match, bits)
        return bits

    def _take(self, number: int, match: str) -> tuple[int, int]:
        bits, known = self._known.pop((number, match), (0, 0))
        if known:
            self._bytes -= _weigh(bits)
        return bits, known

    def _put(self, session: SessionRow, match: str, bits: int) -> None:
        """Remember a set; those that were asked for longest ago make room."""
        if not session.passages:
            return
        self._known[session.number, match] = bits, session.passages
        self._bytes += _weigh(bits)
        while self._bytes > _MOST_BYTES and len(self._known) > 1:
            oldest, _ = self._known.pop(next(iter(self._known)))
            self._bytes -= _weigh(oldest)


def _weigh(bits: int) -> int:
    return bits.bit_length() // 8 + _LEAST_BYTES


def _read(connection: apsw.Connection, match: str, session: SessionRow, known: int) -> int:
    """Read the passages behind the first ``known`` ones."""
    first, last = session.all_passages
    wanted = {"match": match, "first": first + known, "last": last, "base": first}
    joined: str | int | None = value(connection, query_sql("select_postings"), wanted)
    # JSON, because it is the quickest way to read numbers.
    return bits_of(json.loads(f"[{joined}]"), session.passages) if joined is not None else 0
