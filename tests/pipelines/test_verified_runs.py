"""`reindex --verify`: what drifted between logs, lake and companion is reported and mended."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from tests.cases.builders import JsonObject, encode, user
from tests.pipelines.stores import append, ids, lake_rows, log, table
from uncompact.pipelines.companion_db import connect_writer
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths

LONG = "words enough to stand behind the head of the file " * 4000


@pytest.fixture
def path(logs: Path, store: Path) -> Path:
    path = log(logs, "a.jsonl", user("a", None, "one"), user("b", "a", LONG), user("c", "b", "three"))
    reindex([logs], store)
    return path


def verify(logs: Path, store: Path) -> JsonObject:
    return reindex([logs], store, verify=True).to_dict()


def test_a_store_as_it_should_be_has_no_drift_and_is_not_written(path: Path, logs: Path, store: Path) -> None:
    before = lake_rows(store)
    report = verify(logs, store)

    assert (report["sources"]["drifted"], report["sources"]["unchanged"], report["warnings"]) == (0, 1, [])
    assert report["bytes_read"] == path.stat().st_size
    assert lake_rows(store) == before


def test_a_change_that_no_stamp_and_no_sample_shows_is_found_and_read(
    path: Path, logs: Path, store: Path
) -> None:
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(92_000)
        file.write(b"DRIFT")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "DRIFT" not in table(store, "entries")["text"].str.join("")[0]
    report = verify(logs, store)

    assert report["sources"]["drifted"] == 1
    assert report["warnings"][0].startswith(f"{path}: the lake had other entries")
    assert "DRIFT" in table(store, "entries")["text"].str.join("")[0]


def test_lines_that_were_appended_meanwhile_are_read_too(path: Path, logs: Path, store: Path) -> None:
    append(path, encode(user("d", "c", "four")))
    report = verify(logs, store)

    assert (report["sources"]["drifted"], ids(store)) == (0, ["a", "b", "c", "d"])


def test_a_companion_that_lost_an_entry_is_built_anew(path: Path, logs: Path, store: Path) -> None:
    with closing(connect_writer(StorePaths(store).companion)) as connection:
        execute(connection, "update entries set role = 'assistant' where entry_id = 'a'")
    report = verify(logs, store)

    assert any("built anew from the lake" in warning for warning in report["warnings"])
    assert verify(logs, store)["warnings"] == []


def test_rows_of_the_lake_that_are_not_the_logs_are_replaced(path: Path, logs: Path, store: Path) -> None:
    before = lake_rows(store)
    (file,) = (StorePaths(store).lake / "segments").rglob("*.parquet")
    changed = pl.read_parquet(file, hive_partitioning=False).with_columns(pl.col("segment") + 1)
    changed.write_parquet(file)
    verify(logs, store)

    assert lake_rows(store) == before
