"""One line to one JSON object, whatever the line has been through.

The decoder is typed and fast on what agents write; the repairs below are for what crashes, power cuts and two
writers leave behind. A line that a JavaScript ``JSON.parse`` takes is taken here, too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeGuard

import msgspec

__all__ = ["JsonObject", "decode_repaired", "is_array", "is_object", "mend_halves", "recover_objects"]

JsonObject = dict[str, Any]

_MAX_DEPTH = 100
# Each attempt may scan the rest of the line: a line of nothing but beginnings must not cost its length squared.
_MOST_ATTEMPTS = 50
# Digits of the largest double: beyond it JavaScript has infinity, which JSON has not.
_LONGEST_INTEGER = 309
_IS_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.",
    re.DOTALL,
)
_HALF_BYTES = len(rb"\ud800")
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _bounded(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else None


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, parse_int=_bounded)


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Tell whether a decoded value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a decoded value is a JSON array."""
    return isinstance(value, list)


def decode_repaired(raw: bytes) -> object:
    """Decode a line the fast decoder refused: invalid UTF-8, lone surrogates, deep nesting, endless numbers.

    Invalid bytes and halves of surrogate pairs become U+FFFD; numbers no double can hold, and what is nested
    deeper than 100 levels where that is too deep, become ``null``. Raises ``ValueError`` when the line is not one
    JSON value.
    """
    try:
        return _decode(raw)
    except RecursionError:
        return _decode(_cut_depth(raw))


def mend_halves(raw: bytes) -> bytes | None:
    """Replace escaped halves of surrogate pairs by U+FFFD, as ``decode_repaired`` does; ``None`` when there are none.

    They are what cutting a text inside an emoji leaves: the one damage that is common enough to be worth a line's
    typed decoding.
    """
    if not _IS_HALF.search(raw):
        return None
    return _ESCAPE.sub(_mended, raw)


def recover_objects(raw: bytes) -> Iterator[dict[str, Any]]:
    """Yield the whole ``{"type": ...}`` objects inside a line that is not one JSON value.

    Two processes that append to one file, or a write cut off in the middle, weld lines together.
    """
    text = raw.decode("utf-8", "replace")
    at = text.find('{"type"')
    attempts = 0
    while at >= 0 and attempts < _MOST_ATTEMPTS:
        attempts += 1
        try:
            value, end = _DECODER.raw_decode(text, at)
            value = _without_surrogates(value)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find('{"type"', end)


def _mended(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if len(escape[0]) == _HALF_BYTES else escape[0]


def _decode(raw: bytes) -> Any:
    return _without_surrogates(_DECODER.decode(raw.decode("utf-8", "replace")))


def _without_surrogates(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return msgspec.json.decode(whole.encode())


def _cut_depth(raw: bytes) -> bytes:
    """Replace containers below the depth limit by ``null``, without recursion."""
    kept: list[bytes] = []
    depth = 0
    taken = 0
    for match in _STRUCTURE.finditer(raw):
        token = match[0]
        if token in (b"[", b"{"):
            depth += 1
            if depth == _MAX_DEPTH + 1:
                kept.extend((raw[taken : match.start()], b"null"))
        elif token in (b"]", b"}"):
            if depth == _MAX_DEPTH + 1:
                taken = match.end()
            depth -= 1
    if depth > _MAX_DEPTH:
        raise ValueError("brackets do not close")
    kept.append(raw[taken:])
    return b"".join(kept)
