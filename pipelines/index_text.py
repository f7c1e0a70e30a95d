"""A text as the word index sees it: what its tokenizer cannot split is turned into words beforehand.

Runs of scripts without spaces become overlapping pairs of characters, each emoji or symbol a word, and each run of
two or three ASCII operator characters (``->``, ``::``, ``!=``) a word; the rest stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["OPERATOR_CHARS", "index_text", "is_unspaced"]

OPERATOR_CHARS = "!#$%&*+-./:<=>?@\\^|~"
_LONGEST_OPERATOR = 3

# Thai to Khmer, kana and Han with their signs, Hangul, the Han extensions.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOL = "\u00a9\u00ae\u2030-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SPECIAL = re.compile(f"[{_UNSPACED}]+|[{_SYMBOL}]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")

_BLANK = ord(" ")
_OPERATORS_ONLY = bytes(byte if byte in OPERATOR_CHARS.encode() else _BLANK for byte in range(256))


def index_text(text: str) -> str:
    """Prepare a text, or a term looked for in it, for the word index."""
    spelled = text if _has_only_words(text) else _SPECIAL.sub(_spell, text)
    if "\0" in spelled:
        spelled = spelled.replace("\0", " ")
    operators = " ".join(_operator_words(text))
    return f"{spelled} {operators}" if operators else spelled


def is_unspaced(text: str) -> bool:
    """Tell whether a text has characters of a script that puts no spaces between words."""
    return not text.isascii() and _IS_UNSPACED.search(text) is not None


def _has_only_words(text: str) -> bool:
    """Tell quickly for most texts: nothing in Latin-1 but two signs is special."""
    if text.isascii():
        return True
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return "\u00a9" not in text and "\u00ae" not in text


def _operator_words(text: str) -> Iterator[str]:
    encoded = text.encode("utf-8", "replace").translate(_OPERATORS_ONLY)
    for run in sorted(set(encoded.split())):
        if 1 < len(run) <= _LONGEST_OPERATOR:
            yield f"zp{run.hex()}"


def _spell(match: re.Match[str]) -> str:
    run = match[0]
    if _IS_UNSPACED.match(run):
        pairs = (run[at : at + 2] for at in range(len(run)))
        return f" {' '.join(pairs)} "
    return f" zs{ord(run):x} "
