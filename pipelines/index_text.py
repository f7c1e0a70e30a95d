"""A text as the word index sees it: what its tokenizer cannot split is turned into words beforehand.

Runs of scripts without spaces become overlapping pairs of characters, each emoji or symbol a word, and each run of
two or three ASCII operator characters (``->``, ``::``, ``!=``) a word; the rest stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from operator import add

__all__ = ["OPERATOR_CHARS", "index_bytes", "index_text", "is_unspaced"]

OPERATOR_CHARS = "!#$%&*+-./:<=>?@\\^|~"
_LONGEST_OPERATOR = 3

# Thai to Khmer, kana and Han with their signs, Hangul, the Han extensions.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOL = "\u00a9\u00ae\u2030-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_SPECIAL = f"([{_UNSPACED}]+|[{_SYMBOL}])"
# Quick where there is nothing to find: one class, not two.
_IS_SPECIAL = f"[{_UNSPACED}{_SYMBOL}]"
_IS_UNSPACED = f"[{_UNSPACED}]"

_OPERATORS = OPERATOR_CHARS.encode()
_BLANK = ord(" ")
_OPERATORS_ONLY = bytes(byte if byte in _OPERATORS else _BLANK for byte in range(256))
# In UTF-8, nothing that begins with one of these bytes is special: all of ASCII but the operators, and the letters
# of European and Semitic scripts.
_PLAIN = frozenset(range(0x80)) - frozenset(_OPERATORS) | frozenset(range(0xC3, 0xE0))
_MARKS_ONLY = bytes(_BLANK if byte in _PLAIN else byte for byte in range(256))
# Runs that most texts have and no words are made of: one operator, or what is left of a letter.
_WORDLESS = frozenset(bytes([byte]) for byte in (*_OPERATORS, *range(0x80, 0xC0)))

# Most texts repeat few runs over and over. One with more of them is in a script of which every word is a run.
_MOST_RUNS = 100
_MOST_RUN_BYTES = 600
_REMEMBERED_RUNS = 4096


def index_text(text: str) -> str:
    """Prepare a text, or a term looked for in it, for the word index.

    The words made of its runs follow the text, in which blanks are in their place where the tokenizer might take
    them for words.
    """
    return index_bytes(text.encode("utf-8", "replace")).decode()


def index_bytes(text: bytes) -> bytes:
    """Prepare a text in UTF-8: as ``index_text``, without decoding it."""
    runs = set(text.translate(_MARKS_ONLY).split()) - _WORDLESS
    words: list[bytes] = []
    if runs:
        if len(runs) > _MOST_RUNS or len(b"".join(runs)) > _MOST_RUN_BYTES:
            text, words = _without_runs(text)
        else:
            text, words = _with_runs_spelled(text, runs)
    if b"\0" in text:
        text = text.replace(b"\0", b" ")
    return b" ".join((text, *sorted(words))) if words else text


def is_unspaced(text: str) -> bool:
    """Tell whether a text has characters of a script that puts no spaces between words."""
    return not text.isascii() and _compiled(_IS_UNSPACED).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile classes when they are first needed: it takes milliseconds, and text in ASCII does without."""
    return re.compile(pattern)


def _with_runs_spelled(text: bytes, runs: Iterable[bytes]) -> tuple[bytes, list[bytes]]:
    """Return a text without what may not stay of its runs, and the words of them."""
    words: list[bytes] = []
    hidden: list[tuple[bytes, bytes]] = []
    for run in runs:
        made, blank = _spell(run)
        if made:
            words.append(made)
        if blank is not None:
            hidden.append((run, blank))
    if len(hidden) > 1:
        # The longest first: a short run may be a part of a longer one.
        hidden.sort(key=_length_of_run, reverse=True)
    for run, blank in hidden:
        text = text.replace(run, blank)
    return text, words


@lru_cache(_REMEMBERED_RUNS)
def _spell(run: bytes) -> tuple[bytes, bytes | None]:
    """Return the words of a run of marks, and what takes its place in the text if it may not stay.

    A run may begin with the later bytes of a letter: they stay as they are.
    """
    words = _operator_words(run)
    text = run.decode("utf-8", "surrogateescape")
    if _compiled(_IS_SPECIAL).search(text) is None:
        return b" ".join(words), None
    kept, special = _separated(text)
    return b" ".join((*words, special)), kept.encode("utf-8", "surrogateescape")


def _without_runs(encoded: bytes) -> tuple[bytes, list[bytes]]:
    """Blank out what is special in a text with many different runs, and return its words."""
    words = _operator_words(encoded)
    text = encoded.decode()
    if _compiled(_IS_SPECIAL).search(text) is None:
        return encoded, words
    kept, special = _separated(text)
    return kept.encode(), [*words, special]


def _operator_words(text: bytes) -> list[bytes]:
    runs = set(text.translate(_OPERATORS_ONLY).split())
    return [b"zp" + run.hex().encode() for run in runs if 1 < len(run) <= _LONGEST_OPERATOR]


def _separated(text: str) -> tuple[str, bytes]:
    """Return a text with blanks for what is special, and the words of that."""
    kept_and_special = _compiled(_SPECIAL).split(text)
    words: list[str] = []
    is_unspaced_run = _compiled(_IS_UNSPACED).match
    for run in kept_and_special[1::2]:
        if is_unspaced_run(run):
            words += map(add, run, run[1:])
            words.append(run[-1])
        else:
            words.append(f"zs{ord(run):x}")
    return " ".join(kept_and_special[::2]), " ".join(words).encode()


def _length_of_run(hidden: tuple[bytes, bytes]) -> int:
    return len(hidden[0])
