"""A text cut into passages: nothing lost, bounded, on lines or at least between words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.passages import cut_encoded, cut_passages

words = st.sampled_from(
    ["pool", "a", "\n", "\n\n", " ", "é", "漢字", "😀", "\0", "x" * 90, "y" * 700, "word " * 60]
)
texts = st.lists(words, max_size=80).map("".join)


@given(text=texts)
def test_joined_passages_are_the_text(text: str) -> None:
    passages = list(cut_passages(text))

    assert "".join(piece for _, piece in passages) == text
    assert all(text[start : start + len(piece)] == piece for start, piece in passages)


@given(text=texts)
def test_an_encoded_text_is_cut_in_the_same_places(text: str) -> None:
    encoded = cut_encoded(text.encode(), len(text))

    assert [(start, piece.decode()) for start, piece in encoded] == list(cut_passages(text))


@given(text=texts)
def test_passages_are_bounded(text: str) -> None:
    lengths = [len(piece) for _, piece in cut_passages(text)]

    assert all(700 <= length <= 1400 for length in lengths[:-1])
    assert all(1 <= length <= 1600 for length in lengths[-1:])


@given(text=texts)
def test_a_cut_splits_no_word_of_up_to_200_characters(text: str) -> None:
    for start, _ in cut_passages(text):
        if start and text[start - 1].isalnum() and text[start].isalnum():
            word = text[:start].split()[-1] + text[start:].split()[0]
            assert len(word) > 200


def test_cuts_follow_the_ends_of_lines() -> None:
    text = "".join(f"line {number:04}\n" for number in range(1000))

    pieces = [piece for _, piece in cut_passages(text)]

    assert all(piece.startswith("line ") and piece.endswith("\n") for piece in pieces)


def test_an_empty_text_has_no_passages() -> None:
    assert list(cut_passages("")) == []


def test_a_text_a_little_longer_than_a_passage_stays_whole() -> None:
    assert list(cut_passages("x" * 1600)) == [(0, "x" * 1600)]


def test_a_line_without_any_word_edge_is_cut_all_the_same() -> None:
    assert [len(piece) for _, piece in cut_passages("x" * 5000)] == [1200, 1200, 1200, 1400]
