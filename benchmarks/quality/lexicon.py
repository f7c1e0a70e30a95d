"""Words as a careful lexical engine would see them: stems, parts of identifiers, no grammar of either language.

Of the benchmark alone: it decides which questions are fair, so it must not change with the engine it measures.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import apsw

__all__ = ["STOPWORDS", "content_words", "stem", "stems"]

STOPWORDS: frozenset[str] = frozenset(
    """
a about above after again against all also although am an and any are as at be because been before being below
between both but by can could did do does doing don down during each else few for from further get give given go goes
had has have having he her here him his how i if in instead into is isn it its just know let like may me mean meant
more most must my no nor not now of off on once one only or other our out over own per please s same say says see seem
should show since so some still such supposed t than that the their them then there these they this those through to
too under until up us very was we went were what when where which while who whom whose why will with within without
would you your re ve ll d m didn doesn wasn weren
al alla alle allo ai agli anche ancora avevamo avevo che chi ci col come con cosa cui da dal dalla dalle dallo dai di
del della delle dello dei degli dopo dove due e ed era erano essere fa fare fra già gli ha hanno ho i il in l la le lei
lo loro lui ma me mi nei nel nella nelle nello negli noi non nostro nostri o ogni oltre per perché più poi può qual
quale quali quando quanta quante quanti quanto quello quella quelli questa questo se secondo senza si sia sono sotto
sopra sta stanno su sul sulla sulle sullo sui sugli tra tu un una uno va vanno visto voi
""".split()
)

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STEPPED = re.compile(r"[a-z][A-Z]|[A-Z][A-Z][a-z]")
_LONGEST_UNCUT = 4

_connection = apsw.Connection(":memory:")
_porter: Any = _connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])


@cache
def stem(word: str) -> str:
    """Return a word's stem: Porter's for English, then without the vowel that inflects Italian words."""
    found = [one for _, _, one in _porter(word.encode(), apsw.FTS5_TOKENIZE_QUERY, None)]
    cut = found[0] if found else word.lower()
    return cut[:-1] if len(cut) > _LONGEST_UNCUT and cut[-1] in "aeio" else cut


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words and of the parts of its identifiers."""
    return _stems_of(frozenset(_WORD.findall(text)))


def content_words(text: str) -> list[str]:
    """Return a text's words that are no grammar, in order, as stems and with repeats."""
    return [one for word in _WORD.findall(text) for one in _word_stems(word)]


def _stems_of(words: frozenset[str]) -> frozenset[str]:
    return frozenset(one for word in words for one in _word_stems(word))


@cache
def _word_stems(word: str) -> tuple[str, ...]:
    parts = _PART.findall(word) if _STEPPED.search(word) else []
    return tuple(stem(one) for one in (word, *parts) if len(one) > 1 and one.lower() not in STOPWORDS)
