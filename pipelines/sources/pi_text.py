"""The searchable text of Pi's entries: what people, models and tools wrote, never the envelope.

System messages, thinking, images, signatures and extension state have no searchable text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from ..json_lines import is_array, is_object
from .pi_format import Block, Message, SessionLine
from .records import Origin

__all__ = [
    "Content",
    "call_command",
    "call_path",
    "entry_content",
    "entry_origin",
    "entry_text",
    "is_history_tool",
    "readable_arguments",
]


class Content(msgspec.Struct, frozen=True, gc=False):
    """What an entry holds: its text to search, its tool calls with their readable arguments, and how many images."""

    text: str
    calls: Sequence[tuple[Block, str]] = ()
    images: int = 0


# Our own evidence, in whatever a file, a tool or an answer made of it: quoted, indented, as JSON, cut off at its end.
# Text that only imitates the frame's first or last line is ordinary text.
_EVIDENCE_MARK = "[DS4 HISTORICAL EVIDENCE"
_EVIDENCE_QUOTE = "Quoted content JSON: "

# Tools whose output repeats history: this package's own, plain or behind an MCP name, and those of an older extension that wrote the same evidence.
_HISTORY_TOOL = re.compile(
    r"(?:mcp__)?(?:uncompact|context_history)_.*|(?:mcp__.+__)?history_(?:recall|read|status)"
)
_OWN_CUSTOM_TYPE = re.compile(r"uncompact|ds4-", re.IGNORECASE)

_ONLY_TEXTS = {str}
_NOTHING = Content("")
_PATH_ARGUMENTS = ("path", "file_path", "filePath", "file", "filename", "notebook_path")
_COMMAND_ARGUMENTS = ("command", "cmd", "script")


def entry_content(line: SessionLine) -> Content:
    """Read an entry's content; empty for kinds that hold none."""
    if line.type == "message":
        return _NOTHING if line.message is None else _message_content(line.message)
    if line.type == "custom_message":
        content = _read_content(line.content)
        return Content(content.text, (), content.images)
    if line.type in ("compaction", "branch_summary"):
        return Content(line.summary or "")
    if line.type == "session_info":
        return Content(line.name or "")
    if line.type == "label":
        return Content(line.label or "")
    return _NOTHING


def entry_text(line: SessionLine) -> str:
    """Return the text to search of an entry; empty for kinds that hold none."""
    return entry_content(line).text


def entry_origin(line: SessionLine, text: str) -> Origin:
    """Say who wrote an entry's text; ``self`` is our own evidence or history tools speaking."""
    # The mark first: its capitals are quickly seen not to be in a text.
    if (
        _EVIDENCE_MARK in text
        and _EVIDENCE_QUOTE in text
        and _EVIDENCE_MARK in text[: text.rindex(_EVIDENCE_QUOTE)]
    ):
        return "self"
    if line.type in ("compaction", "branch_summary"):
        return "summary"
    if line.type == "custom_message":
        return "self" if _OWN_CUSTOM_TYPE.match(line.custom_type or "") else "injected"
    if line.type != "message" or line.message is None:
        return "none"
    return _message_origin(line.message)


@lru_cache(maxsize=256)
def is_history_tool(name: str | None) -> bool:
    """Tell whether a tool's output is history given back, which must never be evidence again."""
    return name is not None and _HISTORY_TOOL.fullmatch(name) is not None


def readable_arguments(arguments: Any) -> str:
    """Write a tool call's arguments as ``name: value`` lines: real line breaks, no JSON escapes."""
    if is_object(arguments) and {*map(type, arguments.values())} == _ONLY_TEXTS:
        return "\n".join([_argument_line(name, value) for name, value in arguments.items()])
    # A stack of its own: arguments can be nested deeper than Python calls can.
    lines: list[str] = []
    pending: list[tuple[str, Any]] = [("", arguments)]
    while pending:
        name, value = pending.pop()
        if is_object(value):
            pending.extend((f"{name}.{key}" if name else key, value[key]) for key in reversed(value))
        elif is_array(value):
            pending.extend((name, inner) for inner in reversed(value))
        elif value is not None:
            lines.append(_argument_line(name, value))
    return "\n".join(lines)


def call_path(arguments: Any) -> str | None:
    """Return the file that a tool call's arguments name."""
    return _first_text(arguments, _PATH_ARGUMENTS)


def call_command(arguments: Any) -> str | None:
    """Return the command line that a tool call's arguments name."""
    return _first_text(arguments, _COMMAND_ARGUMENTS)


def _message_origin(message: Message) -> Origin:
    role = message.role
    if role == "user":
        return "human"
    if role == "assistant":
        return "model"
    if role == "toolResult":
        return "self" if is_history_tool(message.tool_name) else "tool"
    if role == "bashExecution":
        return "tool"
    if role in ("custom", "hookMessage"):
        return "self" if _OWN_CUSTOM_TYPE.match(message.custom_type or "") else "injected"
    return "none" if role == "system" else "injected"


def _message_content(message: Message) -> Content:
    role, content = message.role, _read_content(message.content)
    if role == "toolResult":
        text = _joined((message.tool_name, content.text))
    elif role == "bashExecution":
        command = f"Command: {message.command}" if message.command else None
        text = _joined((command, message.output))
    elif role == "system":
        text = ""
    else:
        return content
    return Content(text, content.calls, content.images)


def _read_content(content: str | list[Block] | None) -> Content:
    if not isinstance(content, list):
        return Content(content) if content else _NOTHING
    parts: list[str | None] = []
    calls: list[tuple[Block, str]] = []
    images = 0
    for block in content:
        kind = block.type
        if kind == "text":
            parts.append(block.text)
        elif kind == "toolCall":
            arguments = readable_arguments(block.arguments)
            calls.append((block, arguments))
            if not is_history_tool(block.name):
                parts += (block.name, arguments)
        elif kind == "image":
            images += 1
    return Content(_joined(parts), calls, images)


def _joined(parts: Iterable[str | None]) -> str:
    return "\n".join([part for part in parts if part])


def _argument_line(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    if not name:
        return text
    return f"{name}:\n{text}" if "\n" in text else f"{name}: {text}"


def _first_text(arguments: Any, names: tuple[str, ...]) -> str | None:
    if not is_object(arguments):
        return None
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return value
        if is_array(value) and value:
            return " ".join(str(part) for part in value if isinstance(part, (str, int, float)))
    return None
