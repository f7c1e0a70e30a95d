"""A forget that is killed at any moment: before its tombstone nothing happened, after it the next run does the rest."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import header, user
from tests.pipelines.companion_rows import Row, companion_rows
from tests.pipelines.store_traces import traces
from tests.pipelines.stores import lake_rows, log, run
from uncompact.pipelines.forget import forget
from uncompact.pipelines.store import StorePaths

SECRET = "zebrafinch"

# Forgets a session, and kills itself when it has touched so many files of the store.
_PROGRAM = """
import os, signal, sys
from pathlib import Path
from uncompact.pipelines.forget import forget

store, left = sys.argv[1], int(sys.argv[2])

def count(event, arguments):
    global left
    if event in {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"} and str(arguments[0]).startswith(store):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
forget(Path(store), ["id-secret"])
print(left)
"""
_NEVER = 1_000_000


@dataclass(frozen=True, slots=True)
class Stores:
    """Logs, a store of them, one that forgot a session without being killed, and how many files that touched."""

    logs: Path
    full: Path
    without: Path
    touched: int


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder = tmp_path_factory.mktemp("kills")
    logs = folder / "logs"
    log(
        logs,
        "secret.jsonl",
        user("a1", None, f"It is {SECRET}."),
        first=header("id-secret", f"/srv/{SECRET}"),
    )
    for bird in ("nightjar", "bittern"):
        log(logs, f"{bird}.jsonl", user(bird, None, f"It is {bird}."), first=header(f"id-{bird}"))
    run(logs, folder / "full")
    shutil.copytree(folder / "full", folder / "without")
    done = start(folder / "without", _NEVER)
    assert done.returncode == 0, done.stderr
    return Stores(logs, folder / "full", folder / "without", _NEVER - int(done.stdout))


def start(store: Path, touched: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _PROGRAM, str(store), str(touched)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def held(store: Path) -> tuple[dict[str, list[Row]], dict[tuple[str, str], list[Row]]]:
    return lake_rows(store), companion_rows(StorePaths(store).companion)


@pytest.mark.parametrize("eighth", range(8))
def test_the_next_run_finishes_what_was_begun(stores: Stores, store: Path, eighth: int) -> None:
    shutil.copytree(stores.full, store)
    killed = start(store, 1 + stores.touched * eighth // 8)
    was_begun = StorePaths(store).tombstones.exists()

    report = run(stores.logs, store)

    assert killed.returncode == -signal.SIGKILL
    assert report["sources"]["forgotten"] == was_begun
    assert held(store) == held(stores.without if was_begun else stores.full)
    assert (traces(store, SECRET, "id-secret") == []) == was_begun


@pytest.mark.parametrize("again", ["id-secret", "id-bittern"], ids=["the same", "another"])
def test_the_next_forget_finishes_what_was_begun(stores: Stores, store: Path, again: str) -> None:
    shutil.copytree(stores.full, store)
    start(store, stores.touched * 3 // 4)

    report = forget(store, [again])

    assert (report.finished, [one.session_id for one in report.forgotten]) in (
        (1, []), (1, ["id-bittern"]),
    )  # fmt: skip
    assert traces(store, SECRET, "id-secret") == []


def test_a_store_that_was_touched_late_is_killed_in_the_middle(stores: Stores, store: Path) -> None:
    shutil.copytree(stores.full, store)

    start(store, stores.touched * 3 // 4)

    assert StorePaths(store).tombstones.exists()
    assert traces(store, SECRET, "id-secret") != []


def test_what_is_half_forgotten_answers_no_more(stores: Stores, store: Path) -> None:
    shutil.copytree(stores.full, store)

    start(store, stores.touched * 3 // 4)

    with uncompact.open_store(store) as opened:
        assert sorted(one["session_id"] for one in opened.sessions()) == ["id-bittern", "id-nightjar"]
