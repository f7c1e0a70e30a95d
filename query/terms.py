"""A descriptor's terms as the word index spells them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import apsw

from ..pipelines.index_text import index_text, is_unspaced
from ..pipelines.name_parts import split_name
from .descriptor import Descriptor, Term
from .inflections import Language, find_forms
from .matching import Alternatives, split_words
from .settings import RetrievalSettings
from .stopwords import is_italian

__all__ = ["SearchTerm", "prepare_terms"]

_TOKENIZER = "unicode61"
_TOKENIZER_OPTIONS = ["remove_diacritics", "2"]
# What the index makes of operators: two or three bytes in hex.
_OPERATOR_WORD = re.compile(r"zp(?:[2-7][0-9a-f]){2,3}")
_LITERAL_KINDS = frozenset({"identifier", "phrase"})


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A term, the FTS5 query for its spellings, these as texts have them, and how rare it is in the session."""

    number: int
    term: Term
    match: str
    alternatives: Alternatives
    weight: float = 0.0

    @property
    def is_literal(self) -> bool:
        """Whether the term is looked for as it stands."""
        return self.term.kind in _LITERAL_KINDS

    @property
    def is_uncertain(self) -> bool:
        """Whether the index alone cannot tell that the words stand: it knows one word, not order or pairs by chance."""
        return any(len(words) != 1 or is_unspaced(words[0]) for words in self.alternatives)


def prepare_terms(
    connection: apsw.Connection, descriptor: Descriptor, settings: RetrievalSettings
) -> tuple[SearchTerm, ...]:
    """Spell a descriptor's terms as the word index does; one without any word cannot be searched."""
    tokenize: Any = connection.fts5_tokenizer(_TOKENIZER, _TOKENIZER_OPTIONS)

    def spell(text: str) -> list[str]:
        encoded = text.encode("utf-8", "replace")
        return [word for _, _, word in tokenize(encoded, apsw.FTS5_TOKENIZE_QUERY, None)]

    languages = ("english", "italian") if is_italian(descriptor.objective.split()) else ("english",)
    prepared: list[SearchTerm] = []
    for term in descriptor.terms:
        spellings = _spellings(term, languages, settings)
        matches = list(dict.fromkeys(" ".join(_quoted_words(spelling, spell)) for spelling in spellings))
        if matches[0]:
            match = matches[0] if len(matches) == 1 else f"({') OR ('.join(filter(None, matches))})"
            alternatives = tuple(dict.fromkeys(map(split_words, spellings)))
            prepared.append(SearchTerm(len(prepared), term, match, alternatives))
    return tuple(prepared)


def _spellings(term: Term, languages: tuple[Language, ...], settings: RetrievalSettings) -> tuple[str, ...]:
    """Return a term as it stands first, then what else a text may spell it like."""
    if term.kind not in _LITERAL_KINDS:
        return (term.text, *find_forms(term.text, languages)[1:]) if settings.stems else (term.text,)
    if term.kind == "identifier" and settings.subtokens:
        parts = split_name(term.text)
        if len(parts) > 1:
            return term.text, " ".join(parts), "".join(parts)
    return (term.text,)


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    """Yield runs of scripts without spaces, and of others, each with whether it is one of the former."""
    if text.isascii():
        yield False, text
        return
    for unspaced, characters in groupby(text, key=is_unspaced):
        yield unspaced, "".join(characters)


def _quoted_words(text: str, spell: Callable[[str], list[str]]) -> list[str]:
    """Quote the words that any text with the term has in the index, all of them wanted.

    In a script without spaces those are the pairs inside a run: whether its last character ends a run of the
    text, too, is not known. A run of one character begins a pair or ends a run.
    """
    quoted: list[str] = []
    for unspaced, run in _runs(text):
        if not unspaced:
            quoted.extend(f'"{word}"' for word in spell(index_text(run)))
        elif len(run) == 1:
            quoted.extend(f'"{word}"*' for word in spell(run))
        else:
            quoted.extend(f'"{word}"' for at in range(len(run) - 1) for word in spell(run[at : at + 2]))
    spoken = [word for word in quoted if not _OPERATOR_WORD.fullmatch(word.strip('"*'))]
    return spoken or quoted
