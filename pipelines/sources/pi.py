"""Pi's session logs: one JSON line per entry, a header first, a tree by ``parentId``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ..json_lines import recover_objects
from ..lines import Line, read_lines
from ..timestamps import parse_time
from .pi_format import Block, LineLink, Message, SessionLine, TokenUsage, decode_line, decode_link, fit
from .pi_text import Content, call_command, call_path, entry_content, entry_origin
from .records import (
    BranchSummary,
    Compaction,
    ContextEdit,
    Cursor,
    Entry,
    Found,
    Header,
    Link,
    Record,
    Reject,
    SessionField,
    ToolCall,
    Usage,
)

__all__ = ["PiLog", "PiSource"]

_HEADER_BYTES = 1 << 20
_HEADER_LINES = 200
_MOST_TOKENS = 1 << 53
_ATTEMPTS_THAT_FAILED = frozenset({"error", "aborted"})


class PiSource:
    """The adapter for Pi."""

    kind = "pi"

    def default_roots(self) -> list[Path]:
        """Return Pi's session folder: the two environment variables win over the home folder."""
        sessions = os.environ.get("PI_CODING_AGENT_SESSION_DIR")
        if sessions:
            return [Path(sessions).expanduser()]
        agent = os.environ.get("PI_CODING_AGENT_DIR")
        home = Path(agent).expanduser() if agent else Path.home() / ".pi" / "agent"
        return [home / "sessions"]

    def recognise(self, found: Found) -> Header | None:
        """Return the header when the first JSON value of the file is a session header with an id."""
        for line in read_lines(found.path, end=min(found.size, _HEADER_BYTES)):
            if line.number > _HEADER_LINES:
                return None
            value = _value_of(line.raw)
            if not _counts(value):
                continue
            if not isinstance(value, SessionLine) or value.type != "session" or not value.id:
                return None
            return Header(
                session_id=value.id,
                project=value.cwd or "",
                version=None if value.version is None else str(value.version),
                parent_session=value.parent_session,
                started_at=parse_time(value.timestamp),
            )
        return None

    def open(self, found: Found, header: Header, start: Cursor) -> PiLog:
        """Open a log that ``recognise`` knew."""
        return PiLog(found.path, header, start, end=found.size)

    def can_resume(self, header: Header) -> bool:
        """Version 1 counts its entries, and Pi rewrites such a file whole; all others only ever grow."""
        return not _is_first_version(header)


@dataclass(slots=True)
class PiLog:
    """One Pi log from ``start`` up to byte ``end`` (its size when it was found)."""

    path: Path
    header: Header
    start: Cursor
    end: int
    _cursor: Cursor = field(default_factory=Cursor)
    _pending_line: int | None = None
    _last_pos: int | None = None

    def leaf_pos(self) -> int | None:
        """Return the last entry's place: Pi continues from the last line that is not a header."""
        return self._last_pos

    def cursor(self) -> Cursor:
        """Return where reading goes on."""
        return self._cursor

    def pending_line(self) -> int | None:
        """Return the number of an unterminated last line."""
        return self._pending_line

    def links(self) -> Iterator[Link]:
        """Yield each entry's link in file order."""
        chained = _is_first_version(self.header)
        previous: str | None = None
        pos = self.start.entries
        for line, index, value, recovered in self._lines(decode_link, LineLink):
            if not isinstance(value, LineLink) or value.type == "session":
                continue
            entry_id = _entry_id(value.id, index, line.number, chained=chained)
            parent = previous if chained and not recovered else value.parent_id or None
            previous = entry_id if not recovered else previous
            self._last_pos = self._last_pos if recovered else pos
            pos += 1
            yield Link(entry_id, parent, recovered)

    def records(self) -> Iterator[Record]:
        """Yield all records in file order."""
        chained = _is_first_version(self.header)
        ids: dict[int, str] = {}
        previous: str | None = None
        pos = self.start.entries
        for line, index, value, recovered in self._lines(decode_line, SessionLine):
            if isinstance(value, Reject):
                yield value
                continue
            if not isinstance(value, SessionLine) or value.type == "session":
                continue
            entry_id = _entry_id(value.id, index, line.number, chained=chained)
            if chained and not recovered:
                kept = ids.get(int(value.first_kept_entry_index or 0))
                value = msgspec.structs.replace(value, parent_id=previous, first_kept_entry_id=kept)
                ids[index] = previous = entry_id
            yield from _entry_records(value, entry_id, pos, line, recovered=recovered)
            pos += 1
        self._cursor = msgspec.structs.replace(self._cursor, entries=pos)

    def _lines(self, decode: Any, shape: Any) -> Iterator[tuple[Line, int, Any, bool]]:
        """Yield (line, index among the file's JSON values, value, recovered) and rejects for the rest.

        The index counts as Pi's own reader does: falsy values and lines that do not parse have none.
        """
        index = -1
        end, number = self.start.byte, self.start.lines
        self._pending_line = None
        for line in read_lines(self.path, start=end, number=number + 1, end=self.end):
            if not line.complete:
                self._pending_line = line.number
                break
            end, number = line.end, line.number
            try:
                value = decode(line.raw)
            except ValueError:
                yield from _recovered(line, shape)
                continue
            if isinstance(value, shape):
                index += 1
                yield line, index, value, False
            elif _counts(value):
                index += 1
                yield line, index, _reject(line, "not-an-object"), False
        self._cursor = Cursor(end, number)


