"""Pi's session logs: one JSON line per entry, a header first, a tree by ``parentId``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ..json_lines import recover_objects
from ..lines import Line, read_lines
from ..timestamps import parse_time
from .pi_format import Block, LineLink, SessionLine, TokenUsage, decode_line, decode_link, fit
from .pi_text import call_command, call_path, entry_origin, entry_text, readable_arguments
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
        self._cursor = self.start
        lines = read_lines(self.path, start=self.start.byte, number=self.start.lines + 1, end=self.end)
        for line in lines:
            if not line.complete:
                self._pending_line = line.number
                break
            self._cursor = Cursor(line.end, line.number)
            if not line.raw.strip():
                continue
            try:
                value = decode(line.raw)
            except ValueError:
                # The parts of a torn message have a type as well, but no time of their own.
                objects = [found for found in recover_objects(line.raw) if "timestamp" in found]
                yield line, -1, _reject(line, "welded" if objects else "not-json"), True
                for found in objects:
                    yield line, -1, fit(found, shape), True
                continue
            if not isinstance(value, shape):
                if _counts(value):
                    index += 1
                    yield line, index, _reject(line, "not-an-object"), False
                continue
            index += 1
            yield line, index, value, False


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
) -> Iterator[Record]:
    yield _entry(value, entry_id, pos, line, recovered=recovered)
    message = value.message
    if value.type == "message" and message is not None:
        if isinstance(message.content, list):
            yield from _tool_calls(message.content, pos)
        if message.usage is not None:
            yield _usage(message.usage, pos, "turn", message.provider, message.model)
    elif value.usage is not None:
        yield _usage(value.usage, pos, value.kind or value.type or "unknown", value.provider, value.model)
    if value.type == "compaction":
        yield _compaction(value, entry_id, pos)
    elif value.type == "branch_summary":
        yield BranchSummary(pos, entry_id, value.from_id, len(value.summary or ""))
    elif value.type == "context_edit" and value.target_id and value.replacement is not msgspec.UNSET:
        yield ContextEdit(pos, entry_id, "edit", value.target_id, value.replacement is None)
    elif value.type == "session_info" and not recovered:
        yield SessionField("name", value.name or None)


def _entry(value: SessionLine, entry_id: str, pos: int, line: Line, *, recovered: bool) -> Entry:
    text = entry_text(value)
    entry = Entry(
        pos=pos,
        line=line.number,
        byte_start=line.start,
        byte_end=line.end,
        raw_sha256=hashlib.sha256(line.raw).hexdigest(),
        entry_id=entry_id,
        raw_parent_id=value.parent_id,
        parent_id=value.parent_id or None,
        type=value.type or "unknown",
        created_at=parse_time(value.timestamp),
        origin=entry_origin(value, text),
        text=text,
        provider=value.provider,
        model=value.model or value.model_id,
        recovered=recovered,
    )
    if value.type == "custom_message":
        entry.role = "custom"
        entry.images = _count_images(value.content)
    elif value.type == "message" and value.message is not None:
        _add_message(entry, value)
    return entry


def _add_message(entry: Entry, value: SessionLine) -> None:
    message = value.message
    assert message is not None
    entry.role = "custom" if message.role == "hookMessage" else message.role
    entry.images = _count_images(message.content)
    entry.tool_name = message.tool_name
    entry.call_id = message.tool_call_id
    entry.provider = message.provider
    entry.model = message.model
    failed_turn = message.stop_reason in _ATTEMPTS_THAT_FAILED
    entry.is_error = bool(message.is_error) or bool(message.exit_code) or message.stop_reason == "error"
    entry.never_sent = bool(message.exclude_from_context) or (message.role == "assistant" and failed_turn)


def _count_images(content: str | list[Block] | None) -> int:
    return sum(block.type == "image" for block in content) if isinstance(content, list) else 0


def _tool_calls(content: list[Block], pos: int) -> Iterator[ToolCall]:
    calls = (block for block in content if block.type == "toolCall")
    for ordinal, call in enumerate(calls):
        yield ToolCall(
            pos=pos,
            ordinal=ordinal,
            call_id=call.id,
            name=call.name or "unknown",
            arguments=readable_arguments(call.arguments),
            path=call_path(call.arguments),
            command=call_command(call.arguments),
        )


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
    return Usage(
        pos=pos,
        kind=kind,
        provider=provider,
        model=model,
        input_tokens=_count(usage.input),
        output_tokens=_count(usage.output),
        cache_read_tokens=_count(usage.cache_read),
        cache_write_tokens=_count(usage.cache_write),
        cost_usd=(usage.cost.total if usage.cost else None) or 0.0,
    )


def _count(value: float | None) -> int:
    """Bound a stated number of tokens: logs hold negative and absurd ones."""
    return int(min(max(value or 0, 0), _MOST_TOKENS))
