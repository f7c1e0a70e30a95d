"""One folder, one writer: a lock that a second process meets and that death opens."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from uncompact.pipelines.errors import BusyError, StoreError
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.store import StorePaths, default_store, writer_lock

HOLD_THE_LOCK = """
import sys
from pathlib import Path
from uncompact.pipelines.store import StorePaths, writer_lock
with writer_lock(StorePaths(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other_writer(store: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is writing the store."""
    command = [sys.executable, "-c", HOLD_THE_LOCK, str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.usefixtures("other_writer")
def test_a_second_writer_is_refused(logs: Path, store: Path) -> None:
    with pytest.raises(BusyError, match="another process is writing this store"):
        reindex([logs], store)


def test_a_second_writer_may_wait(logs: Path, store: Path, other_writer: subprocess.Popen[str]) -> None:
    assert other_writer.stdin is not None
    other_writer.stdin.close()

    assert reindex([logs], store, wait_s=60).seen == 0


def test_the_lock_of_a_killed_writer_is_free(
    logs: Path, store: Path, other_writer: subprocess.Popen[str]
) -> None:
    other_writer.kill()
    other_writer.wait()

    assert reindex([logs], store).seen == 0


def test_a_lock_file_left_behind_does_not_lock(logs: Path, store: Path) -> None:
    store.mkdir()
    StorePaths(store).lock.write_text("4711")

    assert reindex([logs], store).seen == 0


@pytest.mark.parametrize("below", ["", "deeper"], ids=["the file", "below it"])
def test_a_store_that_is_a_file_is_refused(logs: Path, store: Path, below: str) -> None:
    store.write_text("notes")

    with pytest.raises(StoreError, match="is not a folder"):
        reindex([logs], store / below)

    assert store.read_text() == "notes"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make one")
def test_a_store_that_cannot_be_made_is_refused(logs: Path) -> None:
    with pytest.raises(StoreError):
        reindex([logs], Path("/proc/self/store"))


def test_folders_and_files_are_their_owners_alone(logs: Path, store: Path) -> None:
    (logs / "s.jsonl").write_text('{"type":"session","id":"s"}\n{"type":"label","id":"a"}\n')
    before = os.umask(0o022)
    try:
        reindex([logs], store / "deep")
    finally:
        os.umask(before)

    made = [store, *store.rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}


@pytest.mark.parametrize("held", ["lake", "writer.lock", "companion", None], ids=str)
def test_others_rights_are_taken_from_a_folder_of_ours(store: Path, held: str | None) -> None:
    store.mkdir()
    if held:
        (store / held).touch()
    store.chmod(0o755)

    with writer_lock(StorePaths(store)):
        assert store.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_someones_own_keeps_its_rights(store: Path) -> None:
    store.mkdir()
    (store / "notes.txt").write_text("mine")
    store.chmod(0o755)

    with writer_lock(StorePaths(store)):
        assert store.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (errno.ENOSPC, "no space left on the device"),
        (errno.EROFS, "may not be written"),
        (errno.EACCES, "may not be written"),
        (errno.EIO, "cannot be used: Input/output error"),
    ],
    ids=["full", "read-only", "not allowed", "other"],
)
def test_what_keeps_a_writer_from_writing_is_named(store: Path, number: int, found: str) -> None:
    with pytest.raises(StoreError) as caught, writer_lock(StorePaths(store)):
        raise OSError(number, os.strerror(number))

    assert caught.value.message == f"{store}: {found}"


def test_the_callers_umask_is_put_back(store: Path) -> None:
    before = os.umask(0o027)
    try:
        with writer_lock(StorePaths(store)):
            pass
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        pytest.param("/srv/history", "/srv/history", id="path"),
        pytest.param("~/history", "/home/ada/history", id="below home"),
        pytest.param(
            "",
            "/home/ada/data/uncompact",
            id="not stated",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="elsewhere is another data folder"),
        ),
    ],
)
def test_the_environment_names_the_store(monkeypatch: pytest.MonkeyPatch, stated: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_DATA_HOME", "/home/ada/data")
    monkeypatch.setenv("UNCOMPACT_STORE", stated)

    assert default_store() == Path(expected)
