"""The lake on disk: Parquet files that Polars writes, made one state by Delta commits.

A run stages files, then commits each table once, ``sessions`` last; that commit names the versions of all tables.
A reader takes the newest ``sessions`` commit and reads the other tables at the versions it names, so it sees one
state although tables are committed one after the other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import polars as pl
from deltalake import CommitProperties, DeltaTable, Schema
from deltalake.exceptions import DeltaError, TableNotFoundError

from .errors import StoreError
from .schema import LAKE_VERSION, PARTITION, TABLES, Table

__all__ = ["LAKE_VERSION_KEY", "VERSIONS_KEY", "LakeSnapshot", "create_lake", "open_lake"]

# What a commit's metadata says: the versions of all tables, and the version of the schema.
VERSIONS_KEY = "uncompact_versions"
LAKE_VERSION_KEY = "uncompact_lake_version"
_FILE = "__file"


@dataclass(frozen=True, slots=True)
class LakeSnapshot:
    """One state of the lake: each table at the version the newest ``sessions`` commit names."""

    root: Path
    versions: dict[str, int]

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
        try:
            handle = DeltaTable(self.root / table, version=self.versions[table])
        except DeltaError as error:
            raise _damaged(self.root) from error
        return [str(self.root / table / unquote(path)) for path in _relative_paths(handle)]


def create_lake(root: Path) -> None:
    """Make the lake's empty tables where they are missing."""
    for table in TABLES.values():
        DeltaTable.create(
            root / table.name,
            _delta_schema(table),
            mode="ignore",
            partition_by=[PARTITION],
            commit_properties=CommitProperties(custom_metadata={LAKE_VERSION_KEY: LAKE_VERSION}),
        )


def open_lake(root: Path) -> LakeSnapshot:
    """Open the lake's newest state.

    Raises ``StoreError`` when there is no lake, or it is damaged or of another version.
    """
    try:
        sessions = DeltaTable(root / "sessions")
        commit: dict[str, Any] = sessions.history(1)[0]
    except TableNotFoundError as error:
        raise StoreError(
            root, "no lake here", hint="`uncompact reindex` with the same --store makes one"
        ) from error
    except DeltaError as error:
        raise _damaged(root) from error
    found = commit.get(LAKE_VERSION_KEY)
    if found != LAKE_VERSION:
        raise StoreError(
            root,
            f"lake version {found}, this program reads version {LAKE_VERSION}",
            hint="use the program that wrote it, or remove the store folder and run `uncompact reindex`",
        )
    stated: str | None = commit.get(VERSIONS_KEY)
    versions: dict[str, int] = json.loads(stated) if stated else {}
    versions["sessions"] = sessions.version()
    return LakeSnapshot(root, {name: versions.get(name, 0) for name in TABLES})


def _damaged(root: Path) -> StoreError:
    return StoreError(root, "damaged lake", hint="remove the store folder and run `uncompact reindex`")


def _relative_paths(handle: DeltaTable) -> list[str]:
    actions = pl.DataFrame(handle.get_add_actions(flatten=True))
    return sorted(actions["path"].to_list()) if actions.height else []


def _delta_schema(table: Table) -> Schema:
    empty = cast("Any", table.schema.to_frame()).to_arrow()
    return Schema.from_arrow(empty.schema)
