"""Which entries repeat one of an earlier session: found anew with each commit, for what it changes alone.

Forks, exports and copied files repeat entries with their ids. Each is stored, because forgetting one session must not
take a text from another; the table ``copies`` says which ones a sum leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from .lake import LakeSnapshot
from .schema import TABLES

__all__ = ["CopyChanges", "ReadSessions", "count_copies", "mark_copies", "read_changes"]

_MARKS = ("session_key", "pos", "first_session_key", "first_pos")
_PLACE = ("session_key", "pos")

# So many entries are compared at a time: bounded memory, some 250 bytes each.
_COMPARED_ENTRIES = 1 << 19


class CopyChanges(NamedTuple):
    """``rows`` of ``copies`` to add; before, all rows of the ``replaced`` sessions go."""

    replaced: set[str]
    rows: pl.DataFrame


@dataclass(slots=True)
class ReadSessions:
    """Which sessions a run reads, from which place on, and what their ``sessions`` rows say."""

    first_places: dict[str, int] = field(default_factory=dict[str, int])
    rows: dict[str, tuple[Any, ...]] = field(default_factory=dict[str, tuple[Any, ...]])

    def note(self, table: str, rows: pl.DataFrame) -> None:
        """Note what rows of a table say of their sessions."""
        if table == "entries":
            for key, place in rows.group_by("session_key").agg(pl.col("pos").min()).iter_rows():
                self.first_places[key] = min(place or 0, self.first_places.get(key, place or 0))
        elif table == "sessions":
            self.rows.update((row[0], row) for row in _facts(rows.lazy()).collect().iter_rows())

    def discard(self, session_key: str) -> None:
        """Take back what was noted of a session."""
        self.first_places.pop(session_key, None)
        self.rows.pop(session_key, None)


def mark_copies(entries: pl.LazyFrame, sessions: pl.LazyFrame) -> pl.LazyFrame:
    """Mark each entry whose ``copy`` stands in an earlier session, too, with its first.

    Takes (session_key, pos, copy) and ``sessions``; returns ``copies`` without project, in no promised order. First
    is the session that started earliest (one without a time comes last), then by session id and key; within it the
    first entry. What one session repeats is no copy.
    """
    ranked = sessions.sort("started_at", "session_id", "session_key", nulls_last=True).select(
        "session_key", rank=pl.int_range(pl.len())
    )
    placed = entries.join(ranked, on="session_key").sort("rank", "pos")
    firsts = placed.unique("copy", keep="first", maintain_order=True).select(
        "copy", first_session_key="session_key", first_pos="pos"
    )
    return (
        placed.join(firsts, on="copy")
        .filter(pl.col("session_key") != pl.col("first_session_key"))
        .select(_MARKS)
    )


def read_changes(
    before: LakeSnapshot, now: LakeSnapshot, read: ReadSessions, dropped: Collection[str]
) -> CopyChanges:
    """Find what a run changes in ``copies``: the same rows as if all of them were found anew.

    ``now`` has the run's ``entries``; ``before`` is the lake's state without the run.
    """
    if not read.first_places and not dropped:
        return CopyChanges(set(), TABLES["copies"].schema.to_frame())
    sessions = _sessions(before, read, dropped)
    held = before.scan("copies").select(_MARKS)
    # Whose first is gone: another session has the first now, or no other one has it.
    orphaned = held.filter(
        pl.col("first_session_key").is_in(list(dropped)), ~pl.col("session_key").is_in(list(dropped))
    ).collect()
    entries = now.scan("entries").select(*_PLACE, _copy().alias("copy")).filter(pl.col("copy").is_not_null())
    parts = 1 + max(sum(row[-1] or 0 for row in read.rows.values()), 0) // _COMPARED_ENTRIES
    shares = [entries.filter(pl.col("copy") % parts == part) for part in range(parts)]
    members = pl.concat(
        [_shared_entries(share, _touched(share, read.first_places, orphaned)) for share in shares]
    )
    marks = mark_copies(members.lazy(), sessions.lazy()).collect()
    return _changes(held, orphaned, members, marks, sessions, dropped)


def count_copies(snapshot: LakeSnapshot) -> int:
    """Count the entries that repeat one of an earlier session, by what the log says of its files."""
    return sum(file.rows_and_keys()[0] for file in snapshot.logged_files("copies"))


def _copy() -> pl.Expr:
    """Half of the copy key as a number: a quarter of the memory, and still no two alike by chance."""
    return pl.col("copy_key").str.head(16).str.to_integer(base=16, dtype=pl.UInt64, strict=False)


def _sessions(before: LakeSnapshot, read: ReadSessions, dropped: Collection[str]) -> pl.DataFrame:
    gone = [*dropped, *read.rows]
    held = _facts(before.scan("sessions")).filter(~pl.col("session_key").is_in(gone)).collect()
    return pl.concat((held, pl.DataFrame(list(read.rows.values()), schema=held.schema, orient="row")))


def _facts(sessions: pl.LazyFrame) -> pl.LazyFrame:
    """Return what a session's place among the others depends on, its key first, and its entries last."""
    started_at = pl.col("started_at").to_physical()
    return sessions.select("session_key", "project_key", "session_id", started_at, "entries")


