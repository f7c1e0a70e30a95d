"""Sessions of a damaged lake that are not as they were: what is left of each, from all files there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from .lake_claims import Claim
from .lake_stock import OUT_OF_USE, DataFile, read_light, read_rows
from .salvaged_entries import FoundEntry, pick_entries
from .salvaged_project import COUNTED, ROW, Project, newest_rows
from .salvaged_session import FACTS, find_segments, restate_session
from .schema import PARTITION, TABLES

__all__ = ["Outcome", "SavedSession", "salvage_rest"]

_ENTRY = ("session_key", "pos", "chain", "raw_sha256", "entry_id")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a session: how many rows were saved of tables where they can be counted.

    Rows of the tables in ``lacking`` may be missing; of some of them the ``sessions`` row tells how many.
    """

    claim: Claim
    saved: Mapping[str, int]
    is_as_it_was: bool
    is_log_gone: bool
    lacking: tuple[str, ...] = ()

    @property
    def is_lossy(self) -> bool:
        """Tell whether something of it is neither saved nor in a log."""
        return self.is_log_gone and not self.is_as_it_was and bool(self.lacking)


@dataclass(frozen=True, slots=True)
class SavedSession:
    """What is left of a session: its rows by table, segments found anew, and its row, if it gets one."""

    rows: Mapping[str, pl.DataFrame]
    segments: pl.DataFrame
    row: Mapping[str, Any] | None
    outcome: Outcome


def salvage_rest(
    project: Project, state: Mapping[str, pl.DataFrame], keys: Sequence[str]
) -> list[SavedSession]:
    """Return what is left of some sessions; ``state`` has the rows that are their tables' own."""
    if not keys:
        return []
    files = project.files["entries"]
    found = read_light("entries", files, _ENTRY).filter(pl.col("session_key").is_in(list(keys)))
    columns = found.select(*_ENTRY, "standing", "run", *ROW)
    candidates = columns.partition_by("session_key", as_dict=True, include_key=False)
    picked = {key: _pick(project, project.claims[key], candidates.get((key,))) for key in keys}
    facts = _read_facts(files, pl.concat(picked.values()))
    owned = {table: frame.partition_by("session_key", as_dict=True) for table, frame in state.items()}
    saved: list[SavedSession] = []
    for key in keys:
        own = {table: owned[table].get((key,), frame.clear()) for table, frame in state.items()}
        saved.append(
            _salvage_session(project, project.claims[key], own, picked[key], facts.get((key,), _no_facts()))
        )
    return saved


def _pick(project: Project, claim: Claim, found: pl.DataFrame | None) -> pl.DataFrame:
    stock = project.wreck.stocks["entries"]
    trusts_all = not stock.has_log or project.wreck.may_lack("entries", claim)
    picked = pick_entries(
        () if found is None else (FoundEntry(*row) for row in found.iter_rows()),
        claim.row["fingerprint"] if claim.is_exact else None,
        claim.row["entries"] if claim.is_exact else None,
        least_standing=OUT_OF_USE if trusts_all else OUT_OF_USE + 1,
    )
    schema = {"pos": pl.Int32(), "file": pl.UInt32(), "row": pl.UInt32()}
    return pl.DataFrame([(one.pos, one.file, one.row) for one in picked], schema=schema, orient="row")


def _read_facts(files: Sequence[DataFile], picked: pl.DataFrame) -> dict[tuple[Any, ...], pl.DataFrame]:
    """Read what restating sessions needs to know of their entries, file by file: texts are not held."""
    parts: list[pl.DataFrame] = []
    for (at,), rows in picked.partition_by("file", as_dict=True).items():
        frame = read_rows("entries", files[int(at)], (PARTITION, *FACTS, "text"))
        chars = pl.col("text").str.len_chars().alias("text_chars")
        parts.append(frame.join(rows, on="row", how="semi").with_columns(chars).drop("text", "row"))
    return pl.concat(parts).sort("pos").partition_by("session_key", as_dict=True) if parts else {}


def _no_facts() -> pl.DataFrame:
    chars = pl.lit(0, pl.UInt32).alias("text_chars")
    return TABLES["entries"].schema.to_frame().select(PARTITION, *FACTS, chars).clear()


def _salvage_session(
    project: Project,
    claim: Claim,
    state: Mapping[str, pl.DataFrame],
    picked: pl.DataFrame,
    facts: pl.DataFrame,
) -> SavedSession:
    rows = {
        table: _side_rows(project, table, claim, frame, facts)
        for table, frame in state.items()
        if table != "entries"
    }
    segments = find_segments(facts, rows["segments"])
    counts = {table: frame.height for table, frame in rows.items()} | {"entries": facts.height}
    counts["segments"] += segments.height
    lacking = _lacking(project, claim, counts)
    is_gone = project.wreck.is_log_gone(claim)
    row: Mapping[str, Any] | None = None
    if is_gone and not lacking and facts["chain"].last() == claim.row["fingerprint"]:
        row = claim.row
    elif any(counts.values()) or claim.is_stated:
        row = restate_session(claim.row, facts, counts)
    return SavedSession(
        {"entries": picked.select(ROW), **{table: frame.select(ROW) for table, frame in rows.items()}},
        segments,
        row,
        Outcome(claim, counts, row is claim.row, is_gone, lacking),
    )


def _lacking(project: Project, claim: Claim, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the tables that lost rows of a session, or may have."""
    if not claim.is_exact:
        return ("sessions", *(table for table in counts if project.wreck.may_lack(table, claim)))
    stated = {table: claim.row[column] for table, column in (*COUNTED.items(), ("entries", "entries"))}
    return tuple(
        table
        for table, count in counts.items()
        if (count < stated[table] if table in stated else project.wreck.may_lack(table, claim))
    )


def _side_rows(
    project: Project, table: str, claim: Claim, state: pl.DataFrame, facts: pl.DataFrame
) -> pl.DataFrame:
    """Return a session's rows in a table; what is out of use counts only where something may be missing.

    Of that only rows that belong to an entry which is left.
    """
    has_all = project.wreck.stocks[table].has_log and not project.wreck.may_lack(table, claim)
    if has_all and not claim.is_uncommitted:
        return state
    rows = project.rows_out_of_use(table, claim.key)
    place = next((name for name in ("pos", "segment") if name in rows.columns), None)
    if place is not None:
        rows = rows.join(facts, on=place, how="semi")
    return newest_rows(table, pl.concat((state, rows)))