def _recovered(line: Line, shape: Any) -> Iterator[tuple[Line, int, Any, bool]]:
    """Yield a reject for a line that is not one JSON value, and what whole entries are inside."""
    if not line.raw.strip():
        return
    # The parts of a torn message have a type as well, but no time of their own.
    objects = [found for found in recover_objects(line.raw) if "timestamp" in found]
    yield line, -1, _reject(line, "welded" if objects else "not-json"), True
    for found in objects:
        yield line, -1, fit(found, shape), True


def _is_first_version(header: Header) -> bool:
    """Version 1 has no ids and no parents: entries form one chain."""
    return _version_number(header.version) < 2


def _version_number(version: str | None) -> float:
    if version is None:
        return 1
    try:
        return float(version)
    except ValueError:
        return 3


def _value_of(raw: bytes) -> object:
    try:
        return decode_line(raw) if raw.strip() else None
    except ValueError:
        return None


def _counts(value: object) -> bool:
    """Tell whether JavaScript takes a value for true: Pi passes over the others."""
    return bool(value) or value == []


def _entry_id(stated: str | None, index: int, line: int, *, chained: bool) -> str:
    if chained:
        return f"v1:{index}" if index >= 0 else f"#{line}"
    return stated or f"#{line}"


def _reject(line: Line, reason: str) -> Reject:
    return Reject(line.number, line.start, line.end, reason)


def _entry_records(
    value: SessionLine, entry_id: str, pos: int, line: Line, *, recovered: bool
) -> list[Record]:
    content = entry_content(value)
    records: list[Record] = [_entry(value, content, (entry_id, pos, line), recovered=recovered)]
    if content.calls:
        records += _tool_calls(content.calls, pos)
    if value.type == "message" and value.message is not None:
        if value.message.usage is not None:
            usage, provider, model = value.message.usage, value.message.provider, value.message.model
            records.append(_usage(usage, pos, "turn", provider, model))
        return records
    if value.usage is not None:
        kind = value.kind or value.type or "unknown"
        records.append(_usage(value.usage, pos, kind, value.provider, value.model))
    if value.type == "compaction":
        records.append(_compaction(value, entry_id, pos))
    elif value.type == "branch_summary":
        records.append(BranchSummary(pos, entry_id, value.from_id, len(value.summary or "")))
    elif value.type == "context_edit" and value.target_id and value.replacement is not msgspec.UNSET:
        records.append(ContextEdit(pos, entry_id, "edit", value.target_id, value.replacement is None))
    elif value.type == "session_info" and not recovered:
        records.append(SessionField("name", value.name or None))
    return records


def _entry(value: SessionLine, content: Content, place: tuple[str, int, Line], *, recovered: bool) -> Entry:
    entry_id, pos, line = place
    kind = value.type or "unknown"
    # By position: matching the names of twenty fields would cost more than all the rest of this.
    entry = Entry(
        pos,
        line.number,
        line.start,
        line.end,
        hashlib.sha256(line.raw).hexdigest(),
        entry_id,
        value.parent_id,
        value.parent_id or None,
        kind,
        parse_time(value.timestamp),
        "custom" if kind == "custom_message" else None,
        entry_origin(value, content.text),
        content.text,
        content.images,
    )
    if recovered:
        entry.recovered = True
    if kind == "message" and value.message is not None:
        _add_message(entry, value.message)
    else:
        entry.provider = value.provider
        entry.model = value.model or value.model_id
    return entry


def _add_message(entry: Entry, message: Message) -> None:
    role, stop_reason = message.role, message.stop_reason
    entry.role = "custom" if role == "hookMessage" else role
    entry.tool_name = message.tool_name
    entry.call_id = message.tool_call_id
    entry.provider = message.provider
    entry.model = message.model
    entry.is_error = bool(message.is_error or message.exit_code or stop_reason == "error")
    failed_turn = role == "assistant" and stop_reason in _ATTEMPTS_THAT_FAILED
    entry.never_sent = bool(message.exclude_from_context or failed_turn)


def _tool_calls(calls: Sequence[tuple[Block, str]], pos: int) -> Iterator[ToolCall]:
    for ordinal, (call, written) in enumerate(calls):
        path, command = call_path(call.arguments), call_command(call.arguments)
        yield ToolCall(pos, ordinal, call.id, call.name or "unknown", written, path, command)


def _compaction(value: SessionLine, entry_id: str, pos: int) -> Compaction:
    return Compaction(
        pos=pos,
        entry_id=entry_id,
        kept_from=value.first_kept_entry_id,
        tokens_before=None if value.tokens_before is None else _count(value.tokens_before),
        summary_chars=len(value.summary or ""),
        from_hook=bool(value.from_hook),
        keeps_system=value.system_message is not None,
    )


def _usage(usage: TokenUsage, pos: int, kind: str, provider: str | None, model: str | None) -> Usage:
    cost = usage.cost.total if usage.cost else None
    read, written, cached, put = usage.input, usage.output, usage.cache_read, usage.cache_write
    return Usage(
        pos, kind, provider, model, _count(read), _count(written), _count(cached), _count(put), cost or 0.0
    )


def _count(value: float | None) -> int:
    """Bound a stated number of tokens: logs hold negative and absurd ones."""
    if type(value) is int and 0 <= value <= _MOST_TOKENS:
        return value
    return int(min(max(value or 0, 0), _MOST_TOKENS))
