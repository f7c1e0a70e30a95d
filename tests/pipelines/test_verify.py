"""Whether the lake's rows of a log are those that reading the log gives."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from tests.cases.builders import encode, user
from tests.pipelines.stores import append, log, run, table
from uncompact.pipelines.catalogue import read_catalogue
from uncompact.pipelines.lake import LakeSnapshot, open_lake
from uncompact.pipelines.sources import find_file, recognise
from uncompact.pipelines.store import StorePaths
from uncompact.pipelines.verify import Drift, find_drift, lake_digests


@pytest.fixture
def path(logs: Path, store: Path) -> Path:
    long_text = "words enough to stand behind the head of the file " * 4000
    lines = [user("a", None, "one"), user("b", "a", long_text), user("c", "b", "three")]
    path = log(logs, "a.jsonl", *lines)
    run(logs, store)
    return path


def drift(path: Path, store: Path) -> Drift | None:
    snapshot = open_lake(StorePaths(store).lake)
    found = find_file(path)
    recognised = recognise(found)
    known = read_catalogue(snapshot).at(found)
    assert recognised is not None
    assert known is not None
    return find_drift(found, *recognised, known, lake_digests(snapshot)[known.key])


def replace_rows(snapshot: LakeSnapshot, name: str, change: pl.Expr) -> None:
    """Change a table's only file behind the lake's back."""
    file = Path(snapshot.files(name)[0])
    pl.read_parquet(file, hive_partitioning=False).with_columns(change).write_parquet(file)


def test_a_log_as_it_was_read_has_no_drift(path: Path, store: Path) -> None:
    assert drift(path, store) is None


def test_lines_read_in_two_runs_have_no_drift(path: Path, logs: Path, store: Path) -> None:
    append(path, encode(user("d", "c", "four")))
    run(logs, store)

    assert drift(path, store) is None


def test_lines_not_read_yet_are_no_drift(path: Path, store: Path) -> None:
    append(path, encode(user("d", "c", "four")))

    assert drift(path, store) is None


def test_a_change_between_the_samples_is_found(path: Path, store: Path) -> None:
    before = path.stat()
    raw = bytearray(path.read_bytes())
    raw[90_000:90_005] = b"DRIFT"
    with path.open("r+b") as file:
        file.write(raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    found = drift(path, store)
    assert found is not None
    assert found.log_changed
    assert "entries" in found.tables


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("entries", pl.col("text").str.replace("three", "threw"), id="a text"),
        pytest.param("entries", pl.col("position") + 1, id="a label"),
        pytest.param("segments", pl.col("segment") + 1, id="a segment"),
    ],
)
def test_rows_that_are_not_the_logs_are_found(path: Path, store: Path, name: str, change: pl.Expr) -> None:
    replace_rows(open_lake(StorePaths(store).lake), name, change)

    found = drift(path, store)
    assert found == Drift((name,), log_changed=False)


def test_a_missing_row_is_found(path: Path, store: Path) -> None:
    file = Path(open_lake(StorePaths(store).lake).files("entries")[0])
    pl.read_parquet(file, hive_partitioning=False).head(2).write_parquet(file)

    assert table(store, "entries").height == 2
    assert drift(path, store) == Drift(("entries",), log_changed=False)
