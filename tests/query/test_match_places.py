"""What is said of where terms stand: lines and columns of the excerpt, the form that stands there, and how often."""

from __future__ import annotations

from typing import Any

import pytest

from uncompact.query.candidates import Match
from uncompact.query.descriptor import Term
from uncompact.query.match_places import describe_matches
from uncompact.query.matching import split_words
from uncompact.query.terms import SearchTerm


def match(text: str, *forms: str, literal: bool = False) -> Match:
    term = Term(text, "identifier" if literal else "keyword")
    alternatives = tuple(split_words(form) for form in (text, *forms))
    return Match(SearchTerm(0, term, "", alternatives, 1.23456), literal)


def places(one: Match, excerpt: str) -> list[tuple[Any, ...]]:
    (told,) = describe_matches([one], excerpt)
    return [(place["line"], place["column"], place["text"]) for place in told["places"]]


@pytest.mark.parametrize(
    ("excerpt", "expected"),
    [
        pytest.param("retry", [(1, 1, "retry")], id="the whole"),
        pytest.param("one\n\nthe Retries\n", [(3, 5, "Retries")], id="another form on a later line"),
        pytest.param("a\nretry\nretry b", [(2, 1, "retry"), (3, 1, "retry")], id="twice"),
        pytest.param("\N{GRINNING FACE} è retry", [(1, 5, "retry")], id="in code points"),
        pytest.param(
            "retry " * 5, [(1, 1, "retry"), (1, 7, "retry"), (1, 13, "retry")], id="the first three"
        ),
        pytest.param("maxRetry", [(1, 4, "Retry")], id="a part of a name"),
        pytest.param("", [], id="nothing"),
        pytest.param("another", [], id="not in the excerpt"),
    ],
)
def test_words_are_placed_in_any_form(excerpt: str, expected: list[tuple[int, int, str]]) -> None:
    assert places(match("retry", "retries"), excerpt) == expected


def test_literals_are_placed_as_whole_tokens_of_their_case() -> None:
    assert places(match("maxPool", literal=True), "maxpool maxPools\nmaxPool") == [(2, 1, "maxPool")]


def test_each_match_is_told_with_its_rarity_and_count() -> None:
    told = describe_matches([match("retry"), match("maxPool", literal=True)], "retry retry retry retry")

    assert [(one["term"], one["kind"], one["literal"], one["times"]) for one in told] == [
        ("retry", "keyword", False, 4), ("maxPool", "identifier", True, 0),
    ]  # fmt: skip
    assert told[0]["weight"] == 1.235
