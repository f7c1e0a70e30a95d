"""Chunks of logs to staged rows: how logs are divided, and what one that cannot be read costs the others."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tests.cases.builders import user
from tests.pipelines.chunks import read_job
from tests.pipelines.pi_logs import ChangingLog
from tests.pipelines.stores import log
from uncompact.pipelines.lake import create_lake
from uncompact.pipelines.log_rows import Chunk, ChunkRows, ReadJob, make_chunks, read_chunk
from uncompact.pipelines.session_totals import content_chain


def ids(rows: ChunkRows) -> list[str]:
    return rows.few["entries"]["entry_id"].to_list() if "entries" in rows.few else []


def chunk(lake: Path, *paths: Path) -> Chunk:
    create_lake(lake)
    return Chunk(lake, "run", [read_job(path) for path in paths])


@pytest.mark.parametrize(
    ("megabytes", "chunks"),
    [
        pytest.param([], [], id="none"),
        pytest.param([1, 2, 3], [[1, 2, 3]], id="small ones together"),
        pytest.param([10, 10, 10, 10], [[10, 10], [10, 10]], id="as many as fit"),
        pytest.param([1, 90, 1], [[1], [90], [1]], id="a large one alone"),
    ],
)
def test_logs_are_divided_in_their_order(
    logs: Path, tmp_path: Path, megabytes: list[int], chunks: list[list[int]]
) -> None:
    paths = [log(logs, f"{at}.jsonl") for at in range(len(megabytes))]
    for path, size in zip(paths, megabytes, strict=True):
        os.truncate(path, size << 20)

    made = make_chunks(tmp_path, "run", map(read_job, paths))

    assert [[job.reading.found.size >> 20 for job in one.jobs] for one in made] == chunks
    assert [one.prefix for one in made] == [f"run-{at:05}" for at in range(len(chunks))]


def test_a_log_that_is_gone_costs_no_other(logs: Path, tmp_path: Path) -> None:
    paths = [log(logs, f"{name}.jsonl", user(name, None, "x")) for name in "abc"]
    whole = chunk(tmp_path / "lake", *paths)
    paths[1].unlink()

    rows = read_chunk(whole)

    assert [one.failure for one in rows.logs] == [None, "No such file or directory", None]
    assert (ids(rows), rows.few["sessions"].height) == (["a", "c"], 2)


def test_a_large_log_that_changes_while_it_is_read_leaves_no_rows(logs: Path, tmp_path: Path) -> None:
    lines = [user(str(at), None, "x" * 100_000) for at in range(200)]
    before, large, after = (
        log(logs, f"{name}.jsonl", *some) for name, some in (("a", lines[:2]), ("b", lines), ("c", lines[:1]))
    )
    whole = chunk(tmp_path, before, large, after)
    job = whole.jobs[1]
    changing = ChangingLog(job.reading.log, lambda: log(logs, "b.jsonl", *reversed(lines)))
    jobs = [whole.jobs[0], ReadJob(replace(job.reading, log=changing)), whole.jobs[2]]

    rows = read_chunk(replace(whole, jobs=jobs))

    assert [one.failure for one in rows.logs] == [None, "changed while it was read", None]
    assert ids(rows) == ["0", "1", "0"]
    assert rows.files == {}


def test_a_log_that_is_as_it_was_has_no_rows(logs: Path, tmp_path: Path) -> None:
    path = log(logs, "a.jsonl", user("a", None, "x"))
    chain = content_chain(read_job(path).reading.log)
    create_lake(tmp_path)

    same = read_chunk(Chunk(tmp_path, "run", [read_job(path, unless=chain)]))
    other = read_chunk(Chunk(tmp_path, "run", [read_job(path, unless="another chain")]))

    assert ([one.is_same for one in same.logs], same.few) == ([True], {})
    assert ([one.is_same for one in other.logs], ids(other)) == ([False], ["a"])


def test_many_rows_are_staged_and_few_are_handed_back(logs: Path, tmp_path: Path) -> None:
    lines = [user(f"{at}", None, "x" * 10_000) for at in range(500)]
    path = log(logs, "a.jsonl", *lines)

    rows = read_chunk(chunk(tmp_path, path))

    assert list(rows.files) == ["entries"]
    (file,) = rows.files["entries"]
    assert pl.read_parquet(tmp_path / "entries" / file.path).height == 500
    assert {table: frame.height for table, frame in rows.few.items()} == {"segments": 500, "sessions": 1}
