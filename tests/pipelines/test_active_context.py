"""The active context by labels equals Pi's rule said with plain lists."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.active_context import (
    ActiveContext,
    Branch,
    CompactionMark,
    EditMark,
    Place,
    active_context,
)
from uncompact.pipelines.sources.records import Link
from uncompact.pipelines.tree import Interval, Tree, label_tree


@dataclass(frozen=True)
class Marks:
    """A random tree, its marks by place in the log, and the leaf looked from."""

    tree: Tree
    compactions: dict[int, int | None]
    edits: dict[int, tuple[int, bool]]
    leaf: int

    def label(self, place: int) -> Place:
        return self.tree.segments[place], self.tree.positions[place]

    def active(self) -> ActiveContext:
        return active_context(
            Branch(self.tree.branch(self.leaf)),
            [
                CompactionMark(self.label(at), None if kept is None else self.label(kept))
                for at, kept in self.compactions.items()
            ],
            [
                EditMark(self.label(at), self.label(target), removes)
                for at, (target, removes) in self.edits.items()
            ],
        )


@st.composite
def marked_trees(draw: st.DrawFn) -> Marks:
    size = draw(st.integers(1, 24))
    # Mostly chains: a branch must be long enough for several compactions and edits.
    steps = [draw(st.sampled_from([1, 1, 1, 1, 1, 2, 5])) for _ in range(size)]
    links = [Link(str(at), str(at - step) if at >= step else None) for at, step in enumerate(steps)]
    places = st.integers(0, size - 1)
    return Marks(
        label_tree(links),
        draw(st.dictionaries(places, st.none() | places, max_size=4)),
        draw(st.dictionaries(places, st.tuples(places, st.booleans()), max_size=8)),
        draw(st.integers(max(size - 4, 0), size - 1)),
    )


def plain_context(path: list[int], compactions: dict[int, int | None]) -> list[int]:
    """State the rule: the last compaction, what stands from its kept entry on before it, all after it."""
    marks = [place for place in path if place in compactions]
    if not marks:
        return path
    at = path.index(marks[-1])
    before, kept = path[:at], compactions[marks[-1]]
    return [path[at], *(before[before.index(kept) :] if kept in before else []), *path[at + 1 :]]


@given(marks=marked_trees())
def test_entries_in_context_equal_the_plain_rule(marks: Marks) -> None:
    path = marks.tree.path(marks.leaf)

    context = marks.active()

    expected = plain_context(path, marks.compactions)
    assert sorted(expected) == path[context.removed_until :]
    if context.compaction is not None:
        assert path[context.compaction] == expected[0]


@given(marks=marked_trees())
def test_only_edits_in_context_count_and_the_last_one_wins(marks: Marks) -> None:
    path = marks.tree.path(marks.leaf)
    in_order = sorted(plain_context(path, marks.compactions), key=path.index)
    last = {marks.edits[place][0]: marks.edits[place][1] for place in in_order if place in marks.edits}

    context = marks.active()

    emptied = {target for target, removes in last.items() if removes}
    assert {path[index] for index in context.emptied} == emptied & set(path)


@given(marks=marked_trees())
def test_removed_entries_with_any_edit_on_the_branch_are_known(marks: Marks) -> None:
    path = marks.tree.path(marks.leaf)
    targets = {marks.edits[place][0] for place in path if place in marks.edits}

    context = marks.active()

    removed = set(path[: context.removed_until])
    assert {path[index] for index in context.rewritten} == targets & removed


@given(marks=marked_trees(), first=st.integers(-2, 26), end=st.integers(-2, 26))
def test_a_slice_of_a_branch_equals_a_slice_of_its_path(marks: Marks, first: int, end: int) -> None:
    tree, path = marks.tree, marks.tree.path(marks.leaf)

    pieces = Branch(tree.branch(marks.leaf)).slice(first, end)

    assert [
        place
        for piece in pieces
        for place in tree.segment_entries[piece.segment][piece.first : piece.last + 1]
    ] == path[max(first, 0) : max(end, 0)]


@given(marks=marked_trees())
def test_an_index_is_the_place_on_the_path(marks: Marks) -> None:
    path = marks.tree.path(marks.leaf)
    branch = Branch(marks.tree.branch(marks.leaf))

    assert branch.length == len(path)
    for place in range(len(marks.tree.segments)):
        assert branch.index(marks.label(place)) == (path.index(place) if place in path else None)


def test_no_place_has_no_index() -> None:
    assert Branch([Interval(0, 0, 4)]).index(None) is None


def test_an_empty_branch_has_no_slices() -> None:
    assert Branch([]).slice(0, 10) == []


@pytest.mark.parametrize(
    ("compactions", "removed_until", "compaction"),
    [
        pytest.param([], 0, None, id="no compaction"),
        pytest.param([CompactionMark((0, 6), (0, 4))], 4, 6, id="keeps from an entry"),
        pytest.param([CompactionMark((0, 6), None)], 6, 6, id="keeps nothing"),
        pytest.param([CompactionMark((0, 6), (0, 6))], 6, 6, id="keeps from itself"),
        pytest.param([CompactionMark((0, 6), (0, 8))], 6, 6, id="keeps from behind itself"),
        pytest.param([CompactionMark((0, 6), (7, 0))], 6, 6, id="keeps from a sibling"),
        pytest.param([CompactionMark((7, 1), (0, 4))], 0, None, id="stands on a sibling"),
        pytest.param([CompactionMark((0, 12), (0, 4))], 0, None, id="stands below the leaf"),
        pytest.param(
            [CompactionMark((0, 3), (0, 2)), CompactionMark((0, 6), (0, 5))], 5, 6, id="the last one counts"
        ),
        pytest.param(
            [CompactionMark((0, 3), (0, 2)), CompactionMark((0, 6), (0, 1))], 1, 6, id="keeps more than the one before"
        ),
    ],
)  # fmt: skip
def test_the_last_compaction_on_the_branch_decides(
    compactions: list[CompactionMark], removed_until: int, compaction: int | None
) -> None:
    context = active_context(Branch([Interval(0, 0, 9)]), compactions, [])

    assert (context.removed_until, context.compaction) == (removed_until, compaction)


def test_an_edit_that_was_compacted_away_stops_working() -> None:
    compaction = CompactionMark((0, 6), (0, 4))
    edits = [EditMark((0, 3), (0, 5), removes=True), EditMark((0, 8), (0, 7), removes=True)]

    context = active_context(Branch([Interval(0, 0, 9)]), [compaction], edits)

    assert context.emptied == {7}
