"""A name that code joins from words to these words: ``parseConfig``, ``parse_config`` and ``parse-config`` alike."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["split_humped_names", "split_name"]

_NAME = re.compile(r"[A-Za-z0-9_$-]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST_NAME = 80

# Each byte of a text as what it is in a name: a capital, another letter or digit, or none of it. To look for "lU" in
# what this makes of a text is ten times as fast as a pattern.
_CAPITAL, _SMALL, _BLANK = b"U", b"l", b" "
_SHAPE = bytes(
    (_CAPITAL if chr(byte).isupper() else _SMALL)[0] if byte < 0x80 and chr(byte).isalnum() else _BLANK[0]
    for byte in range(256)
)
_HUMP = _SMALL + _CAPITAL


def split_name(name: str) -> tuple[str, ...]:
    """Split a name into its words, in lower case; what is no name gives none.

    >>> split_name("parseHTTPConfig")
    ('parse', 'http', 'config')
    >>> split_name("pool_max_size")
    ('pool', 'max', 'size')
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        return ()
    return tuple(part.lower() for part in _PART.findall(name))


def split_humped_names(text: bytes) -> bytes:
    """Return the words of the names in a UTF-8 text that capitals alone join, each name once, blanks between.

    >>> split_humped_names(b"maxPool of parseConfig")
    b'max Pool parse Config'
    """
    shape = text.translate(_SHAPE)
    names: dict[bytes, None] = {}
    at = shape.find(_HUMP)
    while at >= 0:
        start = shape.rfind(_BLANK, 0, at) + 1
        end = shape.find(_BLANK, at)
        end = len(shape) if end < 0 else end
        names[text[start:end]] = None
        at = shape.find(_HUMP, end)
    return b" ".join(filter(None, map(_parts_of, names)))


@lru_cache(maxsize=4096)
def _parts_of(name: bytes) -> bytes:
    if len(name) > _LONGEST_NAME:
        return b""
    return " ".join(part for part in _PART.findall(name.decode()) if len(part) > 1).encode()
