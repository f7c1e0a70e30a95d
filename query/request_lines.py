"""A line of a file of requests."""

from __future__ import annotations

import json

import msgspec

from .history_store import RetrievalRequest

__all__ = ["RequestLine", "RequestLineError", "decode_request"]


class RequestLineError(ValueError):
    """A line is no request; says why."""


class RequestLine(msgspec.Struct, forbid_unknown_fields=True):
    """A request and its place; ``session`` is as on the command line."""

    request: str
    session: str | None = None
    leaf: str | None = None
    context_ids: list[str] | None = None

    def in_session(self, key: str) -> RetrievalRequest:
        """Return the request to a session of the store."""
        return RetrievalRequest(key, self.request, self.leaf, self.context_ids)


def decode_request(line: bytes) -> RequestLine:
    """Read a line. Raises ``RequestLineError`` for what is none."""
    try:
        return msgspec.json.decode(line, type=RequestLine)
    except msgspec.MsgspecError as error:
        try:
            # JavaScript writes half a character as an escape, which not every decoder takes.
            return msgspec.convert(json.loads(line), RequestLine)
        except (ValueError, RecursionError):
            raise RequestLineError(str(error)) from error
