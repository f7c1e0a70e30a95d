"""A check says what is wrong with a lake, and nothing of one that is as it was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable

from tests.pipelines.damaged_stores import (
    BuiltStore,
    Damage,
    build_store,
    cut,
    file_of,
    flipped,
    folder_gone,
    zeroed,
)
from tests.pipelines.lake_rows import library_rows, session_rows, write
from uncompact.pipelines.findings import Finding
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.lake_check import check_lake
from uncompact.pipelines.lake_writer import LakeWriter
from uncompact.pipelines.schema import TABLES


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltStore:
    return build_store(tmp_path_factory.mktemp("built"))


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    create_lake(root)
    return root


def problems(findings: list[Finding]) -> list[str]:
    return [finding.problem for finding in findings]


def test_a_lake_as_it_was_written_has_no_findings(built: BuiltStore) -> None:
    assert check_lake(built.lake) == []
    assert check_lake(built.lake, deep=True) == []


def test_no_lake_is_no_damage(tmp_path: Path) -> None:
    assert check_lake(tmp_path / "lake", deep=True) == []


def test_a_lake_that_was_being_made_is_no_damage(lake: Path) -> None:
    folder_gone("sessions")(lake)
    folder_gone("usage")(lake)

    assert check_lake(lake, deep=True) == []


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        pytest.param(cut(file_of("entries")), "bytes instead of", id="cut"),
        pytest.param(zeroed(file_of("entries")), "is no Parquet file any more", id="zeroed"),
        pytest.param(folder_gone("usage"), "is missing", id="table gone"),
        pytest.param(folder_gone("sessions", "_delta_log"), "is missing", id="log gone"),
    ],
)
def test_damage_is_named_with_its_place(
    built: BuiltStore, tmp_path: Path, damage: Damage, problem: str
) -> None:
    lake = built.copy(tmp_path).lake
    damage(lake)

    (finding,) = check_lake(lake)
    assert problem in finding.problem
    assert finding.place.startswith(f"{lake}/")


def test_a_changed_byte_is_found_by_reading_all(built: BuiltStore, tmp_path: Path) -> None:
    lake = built.copy(tmp_path).lake
    flipped(file_of("sessions"))(lake)

    assert check_lake(lake) == []
    assert problems(check_lake(lake, deep=True)) == ["is not what was written"]


def lost_entry(lake: Path) -> None:
    replace_rows(lake, "entries", pl.col("pos") > 0)


def lost_session(lake: Path) -> None:
    replace_rows(lake, "sessions", pl.lit(value=False))


def second_session(lake: Path) -> None:
    replace_rows(lake, "sessions", pl.lit(value=True), pl.lit(value=True))


def second_entry(lake: Path) -> None:
    replace_rows(lake, "entries", pl.lit(value=True), pl.col("pos") == 3)


def lost_segment(lake: Path) -> None:
    replace_rows(lake, "segments", pl.col("segment") > 0)


def lost_compaction(lake: Path) -> None:
    replace_rows(lake, "compactions", pl.lit(value=False))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lost_entry, "has 10 entries instead of 11"),
        (second_entry, "has several rows for one entry"),
        (lost_session, "has rows in other tables, but none in `sessions`"),
        (second_session, "has 2 rows in `sessions`"),
        (lost_segment, "has 1 branches instead of 2"),
        (lost_compaction, "has 0 compactions instead of 1"),
    ],
)
def test_tables_that_disagree_are_found(
    built: BuiltStore, tmp_path: Path, change: Callable[[Path], None], problem: str
) -> None:
    lake = built.copy(tmp_path).lake
    change(lake)

    assert problem in problems(check_lake(lake, deep=True))


def test_a_session_known_to_lack_rows_is_no_finding(lake: Path) -> None:
    session = session_rows("a", "one")
    unread = session["sessions"].with_columns(digest=pl.lit(""), entries=pl.lit(7, pl.Int32))
    write(lake, "run0", {"entries": session["entries"], "sessions": unread})

    assert check_lake(lake, deep=True) == []


def test_another_last_entry_is_found(lake: Path) -> None:
    session = session_rows("a", "one")
    write(lake, "run0", {**session, "sessions": session["sessions"].with_columns(fingerprint=pl.lit("f"))})

    assert "has another last entry than was read" in problems(check_lake(lake, deep=True))


def test_a_commit_of_another_program_is_looked_past_and_taken_back(lake: Path) -> None:
    write(lake, "run0", session_rows("a", "one"))
    kept = write(lake, "run1", session_rows("b", "two"))
    DeltaTable(lake / "sessions").optimize.compact()

    assert open_lake(lake) == kept
    assert check_lake(lake, deep=True) == []
    write(lake, "run2", session_rows("c", "three"))
    assert library_rows(lake, "sessions") == 3


def replace_rows(lake: Path, table: str, *kept: pl.Expr) -> None:
    """Write the rows of the session ``s-w`` anew, of one table those that each of ``kept`` tells."""
    snapshot = open_lake(lake)
    key = snapshot.scan("sessions").filter(session_id="s-w").collect()["session_key"].item()
    writer = LakeWriter(snapshot, "change")
    for name in TABLES:
        own = snapshot.scan(name).filter(session_key=key).collect()
        for condition in kept if name == table else (pl.lit(value=True),):
            writer.add(name, own.filter(condition))
    writer.commit({key})
