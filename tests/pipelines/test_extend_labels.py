"""Labels of appended entries are those of the whole session, or none where earlier ones would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from uncompact.pipelines.sources.records import Link
from uncompact.pipelines.tree import Tree, extend_labels, label_tree

LARGE = 100_000


@dataclass(frozen=True, slots=True)
class Known:
    """A labelled beginning of a session."""

    links: Sequence[Link]
    tree: Tree

    @property
    def segments(self) -> int:
        return len(self.tree.segment_entries)

    def place(self, entry_id: str) -> int | None:
        return self.tree.places.get(entry_id)

    def label(self, place: int) -> tuple[int, int]:
        return self.tree.segments[place], self.tree.positions[place]

    def is_continued(self, segment: int, position: int) -> bool:
        return position + 1 < len(self.tree.segment_entries[segment])

    def is_awaited(self, entry_id: str) -> bool:
        return any(self.links[place].parent_id == entry_id for place in self.tree.gaps)


def known(links: Sequence[Link]) -> Known:
    return Known(links, label_tree(links))


def link(entry_id: str, parent: str | None = None, *, recovered: bool = False) -> Link:
    return Link(entry_id, parent, recovered)


@st.composite
def sessions(draw: st.DrawFn) -> list[Link]:
    """Draw ids of their own and earlier parents, and now and then a repeated id, a later parent or a torn line."""
    links: list[Link] = []
    for at in range(draw(st.integers(1, 14))):
        odd = draw(st.integers(0, 11))
        entry_id = str(draw(st.integers(0, 14))) if odd == 0 else str(at)
        parent = draw(st.none() | st.integers(0, 14 if odd == 1 else max(at - 1, 0)).map(str))
        links.append(Link(entry_id, parent if at or odd == 1 else None, odd == 2))
    return links


@settings(max_examples=500)
@given(links=sessions(), first=st.integers(0, 14))
@example(links=[link("a", "b"), link("b")], first=1)
@example(links=[link("a"), link("b", "a"), link("c", "a"), link("d", "b"), link("e", "b")], first=2)
def test_appended_entries_get_the_labels_of_the_whole_session(links: list[Link], first: int) -> None:
    first = min(first, len(links))
    whole = label_tree(links).labels()
    before = known(links[:first])

    tail = extend_labels(links[first:], first, before)

    if tail is not None:
        assert [*before.tree.segments, *tail.segments] == list(whole.segments)
        assert [*before.tree.positions, *tail.positions] == list(whole.positions)
        assert before.tree.gaps | tail.gaps == whole.gaps
        assert [*before.tree.labels().opened, *tail.opened] == list(whole.opened)
        assert all(tail.places(one.entry_id) == whole.places(one.entry_id) for one in links)


@settings(max_examples=500)
@given(links=sessions(), first=st.integers(0, 14))
def test_there_are_none_exactly_where_an_id_comes_again_or_was_waited_for(
    links: list[Link], first: int
) -> None:
    named: set[str | None] = {one.entry_id for one in links[:first] if not one.recovered}
    alive = known(links[:first]).tree.places
    named |= {one.parent_id for place, one in enumerate(links[:first]) if alive.get(one.entry_id) == place}
    changes = False
    for one in links[first:]:
        if not one.recovered:
            changes = changes or one.entry_id in named or one.entry_id == one.parent_id
            named |= {one.entry_id, one.parent_id}

    assert (extend_labels(links[first:], first, known(links[:first])) is None) == changes


@pytest.mark.parametrize(
    ("before", "appended", "labels"),
    [
        pytest.param([link("a")], [link("b", "a")], [(0, 1)], id="first child"),
        pytest.param([link("a"), link("b", "a")], [link("c", "a")], [(1, 0)], id="second child"),
        pytest.param([link("a")], [link("b", "a"), link("c", "a")], [(0, 1), (1, 0)], id="two children"),
        pytest.param([link("a")], [link("b")], [(1, 0)], id="another root"),
        pytest.param([link("a")], [link("b", "gone")], [(1, 0)], id="lost parent"),
        pytest.param([link("a")], [link("a", recovered=True)], [(-1, 0)], id="torn line"),
        pytest.param([], [link("a"), link("b", "a")], [(0, 0), (0, 1)], id="nothing before"),
    ],
)
def test_appended_entries_go_on_where_their_parents_stand(
    before: list[Link], appended: list[Link], labels: list[tuple[int, int]]
) -> None:
    tail = extend_labels(appended, len(before), known(before))

    assert tail is not None
    assert list(zip(tail.segments, tail.positions, strict=True)) == labels


@pytest.mark.parametrize(
    ("before", "appended"),
    [
        pytest.param([link("a"), link("b", "a")], link("a", "b"), id="an id taken over"),
        pytest.param([link("b", "a")], link("a"), id="a parent that comes late"),
        pytest.param([link("a")], link("b", "b"), id="a parent of itself"),
    ],
)
def test_what_changes_earlier_labels_is_left_to_a_whole_reading(before: list[Link], appended: Link) -> None:
    assert extend_labels([appended], len(before), known(before)) is None


def test_a_tail_costs_the_same_after_a_large_session() -> None:
    before = known([link(str(at), str(at - 1) if at else None) for at in range(LARGE)])

    tail = extend_labels([link("x", str(LARGE - 1)), link("y", "5")], LARGE, before)

    assert tail is not None
    assert list(zip(tail.segments, tail.positions, strict=True)) == [(0, LARGE), (1, 0)]
