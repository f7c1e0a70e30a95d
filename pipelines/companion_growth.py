"""Which sessions of the companion are a beginning of what the lake has, every row of it as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from .lake import LakeSnapshot

__all__ = ["grown_sessions"]


def grown_sessions(
    snapshot: LakeSnapshot, sessions: Mapping[str, Mapping[str, Any]], held: Mapping[str, tuple[int, str]]
) -> set[str]:
    """Return the keys of sessions that only went on since the companion had ``held``: (entries, fingerprint) by key.

    A session whose later entries took over the id of an earlier one, or have an id that an earlier one names, is
    not among them: there the labels and places of the earlier rows are other ones now.
    """
    longer = {
        key: known
        for key, known in held.items()
        if key in sessions and 0 < known[0] < sessions[key]["entries"]
    }
    if not longer:
        return set()
    last = pl.LazyFrame(
        [(key, entries - 1, chain) for key, (entries, chain) in longer.items()],
        schema={"session_key": pl.String, "last": pl.Int32, "held_chain": pl.String},
        orient="row",
    )
    projects = list({sessions[key]["project_key"] for key in longer})

    def rows_of(table: str) -> pl.LazyFrame:
        frame = snapshot.scan(table).filter(
            pl.col("project_key").is_in(projects), pl.col("session_key").is_in(list(longer))
        )
        return frame.join(last, on="session_key")

    entries = rows_of("entries")
    begun = entries.filter(pl.col("pos") == pl.col("last"), pl.col("chain") == pl.col("held_chain"))
    later = entries.filter(pl.col("pos") > pl.col("last")).select("session_key", named="entry_id")
    named = [
        rows.filter(pl.col("pos") <= pl.col("last")).select("session_key", named=column)
        for rows, column in (
            (entries, "entry_id"),
            (entries, "parent_id"),
            (rows_of("compaction_keeps"), "kept_id"),
            (rows_of("context_edits"), "target_id"),
        )
    ]
    changed = pl.concat(named).join(later, on=("session_key", "named"), how="semi")
    found = begun.join(changed, on="session_key", how="anti").select("session_key").collect()
    return set(found["session_key"].to_list())
