"""Sessions of the lake to slices that the companion takes: bounded groups of sessions, or stretches of a large one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import polars as pl
import polars.selectors as cs

from .call_labels import CallRow
from .companion_rows import ENTRY_COLUMNS, SessionSlice
from .lake import LakeSnapshot
from .schema import TABLES

__all__ = ["SliceReader", "group_sessions", "stretches"]

# Sessions are loaded in groups of about so many characters, and a larger one in stretches: bounded memory.
GROUP_CHARS = 8 << 20

_Session = Mapping[str, Any]

_SEGMENT_COLUMNS = ("segment", "parent_segment", "parent_position")
# A column of ids that entries name although no line has them.
_NAMED = "named"
_FILE = "__file"

_TABLES = ("entries", "tool_calls", "segments", "compactions", "compaction_keeps", "context_edits")


def group_sessions(sessions: Iterable[_Session]) -> Iterator[list[_Session]]:
    """Group sessions that are loaded together."""
    group: list[_Session] = []
    chars = 0
    for session in sessions:
        size = int(session["text_chars"])
        if group and chars + size > GROUP_CHARS:
            yield group
            group, chars = [], 0
        group.append(session)
        chars += size
    if group:
        yield group


def stretches(sessions: Sequence[_Session], first: int = 0) -> Iterator[tuple[int, int]]:
    """Yield ranges of places from ``first`` on that hold about a group's characters each; the last has no end."""
    entries = max(session["entries"] for session in sessions)
    chars = sum(session["text_chars"] for session in sessions)
    step = max(entries * GROUP_CHARS // max(chars, 1), 1)
    while first + step < entries:
        yield first, first + step
        first += step
    yield first, 1 << 31


class SliceReader:
    """Reads slices of one state of the lake: of each table only the files that have rows of the sessions."""

    def __init__(self, snapshot: LakeSnapshot) -> None:
        self._snapshot = snapshot

    def read(
        self, sessions: Sequence[_Session], first: int, end: int, first_segment: int | None
    ) -> Iterator[tuple[str, SessionSlice]]:
        """Read entries from place ``first`` to ``end`` of sessions, with what belongs to them: by session key.

        Segments come from ``first_segment`` on, or not at all.
        """
        tables = {name: self._of(name, sessions) for name in _TABLES}
        for name in ("entries", "tool_calls", "compactions", "context_edits"):
            tables[name] = tables[name].filter(pl.col("pos").is_between(first, end - 1))
        opened = pl.lit(False) if first_segment is None else pl.col("segment") >= first_segment
        frames = pl.collect_all(
            [
                _entry_columns(tables["entries"]),
                tables["tool_calls"].sort("pos", "ordinal").select("session_key", *CallRow._fields),
                tables["segments"].filter(opened).select("session_key", *_SEGMENT_COLUMNS),
                _compaction_columns(tables["compactions"], tables["compaction_keeps"]),
                tables["context_edits"].select(
                    "session_key", "pos", "target_pos", "removes", _unplaced("target_id", "target_pos")
                ),
            ]
        )
        return _slices(*frames)

    def _of(self, table: str, sessions: Sequence[_Session]) -> pl.LazyFrame:
        keys = [session["session_key"] for session in sessions]
        files = sorted({file for key in keys for file in self._places[table].get(key, ())})
        if not files:
            return TABLES[table].schema.to_frame().lazy().with_columns(cs.datetime().to_physical())
        rows = pl.scan_parquet(files, glob=False, hive_partitioning=False)
        return rows.filter(pl.col("session_key").is_in(keys)).with_columns(cs.datetime().to_physical())

    @cached_property
    def _places(self) -> dict[str, dict[str, list[str]]]:
        """The files that have rows of a session, by table and its key."""
        return {table: _files_by_session(self._snapshot.files(table)) for table in _TABLES}


def _files_by_session(files: list[str]) -> dict[str, list[str]]:
    if not files:
        return {}
    rows = pl.scan_parquet(files, glob=False, hive_partitioning=False, include_file_paths=_FILE)
    places = rows.select("session_key", _FILE).unique().collect()
    return dict(places.group_by("session_key").agg(_FILE).iter_rows())


def _entry_columns(entries: pl.LazyFrame) -> pl.LazyFrame:
    return (
        entries.with_columns(
            pl.col("text").str.len_chars().alias("text_chars"),
            pl.col("text").cast(pl.Binary),
            pl.when("gap").then("parent_id").alias(_NAMED),
        )
        .select("session_key", *ENTRY_COLUMNS, _NAMED)
        .sort("session_key", "pos")
    )


def _compaction_columns(compactions: pl.LazyFrame, keeps: pl.LazyFrame) -> pl.LazyFrame:
    kept = keeps.select("session_key", "pos", "kept_id", "kept_pos")
    return compactions.join(kept, on=("session_key", "pos"), how="left").select(
        "session_key", "pos", "kept_pos", _unplaced("kept_id", "kept_pos")
    )


def _unplaced(named: str, place: str) -> pl.Expr:
    """Return an id that an entry names where no line has it."""
    return pl.when(pl.col(place).is_null()).then(named).alias(_NAMED)


def _slices(
    entries: pl.DataFrame,
    calls: pl.DataFrame,
    segments: pl.DataFrame,
    compactions: pl.DataFrame,
    edits: pl.DataFrame,
) -> Iterator[tuple[str, SessionSlice]]:
    made, opened, compacted, edited = map(_by_session, (calls, segments, compactions, edits))
    for key, columns in _columns_by_session(entries):
        compactions_of, edits_of = compacted.get(key, []), edited.get(key, [])
        named = (*columns.pop(_NAMED), *(row[-1] for row in compactions_of), *(row[-1] for row in edits_of))
        yield (
            key,
            SessionSlice(
                entries=columns,
                tool_calls=[CallRow(*row) for row in made.get(key, ())],
                segments=[(segment, parent, position) for segment, parent, position in opened.get(key, ())],
                compactions=[(pos, kept) for pos, kept, _ in compactions_of],
                context_edits=[(pos, target, removes) for pos, target, removes, _ in edits_of],
                awaited=[entry_id for entry_id in named if entry_id is not None],
            ),
        )


def _by_session(frame: pl.DataFrame) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {}
    for key, *row in frame.iter_rows():
        found.setdefault(key, []).append(tuple(row))
    return found


def _columns_by_session(entries: pl.DataFrame) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Yield each session's columns of a frame that is sorted by session."""
    columns = {name: entries[name].to_list() for name in entries.columns if name != "session_key"}
    first = 0
    for key, length in entries.group_by("session_key", maintain_order=True).len().iter_rows():
        yield key, {name: values[first : first + length] for name, values in columns.items()}
        first += length
