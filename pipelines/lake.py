"""The lake on disk: Parquet files that Polars writes, made one state by Delta commits.

A run stages files, then commits each table once, ``sessions`` last; that commit names the versions of all tables.
A reader takes the newest ``sessions`` commit and reads the other tables at the versions it names, so it sees one
state although tables are committed one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec
import polars as pl

from .errors import StoreError
from .lake_file import DamagedLakeError
from .lake_log import LOG_FOLDER, LoggedFile, TableLog, read_table_log
from .schema import LAKE_VERSION, PARTITION, TABLES, Table

__all__ = [
    "LAKE_VERSION_KEY",
    "VERSIONS_KEY",
    "LakeSnapshot",
    "StatedVersions",
    "create_lake",
    "is_older",
    "is_unfinished",
    "open_lake",
    "stated_versions",
    "wrong_version",
]

# What a commit's metadata says: the versions of all tables, and the version of the schema.
VERSIONS_KEY = "uncompact_versions"
LAKE_VERSION_KEY = "uncompact_lake_version"
_FILE = "__file"

# When a foreign writer cleans a table up, what a reader of the last day may use stays.
_CONFIGURATION = {
    "delta.logRetentionDuration": "interval 1 days",
    "delta.deletedFileRetentionDuration": "interval 1 days",
}


@dataclass(frozen=True, slots=True)
class LakeSnapshot:
    """One state of the lake: each table at the version the newest ``sessions`` commit names."""

    root: Path
    versions: dict[str, int]
    _files: dict[str, list[LoggedFile]] = field(
        default_factory=dict[str, list[LoggedFile]], repr=False, compare=False
    )

    def scan(self, table: str) -> pl.LazyFrame:
        """Return a table's rows, in no promised order."""
        schema = TABLES[table].schema
        files = self.files(table)
        if not files:
            return pl.DataFrame(schema=schema).lazy()
        # Only our own partition counts: a folder above the store may look like one, too.
        frame = pl.scan_parquet(files, glob=False, hive_partitioning=False, include_file_paths=_FILE)
        project = pl.col(_FILE).str.extract(f"{PARTITION}=([^/\\\\]*)[/\\\\][^/\\\\]*$").alias(PARTITION)
        return frame.with_columns(project).select(schema.names())

    def files(self, table: str) -> list[str]:
        """Return a table's Parquet files; ``project_key`` is not in them but in their folders' names.

        Plain paths, although Delta states them as URLs: Polars and DuckDB would take an escaped blank literally.
        """
        return [str(self.root / table / file.name) for file in self.logged_files(table)]

    def logged_files(self, table: str) -> list[LoggedFile]:
        """Return a table's files as its log states them, by path.

        Raises ``StoreError`` when the log is damaged, or so much later that this state is no longer in it.
        """
        if table not in self._files:
            log = read_table_log(self.root / table, self.versions[table])
            if log.damage:
                raise _unreadable_log(self.root, log)
            self._files[table] = [log.files[path] for path in sorted(log.files)]
        return self._files[table]


@dataclass(frozen=True, slots=True)
class StatedVersions:
    """What the newest ``sessions`` commit of a run says; ``None`` for what no commit says."""

    lake: int | None
    tables: Mapping[str, int] | None


def stated_versions(sessions: TableLog) -> StatedVersions:
    """Return what the newest commit of ours says: another program may have committed after it."""
    for version in sorted(sessions.infos, reverse=True):
        info = sessions.infos[version]
        if LAKE_VERSION_KEY in info:
            stated = _decode_versions(info.get(VERSIONS_KEY, "{}"))
            tables = {name: stated.get(name, 0) for name in TABLES} | {"sessions": version}
            return StatedVersions(info[LAKE_VERSION_KEY], tables)
    return StatedVersions(None, None)


def _decode_versions(stated: str) -> dict[str, int]:
    try:
        return msgspec.json.decode(stated, type=dict[str, int])
    except msgspec.DecodeError:
        return {}


def create_lake(root: Path) -> None:
    """Make the lake's empty tables where they are missing."""
    missing = [table for table in TABLES.values() if not (root / table.name / LOG_FOLDER).is_dir()]
    if not missing:
        return
    # Whoever only reads a lake need not wait for this import.
    from deltalake import CommitProperties, DeltaTable

    for table in missing:
        DeltaTable.create(
            root / table.name,
            _delta_schema(table),
            mode="ignore",
            partition_by=[PARTITION],
            configuration=_CONFIGURATION,
            commit_properties=CommitProperties(custom_metadata={LAKE_VERSION_KEY: LAKE_VERSION}),
        )


def open_lake(root: Path) -> LakeSnapshot:
    """Open the lake's newest state.

    Raises ``StoreError`` when there is no lake, or it is damaged or of another version.
    """
    if not (root / "sessions").exists():
        raise _missing(root)
    sessions = read_table_log(root / "sessions")
    if sessions.damage:
        # A first run may be making the tables just now, or was killed while it did.
        if is_unfinished(root, {table: read_table_log(root / table) for table in TABLES}):
            raise _missing(root)
        raise DamagedLakeError(*sessions.damage[0])
    stated = stated_versions(sessions)
    if stated.tables is None:
        raise DamagedLakeError(root / "sessions" / LOG_FOLDER, "names no version")
    if stated.lake != LAKE_VERSION:
        raise wrong_version(root, stated.lake)
    newest = stated.tables["sessions"] == sessions.version
    known = {"sessions": [sessions.files[path] for path in sorted(sessions.files)]} if newest else {}
    return LakeSnapshot(root, dict(stated.tables), known)


def is_unfinished(root: Path, logs: Mapping[str, TableLog]) -> bool:
    """Tell whether there is nothing yet: no lake, or one that is being made for the first time."""
    is_empty = all(log.newest <= 0 and not log.files for log in logs.values())
    return is_empty and logs["sessions"].newest < 0 and next(root.glob("*/*/*.parquet"), None) is None


def is_older(found: object) -> bool:
    """Tell whether a stated lake version is one before ours."""
    return isinstance(found, int) and found < LAKE_VERSION


def wrong_version(root: Path, found: int | None) -> StoreError:
    """Return the error for a lake of another version; a newer one has to be left alone."""
    hint = "`uncompact reindex` builds it anew" if is_older(found) else "use the program that wrote it"
    return StoreError(root, f"lake version {found}, this program reads version {LAKE_VERSION}", hint=hint)


def _missing(root: Path) -> StoreError:
    return StoreError(root, "no lake here", hint="`uncompact reindex` with the same --store makes one")


def _unreadable_log(root: Path, log: TableLog) -> StoreError:
    place, problem = log.damage[0]
    if log.is_cut:
        return StoreError(root, "has moved on since it was opened", hint="open it again")
    return DamagedLakeError(place, problem)


def _delta_schema(table: Table) -> Any:
    from deltalake import Schema

    empty = cast("Any", table.schema.to_frame()).to_arrow()
    return Schema.from_arrow(empty.schema)
