"""A table's log read from its files: the same files as the Delta library finds, and damage told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from tests.pipelines.lake_rows import session_rows, write
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.lake_log import read_table_log


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake after five runs, of which the last took a session out."""
    root = tmp_path / "lake"
    create_lake(root)
    for at, key in enumerate("abcd"):
        write(root, f"run{at}", session_rows(key, key))
    write(root, "run4", dropped={"b"})
    return root


def library_files(folder: Path, version: int | None = None) -> set[str]:
    actions: Any = DeltaTable(folder, version=version).get_add_actions(flatten=True)
    return set(pl.DataFrame(actions)["path"])


def log_file(lake: Path, name: str) -> Path:
    return lake / "entries" / "_delta_log" / name


@pytest.mark.parametrize("version", [1, 3, 5])
def test_files_are_those_that_the_delta_library_finds(lake: Path, version: int) -> None:
    assert set(read_table_log(lake / "entries", version).files) == library_files(lake / "entries", version)


@pytest.mark.parametrize("version", [3, 5], ids=["at it", "after it"])
def test_a_log_is_read_from_its_newest_checkpoint_on(lake: Path, version: int) -> None:
    expected = library_files(lake / "entries", version)
    DeltaTable(lake / "entries", version=3).create_checkpoint()
    for at in range(3):
        log_file(lake, f"{at:020}.json").unlink()

    log = read_table_log(lake / "entries", version)
    assert (set(log.files), log.damage) == (expected, [])


def test_what_was_taken_out_is_remembered(lake: Path) -> None:
    (removed,) = read_table_log(lake / "entries").removed

    assert "run1" in removed


def commit_gone(path: Path) -> None:
    path.unlink()


def commit_cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def last_action_cut(path: Path) -> None:
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:-1]))


def commit_emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (commit_gone, "is missing"),
        (commit_cut, "is not what was written"),
        (last_action_cut, "is not what was written"),
        (commit_emptied, "is empty"),
    ],
)
@pytest.mark.parametrize("version", [2, 4])
def test_a_damaged_commit_is_named(
    lake: Path, damage: Callable[[Path], None], problem: str, version: int
) -> None:
    path = log_file(lake, f"{version:020}.json")
    damage(path)

    assert read_table_log(lake / "entries").damage == [(path, problem)]


def test_a_later_commit_that_is_damaged_is_named_too(lake: Path) -> None:
    commit_cut(log_file(lake, f"{4:020}.json"))

    assert read_table_log(lake / "entries", 3).damage


def test_a_version_that_no_commit_has_is_named(lake: Path) -> None:
    path = log_file(lake, f"{6:020}.json")

    assert read_table_log(lake / "entries", 6).damage == [(path, "is missing")]


def test_a_damaged_checkpoint_is_left_for_the_one_before(lake: Path) -> None:
    expected = library_files(lake / "entries")
    for version in (1, 3):
        DeltaTable(lake / "entries", version=version).create_checkpoint()
    damaged = log_file(lake, f"{3:020}.checkpoint.parquet")
    damaged.write_bytes(damaged.read_bytes()[:-9])

    log = read_table_log(lake / "entries")
    assert (log.checkpoint, set(log.files)) == (1, expected)
    assert log.damage[0][0] == damaged


def test_a_state_that_the_log_no_longer_has_is_not_called_damage(lake: Path) -> None:
    snapshot = open_lake(lake)
    write(lake, "run5", session_rows("e", "e"))
    DeltaTable(lake / "entries").create_checkpoint()
    for at in range(6):
        log_file(lake, f"{at:020}.json").unlink()

    with pytest.raises(StoreError, match="has moved on since it was opened"):
        snapshot.files("entries")
