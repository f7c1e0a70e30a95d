"""What is wrong with a store is named with its place and what mends it; a sound store has nothing wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cases.builders import encode, user
from tests.pipelines.stores import append, log, run
from uncompact.pipelines.companion_db import connect_writer
from uncompact.pipelines.doctor import examine_store
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths


@pytest.fixture
def path(logs: Path, store: Path) -> Path:
    path = log(logs, "a.jsonl", user("a", None, "the harbour crane"), user("b", "a", "two"))
    run(logs, store)
    return path


def problems(store: Path, logs: Path, *, deep: bool = True) -> list[str]:
    return [finding.problem for finding in examine_store(store, [logs], deep=deep)]


def test_a_sound_store_has_nothing_wrong(path: Path, logs: Path, store: Path) -> None:
    assert problems(store, logs) == []


def test_no_store_is_said(logs: Path, store: Path) -> None:
    (finding,) = examine_store(store, [logs])

    assert (finding.place, finding.problem) == (str(store), "there is no store")


def test_a_lost_file_of_the_lake_is_named(path: Path, logs: Path, store: Path) -> None:
    file = Path(open_lake(StorePaths(store).lake).files("entries")[0])
    file.unlink()

    found = examine_store(store, [logs], deep=False)
    assert any(finding.place == str(file) for finding in found)


def test_words_that_are_gone_from_the_companion_are_found(path: Path, logs: Path, store: Path) -> None:
    connection = connect_writer(StorePaths(store).companion)
    execute(connection, "delete from words_data where id > 10")
    connection.close()

    (finding, *_) = examine_store(store, [logs])
    assert finding.place == str(StorePaths(store).companion)
    assert "uncompact reindex" in finding.repair


def test_a_log_that_was_not_read_is_counted_and_one_is_named(path: Path, logs: Path, store: Path) -> None:
    new = log(logs, "b.jsonl", user("b", None, "three"))
    append(path, encode(user("c", "b", "four")))

    missing, behind = problems(store, logs)
    assert missing == f"1 logs are not in the store, such as {path}"
    assert behind.startswith("1 logs have grown or changed")
    assert new.exists()


def test_a_folder_that_others_may_read_is_named(path: Path, logs: Path, store: Path) -> None:
    os.chmod(store, 0o755)

    assert problems(store, logs) == ["may be read by others (mode 0755)"]


def test_what_a_repair_kept_is_named(path: Path, logs: Path, store: Path) -> None:
    (store / "lake.damaged-20260101T000000").mkdir()

    (finding,) = examine_store(store, [logs])
    assert finding.place == str(store / "lake.damaged-20260101T000000")
