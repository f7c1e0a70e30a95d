"""The lake on disk: whole states or none, whatever happens between two commits."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.lake import LakeSnapshot, create_lake, open_lake
from uncompact.pipelines.lake_writer import LakeWriter
from uncompact.pipelines.schema import TABLES

DTYPES: dict[object, st.SearchStrategy[Any]] = {
    pl.String: st.text(st.characters(codec="utf-8"), max_size=12),
    pl.Boolean: st.booleans(),
    pl.Int32: st.integers(-(1 << 31), (1 << 31) - 1),
    pl.Int64: st.integers(-(1 << 63), (1 << 63) - 1),
    pl.Float64: st.floats(allow_nan=False),
    pl.Datetime("us", "UTC"): st.integers(0, 253_402_300_799_000_000),
}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    create_lake(root)
    return root


@st.composite
def row_sets(draw: st.DrawFn, table: str) -> pl.DataFrame:
    """Draw rows of a table, nulls where its schema allows them."""
    values = {
        column.name: DTYPES[column.dtype] if column.required else st.none() | DTYPES[column.dtype]
        for column in TABLES[table].columns
    }
    keys = {"project_key": st.sampled_from(["p-1", "q-2"]), "session_key": st.sampled_from(["a", "b", "c"])}
    drawn = draw(st.lists(st.fixed_dictionaries({**values, **keys}), max_size=4))
    return pl.DataFrame(drawn, schema=TABLES[table].schema)


def usage(session: str, *tokens: int, project: str = "p-1") -> pl.DataFrame:
    rows = [
        {
            "project_key": project, "session_key": session, "pos": at, "kind": "turn", "input_tokens": count,
            "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "cost_usd": 0.0,
        }
        for at, count in enumerate(tokens)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=TABLES["usage"].schema)


def session(key: str, state: str = "present", project: str = "p-1") -> pl.DataFrame:
    row = {"project_key": project, "session_key": key, "state": state}
    return pl.DataFrame([row], schema=TABLES["sessions"].schema)


def write(
    lake: Path, *rows: pl.DataFrame, dropped: set[str] | None = None, restated: set[str] | None = None
) -> LakeSnapshot:
    writer = LakeWriter(open_lake(lake), f"run{datetime.now(UTC):%H%M%S%f}")
    for frame in rows:
        writer.add("usage" if "kind" in frame.columns else "sessions", frame)
    return writer.commit(dropped or set(), restated or set())


def tokens(snapshot: LakeSnapshot) -> list[tuple[str, int]]:
    return sorted(snapshot.scan("usage").select("session_key", "input_tokens").collect().rows())


def states(snapshot: LakeSnapshot) -> list[tuple[str, str]]:
    return sorted(snapshot.scan("sessions").select("session_key", "state").collect().rows())


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=6)
@given(data=st.data())
def test_rows_written_are_the_rows_read(
    tmp_path_factory: pytest.TempPathFactory, table: str, data: st.DataObject
) -> None:
    rows = data.draw(row_sets(table))
    root = tmp_path_factory.mktemp("lake")
    create_lake(root)
    writer = LakeWriter(open_lake(root), "run")
    writer.add(table, rows)

    writer.commit(set())

    assert_frame_equal(open_lake(root).scan(table).collect(), rows, check_row_order=False)


def test_rows_of_a_session_read_anew_replace_the_older_ones(lake: Path) -> None:
    write(lake, usage("a", 1, 2), usage("b", 3), session("a"), session("b"))

    write(lake, usage("a", 7), session("a"), dropped={"a"})

    assert tokens(open_lake(lake)) == [("a", 7), ("b", 3)]
    assert states(open_lake(lake)) == [("a", "present"), ("b", "present")]


def test_a_session_that_moved_to_another_project_leaves_the_old_one(lake: Path) -> None:
    write(lake, usage("a", 1), session("a"))

    snapshot = write(lake, usage("a", 1, project="q-2"), session("a", project="q-2"), dropped={"a"})

    assert tokens(snapshot) == [("a", 1)]
    assert snapshot.scan("usage").collect()["project_key"].to_list() == ["q-2"]


def test_a_restated_session_keeps_its_other_rows(lake: Path) -> None:
    write(lake, usage("a", 1), session("a"))

    snapshot = write(lake, session("a", "vanished"), restated={"a"})

    assert tokens(snapshot) == [("a", 1)]
    assert states(snapshot) == [("a", "vanished")]


def test_a_reader_keeps_its_state_while_others_are_written(lake: Path) -> None:
    before = write(lake, usage("a", 1), session("a"))

    write(lake, usage("a", 2), usage("b", 3), session("a"), session("b"), dropped={"a"})

    assert tokens(before) == [("a", 1)]
    assert states(before) == [("a", "present")]


def test_a_table_without_a_change_keeps_its_version(lake: Path) -> None:
    before = write(lake, usage("a", 1), session("a"))

    after = write(lake, session("b"))

    assert after.versions["usage"] == before.versions["usage"]
    assert after.versions["sessions"] == before.versions["sessions"] + 1


@pytest.fixture
def killed(lake: Path) -> Path:
    """A lake where a run ended after it had committed one table of several."""
    write(lake, usage("a", 1), session("a"))
    held = {file.name for file in (lake / "sessions" / "_delta_log").iterdir()}
    write(lake, usage("a", 2), usage("b", 9), session("a"), session("b"), dropped={"a"})
    for file in (lake / "sessions" / "_delta_log").iterdir():
        if file.name not in held:
            file.unlink()
    return lake


def test_what_a_killed_run_had_committed_is_not_seen(killed: Path) -> None:
    assert tokens(open_lake(killed)) == [("a", 1)]
    assert states(open_lake(killed)) == [("a", "present")]


def test_the_next_run_undoes_what_a_killed_run_had_committed(killed: Path) -> None:
    write(killed, usage("b", 9), session("b"))

    assert tokens(open_lake(killed)) == [("a", 1), ("b", 9)]
    assert states(open_lake(killed)) == [("a", "present"), ("b", "present")]


def test_a_killed_first_run_leaves_an_empty_lake_that_can_be_written(lake: Path) -> None:
    writer = LakeWriter(open_lake(lake), "run")
    writer.add("usage", usage("a", 1))
    writer.commit(set())
    (lake / "sessions" / "_delta_log" / "00000000000000000001.json").unlink()

    assert tokens(open_lake(lake)) == []
    assert tokens(write(lake, usage("a", 1), session("a"))) == [("a", 1)]


@pytest.mark.parametrize("chars", [1, 65 << 20], ids=["held", "staged"])
def test_rows_of_a_log_that_could_not_be_read_are_taken_back(lake: Path, chars: int) -> None:
    rows = [
        {"project_key": "p-1", "session_key": key, "text": text}
        for key, text in (("a", "x" * chars), ("b", "y"))
    ]
    texts = pl.DataFrame(rows, schema=TABLES["entries"].schema)
    writer = LakeWriter(open_lake(lake), "run")
    writer.add("entries", texts)
    writer.add("usage", usage("a", 1))

    writer.discard("a")

    snapshot = writer.commit(set())
    assert snapshot.scan("entries").select("session_key", "text").collect().rows() == [("b", "y")]
    assert tokens(snapshot) == []


def test_files_stand_in_their_projects_folder(lake: Path) -> None:
    snapshot = write(lake, usage("a", 1, project="srv-x-1a"), session("a", project="srv-x-1a"))

    (file,) = snapshot.files("usage")
    assert "/usage/project_key=srv-x-1a/" in file


def test_any_delta_reader_sees_the_same_rows(lake: Path) -> None:
    write(lake, usage("a", 1, 2), session("a"))

    reader: Any = DeltaTable(lake / "usage")

    assert reader.to_pyarrow_table().column("input_tokens").to_pylist() == [1, 2]


def test_a_folder_without_a_lake_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no lake here"):
        open_lake(tmp_path / "lake")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["{torn", ""], ids=["torn", "emptied"])
def test_a_damaged_commit_is_refused(lake: Path, damage: str) -> None:
    (lake / "sessions" / "_delta_log" / "00000000000000000000.json").write_text(damage)

    with pytest.raises(StoreError):
        open_lake(lake)


def test_a_lake_of_another_version_is_refused(lake: Path) -> None:
    commit = lake / "sessions" / "_delta_log" / "00000000000000000000.json"
    lines = [json.loads(line) for line in commit.read_text().splitlines()]
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["uncompact_lake_version"] = 99
    commit.write_text("\n".join(map(json.dumps, lines)))

    with pytest.raises(StoreError, match="lake version 99, this program reads version 2"):
        open_lake(lake)


def test_making_a_lake_again_changes_nothing(lake: Path) -> None:
    before = write(lake, usage("a", 1), session("a"))

    create_lake(lake)

    assert open_lake(lake) == before
