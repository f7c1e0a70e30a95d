"""A store that runs bring up to date with a folder of logs, and what it holds as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from tests.cases.builders import encode, header
from tests.pipelines.companion_rows import Row
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.schema import TABLES
from uncompact.pipelines.store import StorePaths

JsonObject = dict[str, Any]


def run(logs: Path, store: Path) -> JsonObject:
    return reindex([logs], store).to_dict()


def table(store: Path, name: str) -> pl.DataFrame:
    return open_lake(StorePaths(store).lake).scan(name).collect()


def ids(store: Path) -> list[str]:
    return table(store, "entries").sort("session_key", "pos")["entry_id"].to_list()


def states(store: Path) -> list[tuple[str, str]]:
    return sorted(table(store, "sessions").select("session_id", "state").rows())


def sources(report: JsonObject) -> tuple[int, ...]:
    """Return how many logs were seen, changed, unchanged, vanished and failed."""
    return tuple(report["sources"][name] for name in ("seen", "changed", "unchanged", "vanished", "failed"))


def log(folder: Path, name: str, *lines: JsonObject | bytes, first: JsonObject | None = None) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    all_lines = [first or header(f"s-{path.stem}"), *lines]
    path.write_bytes(b"".join(line if isinstance(line, bytes) else encode(line) for line in all_lines))
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def lake_rows(store: Path) -> dict[str, list[Row]]:
    """Return every table's rows in an order of their own, without when they were written."""
    return {
        name: table(store, name)
        .select(pl.exclude("indexed_at"))
        .sort("session_key", *TABLES[name].order, maintain_order=True)
        .rows()
        for name in TABLES
    }
