"""An entry's text to the window around its matches: original characters, whole graphemes and, where it can, lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .matching import Alternatives, find_literal, find_parts, find_words

__all__ = ["EXCERPT_CHARS", "Excerpt", "cut_excerpt", "match_spans"]

EXCERPT_CHARS = 6000

_LINE_REACH = 200
# In code points; marks heaped on a letter beyond them may be cut.
_LONGEST_CHARACTER = 64

# Joiner, the later letters of a Hangul syllable, skin tones, the letters of a region's flag. Marks are known.
_EXTENDS = re.compile("[\u200d\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")

# (start, end, number of the term)
Span = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of an entry's text; ``whole`` when it is all of it."""

    text: str
    whole: bool


def match_spans(text: str, terms: Iterable[tuple[int, str, Alternatives, bool]]) -> list[Span]:
    """Find where terms stand in a text: (number, spelling, its spellings as folded words, literal) each, by place.

    One that stands nowhere as a word is located as a part of a name.
    """
    spans: list[Span] = []
    for number, spelling, alternatives, literal in terms:
        found = list(find_literal(text, spelling) if literal else find_words(text, alternatives))
        found = found or list(find_parts(text, alternatives))
        spans.extend((start, end, number) for start, end in found)
    return sorted(spans)


def cut_excerpt(text: str, spans: Sequence[Span], limit: int = EXCERPT_CHARS) -> Excerpt:
    """Cut the window of at most ``limit`` characters with the most distinct terms, then the most matches.

    The window begins a third of the way before the matches it is chosen for, moved to line edges in reach;
    without any match it begins the text.
    """
    if len(text) <= limit:
        return Excerpt(text, whole=True)
    first, last = _densest(spans, limit)
    room = limit - (last - first)
    start = max(0, min(first - room // 3, len(text) - limit))
    end = min(len(text), start + limit)
    start = _line_start(text, start, first)
    start = _grapheme_edge(text, start, first)
    end = _grapheme_edge(text, _line_end(text, end, last), last)
    return Excerpt(text[start:end], whole=False)


def _densest(spans: Sequence[Span], limit: int) -> tuple[int, int]:
    """Return start and end of the group of spans within ``limit`` that has the most distinct terms."""
    if not spans:
        return 0, 0
    best, group = (0, 0, 0), spans[:1]
    counts: dict[int, int] = {}
    left = 0
    for right, (_, end, term) in enumerate(spans):
        counts[term] = counts.get(term, 0) + 1
        while end - spans[left][0] > limit and left < right:
            gone = spans[left][2]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            left += 1
        # Of windows with equal evidence the tightest, then the first.
        found = (len(counts), right - left + 1, spans[left][0] - end)
        if found > best:
            best, group = found, spans[left : right + 1]
    first = group[0][0]
    return first, min(max(end for _, end, _ in group), first + limit)


def _line_start(text: str, start: int, latest: int) -> int:
    """Move a start forward to the next line, if one begins in reach and before the matches."""
    if start == 0 or text[start - 1] == "\n":
        return start
    line_end = text.find("\n", start, min(start + _LINE_REACH, latest))
    return line_end + 1 if line_end >= 0 else start


def _line_end(text: str, end: int, earliest: int) -> int:
    """Move an end back to the end of a line, if one is in reach and behind the matches."""
    if end == len(text):
        return end
    line_end = text.rfind("\n", max(end - _LINE_REACH, earliest), end)
    return line_end + 1 if line_end >= 0 else end


def _grapheme_edge(text: str, at: int, bound: int) -> int:
    """Move a cut towards the matches, not into them, out of a character written with several code points."""
    if at == bound or at in (0, len(text)):
        return at
    step = 1 if at < bound else -1
    reach = range(at, bound + step, step)[:_LONGEST_CHARACTER]
    return next((edge for edge in reach if not _continues(text, edge)), at)


def _continues(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if after.isascii() or before in "\r\n":
        return before == "\r" and after == "\n"
    if before == "\u200d" or _EXTENDS.match(after) or unicodedata.category(after).startswith("M"):
        return True
    return _is_flag(before) and _is_flag(after) and _flags_before(text, at) % 2 == 1


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while count < at and _is_flag(text[at - 1 - count]):
        count += 1
    return count
