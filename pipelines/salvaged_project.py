"""One project of a damaged lake: the keys of all rows that can be read, and which of them are the tables' own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from .lake_claims import Claim, LogPlace, is_log_gone
from .lake_stock import OUT_OF_USE, DataFile, TableStock, read_light
from .schema import TABLES

__all__ = ["COUNTED", "ROW", "Project", "Wreck", "newest_rows"]

# Of these tables the ``sessions`` row tells how many rows a session has, and in which column.
COUNTED = {"segments": "branches", "compactions": "compactions", "rejects": "rejects"}
# Where a row was found: the number of its file among the project's, and its place there.
ROW = ("file", "row")


@dataclass(frozen=True, slots=True)
class Wreck:
    """A damaged lake: the stock of each table, the sessions it should hold and the logs there are.

    Without ``has_versions`` nobody knows whether the newest commits of the tables are the lake's.
    """

    stocks: Mapping[str, TableStock]
    claims: Mapping[str, Claim]
    logs: Mapping[str, LogPlace]
    has_versions: bool
    is_current: bool

    def may_lack(self, table: str, claim: Claim) -> bool:
        """Tell whether rows of a session may be missing from a table; a lake of another version may not have it."""
        stock = self.stocks[table]
        return not (stock.is_gone and not self.is_current) and stock.may_lack(claim.project, claim.key)

    def is_log_gone(self, claim: Claim) -> bool:
        """Tell whether a session cannot be read anew."""
        return is_log_gone(claim, self.logs)


@dataclass(slots=True)
class Project:
    """A project's claims, all files of each table but ``sessions``, and the keys of the claimed sessions' rows.

    ``sizes`` tells how many rows could be read of each file.
    """

    wreck: Wreck
    name: str
    claims: Mapping[str, Claim]
    files: dict[str, list[DataFile]] = field(default_factory=dict[str, list[DataFile]])
    keys: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    sizes: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _parts: dict[str, dict[tuple[Any, ...], pl.DataFrame]] = field(
        default_factory=dict[str, dict[tuple[Any, ...], pl.DataFrame]]
    )

    def __post_init__(self) -> None:
        for table, stock in self.wreck.stocks.items():
            if table != "sessions":
                self.files[table] = [file for file in stock.files if file.project == self.name]
                keys = read_light(table, self.files[table], _key_columns(table))
                self.sizes[table] = dict(keys.group_by("file").len().iter_rows())
                self.keys[table] = keys.filter(pl.col("session_key").is_in(list(self.claims)))

    def rows_out_of_use(self, table: str, session_key: str) -> pl.DataFrame:
        """Return the rows found of a session that are no part of the table."""
        if table not in self._parts:
            unused = self.keys[table].filter(pl.col("standing") == OUT_OF_USE)
            self._parts[table] = unused.partition_by("session_key", as_dict=True)
        return self._parts[table].get((session_key,), self.keys[table].clear())

    def rows_of_state(self, table: str) -> pl.DataFrame:
        """Return the rows that the table has, as far as that is known: one for each key, below the claimed end."""
        rows = self.keys[table].filter(pl.col("standing") > OUT_OF_USE)
        if "pos" in rows.columns:
            ends = {key: claim.row["entries"] for key, claim in self.claims.items() if claim.is_exact}
            end = pl.col("session_key").replace_strict(ends, default=None, return_dtype=pl.Int32)
            rows = rows.filter((pl.col("pos") < end).fill_null(True))
        return rows if self.wreck.stocks[table].has_log else newest_rows(table, rows)

    def whole_sessions(self, state: Mapping[str, pl.DataFrame]) -> set[str]:
        """Return the sessions whose rows agree with their ``sessions`` row, and of which no file lost a row.

        Of a table whose log or version is lost nobody knows whether it has rows of long ago, or lacks some. Where
        they cannot be counted, a session is not among these while it can be read anew.
        """
        entries = state["entries"].group_by("session_key")
        held = entries.agg(
            pl.len(),
            pl.col("pos").n_unique().alias("places"),
            pl.col("pos").max(),
            pl.col("chain").sort_by("pos").last(),
        )
        found = {key: tuple(values) for key, *values in held.iter_rows()}
        counts = {table: dict(state[table].group_by("session_key").len().iter_rows()) for table in COUNTED}
        uncounted = [table for table in self.files if table != "entries" and table not in COUNTED]
        is_doubtful = not self.wreck.has_versions or not all(
            self.wreck.stocks[table].has_log for table in uncounted
        )
        return {
            key
            for key, claim in self.claims.items()
            if claim.is_exact
            and _agrees(claim.row, found.get(key))
            and all(counts[table].get(key, 0) == claim.row[column] for table, column in COUNTED.items())
            and not any(self.wreck.may_lack(table, claim) for table in self.files)
            and not (is_doubtful and not self.wreck.is_log_gone(claim))
        }


def newest_rows(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return for each key the rows of the file that comes first: by standing, then the latest run."""
    key = TABLES[table].order
    ordered = rows.sort("standing", "run", "file", descending=True, maintain_order=True)
    first = ordered.unique(key, keep="first", maintain_order=True)
    return rows.join(first, on=(*key, "file"), how="semi", nulls_equal=True)


def _agrees(row: Mapping[str, Any], found: tuple[Any, ...] | None) -> bool:
    count = row["entries"]
    return found == (count, count, count - 1, row["fingerprint"]) if count else found is None


def _key_columns(table: str) -> tuple[str, ...]:
    return (*TABLES[table].order, "chain") if table == "entries" else TABLES[table].order
