"""A request to its descriptor: what is looked for in the history, by category, and in which order.

Literals (backticked, quoted, names that only code has) are kept as the request spells them and searched by case;
technologies and keywords are words. Emoji are no topic unless backticked or quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .error_codes import cut_codes, find_exceptions
from .extraction import GAP, separate_scripts, unique
from .file_names import cut_files, is_plain_path
from .keywords import select_keywords, unique_words
from .literals import (
    BACKTICKED,
    cut_addresses,
    cut_flags,
    cut_qualified,
    cut_symbols,
    find_backticked,
    find_phrases,
    is_short_flag,
)
from .small_talk import without_small_talk
from .stopwords import fold_word
from .technologies import cut_spelled_technologies, find_technologies

__all__ = ["MAX_EXACT_IDENTIFIERS", "MAX_TERMS", "Descriptor", "Term", "describe"]

OBJECTIVE_CHARS = 500
MAX_BACKTICKED = 24
MAX_PHRASES = 8
MAX_FILES = 16
MAX_QUALIFIED = 16
MAX_FLAGS = 12
MAX_SYMBOLS = 20
MAX_ERRORS = 12
MAX_TECHNOLOGIES = 12
MAX_KEYWORDS = 20
MAX_EXACT_IDENTIFIERS = 24
MAX_TERMS = 24

# In a request with more terms than fit, literals leave a third of them to words, and identifiers some to phrases.
_LITERAL_SHARE = 16
_PHRASE_SHARE = 4

# A long request is mostly pasted text; what is asked about it stands before or after it.
_HEAD_CHARS = 2_000
_TAIL_CHARS = 4_000
_READ_CHARS = 20_000
_CUT_REACH = 300

_SURROGATES = re.compile("[\ud800-\udfff]")
_CODE_START, _CODE_END = "\x02", "\x03"
_CODE_MARKS = re.compile(f"[{_CODE_START}{_CODE_END}]")
_CODE = re.compile(f"{_CODE_START}[^{_CODE_END}]*+{_CODE_END}?")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for; identifiers and phrases are literal, technologies and keywords are words."""

    text: str
    kind: Literal["identifier", "phrase", "keyword", "technology"]


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What a request asks about.

    ``exact_identifiers`` come backticked first, then errors, qualified names, symbols, flags and files, each in the
    order of the request, so that a cap drops the least deliberate. ``terms`` are all that is searched;
    ``omitted_terms`` counts what was found beyond their cap.
    """

    objective: str
    backticked: tuple[str, ...]
    phrases: tuple[str, ...]
    files: tuple[str, ...]
    qualified: tuple[str, ...]
    flags: tuple[str, ...]
    symbols: tuple[str, ...]
    errors: tuple[str, ...]
    technologies: tuple[str, ...]
    keywords: tuple[str, ...]
    exact_identifiers: tuple[str, ...]
    terms: tuple[Term, ...]
    omitted_terms: int = 0

    @property
    def entities(self) -> tuple[str, ...]:
        """Technologies and exact identifiers."""
        return unique((*self.technologies, *self.exact_identifiers))

    @property
    def has_topic(self) -> bool:
        """Whether there is anything to look for; without it a request must not be searched."""
        return bool(self.terms)

    def to_dict(self) -> dict[str, object]:
        """Return the descriptor as plain values."""
        return {
            "objective": self.objective,
            "backticked": list(self.backticked),
            "phrases": list(self.phrases),
            "files": list(self.files),
            "qualified": list(self.qualified),
            "flags": list(self.flags),
            "symbols": list(self.symbols),
            "errors": list(self.errors),
            "technologies": list(self.technologies),
            "keywords": list(self.keywords),
            "exact_identifiers": list(self.exact_identifiers),
            "entities": list(self.entities),
            "terms": [{"text": term.text, "kind": term.kind} for term in self.terms],
            "omitted_terms": self.omitted_terms,
            "has_topic": self.has_topic,
        }


def describe(request: str) -> Descriptor:
    """Describe what a request asks about.

    Takes any string in bounded time: of a request over 24,000 characters the first 20,000 and the last 4,000 are
    read, edges before the middle. Literals are never normalized; keywords and technologies keep the spelling of
    their first occurrence.
    """
    text = _CODE_MARKS.sub(GAP, _reading_text(request))
    backticked, quoted = find_backticked(text), find_phrases(text)
    rest = separate_scripts(BACKTICKED.sub(_mark_code, text))
    addresses, rest = cut_addresses(rest)
    spelled, rest = cut_spelled_technologies(rest)
    files, rest = cut_files(rest)
    codes, rest = cut_codes(rest)
    exceptions = find_exceptions(rest)
    names, rest = cut_qualified(rest)
    long_flags, rest = cut_flags(rest)
    symbols, rest = cut_symbols(rest)
    spoken = (*filter(is_plain_path, files), *(code for code in codes if " " in code))
    rest = without_small_talk(GAP.join((_CODE.sub(GAP, rest), *spoken)))

    errors = unique((*codes, *exceptions))
    flags = unique((*long_flags, *filter(is_short_flag, backticked)))
    qualified = unique((*addresses, *names))
    phrases = _without(quoted, files)
    exact = unique((*backticked, *errors, *qualified, *symbols, *flags, *files))
    technologies = unique_words((*spelled, *find_technologies(rest)))
    keywords = select_keywords(rest)
    terms, omitted = _select_terms(exact, phrases, technologies, keywords)
    return Descriptor(
        objective=_SURROGATES.sub("\ufffd", request[:OBJECTIVE_CHARS]),
        backticked=backticked[:MAX_BACKTICKED],
        phrases=phrases[:MAX_PHRASES],
        files=files[:MAX_FILES],
        qualified=qualified[:MAX_QUALIFIED],
        flags=flags[:MAX_FLAGS],
        symbols=symbols[:MAX_SYMBOLS],
        errors=errors[:MAX_ERRORS],
        technologies=technologies[:MAX_TECHNOLOGIES],
        keywords=keywords[:MAX_KEYWORDS],
        exact_identifiers=exact[:MAX_EXACT_IDENTIFIERS],
        terms=terms,
        omitted_terms=omitted,
    )


def _reading_text(request: str) -> str:
    """Return what is read of a request: all of a short one, else its head, its tail and then what follows the head."""
    if len(request) <= _HEAD_CHARS + _TAIL_CHARS:
        return request
    head_end = _blank_before(request, _HEAD_CHARS)
    tail_start = _blank_before(request, len(request) - _TAIL_CHARS)
    middle_end = min(tail_start, _blank_before(request, _READ_CHARS))
    return GAP.join((request[:head_end], request[tail_start:], request[head_end:middle_end]))


def _blank_before(text: str, at: int) -> int:
    """Return the place of the line's end, or else of the blank, that is last in reach before a place."""
    reach = max(0, at - _CUT_REACH)
    return next((found for mark in "\n " if (found := text.rfind(mark, reach, at)) >= 0), at)


