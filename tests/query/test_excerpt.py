"""An excerpt is a piece of the original text: bounded, around the best matches, whole characters and lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.query.excerpt import EXCERPT_CHARS, Excerpt, Span, cut_excerpt, match_spans
from uncompact.query.matching import split_words

PIECES = [
    "word ",
    "a",
    "\n",
    "\r\n",
    "e\u0301",
    "👩\u200d💻",
    "🇮🇹",
    "👍🏽",
    "1\ufe0f\u20e3",
    "缓存",
    "한",
    "x" * 40,
]
# Characters of several code points that no cut may divide.
WHOLE = [
    "\r\n",
    "e\u0301",
    "👩\u200d💻",
    "🇮🇹",
    "👍🏽",
    "1\ufe0f\u20e3",
    "\u1112\u1161\u11ab",
    "हि",
    "🏴\U000e0067\U000e007f",
]


def spans(text: str, *terms: str) -> list[Span]:
    return match_spans(text, [(at, term, (split_words(term),), False) for at, term in enumerate(terms)])


def excerpt(text: str, *terms: str, limit: int = 100) -> str:
    return cut_excerpt(text, spans(text, *terms), limit).text


def test_a_text_that_fits_is_taken_whole() -> None:
    assert cut_excerpt("pool\n", [(0, 4, 0)], 5) == Excerpt("pool\n", whole=True)


def test_a_text_one_character_too_long_is_cut() -> None:
    assert not cut_excerpt("pool!\n", [(0, 4, 0)], 5).whole


def test_the_limit_is_6000_characters_by_default() -> None:
    assert len(cut_excerpt("x" * 7000, []).text) == EXCERPT_CHARS == 6000


def test_without_a_match_the_text_begins() -> None:
    assert excerpt("0123456789" * 20, "absent") == "0123456789" * 10


def test_a_late_match_is_in_the_excerpt() -> None:
    assert "pool" in excerpt("x " * 4000 + "pool" + " y" * 4000, "pool")


def test_the_window_with_more_distinct_terms_wins_over_an_earlier_one() -> None:
    text = "pool pool pool " + "x " * 2000 + "outage of the pool"

    assert "outage of the pool" in excerpt(text, "pool", "outage")


def test_the_window_with_more_distinct_terms_wins_over_many_matches_of_one() -> None:
    text = "error\n" * 2000 + "x " * 2000 + "error E1 in the winch"

    assert "error E1 in the winch" in excerpt(text, "error", "winch")


def test_of_equal_windows_the_first_is_taken() -> None:
    assert excerpt("pool 1" + " x" * 200 + " pool 2", "pool").startswith("pool 1")


def test_of_windows_with_the_same_terms_the_tightest_is_taken() -> None:
    text = "pool" + " x" * 20 + " size" + " y" * 200 + " pool size!" + " z" * 200

    assert "pool size!" in excerpt(text, "pool", "size")


def test_a_third_of_the_room_is_before_the_match() -> None:
    assert excerpt("x" * 300 + " pool " + "y" * 300, "pool", limit=34) == "x" * 9 + " pool " + "y" * 19


def test_the_cut_is_at_line_edges_in_reach() -> None:
    lines = [f"line {number:03}" for number in range(100)]
    cut = excerpt("\n".join(lines), "050")

    assert cut.splitlines() == [f"line {number:03}" for number in range(47, 58)]
    assert cut.endswith("\n")


def test_a_line_that_holds_the_match_is_not_cut_off() -> None:
    assert "pool" in excerpt("\n" * 50 + "x" * 80 + " pool " + "y" * 80 + "\n" * 50, "pool")


@pytest.mark.parametrize("whole", WHOLE, ids=ascii)
@pytest.mark.parametrize("shift", range(4))
def test_no_cut_divides_a_character(whole: str, shift: int) -> None:
    text = "." * shift + whole * 60 + " pool " + whole * 60
    cut = excerpt(text, "pool", limit=60)

    assert cut.strip(".") == whole * cut.count(whole, 0, cut.index(" ")) + " pool " + whole * cut.count(
        whole, cut.index(" pool ")
    )


def test_matches_that_lie_in_each_other_stay_whole() -> None:
    text = "x " * 100 + "src/main.py of the winch" + " y" * 100
    cut = cut_excerpt(text, [(200, 224, 0), (204, 208, 1)], 30).text

    assert "src/main.py of the winch" in cut


def test_of_a_match_longer_than_the_limit_the_beginning_is_shown() -> None:
    assert cut_excerpt("xx" + "0123456789" * 10, [(2, 102, 0)], 12).text == "012345678901"


def test_a_limit_of_nothing_gives_nothing() -> None:
    assert cut_excerpt("pool", [(0, 4, 0)], 0).text == ""


def test_literals_are_located_as_they_stand_and_words_folded() -> None:
    terms = [(0, "Pool", (("pool",),), True), (1, "Pool", (("pool",),), False)]

    assert match_spans("pool Pool", terms) == [(0, 4, 1), (5, 9, 0), (5, 9, 1)]


def test_a_word_that_is_only_part_of_a_name_is_located_there() -> None:
    terms = [(0, "config", (("config",), ("configs",)), False), (1, "x", (("x",),), False)]

    assert match_spans("see parseConfig(x)", terms) == [(9, 15, 0), (16, 17, 1)]


@given(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.sampled_from([1, 7, 40, 90]),
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 6), st.integers(0, 2)), max_size=6),
)
def test_an_excerpt_is_a_bounded_piece_of_the_text(
    text: str, limit: int, matches: list[tuple[int, int, int]]
) -> None:
    found = [(at, at + size, term) for at, size, term in sorted(matches) if at + size <= len(text)]
    cut = cut_excerpt(text, found, limit)

    assert cut.text in text
    assert len(cut.text) <= max(limit, 0)
    assert cut.whole == (cut.text == text)


@given(
    st.lists(st.sampled_from(PIECES), max_size=80).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=80),
)
def test_the_only_match_is_in_the_excerpt(before: str, after: list[str]) -> None:
    assert "needle" in excerpt(f"{before} needle {''.join(after)}", "needle", limit=20)


@given(st.lists(st.sampled_from(["pool", "size", "limit", "x", "\n", "x" * 30]), max_size=60))
def test_no_window_has_more_distinct_terms(words: list[str]) -> None:
    text = " ".join(words)
    terms = ("pool", "size", "limit")
    found = spans(text, *terms)
    most = max(
        (len({term for start, end, term in found if at <= start and end <= at + 60}) for at, _, _ in found),
        default=0,
    )

    assert len({term for *_, term in spans(excerpt(text, *terms, limit=60), *terms)}) >= most


def test_a_letter_with_countless_accents_is_cut() -> None:
    assert excerpt("e" + "\u0301" * 1000) == "e" + "\u0301" * 99


@pytest.mark.usefixtures("time_limit")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("pool " * 200_000, id="matches"),
        pytest.param("🇮🇹" * 300_000, id="flags"),
        pytest.param("e" + "\u0301" * 300_000, id="accents"),
        pytest.param("\n" * 500_000, id="lines"),
    ],
)
def test_huge_texts_are_cut_in_linear_time(text: str) -> None:
    assert len(excerpt(text, "pool", limit=6000)) <= 6000
