"""`forget` at the command line: what it says, what it asks, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cases.builders import IndexedLogs, header, index, user, write_log
from uncompact.pipelines.store import StorePaths, writer_lock

from .cli_runs import PROGRAM, error_of, run

ID = "0195a000-0000-7000-8000-00000000000a"


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    """Three sessions: one, a fork of its first entry, and one without times in another project."""
    shared = user("e1", None, "The gate code is 4711.")
    write_log(tmp_path / "logs" / "one.jsonl", [header(ID), shared, user("e2", "e1", "Thanks.")])
    write_log(tmp_path / "logs" / "fork.jsonl", [header("id-fork"), shared])
    timeless = {name: value for name, value in user("f1", None, "Hm.").items() if name != "timestamp"}
    write_log(tmp_path / "logs" / "timeless.jsonl", [header("id-timeless", "/srv/two"), timeless])
    return index(tmp_path / "logs", tmp_path / "store")


def answer(logs: IndexedLogs, *arguments: str) -> Any:
    result = run("--store", str(logs.store), "forget", "--json", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def text(logs: IndexedLogs, *arguments: str) -> list[str]:
    result = run("--store", str(logs.store), "forget", *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_json_has_the_counts_the_logs_and_the_kept_copies(logs: IndexedLogs) -> None:
    report = answer(logs, ID)

    (forgotten,), (kept,) = report["forgotten"], report["copies"]["sessions"]
    assert {name: report[name] for name in ("dry_run", "sessions", "entries", "text_bytes", "warnings")} == {
        "dry_run": False, "sessions": 1, "entries": 2, "text_bytes": 29, "warnings": [],
    }  # fmt: skip
    assert (forgotten["session_id"], forgotten["path"]) == (ID, str(logs.root / "one.jsonl"))
    assert (report["copies"]["entries"], kept["session_id"], kept["entries"]) == (1, "id-fork", 1)


def test_text_says_that_the_logs_stay_and_where_they_are(logs: IndexedLogs) -> None:
    lines = text(logs, ID)

    assert lines[0].startswith("Forgotten: 1 session, 2 entries, 29 bytes of text; ")
    assert lines[1:] == [
        "Copies stay: 1 of these entries also stands in 1 session that is kept:",
        f"       1  id-fork  {logs.root}/fork.jsonl",
        "The logs themselves are not touched. No later run reads them, until `uncompact forget --allow`:",
        f"  {logs.root}/one.jsonl",
    ]


def test_a_dry_run_says_what_would_go(logs: IndexedLogs) -> None:
    assert text(logs, ID, "--dry-run")[0].startswith("Would be forgotten: 1 session, 2 entries, ")
    assert len(logs.sessions()) == 3


def test_a_date_leaves_out_sessions_without_a_time_and_says_so(logs: IndexedLogs) -> None:
    lines = text(logs, "--before", "2026-04-01")

    assert [one["session_id"] for one in logs.sessions()] == ["id-timeless"]
    assert "Not looked at: 1 session without a time, which no date chooses." in lines


def test_a_vanished_log_is_said_to_be_gone(logs: IndexedLogs) -> None:
    (logs.root / "timeless.jsonl").unlink()
    logs.again()

    assert text(logs, "id-timeless")[-1] == (f"  {logs.root}/timeless.jsonl  (gone: only the store had it)")


def test_what_was_forgotten_is_listed_and_allowed(logs: IndexedLogs) -> None:
    assert text(logs, "--list") == ["Nothing was forgotten."]
    answer(logs, ID)

    (listed,) = answer(logs, "--list")

    assert (set(listed), listed["covers"], listed["erased"]) == (
        {"id", "forgotten_at", "covers", "erased"}, "session", True,
    )  # fmt: skip
    assert text(logs, "--list")[1].split()[0] == listed["id"]
    assert answer(logs, "--allow", ID) == {"allowed": [listed]}
    assert logs.again().report["entries"]["total"] == 4


def test_a_run_counts_what_it_did_not_read(logs: IndexedLogs) -> None:
    answer(logs, ID)

    report = logs.again().report

    assert (report["sources"]["forgotten"], report["warnings"]) == (1, [])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param([], 2, "nothing is named to forget", id="nothing"),
        pytest.param(["--before", "soon"], 2, "'soon' is no date or time from 1970 on", id="no date"),
        pytest.param(["--list", "x-1"], 2, "--list and --allow go with no other choice", id="list and more"),
        pytest.param(["--allow", "x-1", "--dry-run"], 2, "--list and --allow go", id="allow and more"),
        pytest.param(["nobody"], 1, "no session 'nobody'; there is: ", id="unknown session"),
        pytest.param(["--project", "/srv"], 1, "no project '/srv'; there is: ", id="unknown project"),
        pytest.param(
            ["--allow", "nobody"], 1, "no forgotten session 'nobody'; there is: none", id="not forgotten"
        ),
        pytest.param(["nul\0"], 1, "no session 'nul\\x00'", id="odd name"),
    ],
)
def test_what_cannot_be_done_is_an_error(
    logs: IndexedLogs, arguments: list[str], code: int, message: str
) -> None:
    result = run("--store", str(logs.store), "forget", "--json", *arguments)

    assert result.exit_code == code
    assert message in error_of(result)["message"]
    assert len(logs.sessions()) == 3


def test_a_busy_store_is_its_own_exit_code(logs: IndexedLogs) -> None:
    with writer_lock(StorePaths(logs.store)):
        result = run("--store", str(logs.store), "forget", ID)

    assert (result.exit_code, len(logs.sessions())) == (3, 3)


@pytest.mark.parametrize(
    ("typed", "options", "code", "left"),
    [
        pytest.param(b"n\n", [], 1, 3, id="no"),
        pytest.param(b"\n", [], 1, 3, id="nothing typed"),
        pytest.param(b"y\n", [], 0, 2, id="yes"),
        pytest.param(b"", ["--yes"], 0, 2, id="not asked"),
    ],
)
def test_a_person_is_asked_first(
    logs: IndexedLogs, typed: bytes, options: list[str], code: int, left: int
) -> None:
    terminal, own = pty.openpty()
    command = [*PROGRAM, "--store", str(logs.store), "forget", ID, *options]
    process = subprocess.Popen(command, stdin=own, stdout=own, stderr=own)
    os.close(own)
    os.write(terminal, typed)
    shown = read_all(terminal)

    assert process.wait() == code, shown
    assert (b"Forget this?" in shown) == (not options)
    assert len(logs.sessions()) == left


def read_all(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # what Linux says when the other end is closed
            part = b""
        if not part:
            os.close(terminal)
            return shown
        shown += part


@pytest.mark.parametrize("name", [ID, "one.jsonl"], ids=["id", "log"])
def test_asking_for_a_forgotten_session_says_that_it_was_forgotten(logs: IndexedLogs, name: str) -> None:
    answer(logs, ID)
    asked = str(logs.root / name) if name.endswith(".jsonl") else name

    result = run("--store", str(logs.store), "show", asked, "--json")

    hint = error_of(result)["hint"]
    assert (result.exit_code, hint.startswith("it was forgotten at 2")) == (1, True)
    assert hint.endswith(f"`uncompact forget --allow {asked}` lets it in again")
