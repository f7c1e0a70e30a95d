"""Pi's session lines as types: versions 1 to 3, with every field we read and none we do not.

Field names and meanings: Pi's documentation of its session format; odd shapes come from files in the wild.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from ..json_lines import JsonObject, decode_repaired, is_array, is_object, mend_halves

__all__ = [
    "Block",
    "Cost",
    "LineLink",
    "Message",
    "SessionLine",
    "TokenUsage",
    "decode_line",
    "decode_link",
    "fit",
]


class Block(msgspec.Struct, gc=False):
    """A part of a message's content. Image data, signatures and thinking are never read."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: Any = None


class Cost(msgspec.Struct, gc=False):
    """Cost of a model call in US dollars."""

    total: float | None = None


class TokenUsage(msgspec.Struct, rename="camel", gc=False):
    """Tokens of a model call."""

    input: int | float | None = None
    output: int | float | None = None
    cache_read: int | float | None = None
    cache_write: int | float | None = None
    cost: Cost | None = None


class Message(msgspec.Struct, rename="camel", gc=False):
    """What a ``message`` entry wraps; fields that are in most messages first, as they stand in the log."""

    role: str | None = None
    content: str | list[Block] | None = None
    provider: str | None = None
    model: str | None = None
    usage: TokenUsage | None = None
    stop_reason: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    command: str | None = None
    output: str | None = None
    exit_code: int | None = None
    cancelled: bool | None = None
    exclude_from_context: Any = None
    custom_type: str | None = None


class SessionLine(msgspec.Struct, rename="camel", gc=False):
    """Any line: the header (type ``session``) or an entry."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None
    timestamp: str | int | float | None = None
    message: Message | None = None
    content: str | list[Block] | None = None
    custom_type: str | None = None
    summary: str | None = None
    first_kept_entry_id: str | None = None
    first_kept_entry_index: int | float | None = None
    tokens_before: int | float | None = None
    from_hook: bool | None = None
    system_message: Any = None
    from_id: str | None = None
    target_id: str | None = None
    replacement: Any = msgspec.UNSET
    label: str | None = None
    name: str | None = None
    kind: str | None = None
    provider: str | None = None
    model: str | None = None
    model_id: str | None = None
    thinking_level: str | None = None
    usage: TokenUsage | None = None
    version: int | str | float | None = None
    cwd: str | None = None
    parent_session: str | None = None


class LineLink(msgspec.Struct, rename="camel", gc=False):
    """Only what the tree needs of a line."""

    type: str | None = None
    id: str | None = None
    parent_id: str | None = None


_Shape = TypeVar("_Shape", bound=msgspec.Struct)

_LINE = msgspec.json.Decoder(SessionLine)
_LINK = msgspec.json.Decoder(LineLink)


def decode_line(raw: bytes) -> SessionLine | object:
    """Decode one line; a JSON value that is no object comes back as it is.

    Raises ``ValueError`` when the line is not one JSON value.
    """
    try:
        return _LINE.decode(raw)
    except (ValueError, RecursionError):
        return _decode_loosely(raw, _LINE)


def decode_link(raw: bytes) -> LineLink | object:
    """Decode the link of one line: as ``decode_line``, for less work."""
    try:
        return _LINK.decode(raw)
    except (ValueError, RecursionError):
        return _decode_loosely(raw, _LINK)


def fit(value: JsonObject, shape: type[_Shape]) -> _Shape:
    """Fit an object into a shape field by field; a field of another type is left out."""
    known: dict[str, Any] = {}
    for encoded, name, hint in _fields(shape):
        if encoded in value:
            fitted = _fit_field(value[encoded], hint)
            if fitted is not msgspec.NODEFAULT:
                known[name] = fitted
    return shape(**known)


def _decode_loosely(raw: bytes, decoder: msgspec.json.Decoder[_Shape]) -> _Shape | object:
    mended = mend_halves(raw)
    if mended is not None:
        with suppress(ValueError, RecursionError):
            return decoder.decode(mended)
    try:
        value = msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        value = decode_repaired(raw)
    return fit(value, cast("type[_Shape]", decoder.type)) if is_object(value) else value


@cache
def _fields(shape: type[msgspec.Struct]) -> tuple[tuple[str, str, Any], ...]:
    """Resolve a shape's (name in the log, attribute, type) triples once."""
    return tuple((field.encode_name, field.name, field.type) for field in msgspec.structs.fields(shape))


def _fit_field(value: Any, hint: Any) -> Any:
    try:
        return msgspec.convert(value, hint)
    except (ValueError, RecursionError):
        pass
    if is_object(value):
        for inner in _structs_in(hint):
            return fit(value, inner)
        if _takes_blocks(hint):
            return [fit(value, Block)]
    if is_array(value) and _takes_blocks(hint):
        return [block for item in value if (block := _fit_block(item)) is not None]
    return msgspec.NODEFAULT


def _fit_block(item: Any) -> Block | None:
    if isinstance(item, str):
        return Block(type="text", text=item)
    return fit(item, Block) if is_object(item) else None


def _structs_in(hint: Any) -> list[type[msgspec.Struct]]:
    options = getattr(hint, "__args__", (hint,))
    return [option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)]


def _takes_blocks(hint: Any) -> bool:
    return list[Block] in getattr(hint, "__args__", ())
