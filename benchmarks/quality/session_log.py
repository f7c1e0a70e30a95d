"""A Pi session log (version 3) in the making: entries with ids, parents and times, one line each."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

__all__ = ["Message", "SessionLog", "assistant", "bash_run", "call_and_result", "message_text", "user"]

_START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
_USAGE = {
    "input": 1200,
    "output": 300,
    "cacheRead": 9000,
    "cacheWrite": 100,
    "totalTokens": 10600,
    "cost": {"input": 0.0036, "output": 0.0045, "cacheRead": 0.0027, "cacheWrite": 0.0004, "total": 0.0112},
}

Message = dict[str, Any]


@dataclass(slots=True)
class SessionLog:
    """Lines of a log, and each entry's parent; ``leaf`` is where the next entry goes."""

    rng: random.Random
    session_id: str = "planted"
    leaf: str | None = None
    parents: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _lines: list[Message] = field(default_factory=list[Message])
    _results: set[str] = field(default_factory=set[str])
    _now: datetime = _START

    def __len__(self) -> int:
        return len(self._lines)

    def message(self, message: Message) -> str:
        """Append a message and return its id."""
        entry_id = self.entry("message", message=message)
        if message["role"] == "toolResult":
            self._results.add(entry_id)
        return entry_id

    def entry(self, kind: str, **fields: Any) -> str:
        """Append an entry of any type and return its id: eight hex digits, as Pi makes them."""
        entry_id = f"{self.rng.getrandbits(32):08x}"
        while entry_id in self.parents:
            entry_id = f"{self.rng.getrandbits(32):08x}"
        self._now += timedelta(seconds=self.rng.randint(3, 90))
        head = {"type": kind, "id": entry_id, "parentId": self.leaf, "timestamp": _stamp(self._now)}
        self._lines.append({**head, **fields})
        self.parents[entry_id] = self.leaf
        self.leaf = entry_id
        return entry_id

    def is_tool_result(self, entry_id: str) -> bool:
        """Tell whether an entry is a tool's answer."""
        return entry_id in self._results

    def branch(self) -> list[str]:
        """Return the ids from the root to the leaf."""
        ids: list[str] = []
        at = self.leaf
        while at is not None:
            ids.append(at)
            at = self.parents[at]
        return ids[::-1]

    def write(self, path: Path) -> None:
        """Write the log: a header, then all entries."""
        header = {
            "type": "session",
            "version": 3,
            "id": self.session_id,
            "timestamp": _stamp(_START),
            "cwd": "/srv/monorepo",
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (
            json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in (header, *self._lines)
        )
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def message_text(message: Message) -> str:
    """Return what a search can find in a message: texts, names and arguments of tool calls, commands, output."""
    if message.get("role") == "bashExecution":
        return f"{message.get('command')}\n{message.get('output')}"
    content: str | list[dict[str, Any]] = message.get("content") or ""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for block in content:
        if block.get("type") == "text":
            parts.append(block["text"])
        elif block.get("type") == "toolCall":
            parts.append(block["name"])
            parts.extend(str(value) for value in block.get("arguments", {}).values())
    return "\n".join(parts)


def user(text: str) -> Message:
    """Write a user's message."""
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def assistant(text: str, *calls: dict[str, Any]) -> Message:
    """Write a model's message, with tool calls after the text."""
    content = [{"type": "text", "text": text}, *calls] if text else [*calls]
    return {
        "role": "assistant",
        "api": "bench",
        "provider": "bench",
        "model": "bench-1",
        "usage": _USAGE,
        "stopReason": "toolUse" if calls else "stop",
        "content": content,
    }


def call_and_result(
    call_id: str, text: str, tool: str, arguments: dict[str, Any], result: str
) -> tuple[Message, Message]:
    """Write a model's message that calls a tool, and the tool's answer."""
    call = {"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}
    answer: Message = {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": tool,
        "content": [{"type": "text", "text": result}],
        "isError": False,
    }
    return assistant(text, call), answer


def bash_run(command: str, output: str) -> Message:
    """Write a command that the user ran."""
    return {
        "role": "bashExecution",
        "command": command,
        "output": output,
        "exitCode": 0,
        "cancelled": False,
        "truncated": False,
    }


def _stamp(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
