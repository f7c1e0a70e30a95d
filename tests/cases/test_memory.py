"""Large inputs and pictures: what a run takes in memory is bounded, and what is no text costs the store nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.builders import (
    CASES,
    IndexedLogs,
    JsonObject,
    compacted,
    header,
    index_lines,
    user,
)

BENCHMARK = CASES.parents[1] / "benchmarks" / "reindex_memory.py"

CEILING_MB = 400


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """The figures of the benchmark, on a log and a number of files that are not as large."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of a process is read from /proc")
    written = tmp_path_factory.mktemp("memory") / "figures.json"
    sizes = ("--gigabytes", "0.05", "--files", "300", "--json", str(written))
    subprocess.run([sys.executable, str(BENCHMARK), *sizes], check=False, capture_output=True)
    figures: dict[str, dict[str, float]] = json.loads(written.read_text(encoding="utf-8"))
    return figures


@pytest.mark.parametrize(
    ("case", "entries"),
    [
        pytest.param("line", 2, id="a line of 20 MB"),
        pytest.param("wide", 2, id="a line of 20 MB, four bytes a character"),
        pytest.param("chain", 100_000, id="100,000 entries in one chain"),
        pytest.param("files", 3000, id="300 logs"),
    ],
)
def test_a_run_takes_bounded_memory(measured: dict[str, dict[str, float]], case: str, entries: int) -> None:
    assert measured[case]["entries"] == entries
    assert measured[case]["beyond_imports_mb"] <= CEILING_MB


@pytest.mark.parametrize("case", ["log", "tail"], ids=["a log of 50 MB", "15 MB appended"])
def test_a_large_log_is_read_in_bounded_memory(measured: dict[str, dict[str, float]], case: str) -> None:
    assert measured[case]["read_mb"] >= 15
    assert measured[case]["beyond_imports_mb"] <= CEILING_MB


def picture_log(base64_chars: int, folder: Path) -> IndexedLogs:
    """Index a session whose first entry is a picture."""
    picture = {"type": "image", "data": "QkFM" * (base64_chars // 4), "mimeType": "image/png"}
    message: JsonObject = {"role": "user", "content": [{"type": "text", "text": "the `tide_photo`"}, picture]}
    shown = {**user("a1", None, ""), "message": message}
    return index_lines([header(), shown, *compacted("a1")], folder)


def store_bytes(logs: IndexedLogs) -> int:
    return sum(path.stat().st_size for path in logs.store.rglob("*") if path.is_file())


def test_a_large_picture_makes_no_larger_store(tmp_path: Path) -> None:
    small, large = picture_log(1000, tmp_path / "small"), picture_log(8_000_000, tmp_path / "large")

    assert small.retrieve("`tide_photo`").ids == large.retrieve("`tide_photo`").ids == ["a1"]
    assert store_bytes(large) - store_bytes(small) < 4096


def test_the_words_of_a_large_picture_are_not_searched(tmp_path: Path) -> None:
    logs = picture_log(100_000, tmp_path)

    assert logs.retrieve("QkFMQkFMQkFM").status == "no-hits"
    assert "QkFM" not in json.dumps(logs.retrieve("`tide_photo`").values["hits"])
