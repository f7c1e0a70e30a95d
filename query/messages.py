"""An agent's message list as the planner sees it: what each message is, what it costs, and which one is the request.

Shapes are those of Pi's ``AgentMessage`` as JSON: a ``role``, and ``content`` that is a text or a list of blocks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from ..pipelines.tokens import IMAGE_TOKENS, MESSAGE_TOKENS, estimate_text_tokens
from .evidence import is_evidence

__all__ = [
    "MessageError",
    "MessageKind",
    "MessageView",
    "Request",
    "find_request",
    "measure_message",
    "message_text",
    "read_messages",
    "request_of",
]

MessageKind = Literal["user", "evidence", "injected", "assistant", "result", "shell", "summary", "system"]

_BLOCK_TOKENS = 4
_KINDS: Mapping[str, MessageKind] = {
    "user": "user",
    "assistant": "assistant",
    "toolResult": "result",
    "bashExecution": "shell",
    "custom": "injected",
    "hookMessage": "injected",
    "branchSummary": "summary",
    "compactionSummary": "summary",
    "system": "system",
    "developer": "system",
}
_TEXT_FIELDS = ("summary", "command", "output", "toolName")
# Compact, as requests are written; made once, for making one takes as long as using it.
_write_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class MessageError(ValueError):
    """A message is none that can be planned: says which one and why, never what stands in it."""

    def __init__(self, index: int, code: str, problem: str) -> None:
        super().__init__(f"message {index} {problem}")
        self.index = index
        self.code = code


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message by its place in the list (from 0): ``calls`` are ids of its tool calls, ``answers`` the call it answers.

    ``tokens`` is an estimate; what the agent never sends (a shell command kept out of the context) costs 0.
    """

    index: int
    kind: MessageKind
    tokens: int
    calls: tuple[str, ...] = ()
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The latest real user message: its place in the list, and its text without images, trimmed."""

    index: int
    text: str


def find_request(messages: Sequence[Any]) -> Request | None:
    """Return the latest message that the user wrote, or ``None``.

    Quoted evidence, messages of extensions, summaries and tool results are not the user's, whatever role they are sent
    in. A message of images alone is the user's, with an empty text. What is no message is passed over.
    """
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if _is_object(message) and message.get("role") == "user" and _kind_of_user(message) == "user":
            return Request(index, message_text(message.get("content")).strip())
    return None


def request_of(views: Sequence[MessageView]) -> int | None:
    """Return the place of the latest message that the user wrote, as ``find_request`` does, from views."""
    return next((view.index for view in reversed(views) if view.kind == "user"), None)


def read_messages(messages: Sequence[Any]) -> list[MessageView]:
    """View every message, in order. Raises ``MessageError`` for the first that is none or has an unknown role."""
    return [_view(index, message) for index, message in enumerate(messages)]


def measure_message(message: Mapping[str, Any]) -> int:
    """Estimate a message's tokens by the ``chars-v1`` rule.

    A frame of 8, which covers the role; each block 4 and its text, thinking, call with its arguments as compact JSON,
    or 1,024 for an image. Raises ``TypeError``, ``ValueError`` or ``RecursionError`` for values that JSON cannot hold.
    """
    if message.get("role") == "bashExecution" and message.get("excludeFromContext"):
        return 0
    tokens = MESSAGE_TOKENS + _measure_content(message.get("content"))
    for name in _TEXT_FIELDS:
        text = message.get(name)
        if isinstance(text, str):
            tokens += estimate_text_tokens(text)
    return tokens


def message_text(content: object) -> str:
    """Return a content's text: itself, or its text blocks one a line; empty for anything else."""
    if isinstance(content, str):
        return content
    if not _is_array(content):
        return ""
    texts = [block.get("text") for block in content if _is_object(block) and block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _view(index: int, message: object) -> MessageView:
    if not _is_object(message):
        raise MessageError(index, "not-a-message", "is not an object")
    role = message.get("role")
    if not isinstance(role, str):
        raise MessageError(index, "not-a-message", "has no role")
    kind = _KINDS.get(role)
    if kind is None:
        raise MessageError(index, "unknown-role", f"has a role that is none of {', '.join(_KINDS)}")
    if kind == "user":
        kind = _kind_of_user(message)
    try:
        tokens = measure_message(message)
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(
            index, "not-json", "holds what JSON cannot hold or is nested too deeply"
        ) from error
    answers = message.get("toolCallId") if kind == "result" else None
    calls = _calls_of(message.get("content")) if kind == "assistant" else ()
    return MessageView(index, kind, tokens, calls, answers if isinstance(answers, str) else None)


def _kind_of_user(message: Mapping[str, Any]) -> MessageKind:
    """Tell a user's message from what is only sent as one."""
    content = message.get("content")
    if "customType" in message:
        return "injected"
    if (
        _is_array(content)
        and content
        and not any(_block_type(block) in ("text", "image") for block in content)
    ):
        return "injected"
    return "evidence" if is_evidence(message_text(content)) else "user"


def _calls_of(content: object) -> tuple[str, ...]:
    if not _is_array(content):
        return ()
    ids = [block.get("id") for block in content if _is_object(block) and block.get("type") == "toolCall"]
    return tuple(one for one in ids if isinstance(one, str))


def _measure_content(content: object) -> int:
    if content is None:
        return 0
    if isinstance(content, str):
        return estimate_text_tokens(content)
    if _is_array(content):
        return sum(_BLOCK_TOKENS + _measure_block(block) for block in content)
    return _measure_json(content)


def _measure_block(block: object) -> int:
    if not _is_object(block):
        return _measure_json(block)
    kind = block.get("type")
    if kind == "image":
        return IMAGE_TOKENS
    if kind == "toolCall":
        name = block.get("name")
        named = estimate_text_tokens(name) if isinstance(name, str) else 0
        return named + _measure_json(block.get("arguments"))
    text = block.get(kind) if kind in ("text", "thinking") else None
    return estimate_text_tokens(text) if isinstance(text, str) else _measure_json(block)


def _measure_json(value: object) -> int:
    return estimate_text_tokens(_write_json(value))


def _block_type(block: object) -> object:
    return block.get("type") if _is_object(block) else None


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_array(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
