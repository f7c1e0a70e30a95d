"""An entry's text to bounded passages: line-aligned pieces that together are the text again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["PASSAGE_CHARS", "cut_encoded", "cut_passages"]

PASSAGE_CHARS = 1200
# A text a little longer than one passage stays whole; a cut looks back so far for the end of a line.
_WHOLE_CHARS = 1600
_LOOK_BACK_CHARS = 500
# Without a line's end in reach a cut is made at a blank, else at the edge of a word: paths and names stay whole.
_LOOK_AHEAD_CHARS = 200
_BLANK = re.compile(r"\s")
_WORD_EDGE = re.compile(r"[^\w\u0300-\u036f\u200d\ufe0f]")


def cut_passages(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield (offset, passage) pairs of about 1,200 characters; joined, the passages are ``text``.

    >>> [(start, len(piece)) for start, piece in cut_passages("line\n" * 500)]
    [(0, 1200), (1200, 1300)]
    """
    start = 0
    while len(text) - start > _WHOLE_CHARS:
        end = _cut(text, start + PASSAGE_CHARS)
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]


def cut_encoded(text: bytes, chars: int) -> Sequence[tuple[int, bytes]]:
    """Cut a text of ``chars`` characters in UTF-8: the pairs of ``cut_passages``, each passage in UTF-8.

    A text of one passage, as most are, is not decoded.
    """
    if chars > _WHOLE_CHARS:
        return [(start, piece.encode()) for start, piece in cut_passages(text.decode())]
    return ((0, text),) if text else ()


def _cut(text: str, wanted: int) -> int:
    line_end = text.rfind("\n", wanted - _LOOK_BACK_CHARS, wanted)
    if line_end >= 0:
        return line_end + 1
    reach = wanted + _LOOK_AHEAD_CHARS
    edge = _BLANK.search(text, wanted, reach) or _WORD_EDGE.search(text, wanted, reach)
    return edge.end() if edge else wanted
