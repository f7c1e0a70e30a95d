"""Structured logs on standard error: counts and timings, and never a word, an id or a path of a log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.builders import compacted, encode, header, user, write_log
from tests.pipelines.stores import append

from .cli_runs import run

MARKED = [
    header("markersession", cwd="/home/markeruser/markerproject"),
    user("markerid", None, "the markerword and `markerIdent` in src/markerfile.py"),
    *compacted("markerid"),
]


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """Return a log that has the word marker in its path, its ids, its text and a damaged line."""
    path = write_log(tmp_path / "markerfolder" / "marker.jsonl", MARKED)
    append(path, b'{"marker": not json\n')
    return path


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_level_and_no_error_tells_anything_of_a_log(marked: Path, tmp_path: Path, form: str) -> None:
    shared = [
        "--store",
        str(tmp_path / "markerstore"),
        "--log-level",
        "debug",
        "--log-format",
        form,
        "--json",
    ]
    commands = (
        ["reindex", str(marked.parent)],
        ["retrieve", "--session", str(marked), "markerword `markerIdent`"],
        ["retrieve", "--session", "markersession", "--leaf", "markernone", "markerword"],
        ["show", str(marked)],
        ["sync", str(marked)],
        ["sync", str(marked.with_name("markernone"))],
        ["reindex", "/markernone"],
        ["runs"],
    )
    logged = [run(*shared, *command).stderr for command in commands]

    assert all(text for text in logged[:2])
    assert "marker" not in "".join(logged)


def test_logs_are_json_objects_of_numbers(marked: Path, tmp_path: Path) -> None:
    result = run("--store", str(tmp_path / "store"), "reindex", str(marked), "--log-format", "json", "--json")
    first = json.loads(result.stderr.splitlines()[0])

    assert list(first)[:3] == ["time", "level", "event"]
    assert (first["level"], first["event"]) == ("info", "discover")
    assert all(isinstance(value, int | float) for name, value in first.items() if name not in list(first)[:3])


def test_text_logs_are_a_line_an_event(marked: Path, tmp_path: Path) -> None:
    result = run("--store", str(tmp_path / "store"), "--log-level", "info", "--json", "reindex", str(marked))
    line = result.stderr.splitlines()[0].split(" ")

    assert (line[1:3], line[3].split("=")[0]) == (["INFO", "discover"], "seconds")


def test_a_retrieval_is_logged_with_its_counts(marked: Path, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store")]
    run(*store, "reindex", str(marked))
    result = run(
        *store, "retrieve", "--session", str(marked), "--log-format", "json", "--json", "`markerIdent`"
    )
    told = {event["event"]: event for event in map(json.loads, result.stderr.splitlines())}

    assert (told["retrieve"]["hits"], told["retrieve"]["ranked"]) == (1, 1)


def test_nothing_is_logged_unasked(marked: Path, tmp_path: Path) -> None:
    assert run("--store", str(tmp_path / "store"), "reindex", str(marked), "--json").stderr == ""


def test_a_warning_level_is_quiet_about_stages(marked: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")

    assert run("--store", store, "reindex", str(marked), "--json", "--log-level", "warning").stderr == ""


def test_logs_before_and_after_a_command_are_one(marked: Path, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store")]
    run("--log-level", "info", *store, "reindex", str(marked))
    append(marked, encode(user("more", "d0000001", "More")))
    result = run("--log-level", "info", *store, "reindex", str(marked), "--json")

    assert [line.split(" ")[2] for line in result.stderr.splitlines()].count("read") == 1
