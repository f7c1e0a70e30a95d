"""Several processes leave what one leaves, whatever happens to the others, and none outlives its run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases.builders import user
from tests.pipelines.chunks import ignore, plain, read_all, single_chunks
from tests.pipelines.stores import JsonObject, lake_rows, log
from uncompact.pipelines.log_rows import ReadJob
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.workers import read_chunks, worthwhile_helpers

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="a process's children are read from /proc"
)


def some_logs(folder: Path, count: int, *, size: int = 0) -> list[Path]:
    """Write logs, half of them damaged, of ``size`` bytes: zeros that no line feed ends cost no reading."""
    paths: list[Path] = []
    for at in range(count):
        parent = "a" if at % 2 else "gone"
        lines: list[JsonObject | bytes] = [
            user("a", None, f"text {at}"),
            b"torn\n",
            user("b", parent, "more"),
            user("a", "b", "again"),
        ]
        paths.append(log(folder, f"{at}.jsonl", *lines[at % 2 :]))
        os.truncate(paths[-1], max(size, paths[-1].stat().st_size))
    return paths


def children(pid: int) -> set[int]:
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for path in listed for child in path.read_text().split()}


def wait_for_children(pid: int, count: int) -> set[int]:
    while len(found := children(pid)) < count:
        time.sleep(0.01)
    return found


def without_times(report: JsonObject) -> JsonObject:
    told = ("outcome", "sources", "entries", "rejects", "bytes_read", "warnings")
    return {name: report[name] for name in told}


@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_processes_leaves_one_store_and_one_report(
    logs: Path, store: Path, tmp_path: Path, workers: int
) -> None:
    some_logs(logs, 6, size=30 << 20)
    (logs / "3x.jsonl").write_bytes(b"")

    one = reindex([logs], store, workers=1).to_dict()
    other = reindex([logs], tmp_path / "other", workers=workers).to_dict()

    assert without_times(one) == without_times(other)
    assert one["peak_worker_rss_mb"] == 0 < other["peak_worker_rss_mb"] <= other["peak_rss_mb"]
    assert lake_rows(store) == lake_rows(tmp_path / "other")
    assert [len(list((place / "lake").rglob("*.parquet"))) for place in (store, tmp_path / "other")] == [5, 5]


@pytest.mark.parametrize(
    ("megabytes", "workers", "helpers"),
    [
        pytest.param([], 8, 0, id="nothing to read"),
        pytest.param([200], 8, 0, id="one log"),
        pytest.param([20, 20], 8, 0, id="little to read"),
        pytest.param([50, 50], 1, 0, id="one process"),
        pytest.param([50, 50], 8, 1, id="two logs"),
        pytest.param([50, 50, 50], 2, 1, id="two processes"),
        pytest.param([40] * 10, 8, 7, id="all processes"),
    ],
)
def test_helpers_are_started_where_each_has_enough_to_read(
    logs: Path, megabytes: list[int], workers: int, helpers: int
) -> None:
    paths = some_logs(logs, len(megabytes))
    for path, size in zip(paths, megabytes, strict=True):
        os.truncate(path, size << 20)

    assert worthwhile_helpers(single_chunks(paths, logs.parent / "lake"), workers) == helpers


def test_what_helpers_read_comes_in_the_order_of_the_chunks(logs: Path, tmp_path: Path) -> None:
    chunks = single_chunks(some_logs(logs, 40), tmp_path / "lake")
    told: list[ReadJob] = []

    with closing(read_chunks(chunks, 2, told.append)) as read:
        helped = [plain(rows) for rows in read]

    assert helped == [plain(rows) for rows in read_all(chunks)]
    assert sorted(job.reading.found.path for job in told) == sorted(logs.iterdir())


@needs_proc
@pytest.mark.usefixtures("time_limit")
def test_helpers_that_are_killed_are_not_missed(logs: Path, tmp_path: Path) -> None:
    chunks = single_chunks(some_logs(logs, 40), tmp_path / "lake")

    with closing(read_chunks(chunks, 2, ignore)) as read:
        first = next(read)
        for pid in wait_for_children(os.getpid(), 2):
            os.kill(pid, signal.SIGKILL)
        helped = [plain(rows) for rows in (first, *read)]

    assert helped == [plain(rows) for rows in read_all(chunks)]


@needs_proc
def test_no_helper_outlives_the_reading(logs: Path, tmp_path: Path) -> None:
    chunks = single_chunks(some_logs(logs, 4), tmp_path / "lake")
    before = children(os.getpid())

    with closing(read_chunks(chunks, 2, ignore)) as read:
        next(read)
        assert len(children(os.getpid()) - before) == 2

    assert children(os.getpid()) == before


_READ_LOGS = """
import os
import signal
import sys
from contextlib import closing
from pathlib import Path

from tests.pipelines.chunks import ignore, single_chunks
from uncompact.pipelines.workers import read_chunks

# With Polars' own handler, the opening of a pipe would go on.
signal.signal(signal.SIGINT, signal.default_int_handler)
paths = sorted(Path(sys.argv[1]).iterdir())
chunks = single_chunks(paths, Path(sys.argv[2]))
for path in paths:
    path.unlink()
    os.mkfifo(path)
with closing(read_chunks(chunks, 2, ignore)) as read:
    list(read)
"""


@needs_proc
@pytest.mark.usefixtures("time_limit")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
def test_no_helper_outlives_its_run(logs: Path, tmp_path: Path, number: signal.Signals) -> None:
    # Whoever opens a pipe that nobody writes to waits for ever: all are at work when the run ends.
    some_logs(logs, 4)
    command = [sys.executable, "-c", _READ_LOGS, str(logs), str(tmp_path / "lake")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[2]) as run:
        helpers = wait_for_children(run.pid, 2)

        run.send_signal(number)

    while any(Path(f"/proc/{pid}").exists() for pid in helpers):
        time.sleep(0.01)
    assert run.returncode != 0
