"""Each build of a companion is a file of its own, a pointer names the one that counts, and nothing else stays."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import uncompact
from tests.cases.builders import compaction, header, user, write_log
from tests.pipelines.companion_rows import companion_rows, postings
from tests.pipelines.stores import run
from uncompact.pipelines.companion_db import connect_current, connect_reader, connect_writer, lake_versions
from uncompact.pipelines.companion_errors import companion_problem
from uncompact.pipelines.companion_file import load_companion, rebuild_companion, tidy_companion
from uncompact.pipelines.companion_seal import is_sealed
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.sqlite import execute, value
from uncompact.pipelines.store import StorePaths, writer_lock
from uncompact.pipelines.sync import sync_log

TALK = [header(), user("a", None, "the keel is oak"), user("b", "a", "noted"), compaction("k", "b", "b")]


@pytest.fixture
def paths(logs: Path, store: Path) -> StorePaths:
    """A store of one log."""
    write_log(logs / "s.jsonl", TALK)
    run(logs, store)
    return StorePaths(store)


def rebuild(paths: StorePaths) -> Path:
    return rebuild_companion(open_lake(paths.lake), paths)


def load(paths: StorePaths) -> Path:
    return load_companion(open_lake(paths.lake), paths)


def companions(paths: StorePaths) -> set[str]:
    """Return the names of everything in the store that belongs to a companion."""
    return {name for name in os.listdir(paths.root) if "companion" in name}


def test_a_build_has_a_name_of_its_own_and_replaces_the_one_before(paths: StorePaths) -> None:
    before = paths.companion

    built = rebuild(paths)

    assert paths.companion == built != before
    assert companions(paths) == {"companion", built.name, f"{built.name}-seal"}


def test_a_load_goes_into_the_present_file(logs: Path, paths: StorePaths) -> None:
    before = paths.companion
    write_log(logs / "s.jsonl", [*TALK, user("c", "k", "go on")])
    run(logs, paths.root)

    assert paths.companion == before


def test_a_built_companion_is_opened_in_the_mode_in_which_readers_never_wait(paths: StorePaths) -> None:
    with closing(connect_reader(paths.companion)) as connection:
        assert value(connection, "pragma journal_mode") == "wal"


def test_a_reader_of_a_replaced_companion_reads_on(paths: StorePaths) -> None:
    with closing(connect_reader(paths.companion)) as connection:
        rebuild(paths)
        rebuild(paths)

        assert value(connection, "select count(*) from entries") == 3
        assert value(connection, "pragma integrity_check") == "ok"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"companion-0123456789abcdef.sqlite",
        b"companion-0123456789abcdef.sqlite\n\n",
        b"../companion-0123456789abcdef.sqlite\n",
        b"companion-../../../../etc/hostname\n",
        b"/etc/hostname\n",
        b"lake\n",
        b"companion-0123456789ABCDEF.sqlite\n",
        b"\xff\xfe\x00",
        bytes(4096),
    ],
    ids=ascii,
)
def test_a_pointer_that_names_no_companion_is_damage_that_a_run_mends(
    logs: Path, paths: StorePaths, content: bytes
) -> None:
    expected = companion_rows(paths.companion)
    paths.companion_pointer.write_bytes(content)

    with pytest.raises(StoreError, match="damaged: it names no companion"):
        uncompact.open_store(paths.root)
    run(logs, paths.root)
    assert companion_rows(paths.companion) == expected
    assert companions(paths) == {"companion", paths.companion.name, f"{paths.companion.name}-seal"}


def test_a_pointer_to_a_file_that_is_gone_is_damage_that_a_run_mends(logs: Path, paths: StorePaths) -> None:
    paths.companion.unlink()

    with pytest.raises(StoreError, match=r"companion: names companion-\w+.sqlite, which is not there"):
        uncompact.open_store(paths.root)
    run(logs, paths.root)
    with uncompact.open_store(paths.root) as store:
        assert store.retrieve(logs / "s.jsonl", "keel").hits


def test_a_folder_in_the_pointers_place_is_named_and_left(logs: Path, paths: StorePaths) -> None:
    paths.companion_pointer.unlink()
    paths.companion_pointer.mkdir()

    with pytest.raises(StoreError, match="companion: is not the file that names the companion") as caught:
        run(logs, paths.root)
    assert caught.value.hint == "remove it and run `uncompact reindex`"


def test_the_next_writer_removes_what_killed_ones_left(paths: StorePaths) -> None:
    strays = [
        "companion-00000000000000aa.sqlite",
        "companion-00000000000000aa.sqlite-journal",
        "companion-00000000000000bb.sqlite-wal",
        "companion-00000000000000bb.sqlite-shm",
        "companion-00000000000000cc.sqlite-seal",
        ".companion.4711.new",
    ]
    for name in strays:
        (paths.root / name).write_text("x")

    load(paths)

    assert not companions(paths) & set(strays)


def test_what_no_writer_made_is_left_alone(paths: StorePaths) -> None:
    (paths.root / "companion-00000000000000aa.sqlite").mkdir()
    (paths.root / "companion-notes.sqlite").write_text("mine")
    (paths.root / "my companion").write_text("mine")

    rebuild(paths)

    assert companions(paths) >= {
        "companion-00000000000000aa.sqlite",
        "companion-notes.sqlite",
        "my companion",
    }


LIMITED_REBUILD = """
import resource, signal, sys
from pathlib import Path
from uncompact.pipelines.companion_file import rebuild_companion
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.store import StorePaths
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
paths = StorePaths(Path(sys.argv[1]))
snapshot = open_lake(paths.lake)
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
rebuild_companion(snapshot, paths)
"""


def test_a_build_that_fails_leaves_everything_as_it_was(logs: Path, paths: StorePaths) -> None:
    write_log(
        logs / "long.jsonl", [header("long"), *[user(f"e{at}", None, f"{at} " * 400) for at in range(300)]]
    )
    run(logs, paths.root)
    before, present = companions(paths), paths.companion

    command = [sys.executable, "-c", LIMITED_REBUILD, str(paths.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "StoreError" in done.stderr
    assert "could not be read or written" in done.stderr or "no space left" in done.stderr
    assert (companions(paths), paths.companion) == (before, present)


def test_a_companion_says_which_state_of_the_lake_it_holds(logs: Path, paths: StorePaths) -> None:
    write_log(logs / "t.jsonl", [header("t"), user("x", None, "Hello")])
    run(logs, paths.root)

    with closing(connect_reader(paths.companion)) as connection:
        assert lake_versions(connection) == open_lake(paths.lake).versions


def test_a_run_without_a_change_writes_nothing(logs: Path, paths: StorePaths) -> None:
    before = paths.companion.stat().st_mtime_ns
    run(logs, paths.root)

    assert paths.companion.stat().st_mtime_ns == before
    assert is_sealed(paths.companion)


def test_a_sync_leaves_a_companion_sealed(logs: Path, paths: StorePaths) -> None:
    sync_log(paths.root, write_log(logs / "s.jsonl", [*TALK, user("c", "k", "go on")]))

    assert is_sealed(paths.companion)


def test_what_something_else_wrote_breaks_the_seal(paths: StorePaths) -> None:
    with closing(connect_writer(paths.companion)) as connection:
        execute(connection, "update sessions set name = 'mine'")

    assert not is_sealed(paths.companion)


def test_a_sync_takes_a_write_ahead_log_that_has_grown_into_the_file(logs: Path, paths: StorePaths) -> None:
    rng = random.Random(1)
    said = [user(f"e{at}", None, rng.randbytes(500).hex(" ", 8)) for at in range(4000)]
    before = paths.companion.stat().st_size

    sync_log(paths.root, write_log(logs / "long.jsonl", [header("long"), *said]))

    assert paths.companion.stat().st_size > before + (2 << 20)
    assert paths.companion.with_name(f"{paths.companion.name}-wal").stat().st_size == 0
    assert is_sealed(paths.companion)


def test_a_sync_does_not_seal_what_was_not_sealed(logs: Path, paths: StorePaths) -> None:
    with closing(connect_writer(paths.companion)) as connection:
        execute(connection, "update sessions set name = 'mine'")

    sync_log(paths.root, write_log(logs / "s.jsonl", [*TALK, user("c", "k", "go on")]))

    assert not is_sealed(paths.companion)


def test_a_sync_into_a_companion_of_another_version_is_refused(logs: Path, paths: StorePaths) -> None:
    with closing(connect_writer(paths.companion)) as connection:
        execute(connection, "update meta set value = '99' where name = 'version'")

    with pytest.raises(StoreError, match="companion version 99"):
        sync_log(paths.root, write_log(logs / "s.jsonl", [*TALK, user("c", "k", "go on")]))


def test_what_a_sync_added_to_a_replaced_companion_is_read_again(logs: Path, paths: StorePaths) -> None:
    log = write_log(logs / "s.jsonl", [*TALK, user("c", "k", "the mast is ash")])
    sync_log(paths.root, log)

    rebuild(paths)

    assert sync_log(paths.root, log).outcome == "appended"
    assert "ash" in {term for _, term in postings(paths.companion)}


def test_everything_a_sync_makes_is_its_owners_alone(logs: Path, paths: StorePaths) -> None:
    before = os.umask(0o022)
    try:
        with closing(connect_reader(paths.companion)):
            sync_log(paths.root, write_log(logs / "s.jsonl", [*TALK, user("c", "k", "go on")]))
            modes = {name: (paths.root / name).stat().st_mode & 0o777 for name in companions(paths)}
    finally:
        os.umask(before)

    assert set(modes.values()) == {0o600}
    assert {name.partition(".sqlite")[2] for name in modes} == {"", "-seal", "-shm", "-wal"}


def test_tidying_merges_what_many_syncs_left_and_empties_the_log(logs: Path, paths: StorePaths) -> None:
    said = [user(f"x{at}", "k", " ".join(f"word{at}x{nth}" for nth in range(40))) for at in range(6)]
    with closing(connect_reader(paths.companion)) as reader:
        for end in range(1, len(said) + 1):
            sync_log(paths.root, write_log(logs / "s.jsonl", [*TALK, *said[:end]]))
        before = segments(reader)

        tidy_companion(paths)

        assert (before, segments(reader)) == (7, 1)
        assert paths.companion.with_name(f"{paths.companion.name}-wal").stat().st_size == 0
    assert is_sealed(paths.companion)


def segments(connection: apsw.Connection) -> int:
    return int(value(connection, "select count(distinct segid) from words_idx"))


def test_tidying_leaves_to_later_what_another_process_hinders(paths: StorePaths) -> None:
    with closing(connect_writer(paths.companion)) as other:
        execute(other, "begin immediate")

        tidy_companion(paths)


def test_tidying_a_store_without_a_companion_does_nothing(tmp_path: Path) -> None:
    tidy_companion(StorePaths(tmp_path))

    assert not list(tmp_path.iterdir())


def test_a_damaged_companion_in_a_folder_that_cannot_be_written_is_named(paths: StorePaths) -> None:
    path = paths.companion
    path.write_bytes(b"no database at all" * 1000)

    with pytest.raises(StoreError, match=f"{path}: damaged companion"):
        connect_current(paths)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes the superuser's rights")
def test_a_store_on_a_read_only_device_answers_and_is_not_written(
    logs: Path, paths: StorePaths, tmp_path: Path
) -> None:
    shown = tmp_path / "read-only"
    shown.mkdir()
    for command in (
        ["mount", "--bind", str(paths.root), str(shown)],
        ["mount", "-o", "remount,ro,bind", str(shown)],
    ):
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("mounting takes the superuser's rights")
    try:
        with uncompact.open_store(shown) as store:
            assert store.retrieve(logs / "s.jsonl", "keel").hits
        with pytest.raises(StoreError, match=f"{shown}: may not be written"):
            run(logs, shown)
    finally:
        subprocess.run(["umount", "-l", shown], check=True)


@pytest.mark.parametrize(
    ("error", "found", "hint"),
    [
        (apsw.FullError(), "no space left on the device", "make room"),
        (apsw.BusyError(), "another process is writing the companion", "try again"),
        (apsw.CorruptError(), "damaged companion (CorruptError)", "`uncompact reindex` builds it anew"),
        (apsw.NotADBError(), "damaged companion (NotADBError)", "`uncompact reindex` builds it anew"),
        (apsw.CantOpenError(), "the companion cannot be opened", "look at the rights"),
        (apsw.ReadOnlyError(), "the companion may not be written", "look at the rights"),
        (apsw.IOError(), "the companion could not be read or written (IOError)", "look at the device"),
        (MemoryError(), "not enough memory for the companion", "end other programs"),
        (apsw.SQLError(), "damaged companion (SQLError)", "--rebuild-companion"),
    ],
    ids=lambda given: type(given).__name__ if isinstance(given, Exception) else "",
)
def test_what_sqlite_says_is_told_in_words_that_help(error: Exception, found: str, hint: str) -> None:
    told = companion_problem(error)

    assert told[0] == found
    assert hint in told[1]


def test_a_writer_takes_the_others_rights_from_a_store_of_ours(paths: StorePaths) -> None:
    paths.root.chmod(0o755)
    with writer_lock(paths):
        pass

    assert paths.root.stat().st_mode & 0o777 == 0o700
