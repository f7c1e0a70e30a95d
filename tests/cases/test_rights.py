"""Rights that are missing, of logs and of stores, and no home and no network: told, and never a loss."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    compacted,
    encode,
    header,
    index,
    user,
    write_log,
)

TALK = [header("s-1"), user("a1", None, "the keel_mark is oak"), *compacted("a1")]

ChangeMode = Callable[[Path, int], None]

_PR_CAPBSET_DROP = 24
_OVERRIDING_CAPABILITIES = (1, 2)  # to write and to read what the modes forbid


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    """A log that was indexed."""
    write_log(tmp_path / "logs" / "s.jsonl", TALK)
    return index(tmp_path / "logs", tmp_path / "store")


def reject_superuser_rights() -> None:
    """Let modes of files bind the superuser, too: run in a child before it becomes another program."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in _OVERRIDING_CAPABILITIES:
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def run_with_few_rights(
    *arguments: str | Path, wrapped: tuple[str, ...] = (), **variables: str
) -> JsonObject:
    """Run a command line as a process that the modes of files bind."""
    if sys.platform != "linux":
        pytest.skip("how to give up the superuser's rights is known for Linux")
    command = [*wrapped, sys.executable, "-m", "uncompact", *map(str, arguments), "--json"]
    done = subprocess.run(
        command,
        capture_output=True,
        env={**os.environ, **variables},
        preexec_fn=reject_superuser_rights,
        check=False,
        timeout=20,
    )
    assert b"Traceback" not in done.stderr
    told: JsonObject = json.loads(done.stdout)
    return {"exit_code": done.returncode, **told}


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[ChangeMode]:
    """Return a function that changes modes, which are put back so that the folder can be removed."""
    changed: dict[Path, int] = {}

    def change(path: Path, mode: int) -> None:
        changed.setdefault(path, path.stat().st_mode)
        path.chmod(mode)

    yield change
    for path, mode in changed.items():
        path.chmod(mode)
    assert tmp_path.exists()


def test_folders_and_logs_that_may_not_be_read_stop_no_other(tmp_path: Path, locked: ChangeMode) -> None:
    for name in ("s.jsonl", "closed/s.jsonl", "own.jsonl"):
        write_log(tmp_path / "logs" / name, [header(name), user("a1", None, "x")])
    locked(tmp_path / "logs" / "closed", 0)
    locked(tmp_path / "logs" / "own.jsonl", 0)

    report = run_with_few_rights("--store", tmp_path / "store", "reindex", tmp_path / "logs")

    assert (report["exit_code"], report["sources"]["changed"], report["sources"]["failed"]) == (0, 1, 2)
    assert sorted(report["warnings"]) == [
        f"{tmp_path}/logs/closed: Permission denied",
        f"{tmp_path}/logs/own.jsonl: Permission denied",
    ]


def test_a_log_that_may_no_longer_be_read_keeps_its_entries(logs: IndexedLogs, locked: ChangeMode) -> None:
    with (logs.root / "s.jsonl").open("ab") as file:
        file.write(encode(user("b9", "d0000001", "more")))
    locked(logs.root / "s.jsonl", 0)

    report = run_with_few_rights("--store", logs.store, "reindex", logs.root)

    assert (report["exit_code"], report["sources"]["failed"], report["entries"]["total"]) == (0, 1, 5)
    assert logs.retrieve("`keel_mark`").ids == ["a1"]


def test_a_folder_that_is_closed_for_a_while_hides_no_session(logs: IndexedLogs, locked: ChangeMode) -> None:
    locked(logs.root, 0)

    report = run_with_few_rights("--store", logs.store, "reindex", logs.root)

    assert (report["sources"]["failed"], report["sources"]["vanished"]) == (1, 0)
    assert [one["state"] for one in logs.sessions()] == ["present"]


def test_nothing_is_written_beside_logs_that_may_only_be_read(tmp_path: Path, locked: ChangeMode) -> None:
    log = write_log(tmp_path / "logs" / "s.jsonl", TALK)
    locked(log, 0o400)
    locked(tmp_path / "logs", 0o500)

    report = run_with_few_rights("--store", tmp_path / "store", "reindex", tmp_path / "logs")

    assert (report["exit_code"], report["warnings"]) == (0, [])
    assert list((tmp_path / "logs").iterdir()) == [log]


def close_for_writing(store: Path, locked: ChangeMode) -> None:
    for path in [*store.rglob("*"), store]:
        locked(path, 0o500 if path.is_dir() else 0o400)


def test_a_store_that_may_only_be_read_answers(logs: IndexedLogs, locked: ChangeMode) -> None:
    close_for_writing(logs.store, locked)
    session = ("--session", logs.root / "s.jsonl")

    answer = run_with_few_rights("--store", logs.store, "retrieve", *session, "what of `keel_mark`?")

    assert (answer["status"], [hit["entry_id"] for hit in answer["hits"]]) == ("complete", ["a1"])


def test_a_store_that_may_only_be_read_is_named_by_a_run(logs: IndexedLogs, locked: ChangeMode) -> None:
    close_for_writing(logs.store, locked)

    told = run_with_few_rights("--store", logs.store, "reindex", logs.root)

    assert (told["exit_code"], told["error"]["kind"]) == (1, "store")
    assert str(logs.store) in told["error"]["message"]


def test_a_store_below_a_folder_that_may_only_be_read_is_refused(tmp_path: Path, locked: ChangeMode) -> None:
    (tmp_path / "closed").mkdir()
    locked(tmp_path / "closed", 0o500)

    told = run_with_few_rights("--store", tmp_path / "closed" / "store", "reindex", tmp_path)

    assert (told["exit_code"], told["error"]["kind"]) == (1, "store")
    assert told["error"]["message"].startswith(f"{tmp_path}/closed")


def test_neither_a_home_nor_a_network_is_needed(logs: IndexedLogs, tmp_path: Path) -> None:
    apart = ("unshare", "--net")
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("cutting off the network takes `unshare` and the right to use it")
    asked = ("retrieve", "--session", logs.root / "s.jsonl", "what of `keel_mark`?")

    report = run_with_few_rights(
        "--store", tmp_path / "new", "reindex", logs.root, wrapped=apart, HOME="/nonexistent"
    )
    answer = run_with_few_rights("--store", tmp_path / "new", *asked, wrapped=apart, HOME="/nonexistent")

    assert (report["exit_code"], answer["exit_code"], len(answer["hits"])) == (0, 0, 1)
