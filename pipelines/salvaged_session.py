"""A session of which rows were lost: its ``sessions`` row restated as what is left, its lost segments found anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from .schema import TABLES

__all__ = ["FACTS", "find_segments", "is_unread", "mark_unread", "restate_session"]

# What restating needs to know of each entry that is left, ``text_chars`` instead of the text.
FACTS = (
    "session_key",
    "pos",
    "entry_id",
    "parent_id",
    "created_at",
    "on_tree",
    "gap",
    "segment",
    "position",
    "chain",
)


def mark_unread(row: Mapping[str, Any]) -> dict[str, Any]:
    """Mark a session so that its log, if there is one, is taken for a rewritten one and read whole."""
    return {**row, "digest": "", "file_ctime_ns": 0}


def is_unread(row: Mapping[str, Any]) -> bool:
    """Tell whether a session is marked so: not all of its rows are there."""
    return not row["digest"]


def restate_session(row: Mapping[str, Any], facts: pl.DataFrame, counts: Mapping[str, int]) -> dict[str, Any]:
    """Restate a ``sessions`` row as what is left, to be read anew; times are microseconds.

    ``facts`` has FACTS and ``text_chars`` of the entries in file order; ``counts`` the rows of other tables.
    """
    shown = facts.filter("on_tree")
    last_at = facts["created_at"].to_physical().max() if facts.height else None
    left = {
        "entries": facts.height,
        "branches": counts["segments"],
        "compactions": counts["compactions"],
        "rejects": counts["rejects"],
        "text_chars": int(facts["text_chars"].sum()),
        "last_at": last_at,
        "leaf": shown["entry_id"].last() if shown.height else None,
        "leaf_pos": shown["pos"].last() if shown.height else None,
        "fingerprint": facts["chain"].last() if facts.height else "",
    }
    return mark_unread({**row, **left})


def find_segments(facts: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
    """Return ``segments`` rows of one session that its entries tell and ``held`` has not.

    A segment leaves the one of its first entry's parent; see ``tree``.
    """
    on_tree = facts.filter("on_tree")
    first = on_tree.filter(pl.col("position") == 0).join(held, on="segment", how="anti")
    parents = on_tree.select(
        parent_id="entry_id", parent_segment="segment", parent_position="position"
    ).unique("parent_id", keep="last", maintain_order=True)
    openers = first.with_columns(pl.when(~pl.col("gap")).then("parent_id").alias("parent_id"))
    found = openers.join(parents, on="parent_id", how="left", maintain_order="left")
    schema = TABLES["segments"].schema
    return found.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
