"""All that a store holds and answers, as plain values: for comparing stores that should be equal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import polars as pl

import uncompact
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.schema import TABLES
from uncompact.pipelines.sqlite import value
from uncompact.pipelines.store import StorePaths

JsonObject = dict[str, Any]

_UNFINISHED = ("#", ".tmp", ".new", "-journal")
_COUNTED = ("sessions", "entries", "passages", "segments", "compactions", "context_edits", "calls")


def lake_rows(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every table's rows without when they were written, in an order of their own."""
    lake = open_lake(StorePaths(store).lake)
    return {
        name: sorted(lake.scan(name).select(pl.exclude("indexed_at")).collect().rows(), key=repr)
        for name in TABLES
    }


def companion_counts(store: Path) -> dict[str, int]:
    """Return how many rows the companion's tables have."""
    with closing(connect_reader(StorePaths(store).companion)) as connection:
        return {name: value(connection, f"select count(*) from {name}") for name in _COUNTED}


def shown(store: Path) -> dict[str, JsonObject]:
    """Return what a store shows of each session: lake and companion together."""
    with uncompact.open_store(store) as opened:
        return {one["session"]: opened.show(one["session"]) for one in opened.sessions()}


def retrieved(store: Path, requests: Sequence[str]) -> dict[str, JsonObject]:
    """Return a store's list of sessions, and its answer to each request about each of them."""
    with uncompact.open_store(store) as opened:
        sessions = {one["session"]: one for one in opened.sessions()}
        answers = {
            f"{key}: {request}": {**opened.retrieve(key, request).to_dict(), "timings_ms": None}
            for key in sessions
            for request in requests
        }
    return {**sessions, **answers}


def left_over_files(store: Path) -> list[str]:
    """List staged files that no commit names, unfinished files, and companions that are not the present one."""
    paths = StorePaths(store)
    files = [path.relative_to(store).as_posix() for path in store.rglob("*") if path.is_file()]
    staged = {name for name in files if name.endswith(".parquet") and "_delta_log" not in name}
    unfinished = {name for name in files if any(mark in name.rsplit("/", 1)[-1] for mark in _UNFINISHED)}
    companions = {name for name in files if name.startswith("companion-")} | unfinished
    with suppress(uncompact.StoreError):
        present = paths.companion.name
        companions = {name for name in companions if not name.startswith(present)} | unfinished
    return sorted((staged - _named_files(paths.lake)) | companions)


def _named_files(lake: Path) -> set[str]:
    """Return the files that any commit adds or removes, relative to the store."""
    return {
        f"lake/{table}/{action[kind]['path']}"
        for table in TABLES
        for commit in (lake / table / "_delta_log").glob("*.json")
        for line in commit.read_text(encoding="utf-8").splitlines()
        for action in [json.loads(line)]
        for kind in ("add", "remove")
        if kind in action
    }
