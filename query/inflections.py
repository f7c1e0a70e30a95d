"""A word to the forms a text may have it in: English and Italian endings, and English verbs that change inside.

The word index knows words as they are written. Forms are made from a word's stem and kept when the Snowball stemmer of
their language gives them the same stem, so the stemmer decides what is one word and the endings only propose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from .stopwords import fold_word

__all__ = ["Language", "find_forms"]

Language = str

_FEWEST_LETTERS = 3

_ENDINGS: dict[Language, tuple[str, ...]] = {
    "english": ("", "s", "es", "e", "ed", "ing", "er", "ers", "y", "ies", "ion", "ions", "ation", "ations"),
    "italian": (
        "a", "e", "i", "o", "are", "ere", "ire", "ando", "endo", "ato", "ata", "ati", "ate", "azione", "azioni",
        "zione", "zioni",
    ),
}  # fmt: skip
# Before these "stop" doubles its last letter, and "size" loses its own.
_BEGIN_WITH_VOWELS = ("ed", "ing", "er", "ers")
_TAKES_ES = re.compile(r"(?:[sxzoi]|[cs]h)$")
_DOUBLES = re.compile(r"[^aeiou][aeiou][bdgklmnprtvz]$")

# Each line is one word: its plain form first, then those that no ending makes.
_IRREGULAR = """
arise arose arisen
become became
begin began begun
bend bent
bind bound
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
creep crept
deal dealt
dig dug
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forbid forbade forbidden
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lay laid
lead led
learn learnt
leave left
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
strike struck
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
wind wound
write wrote written
override overrode overridden
overwrite overwrote overwritten
rebuild rebuilt
reset resets
rerun reran
resend resent
undo undid undone
child children
man men
woman women
person people
foot feet
index indices
vertex vertices
matrix matrices
criterion criteria
analysis analyses
half halves
life lives
leaf leaves
shelf shelves
""".strip().splitlines()

_SHARP_S = re.compile("[ßẞ]")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


@lru_cache(maxsize=2048)
def find_forms(word: str, languages: tuple[Language, ...] = ("english",)) -> tuple[str, ...]:
    """Return the forms of a word, folded, itself first; only itself when it is no plain word of three letters.

    In capitals, a sharp s is written as SS: a word with either has the other's spelling as a form.

    >>> {"retry", "retried", "retrying"} <= set(find_forms("retries"))
    True
    >>> "built" in find_forms("building")
    True
    """
    folded = fold_word(word)
    if _SHARP_S.search(word):
        # It folds to two letters, but the word index keeps it.
        return _SHARP_S.sub("ß", word).lower(), folded
    other = (word.lower().replace("ss", "ß"),) if word.isupper() and "SS" in word else ()
    if len(folded) != len(word) or len(folded) < _FEWEST_LETTERS or not _LETTERS.issuperset(folded):
        return folded, *other
    forms = dict.fromkeys((folded,))
    for language in languages:
        plain, changed = _plain_form(folded, language)
        forms.update(dict.fromkeys((plain, *changed, *_regular_forms(plain, language))))
    return *forms, *other


def _plain_form(word: str, language: Language) -> tuple[str, tuple[str, ...]]:
    """Return the form that endings are put to, and those that no ending makes."""
    if language != "english":
        return word, ()
    irregular, plain = _irregular()
    known = plain.get(word) or plain.get(_stem(word, language))
    return (known, irregular[known]) if known else (word, ())


@cache
def _irregular() -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Return all forms by the plain one, and the plain one by each form and by its own stem."""
    forms: dict[str, tuple[str, ...]] = {line.split()[0]: tuple(line.split()) for line in _IRREGULAR}
    plain = {form: first for first, several in forms.items() for form in several}
    return forms, plain | {_stem(first, "english"): first for first in forms}


def _regular_forms(word: str, language: Language) -> Iterator[str]:
    stem = _stem(word, language)
    for base, endings in _bases(word, stem, language):
        for ending in endings:
            # No ending of these begins with a vowel behind a or e, and only a hiss takes "es".
            joined = base[-1] in "ae" and ending[:1] in ("a", "e", "i", "o")
            odd = language == "english" and ending == "es" and not _TAKES_ES.search(base)
            if not joined and not odd and _stem(base + ending, language) == stem:
                yield base + ending


def _bases(word: str, stem: str, language: Language) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what the forms of a word begin with, and the endings that go with it."""
    endings = _ENDINGS[language]
    if language != "english":
        yield stem, endings
        return
    # A stem may be shorter than what endings are put to: "notar" of "notarizing", "municip" of "municipalities".
    stripped = [word[: -len(ending)] for ending in endings if ending and word.endswith(ending)]
    for base in dict.fromkeys((word, stem, *stripped)):
        if len(base) < _FEWEST_LETTERS:
            continue
        if base.endswith("i"):
            # "retri" is written "retry", and "retries" without an ending of its own.
            yield base, ("es", "ed", "er", "ers", "e", "")
            yield f"{base[:-1]}y", ("", "ing", "s")
            continue
        yield base, endings
        if base.endswith("e"):
            yield base[:-1], _BEGIN_WITH_VOWELS
        if _DOUBLES.search(base):
            yield base + base[-1], _BEGIN_WITH_VOWELS


@cache
def _stemmer(language: Language) -> Any:
    """Import the stemmer when it is first needed; it has no type hints."""
    return import_module("Stemmer").Stemmer(language)


def _stem(word: str, language: Language) -> str:
    stem: str = _stemmer(language).stemWord(word)
    return stem
