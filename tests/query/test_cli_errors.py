"""Errors of the command line: one line or one JSON object, an exit code, and a hint at what would work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filelock import FileLock

from tests.cases.builders import IndexedLogs, index_lines, write_log

from .cli_runs import LOG, SESSION_ID, ask, error_of, run


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    return index_lines(LOG, tmp_path_factory.mktemp("logs"))


def typed(value: object) -> str | None:
    """Name a test by its arguments alone."""
    return None if isinstance(value, str | int) else ascii(value)


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (["bogus"], "usage", 2),
        (["retrieve", "x"], "usage", 2),
        (["retrieve", "--session", SESSION_ID, "--max-results", "101", "x"], "usage", 2),
        (["retrieve", "--session", SESSION_ID, "--max-results", "many", "x"], "usage", 2),
        (["retrieve", "--session", SESSION_ID, "--context-ids", "-", "-"], "usage", 2),
        (["retrieve", "--session", SESSION_ID, "--context-ids", "/no/such/file", "x"], "io", 1),
        (["retrieve", "--session", SESSION_ID, "--leaf", "zz", "`x_y`"], "not-found", 1),
        (["retrieve", "--session", "nobody", "x"], "not-found", 1),
        (["show", "no\0body"], "not-found", 1),
        (["show", "\udcff"], "not-found", 1),
        (["show", ""], "usage", 2),
        (["reindex", "/no/such/folder"], "source", 1),
        (["reindex", "a\0b"], "usage", 2),
        (["--store", "/no/such/store", "sessions"], "store", 1),
        (["--store", __file__, "status"], "store", 1),
        (["--store", __file__, "reindex", __file__], "store", 1),
        (["--store", "", "status"], "usage", 2),
    ],
    ids=typed,
)
def test_error_is_one_json_object(logs: IndexedLogs, arguments: list[str], kind: str, code: int) -> None:
    result = run("--store", str(logs.store), "--json", *arguments)

    assert (error_of(result)["kind"], result.exit_code) == (kind, code)
    assert set(error_of(result)) == {"kind", "message", "hint"}


def test_error_for_a_person_is_a_line_and_a_hint(logs: IndexedLogs) -> None:
    result = run("--store", str(logs.store), "show", "nobody")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        f"Error: no session 'nobody'; there is: {SESSION_ID}",
        "Hint: `uncompact sessions` lists them",
    ]


def test_dash_without_two_dashes_before_is_explained(logs: IndexedLogs) -> None:
    result = ask(logs, "--json", "-Wall does not work")

    assert result.exit_code == 2
    assert error_of(result)["hint"].startswith("put `--` before a request that begins with a dash")


def test_log_that_is_not_indexed_says_how_to_index_it(logs: IndexedLogs, tmp_path: Path) -> None:
    log = write_log(tmp_path / "a new.jsonl", LOG)
    result = run(
        "--store", str(logs.store), "--json", "retrieve", "--no-sync", "--session", str(log), "what is it?"
    )

    assert error_of(result)["hint"] == f"it is not in the store yet: `uncompact reindex '{log}'`"


def test_no_store_yet_says_what_makes_one(tmp_path: Path) -> None:
    result = run("--store", str(tmp_path / "store"), "status")

    assert (result.exit_code, result.stderr.splitlines()[1]) == (
        1,
        "Hint: `uncompact reindex` with the same --store makes one",
    )


def test_no_folder_of_any_agent_names_those_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path / "none"))
    result = run("--store", str(tmp_path / "store"), "reindex")

    assert result.stderr.splitlines() == [
        f"Error: {tmp_path}/none: no such file or folder",
        "Hint: name a folder of logs or a log: `uncompact reindex PATH`",
    ]


def test_second_writer_is_told_to_wait(tmp_path: Path) -> None:
    log = write_log(tmp_path / "s.jsonl", LOG)
    (tmp_path / "store").mkdir()
    with FileLock(tmp_path / "store" / "writer.lock"):
        result = run("--store", str(tmp_path / "store"), "reindex", str(log), "--json")

    assert (result.exit_code, error_of(result)["kind"]) == (3, "busy")


@pytest.mark.parametrize("damage", [b"not json\n", b'["not an entry"]\n'], ids=["not json", "not an object"])
def test_strict_fails_when_a_line_is_rejected(tmp_path: Path, damage: bytes) -> None:
    log = write_log(tmp_path / "s.jsonl", LOG)
    log.write_bytes(log.read_bytes() + damage)
    result = run("--store", str(tmp_path / "store"), "reindex", str(log), "--strict", "--json")

    assert (result.exit_code, json.loads(result.stdout)["rejects"]["total"]) == (4, 1)


@pytest.mark.parametrize("content", ["", '{"hello": 1}\n'], ids=["empty", "no session"])
def test_strict_fails_when_a_log_gives_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.jsonl").write_text(content)
    result = run("--store", str(tmp_path / "store"), "reindex", str(tmp_path), "--strict")

    assert result.exit_code == 4


def test_strict_is_content_with_good_logs(tmp_path: Path) -> None:
    write_log(tmp_path / "s.jsonl", LOG)
    result = run("--store", str(tmp_path / "store"), "reindex", str(tmp_path), "--strict")

    assert result.exit_code == 0


def test_debug_shows_where_an_error_came_from(logs: IndexedLogs) -> None:
    assert (
        "Traceback (most recent call last)"
        in run("--store", str(logs.store), "--debug", "show", "nobody").stderr
    )
