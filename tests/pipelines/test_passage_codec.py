"""Packed passages come back as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.passage_codec import PassageCodec, train_dictionary

PASSAGES = [f"turn {at}: the pool of host {at % 7} holds {at * 37} connections" for at in range(400)]
ENCODED = [passage.encode() for passage in PASSAGES]

texts = st.text(st.characters(codec="utf-8")) | st.sampled_from(PASSAGES)


@given(text=texts)
@pytest.mark.parametrize("dictionary", [None, train_dictionary(ENCODED)], ids=["plain", "trained"])
def test_a_packed_passage_is_unpacked_as_it_was(dictionary: bytes | None, text: str) -> None:
    codec = PassageCodec(dictionary)

    assert codec.unpack(codec.pack(text)) == text


@given(passages=st.lists(texts.filter(bool), max_size=20))
@pytest.mark.parametrize("times", [1, 100], ids=["few", "many"])
def test_passages_packed_together_are_unpacked_in_order(passages: list[str], times: int) -> None:
    passages = passages * times
    codec = PassageCodec(train_dictionary(ENCODED))

    packed = codec.pack_all([passage.encode() for passage in passages])

    assert [codec.unpack(bytes(body)) for body in packed] == passages


def test_what_was_packed_without_a_dictionary_is_unpacked_with_any() -> None:
    packed = PassageCodec().pack("pool size 37")

    assert PassageCodec(train_dictionary(ENCODED)).unpack(packed) == "pool size 37"


def test_a_dictionary_makes_similar_passages_smaller() -> None:
    plain, trained = PassageCodec(), PassageCodec(train_dictionary(ENCODED))

    assert len(trained.pack(PASSAGES[7])) < len(plain.pack(PASSAGES[7]))


@pytest.mark.parametrize(
    "passages",
    [[], ENCODED[:99], [b""] * 200],
    ids=["none", "few", "empty ones"],
)
def test_too_little_text_trains_no_dictionary(passages: list[bytes]) -> None:
    assert train_dictionary(passages) is None
