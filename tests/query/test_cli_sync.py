"""`sync`, and what `retrieve` and `show` do first with a log that they are given by its file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import IndexedLogs, compacted, encode, header, index_lines, user, write_log
from tests.pipelines.stores import append
from uncompact.pipelines.companion_db import connect_writer
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths

from .cli_runs import LOG, SESSION_ID, error_of, run

JsonObject = dict[str, Any]

MORE = [user("e1", "d0000001", "Then `pool_max_age` is 90."), *compacted("e1", 60, series=2)]
MORE_BYTES = b"".join(map(encode, MORE))
BEHIND = "the store is behind this log: another process is writing the store"


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    return index_lines(LOG, tmp_path)


@pytest.fixture
def log(logs: IndexedLogs) -> Path:
    """Return a log that has grown since it was indexed."""
    path = logs.root / "s.jsonl"
    append(path, MORE_BYTES)
    return path


@contextmanager
def written_by_another(store: Path) -> Generator[None]:
    """Hold the companion as a run that loads it does."""
    with closing(connect_writer(StorePaths(store).companion)) as other:
        execute(other, "begin immediate")
        yield


def ask(store: Path, session: Path | str, *options: str) -> JsonObject:
    command = ["--store", str(store), "--json", "retrieve", "--session", str(session), *options]
    answer: JsonObject = json.loads(run(*command, "`pool_max_age`?").stdout)
    return answer


def found(answer: JsonObject) -> list[str]:
    return [hit["entry_id"] for hit in answer["hits"]]


def shown(store: Path, session: Path | str, *options: str) -> JsonObject:
    value: JsonObject = json.loads(
        run("--store", str(store), "--json", "show", str(session), *options).stdout
    )
    return value


def test_sync_says_what_it_did(logs: IndexedLogs, log: Path) -> None:
    arguments = ["--store", str(logs.store), "sync", str(log), "--json"]

    assert json.loads(run(*arguments).stdout) == [
        {"log": str(log), "outcome": "appended", "entries": 5, "bytes_read": len(MORE_BYTES)}
    ]
    assert json.loads(run(*arguments).stdout) == [
        {"log": str(log), "outcome": "unchanged", "entries": 0, "bytes_read": 0}
    ]


def test_sync_shows_a_line_a_log(logs: IndexedLogs, log: Path) -> None:
    lines = run("--store", str(logs.store), "sync", str(log)).stdout.splitlines()

    assert [line.split() for line in lines] == [
        ["outcome", "entries", "bytes", "log"],
        ["appended", "5", f"{len(MORE_BYTES):,}", str(log)],
    ]


def test_sync_of_a_busy_store_exits_with_3(logs: IndexedLogs, log: Path) -> None:
    with written_by_another(logs.store):
        result = run("--store", str(logs.store), "sync", str(log), "--json")

    assert (result.exit_code, json.loads(result.stdout)[0]["outcome"]) == (3, "busy")


def test_sync_of_what_is_no_log_is_an_error(logs: IndexedLogs) -> None:
    other = write_log(logs.root / "notes.jsonl", [{"hello": 1}])
    result = run("--store", str(logs.store), "sync", str(other), "--json")

    assert (result.exit_code, error_of(result)["message"]) == (1, f"{other}: not a session log")


def test_one_bad_log_among_several_is_told_of_and_the_others_go_on(logs: IndexedLogs, log: Path) -> None:
    missing = str(logs.root / "none.jsonl")
    result = run("--store", str(logs.store), "sync", missing, str(log), "--json")
    first, second = json.loads(result.stdout)

    assert (result.exit_code, first["outcome"], second["outcome"]) == (1, "failed", "appended")
    assert first["error"]["message"] == f"{missing}: No such file or directory"


def test_retrieve_finds_what_was_appended_since(logs: IndexedLogs, log: Path) -> None:
    answer = ask(logs.store, log)

    assert (found(answer), answer["warnings"]) == (["e1"], [])


@pytest.mark.parametrize("by_id", [False, True], ids=["no-sync", "by id"])
def test_the_store_answers_as_it_is_when_that_is_asked(logs: IndexedLogs, log: Path, by_id: bool) -> None:
    answer = ask(logs.store, SESSION_ID) if by_id else ask(logs.store, log, "--no-sync")

    assert (found(answer), answer["warnings"]) == ([], [])


def test_retrieve_reads_a_log_that_the_store_never_saw(logs: IndexedLogs, tmp_path: Path) -> None:
    new = write_log(
        tmp_path / "new.jsonl", [header("other"), user("n1", None, "`pool_max_age`"), *compacted("n1")]
    )

    assert found(ask(logs.store, new)) == ["n1"]


def test_a_busy_store_answers_with_what_it_has(logs: IndexedLogs, log: Path) -> None:
    with written_by_another(logs.store):
        answer = ask(logs.store, log)

    assert (answer["status"], answer["warnings"]) == ("no-hits", [BEHIND])


def test_a_log_that_became_something_else_is_answered_from_the_store(logs: IndexedLogs) -> None:
    path = write_log(logs.root / "s.jsonl", [{"hello": 1}])
    answer = ask(logs.store, path)

    assert (answer["status"], answer["warnings"]) == (
        "no-hits",
        ["the store is behind this log: not a session log"],
    )


def test_a_busy_store_that_never_saw_a_log_says_so(logs: IndexedLogs, tmp_path: Path) -> None:
    new = write_log(tmp_path / "new.jsonl", [header("other"), user("n1", None, "Hello")])
    with written_by_another(logs.store):
        result = run("--store", str(logs.store), "--json", "retrieve", "--session", str(new), "hello?")

    assert (result.exit_code, error_of(result)["kind"]) == (3, "busy")


def test_show_lists_what_was_appended_since(logs: IndexedLogs, log: Path) -> None:
    listed = shown(logs.store, log)

    assert (listed["leaf"], len(listed["entries"]), listed["warnings"]) == ("d2000001", 11, [])


def test_show_lists_what_only_a_sync_has_read(logs: IndexedLogs, log: Path) -> None:
    run("--store", str(logs.store), "sync", str(log))

    assert len(shown(logs.store, log)["entries"]) == 11


def test_show_by_id_says_that_the_lake_is_behind(logs: IndexedLogs, log: Path) -> None:
    run("--store", str(logs.store), "sync", str(log))
    listed = shown(logs.store, SESSION_ID)

    assert (len(listed["entries"]), listed["warnings"]) == (
        6,
        ["the lake has not all entries of this session yet: `uncompact reindex` brings it up to date"],
    )


def test_show_reads_a_log_that_the_store_never_saw(logs: IndexedLogs, tmp_path: Path) -> None:
    new = write_log(tmp_path / "new.jsonl", [header("other"), user("n1", None, "Hello")])

    assert [entry["entry_id"] for entry in shown(logs.store, new)["entries"]] == ["n1"]


@pytest.fixture
def read_only_store(logs: IndexedLogs) -> Iterator[Path]:
    """Mount the store so that nobody may write it; only the superuser may."""
    store = str(logs.store)
    for command in (["mount", "--bind", store, store], ["mount", "-o", "remount,bind,ro", store]):
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("mounting a folder takes the superuser's rights")
    yield logs.store
    subprocess.run(["umount", "-l", store], check=True)


def test_a_store_that_may_not_be_written_answers_with_what_it_has(read_only_store: Path, log: Path) -> None:
    answer = ask(read_only_store, log)
    (warning,) = answer["warnings"]

    assert answer["status"] == "no-hits"
    assert warning.startswith("the store is behind this log: ")


def test_a_log_that_did_not_change_costs_no_import_of_polars(logs: IndexedLogs) -> None:
    arguments = [
        "--store",
        str(logs.store),
        "retrieve",
        "--session",
        str(logs.root / "s.jsonl"),
        "`pool_max_size`?",
    ]
    program = (
        "import sys\nfrom uncompact.query.cli import cli\n"
        f"try: cli({arguments})\n"
        "except SystemExit: print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "2 entries" in done.stdout
    assert set(done.stdout.split()).isdisjoint({"polars", "deltalake", "logging", "filelock"})


def test_a_log_whose_name_is_not_utf8_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "logs" / os.fsdecode(b"caf\xe9.jsonl")
    write_log(path, LOG)
    uncompact.reindex([path.parent], store=tmp_path / "store")
    append(path, MORE_BYTES)

    assert found(ask(tmp_path / "store", path)) == ["e1"]
