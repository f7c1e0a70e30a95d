"""What an entry that makes or answers a tool call is labelled with: the tool, and the path or command it was given.

Ids of calls repeat: some models count them anew in each turn, and a branch may make a call again. A result belongs to
the nearest call before it on its own branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import apsw

from .sql_files import load_sql
from .sqlite import rows

__all__ = ["CallRow", "Labels", "PlacedCall", "find_labels", "label_entries"]

_LABEL_CHARS = 200
# A result follows its call: a look further back than so many segments of its branch finds only chance.
_MOST_SEGMENTS = 100


class CallRow(NamedTuple):
    """A tool call as the lake has it."""

    pos: int
    call_id: str | None
    name: str
    path: str | None
    command: str | None


class PlacedCall(NamedTuple):
    """A tool call with an id: where its entry stands in the log and on the tree."""

    call_id: str
    pos: int
    segment: int
    position: int
    label: str


@dataclass(frozen=True, slots=True)
class Labels:
    """The label of each entry of a slice, empty for most; what calls are made in it; whose call is not found in it."""

    labels: list[str]
    calls: list[PlacedCall]
    unfound: list[int]


def label_entries(entries: Mapping[str, Sequence[Any]], calls: Sequence[CallRow]) -> Labels:
    """Label the entries of a slice, as far as the slice tells; ``calls`` are in file order."""
    made: dict[int, list[CallRow]] = {}
    for call in calls:
        made.setdefault(call.pos, []).append(call)
    labels = [""] * len(entries["pos"])
    placed: list[PlacedCall] = []
    unfound: list[int] = []
    latest: dict[str, PlacedCall] = {}
    places = zip(entries["pos"], entries["segment"], entries["position"], entries["call_id"], strict=True)
    for at, (pos, segment, position, call_id) in enumerate(places):
        if call_id:
            found = latest.get(call_id)
            if found is not None and found.segment == segment and found.position < position:
                labels[at] = found.label
            else:
                unfound.append(at)
        for row in made.get(pos, ()):
            label = f"{row.name} {row.path or row.command or ''}".strip()[:_LABEL_CHARS]
            labels[at] = labels[at] or label
            if row.call_id:
                placed.append(PlacedCall(row.call_id, pos, segment, position, label))
                # Of several in one entry the first counts.
                if row.call_id not in latest or latest[row.call_id].pos < pos:
                    latest[row.call_id] = placed[-1]
    return Labels(labels, placed, unfound)


def find_labels(
    connection: apsw.Connection, number: int, entries: Mapping[str, Sequence[Any]], labelled: Labels
) -> None:
    """Label the entries whose calls the slice alone does not tell; its calls and segments are in the companion."""
    for at in labelled.unfound:
        place = (entries["pos"][at], entries["segment"][at], entries["position"][at])
        found = _nearest(connection, number, entries["call_id"][at], *place)
        if found is not None and found.label:
            labelled.labels[at] = found.label


def _nearest(
    connection: apsw.Connection, number: int, call_id: str, pos: int, segment: int, position: int
) -> PlacedCall | None:
    """Find the nearest call before a result on its branch; if there is none, the nearest in the log."""
    wanted = {"session": number, "call_id": call_id, "pos": pos}
    calls = [PlacedCall(*row) for row in rows(connection, _sql("select_calls"), wanted)]
    if len(calls) > 1 and segment >= 0:
        branch = _branch(connection, number, segment, position - 1)
        for on_branch, last in islice(branch, _MOST_SEGMENTS):
            for call in calls:
                if call.segment == on_branch and call.position <= last:
                    return call
    return calls[0] if calls else None


def _branch(connection: apsw.Connection, number: int, segment: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield (segment, last position) of the branch that ends there, the root's segment last."""
    parent: tuple[int | None, int | None] = (segment, last)
    while parent[0] is not None and parent[1] is not None:
        yield parent[0], parent[1]
        wanted = {"session": number, "segment": parent[0]}
        parent = next(rows(connection, _sql("select_segment_parent"), wanted), (None, None))


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
