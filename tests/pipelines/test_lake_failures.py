"""What an engine could not do is said in words a user can act on, and never in its own."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from deltalake.exceptions import DeltaError

from tests.pipelines.damaged_stores import BuiltStore, build_store, file_of, flipped, removed
from tests.pipelines.lake_rows import session_rows, write
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.lake import create_lake, open_lake
from uncompact.pipelines.lake_failures import lake_problem, named_lake_failures
from uncompact.pipelines.lake_file import DamagedLakeError
from uncompact.pipelines.lake_folders import is_suspect

# Writes a lake under a limit of the system, and prints what is told of it.
WRITE_UNDER_A_LIMIT = """
import resource, signal, sys
from pathlib import Path
from tests.pipelines.lake_rows import session_rows, write
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.lake_failures import named_lake_failures
from uncompact.pipelines.lake import open_lake
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
lake = Path(sys.argv[1])
open_lake(lake)
limit = getattr(resource, sys.argv[2])
resource.setrlimit(limit, (int(sys.argv[3]), resource.getrlimit(limit)[1]))
try:
    with named_lake_failures(lake):
        write(lake, "run1", session_rows("b", *[str(number) for number in range(40_000)]))
except StoreError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltStore:
    return build_store(tmp_path_factory.mktemp("built"))


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    create_lake(root)
    write(root, "run0", session_rows("a", "text"))
    return root


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        pytest.param("RLIMIT_FSIZE", 60_000, "no file may grow so large here", id="file size"),
        pytest.param("RLIMIT_NOFILE", 8, "too many open files", id="open files"),
    ],
)
def test_limits_of_the_system_are_named(lake: Path, limit: str, value: int, words: str) -> None:
    command = [sys.executable, "-c", WRITE_UNDER_A_LIMIT, str(lake), limit, str(value)]

    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert told.startswith(f"{lake.parent}: {words}")
    assert "what it held before still answers" in told
    assert not is_suspect(lake)
    assert open_lake(lake).scan("entries").collect().height == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(pl.exceptions.ComputeError("No space left on device (os error 28)"), "no space left", id="from Polars"),
        pytest.param(DeltaError("Generic error: Read-only file system (os error 30)"), "the file system is read-only", id="from Delta"),
        pytest.param(PermissionError(errno.EACCES, "Permission denied", "x"), "may not be read or written", id="from Python"),
        pytest.param(MemoryError(), "not enough memory", id="memory"),
    ],
)  # fmt: skip
def test_what_the_system_says_is_told_wherever_it_stands(lake: Path, error: Exception, words: str) -> None:
    assert f"{lake.parent}: {words}" in str(lake_problem(error, lake))


def test_the_cause_of_an_error_is_looked_at(lake: Path) -> None:
    error = DeltaError("could not commit")
    error.__cause__ = OSError(errno.EDQUOT, "Disk quota exceeded")

    assert "the disk quota is used up" in str(lake_problem(error, lake))


def test_an_unreadable_file_is_named_and_the_next_run_looks_closer(built: BuiltStore, tmp_path: Path) -> None:
    lake = built.copy(tmp_path).lake
    path = file_of("entries")(lake)
    flipped(file_of("entries"))(lake)

    with pytest.raises(DamagedLakeError, match=str(path)) as failure, named_lake_failures(lake):
        open_lake(lake).scan("entries").collect()

    assert "`uncompact reindex`" in failure.value.hint
    assert is_suspect(lake)


def test_a_missing_file_is_named(built: BuiltStore, tmp_path: Path) -> None:
    lake = built.copy(tmp_path).lake
    path = file_of("entries")(lake)
    snapshot = open_lake(lake)
    removed(lambda _: path)(lake)

    with pytest.raises(DamagedLakeError, match=f"{path}: damaged: is missing"), named_lake_failures(lake):
        snapshot.scan("entries").collect()


def test_an_error_over_a_lake_without_damage_does_not_quote_the_engine(lake: Path) -> None:
    with pytest.raises(StoreError) as failure, named_lake_failures(lake):
        raise pl.exceptions.ComputeError("the words of a log")

    assert str(failure.value).startswith(f"{lake.parent}: could not be written (ComputeError)")
    assert "words of a log" not in str(failure.value)


def test_other_errors_are_left_alone(lake: Path) -> None:
    with pytest.raises(FileNotFoundError), named_lake_failures(lake):
        raise FileNotFoundError(errno.ENOENT, "No such file", "x.jsonl")
