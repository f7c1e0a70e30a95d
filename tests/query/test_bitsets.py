"""Sets of places as numbers hold what sets hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.query.bitsets import ascending, bits_of, bits_of_ranges, descending

PLACES = st.sets(st.integers(0, 299))
RANGES = st.tuples(st.integers(0, 320), st.integers(0, 320))


@given(PLACES)
def test_places_come_back_in_either_order(places: set[int]) -> None:
    bits = bits_of(places, 300)

    assert list(ascending(bits)) == sorted(places)
    assert list(descending(bits)) == sorted(places, reverse=True)
    assert bits.bit_count() == len(places)


@given(PLACES, PLACES)
def test_numbers_are_joined_as_sets_are(one: set[int], other: set[int]) -> None:
    assert bits_of(one, 300) & bits_of(other, 300) == bits_of(one & other, 300)
    assert bits_of(one, 300) | bits_of(other, 300) == bits_of(one | other, 300)


@given(st.lists(RANGES, max_size=8) | st.lists(RANGES, min_size=60, max_size=90))
def test_ranges_are_the_places_in_them(ranges: list[tuple[int, int]]) -> None:
    places = {place for first, last in ranges for place in range(first, last + 1) if place < 300}

    assert bits_of_ranges(ranges, 300) == bits_of(places, 300)


def test_there_may_be_no_place_at_all() -> None:
    assert bits_of((), 0) == bits_of_ranges([(0, 5)], 0) == 0
    assert list(ascending(0)) == list(descending(0)) == []


def test_a_place_beyond_the_size_is_an_error() -> None:
    with pytest.raises(IndexError):
        bits_of([3], 3)
