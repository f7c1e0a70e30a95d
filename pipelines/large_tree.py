"""Tree labels of a log too large for a Python object for each of its ids: the same rules, on sorted columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice

import polars as pl

from .place_index import PlaceIndex
from .sources.records import Link
from .tree import Labels, label_places

__all__ = ["label_links"]

_LINKS_AT_A_TIME = 65_536
_SCHEMA = {"entry_id": pl.String, "parent_id": pl.String, "goes_on": pl.Boolean, "recovered": pl.Boolean}


def label_links(links: Iterable[Link]) -> Labels:
    """Label a session's entries as ``label_tree`` does.

    Memory: some 80 bytes an entry while it works, and half of that afterwards, when ids are short.
    """
    rows = pl.concat([pl.DataFrame(schema=_SCHEMA), *_frames(links)])
    index = _last_places(rows)
    on_tree = bytearray(rows.height)
    for place in index.places:
        on_tree[place] = True
    parents, gaps = _parents(rows, index, on_tree)
    del rows
    labelled = label_places(parents, on_tree)
    opened = list(enumerate(labelled.segment_parents))
    return Labels(0, labelled.segments, labelled.positions, labelled.cut.union(gaps), opened, index.find)


def _frames(links: Iterable[Link]) -> Iterator[pl.DataFrame]:
    """Yield links as rows; an id that is the one before is not repeated as a parent."""
    links = iter(links)
    before: str | None = None
    while part := list(islice(links, _LINKS_AT_A_TIME)):
        ids = [link.entry_id for link in part]
        goes_on = [link.parent_id == one for link, one in zip(part, (before, *ids), strict=False)]
        parent_ids = [None if same else link.parent_id for link, same in zip(part, goes_on, strict=True)]
        recovered = [link.recovered for link in part]
        yield pl.DataFrame([ids, parent_ids, goes_on, recovered], schema=_SCHEMA)
        before = ids[-1]


def _last_places(rows: pl.DataFrame) -> PlaceIndex:
    found = rows.with_row_index("place").filter(~pl.col("recovered"))
    return PlaceIndex(found["entry_id"], found["place"])


def _parents(rows: pl.DataFrame, index: PlaceIndex, on_tree: bytearray) -> tuple[array[int], list[int]]:
    """Return the place of each entry's parent, and the places of those whose parent is in no line."""
    stated = rows.select(
        pl.when("goes_on").then(pl.col("entry_id").shift(1)).otherwise("parent_id").alias("parent_id")
    )
    parents = array("i")
    gaps: list[int] = []
    for part in stated.iter_slices(_LINKS_AT_A_TIME):
        ids = part["parent_id"]
        for parent, is_stated in zip(index.find_all(ids), ids.is_not_null(), strict=True):
            place = len(parents)
            parents.append(parent if on_tree[place] else -1)
            if is_stated and parent < 0 and on_tree[place]:
                gaps.append(place)
    return parents, gaps
