"""The forms of a word: what a text may have instead of it, and no more than one word's."""

from __future__ import annotations

import pytest

from uncompact.query.inflections import find_forms


@pytest.mark.parametrize(
    ("word", "others"),
    [
        pytest.param("retries", {"retry", "retried", "retrying"}, id="y and i"),
        pytest.param("stopped", {"stop", "stops", "stopping"}, id="doubled letter"),
        pytest.param("caching", {"cache", "cached", "caches"}, id="dropped e"),
        pytest.param("size", {"sizes", "sized", "sizing"}, id="kept e"),
        pytest.param("configuration", {"configure", "configured", "configuring"}, id="noun of a verb"),
        pytest.param("limits", {"limit", "limited"}, id="plural"),
        pytest.param("Timeout", {"timeouts"}, id="capital"),
    ],
)
def test_english_endings_are_exchanged(word: str, others: set[str]) -> None:
    assert others <= set(find_forms(word))


@pytest.mark.parametrize(
    ("word", "others"),
    [
        pytest.param("chose", {"choose", "chosen", "choosing"}, id="past"),
        pytest.param("choosing", {"choose", "chose", "chosen"}, id="from a regular form"),
        pytest.param("built", {"build", "building"}, id="built"),
        pytest.param("indices", {"index", "indexes"}, id="plural"),
    ],
)
def test_forms_that_change_inside_are_known(word: str, others: set[str]) -> None:
    assert others <= set(find_forms(word))


@pytest.mark.parametrize(
    ("word", "others"),
    [
        pytest.param("decisioni", {"decisione"}, id="plural"),
        pytest.param("configurato", {"configurare", "configurazione"}, id="participle"),
        pytest.param("errore", {"errori"}, id="singular"),
    ],
)
def test_italian_endings_are_exchanged_when_asked(word: str, others: set[str]) -> None:
    assert others <= set(find_forms(word, ("english", "italian")))
    assert not others <= set(find_forms(word))


@pytest.mark.parametrize("word", ["ab", "x1", "v1.2.3", "缓存", "файл", "a_b", ""])
def test_what_is_no_plain_word_has_one_form(word: str) -> None:
    assert len(find_forms(word)) == 1


@pytest.mark.parametrize(
    ("word", "other"),
    [
        pytest.param("Größe", "grosse", id="small"),
        pytest.param("STRAẞE", "strasse", id="capital sharp s"),
        pytest.param("STRASSE", "straße", id="capitals"),
        pytest.param("GRÖSSE", "größe", id="capitals with an accent"),
    ],
)
def test_a_sharp_s_and_its_two_capitals_are_forms_of_each_other(word: str, other: str) -> None:
    assert other in find_forms(word)


def test_two_small_letters_are_no_sharp_s() -> None:
    assert not any("ß" in form for form in find_forms("class"))


def test_a_word_comes_first_folded_and_no_form_twice() -> None:
    forms = find_forms("Pools")

    assert forms[0] == "pools"
    assert len(set(forms)) == len(forms)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        pytest.param("universe", "university", id="same beginning"),
        pytest.param("pool", "poor", id="another word"),
    ],
)
def test_another_word_is_no_form(word: str, other: str) -> None:
    assert other not in find_forms(word)
