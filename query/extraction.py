"""What the extractors of a request share: cutting literals out of a text, and lists without repeats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["CONTROL", "GAP", "MARKS", "WORD", "cut", "separate_scripts", "unique"]

# Stands where a literal was cut out: no pattern reads across a line's end.
GAP = "\n"

# Parts of regex character classes. Lone surrogates count as controls: nothing that holds one can be written as UTF-8.
CONTROL = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
WORD = r"\w\u0300-\u036f"
# Combining marks as they follow letters; whole blocks where the scripts' vowels are marks.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
# Scripts that put no spaces between words: Thai to Khmer, kana, Han, Hangul.
_UNSPACED_RUN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def cut(
    text: str, pattern: re.Pattern[str], read: Callable[[str], str | None] = str
) -> tuple[tuple[str, ...], str]:
    """Cut a pattern's matches out of a text: the literals, in order, and what is left.

    ``read`` returns the literal in a match, or ``None`` for a match that is none: it stays in the text.
    """
    literals: list[str] = []

    def take(match: re.Match[str]) -> str:
        literal = read(match[0])
        if literal is None:
            return match[0]
        literals.append(literal)
        return GAP

    rest = pattern.sub(take, text)
    return unique(literals), rest


def separate_scripts(text: str) -> str:
    """Set runs of scripts without spaces apart from what touches them: no literal reads across the edge."""
    return text if text.isascii() else _UNSPACED_RUN.sub("\n\\g<0>\n", text)


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Trim, drop what is empty, and keep the first of equal texts; case makes them differ."""
    return tuple(dict.fromkeys(trimmed for text in texts if (trimmed := text.strip())))
