"""`runs` and `status`: how the store's last runs went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.builders import write_log
from tests.pipelines.stores import append
from uncompact.pipelines.store import StorePaths

from .cli_runs import LOG, error_of, run

KILLED = b'{"started_at":"2026-03-14T09:00:00.000Z"}\n'
FAILED = (
    b'{"started_at":"2026-03-15T09:00:00.000Z","ended_at":"2026-03-15T09:00:01.000Z","outcome":"failed",'
    b'"error":"io","seconds":{"total":1.5},"warnings":0}\n'
)


@pytest.fixture
def indexed(logs: Path, store: Path) -> Path:
    """Return a store that has had one run."""
    write_log(logs / "s.jsonl", LOG)
    run("--store", str(store), "reindex", str(logs))
    return store


def runs_of(store: Path) -> Path:
    return StorePaths(store).runs


def test_runs_are_json(indexed: Path) -> None:
    (only,) = json.loads(run("--store", str(indexed), "runs", "--json").stdout)

    assert (only["outcome"], only["entries"], only["sources"]["changed"]) == (
        "ok",
        {"added": 6, "total": 6},
        1,
    )
    assert set(only) >= {
        "started_at",
        "ended_at",
        "seconds",
        "bytes_read",
        "peak_rss_mb",
        "warnings",
        "error",
    }


def test_runs_are_a_table_newest_first(indexed: Path) -> None:
    append(runs_of(indexed), KILLED + FAILED)
    _, *lines = run("--store", str(indexed), "runs").stdout.splitlines()

    assert [line.split()[:4] for line in lines[:2]] == [
        ["2026-03-15", "09:00:00Z", "failed", "(io)"],
        ["2026-03-14", "09:00:00Z", "unfinished"],
    ]
    assert lines[2].split()[2] == "ok"


def test_runs_are_limited(indexed: Path) -> None:
    append(runs_of(indexed), FAILED)
    listed = json.loads(run("--store", str(indexed), "runs", "--limit", "1", "--json").stdout)

    assert [one["outcome"] for one in listed] == ["failed"]


def test_no_runs_are_no_error(store: Path) -> None:
    store.mkdir()

    assert run("--store", str(store), "runs").stdout == "No runs.\n"
    assert json.loads(run("--store", str(store), "runs", "--json").stdout) == []


def test_no_store_is_an_error(store: Path) -> None:
    result = run("--store", str(store), "runs", "--json")

    assert (result.exit_code, error_of(result)["kind"]) == (1, "store")


def test_status_shows_the_last_run(indexed: Path) -> None:
    *_, last = run("--store", str(indexed), "status").stdout.splitlines()

    assert last.startswith("last run   ")
    assert ", ok: 1 log changed, 6 entries added in " in last


def test_status_shows_the_last_good_run_when_the_last_was_not(indexed: Path) -> None:
    append(runs_of(indexed), FAILED + KILLED)
    *_, last, good = run("--store", str(indexed), "status").stdout.splitlines()

    assert last == "last run   2026-03-14 09:00:00Z, goes on still or was killed"
    assert good.startswith("last good  ")
    assert ", ok: 1 log changed" in good


def test_status_has_both_as_json(indexed: Path) -> None:
    append(runs_of(indexed), FAILED)
    runs = json.loads(run("--store", str(indexed), "status", "--json").stdout)["runs"]

    assert (runs["last"]["outcome"], runs["last_good"]["outcome"], runs["problem"]) == ("failed", "ok", None)


def test_a_damaged_line_shows_what_it_has(indexed: Path) -> None:
    append(
        runs_of(indexed), b'{"started_at":"x","outcome":"ok","seconds":7,"warnings":"none","error":null}\n'
    )
    _, first, *_ = run("--store", str(indexed), "runs").stdout.splitlines()

    assert first.split() == ["x", "Z", "ok"]
    assert run("--store", str(indexed), "status").exit_code == 0


def test_status_goes_without_a_history_that_cannot_be_read(indexed: Path) -> None:
    runs_of(indexed).unlink()
    runs_of(indexed).mkdir()
    *_, last = run("--store", str(indexed), "status").stdout.splitlines()

    assert last == "last run   its history cannot be read: Is a directory"