def _touched(entries: pl.LazyFrame, first_places: Mapping[str, int], orphaned: pl.DataFrame) -> pl.LazyFrame:
    """Return the copy keys of what was read, and of what has lost its first."""
    schema = {"session_key": pl.String, "first_place": pl.Int32}
    starts = pl.LazyFrame(list(first_places.items()), schema=schema, orient="row")
    read = (
        entries.filter(pl.col("session_key").is_in(list(first_places)))
        .join(starts, on="session_key")
        .filter(pl.col("pos") >= pl.col("first_place"))
        .select("copy")
    )
    left = (
        entries.filter(pl.col("session_key").is_in(orphaned["session_key"].unique().to_list()))
        .join(orphaned.lazy(), on=_PLACE, how="semi")
        .select("copy")
    )
    return pl.concat((read, left)).unique()


def _shared_entries(entries: pl.LazyFrame, touched: pl.LazyFrame) -> pl.DataFrame:
    """Return the entries that several sessions have, of those whose key is ``touched``."""
    keys = touched.collect(engine="streaming")
    sharing = entries.join(keys.lazy(), on="copy", how="semi").group_by("copy")
    shared = (
        sharing.agg(lowest=pl.col("session_key").min(), highest=pl.col("session_key").max())
        .filter(pl.col("lowest") != pl.col("highest"))
        .select("copy")
        .collect(engine="streaming")
    )
    return entries.join(shared.lazy(), on="copy", how="semi").collect(engine="streaming")


def _changes(
    held: pl.LazyFrame,
    orphaned: pl.DataFrame,
    members: pl.DataFrame,
    marks: pl.DataFrame,
    sessions: pl.DataFrame,
    dropped: Collection[str],
) -> CopyChanges:
    """Replace the rows of sessions that have an outdated one; to the others only add."""
    concerned = {*members["session_key"], *orphaned["session_key"]}.difference(dropped)
    known = held.filter(pl.col("session_key").is_in(list(concerned))).collect()
    looked_at = pl.concat((orphaned.select(_PLACE), members.select(_PLACE)))
    outdated = known.join(looked_at, on=_PLACE, how="semi").join(marks, on=_MARKS, how="anti")
    replaced = {*dropped, *outdated["session_key"]}
    is_replaced = pl.col("session_key").is_in(list(replaced))
    rows = pl.concat(
        (
            known.filter(is_replaced).join(looked_at, on=_PLACE, how="anti"),
            marks.filter(is_replaced),
            marks.filter(~is_replaced).join(known, on=_PLACE, how="anti"),
        )
    )
    placed = rows.join(sessions.select("session_key", "project_key"), on="session_key")
    return CopyChanges(replaced, placed.select(TABLES["copies"].schema.names()))
