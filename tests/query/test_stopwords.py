"""Stopwords: words without a topic, found whatever their case, accents or compatibility form."""

from __future__ import annotations

import pytest

from uncompact.query.stopwords import STOPWORDS, fold_word, is_italian, is_stopword
from uncompact.query.technologies import TECHNOLOGIES


@pytest.mark.parametrize(
    "word",
    [
        *("posso", "solo", "senza", "problema", "volta", "tutte", "without", "problem"),
        *("how", "why", "will", "been", "they", "using", "quando", "perché", "devo", "sono", "ecco"),
        *(
            "please",
            "continue",
            "ok",
            "yes",
            "procedi",
            "continua",
            "fatto",
            "grazie",
            "thing",
            "stuff",
            "want",
        ),
        *(
            "need",
            "remind",
            "remember",
            "tell",
            "exactly",
            "used",
            "back",
            "then",
            "terribly",
            "settled",
            "usiamo",
        ),
    ],
)
def test_words_without_a_topic_are_stopwords(word: str) -> None:
    assert is_stopword(word)


@pytest.mark.parametrize(
    "word",
    [
        *(
            "schermate",
            "premere",
            "input",
            "cache",
            "test",
            "error",
            "file",
            "screen",
            "port",
            "limit",
            "config",
        ),
        *(
            "server",
            "user",
            "build",
            "deploy",
            "decide",
            "decided",
            "decision",
            "deciso",
            "retry",
            "recall",
            "state",
        ),
        *(
            "pure",
            "date",
            "serve",
            "log",
            "key",
            "bug",
            "slow",
            "errore",
            "schermata",
            "tipo",
            "tempo",
            "funzione",
        ),
    ],
)
def test_words_with_a_topic_are_none(word: str) -> None:
    assert not is_stopword(word)


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("SENZA", id="capitals"),
        pytest.param("Perche", id="without accent"),
        pytest.param("perch\u00e9", id="composed"),
        pytest.param("perche\u0301", id="decomposed"),
        pytest.param("ｐｏｓｓｏ", id="full width"),
        pytest.param("𝐬𝐨𝐥𝐨", id="mathematical bold"),
        pytest.param("\ufb01ne", id="ligature"),
        pytest.param("S\u00cc", id="capital with accent"),
    ],
)
def test_case_accents_and_compatibility_forms_do_not_matter(word: str) -> None:
    assert is_stopword(word)


def test_every_stopword_is_stored_folded() -> None:
    assert {word for word in STOPWORDS if fold_word(word) != word} == set()


def test_no_technology_is_a_stopword() -> None:
    assert set() == STOPWORDS & TECHNOLOGIES


@pytest.mark.parametrize(
    ("words", "italian"),
    [
        pytest.param(["ci", "sono", "errori"], True, id="italian"),
        pytest.param(["why", "is", "ci", "red"], False, id="english"),
        pytest.param(["come", "sono"], True, id="one that English has and one that it has not"),
        pytest.param(["e", "o", "l"], False, id="single letters"),
        pytest.param([], False, id="nothing"),
    ],
)
def test_italian_is_told_by_a_stopword_that_english_has_not(words: list[str], italian: bool) -> None:
    assert is_italian(words) is italian
