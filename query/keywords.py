"""Keywords of a text: its words with a topic, versions and numbers, and pieces of runs without spaces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..pipelines.index_text import is_unspaced
from .extraction import MARKS, separate_scripts
from .stopwords import fold_word, is_italian, is_italian_too, is_stopword
from .technologies import is_technology

__all__ = ["find_keywords", "select_keywords", "unique_words"]

_LONGEST_WORD = 64
_LONGEST_NUMBER = 10
_WHOLE_RUN = 4

_WORDS = re.compile(
    r"(?<![\w.])[A-Za-z]{0,20}\d{1,6}(?:\.\d{1,8}){1,5}(?:[A-Za-z]{1,5}\d{0,3})?(?![\w])"
    rf"|(?:[^\W_]++[{MARKS}]*+)++"
)
# Runs of one script: hiragana is left out where others are, it inflects and connects.
_ONE_SCRIPT = re.compile(
    "[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+|[\u30a0-\u30ff]+|[\uac00-\ud7af]+"
)
# Chinese grammar between words of a run.
_LONE_PARTICLES = frozenset(
    "的了是在和与及或我你他她它请把被吗呢吧啊就都也这那有为后前里上下中のをにはがでともへ"
)
_CONNECTIVES = re.compile("[的了是在和与及或我你他她它们请把被吗呢吧啊就都也这那有为]")


def find_keywords(text: str) -> tuple[str, ...]:
    """Find the words that may be a topic, as the text spells them, each once by its folded form.

    Three letters or more that are no stopword; two only as a technology, with a digit, or in capitals among
    lower-case text; numbers of three to ten digits, versions (``v1.2.3``), quantities (``3.5GB``). A run of a script without spaces is a
    keyword; a long one gives its parts, and overlapping pairs of Han and Hangul characters.
    """
    return select_keywords(separate_scripts(text))


def select_keywords(text: str) -> tuple[str, ...]:
    """Find the keywords of a text whose scripts are set apart."""
    mixed_case = text != text.upper()
    words = dict.fromkeys(_WORDS.findall(text))
    if any(map(is_italian_too, words)) and is_italian(words):
        words = {word: None for word in words if not is_italian_too(word)}
    pieces = (piece for word in words for piece in _pieces(word))
    return unique_words(word for word in pieces if _is_keyword(word, mixed_case=mixed_case))


def unique_words(words: Iterable[str]) -> tuple[str, ...]:
    """Keep the first spelling of words that fold alike."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(fold_word(word), word)
    return tuple(first.values())


def _pieces(word: str) -> Iterator[str]:
    if len(word) <= _WHOLE_RUN or not is_unspaced(word):
        yield word
        return
    parts = [part for run in _ONE_SCRIPT.findall(word) for part in _CONNECTIVES.split(run) if len(part) > 1]
    if not parts:
        yield word
    for part in parts:
        if len(part) > _WHOLE_RUN and not "\u30a0" <= part[0] <= "\u30ff":
            yield from (part[at : at + 2] for at in range(len(part) - 1))
        else:
            yield part


def _is_keyword(word: str, *, mixed_case: bool) -> bool:
    if len(word) > _LONGEST_WORD:
        return False
    if is_unspaced(word):
        return word not in _LONE_PARTICLES
    if word.isdigit():
        return 3 <= len(word) <= _LONGEST_NUMBER
    if is_stopword(word):
        return False
    if len(fold_word(word)) > 2:
        return True
    letters = len(word) > 1
    digit = any(character.isdigit() for character in word)
    return letters and (digit or is_technology(word) or (word.isupper() and mixed_case))
