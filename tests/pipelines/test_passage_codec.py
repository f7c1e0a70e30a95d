"""Packed passages come back as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.passage_codec import PassageCodec, train_dictionary

PASSAGES = [f"turn {at}: the pool of host {at % 7} holds {at * 37} connections" for at in range(400)]

texts = st.text(st.characters(codec="utf-8")) | st.sampled_from(PASSAGES)


@given(text=texts)
@pytest.mark.parametrize("dictionary", [None, train_dictionary(PASSAGES)], ids=["plain", "trained"])
def test_a_packed_passage_is_unpacked_as_it_was(dictionary: bytes | None, text: str) -> None:
    codec = PassageCodec(dictionary)

    assert codec.unpack(codec.pack(text)) == text


def test_what_was_packed_without_a_dictionary_is_unpacked_with_any() -> None:
    packed = PassageCodec().pack("pool size 37")

    assert PassageCodec(train_dictionary(PASSAGES)).unpack(packed) == "pool size 37"


def test_a_dictionary_makes_similar_passages_smaller() -> None:
    plain, trained = PassageCodec(), PassageCodec(train_dictionary(PASSAGES))

    assert len(trained.pack(PASSAGES[7])) < len(plain.pack(PASSAGES[7]))


@pytest.mark.parametrize(
    "passages",
    [[], PASSAGES[:99], [""] * 200],
    ids=["none", "few", "empty ones"],
)
def test_too_little_text_trains_no_dictionary(passages: list[str]) -> None:
    assert train_dictionary(passages) is None
