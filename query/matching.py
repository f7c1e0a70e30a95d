"""Does a text hold a term? Literals by case and whole token, words by folded form.

Folding is for comparing only: it keeps every character's place, so that spans found in the folded text are spans
of the original.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, pairwise

from ..pipelines.index_text import is_unspaced

__all__ = ["Alternatives", "find_literal", "find_parts", "find_words", "fold_keeping_places", "split_words"]

# Spellings of one term, each as its words in order.
Alternatives = tuple[tuple[str, ...], ...]

Span = tuple[int, int]

_JOINER = "\u200d"
# Those that the word index takes off letters; it takes every other mark for a separator.
_ACCENT = re.compile("[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]")
_VARIANT = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_WORD = re.compile(r"[^\W_]+")


def find_literal(text: str, literal: str) -> Iterator[Span]:
    """Yield the spans at which a literal stands as a whole token, case-sensitive.

    A literal that begins or ends with a letter, digit or ``_`` is not part of a longer run of them; scripts
    without spaces have no such edges. One with a hyphen inside is not part of a longer hyphenated name, and a
    flag does not follow a word. No literal ends inside a character that is written with several code points.
    """
    if not literal:
        return
    hyphens = "-" in literal.strip("-")
    start = text.find(literal)
    while start >= 0:
        end = start + len(literal)
        if _edge_before(text, start, literal, hyphens) and _edge_after(text, end, literal, hyphens):
            yield start, end
        start = text.find(literal, start + 1)


def find_words(text: str, alternatives: Alternatives) -> Iterator[Span]:
    """Yield the spans at which the words of one of some spellings follow each other, separators between them.

    The words of a spelling are from ``split_words``. One of a script without spaces may stand inside a longer run.
    """
    if not any(alternatives):
        return
    pattern = _any_of(alternatives)
    folded, places = fold_keeping_places(text)
    found = pattern.search(folded)
    while found:
        start, end = found.span()
        whole = _is_whole(folded, start, end)
        if whole:
            while end < len(folded) and _is_mark(folded[end]):
                end += 1
            yield (start, end) if places is None else (places[start], places[end])
        found = pattern.search(folded, end if whole else start + 1)


def find_parts(text: str, alternatives: Alternatives) -> Iterator[Span]:
    """Yield the spans at which a spelling stands as a part of something longer, as ``parse`` of ``parseConfig`` does."""
    if not any(alternatives):
        return
    folded, places = fold_keeping_places(text)
    for match in _any_of(alternatives).finditer(folded):
        start, end = match.span()
        yield (start, end) if places is None else (places[start], places[end])


@lru_cache(maxsize=512)
def split_words(term: str) -> tuple[str, ...]:
    """Split a term into its words, folded: runs of letters and digits, and of a script without spaces.

    A term without any, of symbols or operators, is a word itself.
    """
    folded, _ = fold_keeping_places(term)
    if folded.isascii():
        return tuple(_WORD.findall(folded)) or ((folded,) if folded else ())
    words: list[str] = []
    for unspaced, characters in groupby(folded, key=is_unspaced):
        run = "".join(characters)
        words.extend((run,) if unspaced else _WORD.findall(run))
    return tuple(words) if words or not folded else (folded,)


@lru_cache(maxsize=8)
def fold_keeping_places(text: str) -> tuple[str, list[int] | None]:
    """Fold a text for comparison: lower case, accents apart.

    Returns the folded text and, for each of its characters and its end, the place in the original; ``None``
    instead when the places are the same.
    """
    if text.isascii():
        return text.lower(), None
    folded = text.translate(_FOLDED)
    if not _ACCENT.search(text):
        return folded, None
    places = [place for place, character in enumerate(text) if not _ACCENT.match(character)]
    return folded, [*places, len(text)]


class _FoldTable(dict[int, str]):
    """Each character's folded form, found when first needed: one character, or none for an accent."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = _fold_character(character)
        self[code] = folded
        return folded


def _fold_character(character: str) -> str:
    if _ACCENT.match(character):
        return ""
    base = _ACCENT.sub("", unicodedata.normalize("NFD", character))
    plain = base if len(base) == 1 else character
    return next((form for form in (plain.casefold(), plain.lower()) if len(form) == 1), plain)


_FOLDED = _FoldTable()


@lru_cache(maxsize=512)
def _any_of(alternatives: Alternatives) -> re.Pattern[str]:
    """Compile spellings, longer ones first, so that a form is not taken for the beginning of another."""
    return re.compile("|".join(sorted(map(_sequence, filter(None, alternatives)), key=len, reverse=True)))


def _sequence(words: tuple[str, ...]) -> str:
    """Write words in order; only where a script without spaces begins or ends they may touch."""
    pieces = [re.escape(words[0])]
    for before, word in pairwise(words):
        fewest = 0 if is_unspaced(before[-1]) or is_unspaced(word[0]) else 1
        pieces.append(rf"[\W_]{{{fewest},8}}{re.escape(word)}")
    return "".join(pieces)


def _is_whole(folded: str, start: int, end: int) -> bool:
    """Tell whether a span of folded text is not a part of longer words at its edges."""
    first, last = folded[start], folded[end - 1]
    if start and _is_letter(first) and _is_letter(folded[start - 1]):
        return False
    return not (end < len(folded) and _is_letter(last) and _is_letter(folded[end]))


def _edge_before(text: str, start: int, literal: str, hyphens: bool) -> bool:
    if start == 0:
        return True
    before = text[start - 1]
    if before == _JOINER:
        return False
    if not _is_word(literal[0]):
        return not (_is_flag(literal) and (before == "-" or _is_word(before)))
    at = start - 1
    while at and _is_mark(text[at]):
        at -= 1
    if _is_word(text[at]):
        return False
    return not (hyphens and before == "-" and start > 1 and _is_word(text[start - 2]))


def _edge_after(text: str, end: int, literal: str, hyphens: bool) -> bool:
    if end == len(text):
        return True
    after = text[end]
    if after == _JOINER or _is_mark(after):
        return False
    if not _is_word(literal[-1]):
        return True
    if _is_word(after):
        return False
    hyphenated = hyphens or literal.startswith("-")
    return not (hyphenated and after == "-" and end + 1 < len(text) and _is_word(text[end + 1]))


def _is_letter(character: str) -> bool:
    return character.isalnum() and not is_unspaced(character)


def _is_word(character: str) -> bool:
    return character == "_" or _is_letter(character)


def _is_mark(character: str) -> bool:
    """Tell whether a character belongs to the one before it and makes it another."""
    if character.isascii():
        return False
    return unicodedata.category(character).startswith("M") and not _VARIANT.match(character)


def _is_flag(literal: str) -> bool:
    return literal[0] == "-" and _is_word(literal.lstrip("-")[:1])