def _mark_code(match: re.Match[str]) -> str:
    """Mark a backticked text without blanks: its words are no keywords beside it."""
    code = match[2].strip()
    return match[0] if " " in code else f"{_CODE_START}{code}{_CODE_END}"


def _without(literals: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    excluded = frozenset(others)
    return tuple(literal for literal in literals if literal not in excluded)


def _select_terms(
    exact: Sequence[str], phrases: Sequence[str], technologies: Sequence[str], keywords: Sequence[str]
) -> tuple[tuple[Term, ...], int]:
    """Order all terms, each once, within the caps; the rest is counted."""
    phrases = _without(phrases, exact)
    literals = {fold_word(literal) for literal in (*exact, *phrases)}
    named = {fold_word(word): word for word in technologies}
    topics = {fold_word(word): word for word in keywords}
    found = len(exact) + len(phrases) + len((topics | named).keys() - literals)
    known = literals | named.keys()
    words = [
        *[Term(word, "technology") for folded, word in named.items() if folded not in literals][
            :MAX_TECHNOLOGIES
        ],
        *[Term(word, "keyword") for folded, word in topics.items() if folded not in known][:MAX_KEYWORDS],
    ]
    room = max(MAX_TERMS - len(words), _LITERAL_SHARE)
    phrase_room = min(len(phrases), MAX_PHRASES, max(room - len(exact), _PHRASE_SHARE))
    terms = [
        *(Term(name, "identifier") for name in exact[: room - phrase_room]),
        *(Term(phrase, "phrase") for phrase in phrases[:phrase_room]),
        *words,
    ][:MAX_TERMS]
    return tuple(terms), found - len(terms)
