"""What the sources hold beside what the store holds: nothing unread is called read."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases.builders import encode, user
from tests.pipelines.stores import append, log, run
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.coverage import Coverage, compare_sources
from uncompact.pipelines.store import StorePaths


@pytest.fixture
def path(logs: Path, store: Path) -> Path:
    path = log(logs, "a.jsonl", user("a", None, "one"))
    run(logs, store)
    return path


def covered(store: Path, *roots: Path) -> Coverage:
    with closing(connect_reader(StorePaths(store).companion)) as connection:
        return compare_sources(roots, connection)


def test_a_store_that_read_all_is_current(path: Path, logs: Path, store: Path) -> None:
    found = covered(store, logs)

    assert (found.logs, found.current, found.behind, found.missing, found.bytes_behind) == (1, 1, 0, 0, 0)
    assert found.bytes == path.stat().st_size


def test_appended_lines_are_behind(path: Path, logs: Path, store: Path) -> None:
    line = encode(user("b", "a", "two"))
    append(path, line)

    found = covered(store, logs)
    assert (found.current, found.behind, found.bytes_behind) == (0, 1, len(line))
    assert found.named == [str(path)]


def test_an_unterminated_line_that_waits_is_not_behind(path: Path, logs: Path, store: Path) -> None:
    append(path, b'{"type": "message", "id": "b"')
    run(logs, store)

    assert covered(store, logs).current == 1


def test_a_shortened_log_is_behind_as_a_whole(path: Path, logs: Path, store: Path) -> None:
    os.truncate(path, 100)

    assert covered(store, logs).bytes_behind == 100


def test_a_log_that_was_never_read_is_missing(path: Path, logs: Path, store: Path) -> None:
    new = log(logs, "deep/b.jsonl", user("b", None, "two"))

    found = covered(store, logs)
    assert (found.logs, found.current, found.missing, found.bytes_behind) == (2, 1, 1, new.stat().st_size)
    assert found.named == [str(new)]


def test_a_file_that_is_no_log_is_counted_apart(path: Path, logs: Path, store: Path) -> None:
    (logs / "notes.jsonl").write_text('{"type": "note"}\n', encoding="utf-8")

    found = covered(store, logs)
    assert (found.logs, found.other_files) == (1, 1)


def test_a_log_outside_the_roots_is_compared_too(path: Path, logs: Path, store: Path) -> None:
    append(path, encode(user("b", "a", "two")))

    assert covered(store).behind == 1


def test_a_folder_that_cannot_be_looked_at_is_counted(path: Path, logs: Path, store: Path) -> None:
    assert covered(store, logs / "gone").unreadable == 1


def test_a_vanished_log_is_not_looked_for(path: Path, logs: Path, store: Path) -> None:
    path.unlink()
    run(logs, store)

    assert covered(store, logs).logs == 0
