"""A lake stays small and quick to open, readers keep what they are reading, and what is forgotten leaves no trace."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.pipelines.lake_rows import library_rows, session_rows, texts, write
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.lake_check import check_lake
from uncompact.pipelines.lake_log import log_versions, read_table_log
from uncompact.pipelines.lake_staging import StagedRows
from uncompact.pipelines.lake_upkeep import erase_sessions, keep_up, merge_files, trim_logs, vacuum_lake

READ_A_STATE = """
import sys
from pathlib import Path
from uncompact.pipelines.lake import open_lake
lake = open_lake(Path(sys.argv[1]))
print(len(lake.files("entries")), flush=True)
sys.stdin.readline()
print(*sorted(lake.scan("entries").collect()["text"]), lake.scan("sessions").collect().height, flush=True)
"""

HOURS_AGO = 3 * 3600


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    create_lake(root)
    return root


def data_files(lake: Path, table: str = "entries") -> set[str]:
    return {path.name for path in (lake / table).rglob("*.parquet") if "_delta_log" not in path.parts}


def age(lake: Path) -> None:
    """Let all commits and checkpoints be of three hours ago."""
    then = time.time() - HOURS_AGO
    for path in lake.glob("*/_delta_log/*"):
        os.utime(path, (then, then))


def test_files_of_an_earlier_state_stay_for_a_day(lake: Path) -> None:
    before = write(lake, "run0", session_rows("a", "old"))
    write(lake, "run1", session_rows("a", "new"), dropped={"a"})

    assert vacuum_lake(lake) == 0
    assert texts(before) == ["old"]


def test_files_that_no_state_of_late_has_go(lake: Path) -> None:
    write(lake, "run0", session_rows("a", "old"))
    after = write(lake, "run1", session_rows("a", "new"), dropped={"a"})

    assert vacuum_lake(lake, keep_hours=0) == 2
    assert texts(after) == ["new"]
    assert data_files(lake) == {Path(file).name for file in after.files("entries")}


def test_what_a_killed_run_has_staged_goes_at_once(lake: Path) -> None:
    write(lake, "run0", session_rows("a", "text"))
    StagedRows(lake, "killed").write_file("entries", "q-2", session_rows("b", "x")["entries"])
    unfinished = lake / "entries" / "project_key=q-2" / "killed-000001.parquet"
    unfinished.write_bytes(b"PAR1")
    (lake / "entries" / "_delta_log" / "_commit_0c3a.json.tmp").write_text("{")

    assert vacuum_lake(lake) == 2
    assert not unfinished.parent.exists()
    assert [path.suffix for path in (lake / "entries" / "_delta_log").iterdir()] == [".json", ".json"]


def test_what_is_not_the_lakes_stays(lake: Path) -> None:
    write(lake, "run0", session_rows("a", "text"))
    (lake / "entries" / "notes.txt").write_text("mine")

    vacuum_lake(lake, keep_hours=0)

    assert (lake / "entries" / "notes.txt").read_text() == "mine"


def test_what_a_killed_run_committed_is_no_state(lake: Path) -> None:
    kept = write(lake, "run0", session_rows("a", "text"))
    write(lake, "run1", session_rows("b", "more"))
    max((lake / "sessions" / "_delta_log").glob("*.json")).unlink()

    keep_up(lake)

    assert texts(open_lake(lake)) == ["text"]
    assert texts(write(lake, "run2", session_rows("b", "more"))) == ["more", "text"]
    assert texts(kept) == ["text"]


def test_many_runs_leave_a_short_log(lake: Path) -> None:
    for at in range(45):
        write(lake, f"run{at:02}", session_rows(f"{at:02}", f"{at:02}"))
        age(lake)
        keep_up(lake)

    commits, checkpoints = log_versions(lake / "entries")
    assert len(commits) <= 21
    assert len(checkpoints) == 1
    assert len(texts(open_lake(lake))) == 45
    assert len(read_table_log(lake / "entries").files) <= 3
    assert check_lake(lake, deep=True) == []


def test_a_shortened_log_is_one_to_the_delta_library(lake: Path) -> None:
    for at in range(25):
        write(lake, f"run{at:02}", session_rows(f"{at:02}", f"{at:02}"))
        age(lake)
        trim_logs(lake)

    assert not (lake / "entries" / "_delta_log" / f"{3:020}.json").exists()
    assert library_rows(lake, "entries") == 25


def test_a_state_of_the_last_hour_can_still_be_looked_up(lake: Path) -> None:
    states = [write(lake, f"run{at:02}", session_rows(f"{at:02}", f"{at:02}")) for at in range(25)]

    keep_up(lake)

    assert texts(states[2]) == ["00", "01", "02"]


def test_a_table_that_a_killed_run_got_ahead_in_keeps_its_log(lake: Path) -> None:
    for at in range(25):
        write(lake, f"run{at:02}", session_rows(f"{at:02}", f"{at:02}"))
        age(lake)
    max((lake / "sessions" / "_delta_log").glob("*.json")).unlink()

    trim_logs(lake, keep_hours=0)

    assert log_versions(lake / "entries")[1] == []
    assert len(texts(open_lake(lake))) == 24


def test_a_reader_in_another_process_goes_on_with_its_state(lake: Path) -> None:
    for at in range(4):
        write(lake, f"run{at}", session_rows("abcd"[at], f"text{at}"))
    command = [sys.executable, "-c", READ_A_STATE, str(lake)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "4\n"
        merge_files(lake, "merge")
        write(lake, "run5", session_rows("a", "new"), dropped={"a", "b"})
        keep_up(lake)
        reader.stdin.close()

        assert reader.stdout.read() == "text0 text1 text2 text3 4\n"


def test_an_erased_session_leaves_no_trace(lake: Path) -> None:
    write(
        lake, "run0", session_rows("aaaa", "the keel is oak", project="srv-keel-1"), session_rows("b", "kept")
    )
    write(lake, "run1", session_rows("aaaa", "the keel is ash", project="srv-keel-1"), dropped={"aaaa"})
    damaged = lake.with_name("lake.damaged-20260101T000000")
    damaged.mkdir()
    (damaged / "a.parquet").write_bytes(b"keel")

    snapshot = erase_sessions(lake, {"aaaa"}, "erase")

    found = [
        path for path in lake.parent.rglob("*") if any(word in everything(path) for word in ("keel", "aaaa"))
    ]
    assert found == []
    assert texts(snapshot) == ["kept"]


def test_erasing_again_finishes_what_was_killed(lake: Path) -> None:
    write(lake, "run0", session_rows("a", "gone"), session_rows("b", "kept"))
    write(lake, "run1", dropped={"a"})

    erase_sessions(lake, {"a"}, "erase")

    assert data_files(lake) == {Path(file).name for file in open_lake(lake).files("entries")}
    assert check_lake(lake, deep=True) == []


def test_a_lake_of_which_something_was_erased_goes_on(lake: Path) -> None:
    write(lake, "run0", session_rows("a", "gone"), session_rows("b", "kept"))
    erase_sessions(lake, {"a"}, "erase")

    assert texts(write(lake, "run1", session_rows("c", "new"))) == ["kept", "new"]
    assert library_rows(lake, "entries") == 2


def everything(path: Path) -> str:
    """Return a file's path and all that is in it, decompressed."""
    if not path.is_file():
        return str(path.name)
    if path.suffix == ".parquet" and path.read_bytes()[:4] == b"PAR1":
        return f"{path} {pl.read_parquet(path, hive_partitioning=False).to_dicts()}"
    return f"{path} {path.read_bytes()!r}"
