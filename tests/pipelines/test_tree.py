"""Tree labels equal a plain walk along the parents, and never change when a log grows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.sources.records import Link
from uncompact.pipelines.tree import NO_SEGMENT, Interval, Tree, label_tree

LARGE = 100_000

ids = st.integers(0, 11).map(str)
any_links = st.lists(
    st.builds(Link, ids, st.one_of(ids, ids, ids, st.just("gone"), st.none()), st.sampled_from([False] * 7 + [True])),
    max_size=16,
)  # fmt: skip


@st.composite
def grown_logs(draw: st.DrawFn) -> list[Link]:
    """Draw what an agent writes: ids of their own, each parent an earlier entry."""
    parents = [
        draw(st.none() | st.integers(0, at - 1)) if at else None for at in range(draw(st.integers(1, 24)))
    ]
    return [Link(str(at), None if parent is None else str(parent)) for at, parent in enumerate(parents)]


def link(entry_id: str, parent: str | None = None, *, recovered: bool = False) -> Link:
    return Link(entry_id, parent, recovered)


def chain(*entry_ids: str) -> list[Link]:
    return [link(one, parent) for parent, one in zip((None, *entry_ids), entry_ids, strict=False)]


def walk(links: Sequence[Link], leaf: int) -> list[int] | None:
    """Follow the parents from a leaf, as Pi does: the last line with an id is that entry. ``None`` for a circle."""
    places = {one.entry_id: place for place, one in enumerate(links) if not one.recovered}
    path: list[int] = []
    place: int | None = leaf
    while place is not None:
        if place in path:
            return None
        path.append(place)
        parent = links[place].parent_id
        place = None if parent is None else places.get(parent)
    return path[::-1]


def on_tree(links: Sequence[Link]) -> set[int]:
    return set({one.entry_id: place for place, one in enumerate(links) if not one.recovered}.values())


def label(tree: Tree, place: int) -> tuple[int, int]:
    return tree.segments[place], tree.positions[place]


@given(links=any_links)
def test_every_branch_without_a_cycle_equals_a_plain_walk(links: list[Link]) -> None:
    tree = label_tree(links)

    for leaf in on_tree(links):
        expected = walk(links, leaf)
        assert expected is None or tree.path(leaf) == expected


@given(links=any_links)
def test_each_entry_on_the_tree_has_one_label_and_no_other_has_any(links: list[Link]) -> None:
    tree = label_tree(links)

    labelled = {place for place in range(len(links)) if tree.segments[place] != NO_SEGMENT}
    assert labelled == on_tree(links)
    assert len({label(tree, place) for place in labelled}) == len(labelled)
    assert {
        place: (segment, position)
        for segment, places in enumerate(tree.segment_entries)
        for position, place in enumerate(places)
    } == {place: label(tree, place) for place in labelled}


@given(links=any_links)
def test_leaves_are_the_entries_that_none_continues(links: list[Link]) -> None:
    tree = label_tree(links)

    continued = {tree.parents[place] for place in on_tree(links)}
    assert tree.leaves() == sorted(on_tree(links) - continued)


@given(links=any_links)
def test_gaps_are_lost_parents_and_one_cut_for_each_cycle(links: list[Link]) -> None:
    tree = label_tree(links)

    known = {one.entry_id for one in links if not one.recovered}
    lost = {place for place in on_tree(links) if links[place].parent_id not in {None, *known}}
    cuts = tree.gaps - lost
    assert tree.gaps >= lost
    assert all(walk(links, cut) is None for cut in cuts)
    assert all(tree.path(place)[0] in cuts for place in on_tree(links) if walk(links, place) is None)


@given(links=grown_logs())
def test_the_first_child_continues_its_parent_and_others_open_segments(links: list[Link]) -> None:
    tree = label_tree(links)

    continued: set[str] = set()
    for place, one in enumerate(links):
        segment, position = label(tree, place)
        if one.parent_id is None:
            assert (position, tree.segment_parents[segment]) == (0, None)
        elif one.parent_id in continued:
            assert (position, tree.segment_parents[segment]) == (0, label(tree, int(one.parent_id)))
        else:
            continued.add(one.parent_id)
            parent_segment, parent_position = label(tree, int(one.parent_id))
            assert (segment, position) == (parent_segment, parent_position + 1)


@given(links=grown_logs(), kept=st.integers(0, 24))
def test_labels_never_change_when_entries_are_appended(links: list[Link], kept: int) -> None:
    earlier, later = label_tree(links[:kept]), label_tree(links)

    assert list(later.segments[:kept]) == list(earlier.segments)
    assert list(later.positions[:kept]) == list(earlier.positions)
    count = len(earlier.segment_parents)
    assert list(later.segment_parents[:count]) == list(earlier.segment_parents)


def test_a_branch_is_one_interval_for_each_segment_it_runs_through() -> None:
    tree = label_tree([*chain("a", "b", "c", "d"), link("x", "b"), link("y", "x"), link("z", "x")])

    assert tree.branch(3) == [Interval(0, 0, 3)]
    assert tree.branch(5) == [Interval(0, 0, 1), Interval(1, 0, 1)]
    assert tree.branch(6) == [Interval(0, 0, 1), Interval(1, 0, 0), Interval(2, 0, 0)]


def test_the_last_line_with_an_id_is_the_entry() -> None:
    tree = label_tree([link("a"), link("b", "a"), link("c"), link("b", "c"), link("d", "b")])

    assert tree.path(4) == [2, 3, 4]
    assert tree.branch(1) == []
    assert tree.places == {"a": 0, "b": 3, "c": 2, "d": 4}


def test_a_recovered_entry_is_on_no_branch_and_no_parent() -> None:
    tree = label_tree([link("a"), link("b", "a", recovered=True), link("c", "b")])

    assert tree.path(2) == [2]
    assert tree.branch(1) == []
    assert tree.gaps == {2}


@pytest.mark.parametrize(
    ("links", "paths", "gaps"),
    [
        pytest.param([link("a", "a"), link("b", "a")], [[0], [0, 1]], {0}, id="parent of itself"),
        pytest.param([link("a", "b"), link("b", "a")], [[0], [0, 1]], {0}, id="two in a circle"),
        pytest.param(
            [link("x", "c"), link("a", "c"), link("b", "a"), link("c", "b")],
            [[1, 2, 3, 0], [1], [1, 2], [1, 2, 3]],
            {1},
            id="a tail before its circle",
        ),
    ],
)
def test_the_first_entry_of_a_cycle_becomes_a_root(
    links: list[Link], paths: list[list[int]], gaps: set[int]
) -> None:
    tree = label_tree(links)

    assert [tree.path(place) for place in range(len(links))] == paths
    assert tree.gaps == gaps


def test_a_parent_that_stands_after_its_child_is_still_its_parent() -> None:
    tree = label_tree([link("c", "b"), link("b", "a"), link("a")])

    assert tree.path(0) == [2, 1, 0]
    assert tree.branch(0) == [Interval(0, 0, 2)]


# Each would take minutes, or end in a recursion error, at more than linear cost.
@pytest.mark.parametrize(
    ("links", "leaf", "length"),
    [
        pytest.param(
            [link(str(at), str(at - 1)) for at in range(LARGE)], LARGE - 1, LARGE, id="chain, root lost"
        ),
        pytest.param([link(str(at), str(at + 1)) for at in range(LARGE)], 0, LARGE, id="chain backwards"),
        pytest.param([link(str(at), "0") for at in range(LARGE)], LARGE - 1, 2, id="star"),
        pytest.param(
            [link(str(at), str((at - 1) % LARGE)) for at in range(LARGE)], LARGE - 1, LARGE, id="one circle"
        ),
        pytest.param([link(str(at), str(at ^ 1)) for at in range(LARGE)], LARGE - 1, 2, id="many circles"),
        pytest.param([link("a", "a") for _ in range(LARGE)], LARGE - 1, 1, id="one id"),
    ],
)
def test_large_trees_cost_linear_time_and_no_recursion(links: list[Link], leaf: int, length: int) -> None:
    assert len(label_tree(links).path(leaf)) == length
