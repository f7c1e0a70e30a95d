"""Holds ``read_session`` against another reader's answers, leaf by leaf: branch, active context, visible entries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from uncompact.pipelines.branches import SessionView, read_session
from uncompact.pipelines.errors import UncompactError
from uncompact.pipelines.tree import NO_SEGMENT

from .install_pi import RealPi

_ORACLE = Path(__file__).with_name("pi_oracle.mjs")
_FILES_AT_ONCE = 50


class LeafAnswer(msgspec.Struct, frozen=True):
    """What a reader says for one leaf, as places in ``Answer.ids``; ``None`` where it has no answer."""

    leaf: int
    branch: tuple[int, ...]
    context: tuple[int, ...] | None = None
    visible: tuple[int, ...] | None = None


class Answer(msgspec.Struct, frozen=True):
    """What a reader says of a file; ``error`` when it cannot load it.

    ``ids`` has the entries' ids in file order. ``new_ids``: the file has none, these were made up. ``leaf`` is the
    current leaf, ``None`` when the last entry cannot be addressed. ``cyclic`` leaves were left out.
    """

    file: str
    ids: tuple[str | None, ...] = ()
    new_ids: bool = False
    leaf: int | None = None
    leaves: tuple[LeafAnswer, ...] = ()
    cyclic: int = 0
    error: str | None = None


class Mismatch(msgspec.Struct, frozen=True):
    """One thing that ``read_session`` says otherwise; both sides name entries by our ids."""

    file: str
    leaf: str | None
    what: str
    expected: tuple[str | None, ...]
    found: tuple[str | None, ...]

    def __str__(self) -> str:
        pairs = zip(self.expected, self.found, strict=False)
        first = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
        at = min(len(self.expected), len(self.found)) if first is None else first
        expected, found = (f"{side[at : at + 3]} of {len(side)}" for side in (self.expected, self.found))
        return (
            f"{self.file}: leaf {self.leaf!r}: {self.what} differs from place {at}: {expected}, found {found}"
        )


def ask_pi(pi: RealPi, files: Sequence[Path], *, all_leaves_up_to: int) -> Iterator[Answer]:
    """Yield real Pi's answer for each file; files with more entries are asked for their tips only."""
    for start in range(0, len(files), _FILES_AT_ONCE):
        some = [str(file) for file in files[start : start + _FILES_AT_ONCE]]
        printed = pi.run(_ORACLE, "--all-leaves-up-to", str(all_leaves_up_to), *some)
        for line in printed.split("\n")[:-1]:
            yield msgspec.convert(
                json.loads(line), Answer
            )  # ids may hold what only Python's own decoder takes


def find_mismatches(answer: Answer) -> list[Mismatch]:
    """Return where ``read_session`` differs from the answer; nothing for a file the other reader refused."""
    if answer.error is not None:
        return []
    try:
        view = read_session(Path(answer.file))
    except UncompactError as error:
        return [Mismatch(answer.file, None, "reading the file", (), (str(error),))]
    ids = _shared_ids(answer, view)
    if len(ids) != len(answer.ids):
        return [Mismatch(answer.file, None, "the list of entries", answer.ids, ids)]
    mismatches = [found for leaf in answer.leaves for found in _leaf_mismatches(answer.file, leaf, ids, view)]
    if answer.leaf is not None and ids[answer.leaf] != view.leaf:
        mismatches.append(Mismatch(answer.file, None, "the current leaf", (ids[answer.leaf],), (view.leaf,)))
    return mismatches


def _shared_ids(answer: Answer, view: SessionView) -> tuple[str | None, ...]:
    """Return our ids of the other reader's entries. Where a file has no ids, the order is what both share."""
    if not answer.new_ids:
        return answer.ids
    segments = view.tree.segments
    return tuple(
        name for name, segment in zip(view.entry_ids, segments, strict=True) if segment != NO_SEGMENT
    )


def _leaf_mismatches(
    file: str, leaf: LeafAnswer, ids: Sequence[str | None], view: SessionView
) -> Iterator[Mismatch]:
    name = ids[leaf.leaf]
    assert name is not None, "a leaf is always an entry with an id"
    try:
        ours = view.at(name)
    except UncompactError as error:
        yield Mismatch(file, name, "the leaf", (name,), (str(error),))
        return
    for what, expected, found in (
        ("the branch", leaf.branch, ours.branch),
        ("the context", leaf.context, ours.context),
        ("the visible entries", leaf.visible, ours.visible),
    ):
        if expected is not None and tuple(ids[place] for place in expected) != found:
            yield Mismatch(file, name, what, tuple(ids[place] for place in expected), found)
