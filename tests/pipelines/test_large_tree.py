"""A log too large for a dictionary of its ids is labelled as any other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncompact.pipelines.large_tree import label_links
from uncompact.pipelines.sources.records import Link
from uncompact.pipelines.tree import label_tree

ids = st.integers(0, 11).map(str)
any_links = st.lists(
    st.builds(Link, ids, st.one_of(ids, ids, ids, st.just("gone"), st.none()), st.sampled_from([False] * 7 + [True])),
    max_size=16,
)  # fmt: skip


@settings(max_examples=200)
@given(links=any_links)
def test_labels_are_those_of_the_tree(links: list[Link]) -> None:
    expected, labels = label_tree(links).labels(), label_links(links)

    assert list(labels.segments) == list(expected.segments)
    assert list(labels.positions) == list(expected.positions)
    assert (labels.gaps, labels.opened) == (expected.gaps, expected.opened)
    named = {*(one.entry_id for one in links), "gone"}
    assert {one: labels.places(one) for one in named} == {one: expected.places(one) for one in named}


@pytest.mark.parametrize("count", [65_535, 65_536, 65_537], ids=["one less", "as many", "one more"])
def test_links_that_come_in_parts_are_one_chain(count: int) -> None:
    links = (Link(f"{at:08x}", f"{at - 1:08x}" if at else None) for at in range(count))

    labels = label_links(links)

    assert labels.label(count - 1) == (0, count - 1)
    assert labels.places(f"{count - 1:08x}") == count - 1
