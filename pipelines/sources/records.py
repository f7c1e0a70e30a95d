"""What an adapter tells the shared stages about one log: plain records, no agent's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol

import msgspec

__all__ = [
    "BranchSummary",
    "Compaction",
    "ContextEdit",
    "Cursor",
    "Entry",
    "Found",
    "Header",
    "Link",
    "Log",
    "Origin",
    "Record",
    "Reject",
    "SessionField",
    "Source",
    "ToolCall",
    "Usage",
]

Origin = Literal["human", "injected", "tool", "model", "summary", "self", "none"]


class Found(msgspec.Struct, frozen=True):
    """A file that may be a log: what ``stat`` says of it, nothing read yet."""

    path: Path
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Cursor(msgspec.Struct, frozen=True):
    """Where reading goes on: the byte after the last line read, that many lines and entries before it."""

    byte: int = 0
    lines: int = 0
    entries: int = 0


class Header(msgspec.Struct, frozen=True):
    """Who a log is. ``project`` is the working directory, empty when the log names none."""

    session_id: str
    project: str
    version: str | None = None
    parent_session: str | None = None
    started_at: int | None = None


class Entry(msgspec.Struct, gc=False):
    """One line that is an entry. Times are microseconds since 1970 UTC; ``parent_id`` is the effective parent.

    ``recovered`` marks an entry cut out of a damaged line: it is kept, but on no branch, as the agent itself
    cannot read that line.
    """

    pos: int
    line: int
    byte_start: int
    byte_end: int
    raw_sha256: str
    entry_id: str
    raw_parent_id: str | None
    parent_id: str | None
    type: str
    created_at: int | None = None
    role: str | None = None
    origin: Origin = "none"
    text: str = ""
    images: int = 0
    tool_name: str | None = None
    call_id: str | None = None
    is_error: bool = False
    never_sent: bool = False
    provider: str | None = None
    model: str | None = None
    recovered: bool = False


class ToolCall(msgspec.Struct, gc=False):
    """A tool call in the entry at ``pos``; ``arguments`` is readable text."""

    pos: int
    ordinal: int
    call_id: str | None
    name: str
    arguments: str
    path: str | None
    command: str | None


class Compaction(msgspec.Struct, gc=False):
    """A compaction: it keeps ``kept_from`` and all after it, or nothing of what was before."""

    pos: int
    entry_id: str
    kept_from: str | None
    tokens_before: int | None
    summary_chars: int
    from_hook: bool
    keeps_system: bool


class ContextEdit(msgspec.Struct, gc=False):
    """The model is shown other content of ``target_id`` from here on, or with ``removes`` none."""

    pos: int
    entry_id: str
    kind: str
    target_id: str
    removes: bool


class BranchSummary(msgspec.Struct, gc=False):
    """A branch that ended at ``from_id`` was left and summarised here."""

    pos: int
    entry_id: str
    from_id: str | None
    summary_chars: int


class Usage(msgspec.Struct, gc=False):
    """Tokens and cost (US dollars) of one model call."""

    pos: int
    kind: str
    provider: str | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float


class SessionField(msgspec.Struct, gc=False):
    """Something the log says about the session as a whole; the last one of a name counts."""

    name: Literal["name"]
    value: str | None


class Reject(msgspec.Struct, gc=False):
    """A line, or the torn part of one, that is no entry. Never holds its text."""

    line: int
    byte_start: int
    byte_end: int
    reason: str


Record = Entry | ToolCall | Compaction | ContextEdit | BranchSummary | Usage | SessionField | Reject


class Link(msgspec.Struct, gc=False):
    """The tree's part of an entry: enough to label the tree before any text is read."""

    entry_id: str
    parent_id: str | None
    recovered: bool = False


class Log(Protocol):
    """One open log, read from a cursor up to the last complete line."""

    header: Header

    def links(self) -> Iterator[Link]:
        """Yield each entry's link in file order: the same entries, in the same order, as ``records``."""
        ...

    def records(self) -> Iterator[Record]:
        """Yield all records in file order; what belongs to an entry follows it."""
        ...

    def leaf_pos(self) -> int | None:
        """Place of the entry that the agent itself would continue from; known after ``links``."""
        ...

    def cursor(self) -> Cursor:
        """Return how far the file was read, up to its last complete line; known after ``records``."""
        ...

    def pending_line(self) -> int | None:
        """Return the number of an unterminated last line, which is left for later; known after ``records``."""
        ...


class Source(Protocol):
    """Everything particular to one agent."""

    kind: str

    def default_roots(self) -> list[Path]:
        """Return the folders in which this agent keeps its logs on this machine."""
        ...

    def recognise(self, found: Found) -> Header | None:
        """Read as much as needed to say whose log this is; ``None`` when it is not this agent's."""
        ...

    def open(self, found: Found, header: Header, start: Cursor) -> Log:
        """Open a recognised log at a cursor of this adapter."""
        ...

    def can_resume(self, header: Header) -> bool:
        """Tell whether a log may be read on from a cursor: its entries do not depend on those before by place."""
        ...
