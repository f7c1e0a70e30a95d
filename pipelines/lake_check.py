"""Is the lake what the last run wrote? Quickly, by what the logs state of each file, or by reading all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from .findings import Finding
from .lake import LakeSnapshot, is_older, is_unfinished, stated_versions, wrong_version
from .lake_claims import sessions_of_a_lost_commit
from .lake_file import REPAIR, file_problem, is_as_written, is_panic
from .lake_log import LOG_FOLDER, TableLog, read_table_log
from .salvaged_session import is_unread
from .schema import LAKE_VERSION, PARTITION, TABLES

__all__ = ["LakeCheck", "check_lake", "inspect_lake"]


@dataclass(slots=True)
class LakeCheck:
    """What a check found, and which versions of the tables are the lake's state: none when that cannot be told.

    ``is_empty`` tells that there is no lake, or one that nothing was written to yet.
    """

    root: Path
    findings: list[Finding] = field(default_factory=list[Finding])
    versions: dict[str, int] = field(default_factory=dict[str, int])
    is_current: bool = True
    is_empty: bool = False

    def add(self, place: Path | str, problem: str) -> None:
        """Note something that is wrong."""
        self.findings.append(Finding(str(place), problem, REPAIR))


def check_lake(root: Path, *, deep: bool = False) -> list[Finding]:
    """Find what is damaged in a lake.

    Every file must be there with the size its log states, and begin and end as Parquet files do. With ``deep`` each
    is read through and must have its checksum, and rows of different tables must agree. A missing lake is none.
    Raises ``StoreError`` for a lake of a newer version, ``OSError`` for one that cannot be looked at.
    """
    return inspect_lake(root, deep=deep).findings


def inspect_lake(root: Path, *, deep: bool = False) -> LakeCheck:
    """Check a lake as ``check_lake`` does, and say what its state is."""
    check = LakeCheck(root)
    if not root.is_dir():
        if os.path.lexists(root):
            check.add(root, "is not a folder")
        check.is_empty = not check.findings
        return check
    logs = {table: read_table_log(root / table) for table in TABLES}
    if is_unfinished(root, logs):
        check.is_empty = True
        return check
    stated = stated_versions(logs["sessions"])
    if stated.lake is not None and stated.lake != LAKE_VERSION:
        if not is_older(stated.lake):
            raise wrong_version(root, stated.lake)
        check.is_current = False
        check.versions = dict(stated.tables or {})
        check.add(root, f"is of lake version {stated.lake}, this program writes version {LAKE_VERSION}")
        return check
    if stated.tables is None and not logs["sessions"].damage:
        check.add(root / "sessions" / LOG_FOLDER, "names no versions")
    if not logs["sessions"].damage:
        check.versions = dict(stated.tables or {})
    for table, log in logs.items():
        _check_table(check, table, log, deep=deep)
    if not check.findings:
        _check_last_commit(check, logs)
    if deep and not check.findings:
        _check_rows(check)
    return check


def _check_table(check: LakeCheck, table: str, newest: TableLog, *, deep: bool) -> None:
    version = check.versions.get(table, newest.newest)
    log = newest if version == newest.version else read_table_log(newest.folder, version)
    for place, problem in dict((*newest.damage, *log.damage)).items():
        check.add(place, problem)
    for file in log.files.values():
        path = f"{log.folder}/{file.name}"
        found = file_problem(path, file.size)
        if found is None and deep and not is_as_written(Path(path)):
            found = "is not what was written"
        if found is not None:
            check.add(path, found)
    if deep and not log.damage:
        _check_library(check, log)


def _check_library(check: LakeCheck, log: TableLog) -> None:
    """Let the Delta library read what runs write through it."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        actions = pl.DataFrame(DeltaTable(log.folder, version=log.version).get_add_actions(flatten=True))
    except BaseException as error:
        if not (isinstance(error, DeltaError) or is_panic(error)):
            raise
        check.add(log.folder / LOG_FOLDER, f"cannot be read ({type(error).__name__})")
        return
    if set(actions["path"] if actions.height else ()) != set(log.files):
        check.add(log.folder / LOG_FOLDER, "is not what was written")


def _check_last_commit(check: LakeCheck, logs: dict[str, TableLog]) -> None:
    """Find sessions that a run had written all rows of but for its last commit, whose logs are gone since."""
    if all(log.newest == check.versions[table] for table, log in logs.items()):
        return
    for claim in sessions_of_a_lost_commit(check.root, check.versions["sessions"]):
        check.add(str(claim.row["path"]), "is not in the lake's state: the last commit of a run is missing")


def _check_rows(check: LakeCheck) -> None:
    """Compare what the tables say of each session; one whose rows are known to be incomplete is left out."""
    try:
        for place, problem in _disagreements(LakeSnapshot(check.root, check.versions)):
            check.add(place, problem)
    except BaseException as error:
        if not (isinstance(error, pl.exceptions.PolarsError) or is_panic(error)):
            raise
        check.add(check.root, f"cannot be read ({type(error).__name__})")


def _disagreements(lake: LakeSnapshot) -> Iterator[tuple[str, str]]:
    counted = {"segments": "branches", "compactions": "compactions", "rejects": "rejects"}
    key = ("session_key", PARTITION)
    entries = (
        lake.scan("entries")
        .group_by(key)
        .agg(found=pl.len(), places=pl.col("pos").n_unique(), chain=pl.col("chain").sort_by("pos").last())
    )
    joined = lake.scan("sessions").with_columns(has_row=True, times=pl.len().over("session_key"))
    for counts in (
        entries,
        *(_count(lake, table, key) for table in TABLES if table not in ("entries", "sessions")),
    ):
        joined = joined.join(counts, on=key, how="full", coalesce=True)
    table_counts = [f"found_{table}" for table in TABLES if table not in ("entries", "sessions")]
    rows = joined.with_columns(pl.col("found", "places", *table_counts).fill_null(0)).collect(
        engine="streaming"
    )
    for row in rows.sort(key).iter_rows(named=True):
        problem = _problem_of(row, {column: f"found_{table}" for table, column in counted.items()})
        if problem:
            yield row["path"] or f"session {row['session_key']}", problem


def _count(lake: LakeSnapshot, table: str, key: tuple[str, ...]) -> pl.LazyFrame:
    return lake.scan(table).group_by(key).agg(pl.len().alias(f"found_{table}"))


def _problem_of(row: dict[str, Any], counted: dict[str, str]) -> str | None:
    if not row["has_row"]:
        return "has rows in other tables, but none in `sessions`"
    if row["times"] > 1:
        return f"has {row['times']} rows in `sessions`"
    if is_unread(row):
        return None
    if row["places"] != row["found"]:
        return "has several rows for one entry"
    if row["found"] != row["entries"]:
        return f"has {row['found']:,} entries instead of {row['entries']:,}"
    if row["found"] and row["chain"] != row["fingerprint"]:
        return "has another last entry than was read"
    for column, found in counted.items():
        if row[found] != row[column]:
            return f"has {row[found]:,} {column} instead of {row[column]:,}"
    return None
