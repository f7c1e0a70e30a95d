"""Small files become one, in time for a reader and without a change of rows."""

from __future__ import annotations

import itertools
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pipelines.lake_rows import session_rows, texts, write
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.lake_file import DamagedLakeError
from uncompact.pipelines.lake_log import LoggedFile
from uncompact.pipelines.lake_merge import plan_merges
from uncompact.pipelines.lake_upkeep import merge_files


def logged(project: str, size: int, nth: int) -> LoggedFile:
    return LoggedFile(f"project_key={project}/{nth:04}.parquet", size, "{}")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    create_lake(root)
    return root


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        pytest.param([9_000] * 3, [], id="few small ones stay"),
        pytest.param([9_000] * 4, [4], id="four small ones become one"),
        pytest.param([9_000] * 3 + [90_000] * 3, [], id="few of each class stay"),
        pytest.param([90_000] * 8, [8], id="eight larger ones become one"),
        pytest.param([2 << 20] * 8, [6, 2], id="not more than 12 MB at once"),
        pytest.param([8 << 20] * 20, [], id="large ones stay"),
    ],
)
def test_files_of_a_class_become_one_when_they_are_many(sizes: list[int], groups: list[int]) -> None:
    files = [logged("p", size, nth) for nth, size in enumerate(sizes)]

    assert [len(group) for group in plan_merges(files)] == groups


@given(st.lists(st.tuples(st.sampled_from("pq"), st.integers(1, 20 << 20)), max_size=60))
def test_no_file_is_in_two_groups_and_no_group_in_two_projects(drawn: list[tuple[str, int]]) -> None:
    groups = list(plan_merges(logged(project, size, nth) for nth, (project, size) in enumerate(drawn)))

    named = list(itertools.chain.from_iterable(groups))
    assert len(named) == len(set(named))
    assert all(len({file.project for file in group}) == 1 and len(group) > 1 for group in groups)
    assert all(sum(file.size for file in group) <= 12 << 20 for group in groups)


def test_a_row_is_written_anew_a_few_times_at_most() -> None:
    """Add a file of 10 kB a run, as a log does that grows, and merge as runs do."""
    files: list[LoggedFile] = []
    written = 0
    for nth in range(2000):
        files.append(logged("p", 10_000, nth))
        for group in list(plan_merges(files)):
            merged = logged("p", sum(file.size for file in group), 10_000 + nth)
            files = [file for file in files if file not in group] + [merged]
            written += merged.size

    assert written < 5 * 2000 * 10_000
    assert len(files) <= 3 + 7 + 7 + 5


def test_runs_leave_few_files_and_all_rows(lake: Path) -> None:
    expected = [f"text {at:02}" for at in range(30)]
    for at, text in enumerate(expected):
        write(lake, f"run{at:02}", session_rows(f"{at % 3}{at:02}", text))

    snapshot = open_lake(lake)
    assert texts(snapshot) == expected
    assert [len(snapshot.files(table)) for table in ("entries", "sessions")] == [3, 3]


def test_a_merged_file_is_sorted_by_session(lake: Path) -> None:
    for at in range(4):
        write(lake, f"run{at}", session_rows("dbca"[at], "text"))

    snapshot = merge_files(lake, "merge")

    (file,) = snapshot.files("entries")
    assert pl.read_parquet(file, hive_partitioning=False)["session_key"].to_list() == ["a", "b", "c", "d"]


def test_a_merge_is_no_change_of_data_to_a_delta_reader(lake: Path) -> None:
    for at in range(4):
        write(lake, f"run{at}", session_rows("abcd"[at], "text"))

    merge_files(lake, "merge")

    commit = max((lake / "entries" / "_delta_log").glob("*.json")).read_text()
    assert '"dataChange":false' in commit


def test_a_damaged_file_is_named_and_not_written_anew(lake: Path) -> None:
    for at in range(4):
        write(lake, f"run{at}", session_rows("abcd"[at], "text"))
    file = Path(open_lake(lake).files("entries")[2])
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x5A
    file.write_bytes(data)

    with pytest.raises(DamagedLakeError, match=file.name):
        merge_files(lake, "merge")
