"""Rows of a lake with the few values that a test is about, and runs that write them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import polars as pl
from deltalake import DeltaTable

from uncompact.pipelines.lake import LakeSnapshot, open_lake
from uncompact.pipelines.lake_writer import LakeWriter
from uncompact.pipelines.schema import TABLES


def rows(table: str, *values: dict[str, Any]) -> pl.DataFrame:
    """Make rows of a table; what a row does not state is null, or empty where the table wants something."""
    columns = TABLES[table].columns
    blanks = {column.name: None if not column.required else _blank(column.dtype) for column in columns}
    return pl.DataFrame([{**blanks, **row} for row in values], schema=TABLES[table].schema)


def session_rows(key: str, *texts: str, project: str = "p-1") -> dict[str, pl.DataFrame]:
    """Make a session whose entries have these texts."""
    own = {"project_key": project, "session_key": key}
    entries = [{**own, "pos": at, "entry_id": f"{key}{at}", "text": text} for at, text in enumerate(texts)]
    stated = {"session_id": key, "entries": len(texts), "state": "present", "digest": "d"}
    return {"entries": rows("entries", *entries), "sessions": rows("sessions", {**own, **stated})}


def write(
    lake: Path, run: str, *sessions: dict[str, pl.DataFrame], dropped: Collection[str] = ()
) -> LakeSnapshot:
    """Commit sessions as one run."""
    writer = LakeWriter(open_lake(lake), run)
    for session in sessions:
        for table, frame in session.items():
            writer.add(table, frame)
    return writer.commit(dropped)


def texts(snapshot: LakeSnapshot) -> list[str]:
    return sorted(snapshot.scan("entries").collect()["text"])


def library_rows(lake: Path, table: str) -> int:
    """Count a table's rows as any Delta reader does."""
    reader: Any = DeltaTable(lake / table)
    return int(reader.to_pyarrow_table().num_rows)


def _blank(dtype: object) -> str | bool | int:
    if dtype == pl.String:
        return ""
    return False if dtype == pl.Boolean else 0
