"""Whether the companion has all of a log: a question that costs nothing but a look."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases.builders import encode, header, user, write_log
from tests.pipelines.stores import append, run
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.freshness import is_fresh
from uncompact.pipelines.store import StorePaths
from uncompact.pipelines.sync import sync_log

_UNCHANGED = """
import sys
from pathlib import Path
from uncompact.pipelines.sync import sync_log
assert sync_log(Path(sys.argv[1]), Path(sys.argv[2])).outcome == "unchanged"
assert not {"polars", "deltalake", "duckdb", "pyarrow"} & set(sys.modules), sorted(sys.modules)
"""


@pytest.fixture
def log(logs: Path, store: Path) -> Path:
    """A log that the store has all of."""
    path = write_log(logs / "s.jsonl", [header(), user("a", None, "the keel is oak")])
    run(logs, store)
    return path


def fresh(store: Path, log: Path) -> bool | None:
    with closing(connect_reader(StorePaths(store).companion)) as connection:
        return is_fresh(connection, log)


def test_a_log_that_was_just_read_is_fresh(store: Path, log: Path) -> None:
    assert fresh(store, log)


def go_on(log: Path) -> None:
    append(log, encode(user("b", "a", "x")))


def touch(log: Path) -> None:
    os.utime(log, ns=(1, 1))


def write_anew(log: Path) -> None:
    log.write_bytes(log.read_bytes())


@pytest.mark.parametrize("change", [go_on, touch, write_anew])
def test_a_log_is_fresh_until_something_happens_to_it(
    store: Path, log: Path, change: Callable[[Path], None]
) -> None:
    change(log)

    assert not fresh(store, log)
    sync_log(store, log)
    assert fresh(store, log)


def test_an_unknown_log_is_not_fresh(store: Path, log: Path) -> None:
    other = write_log(log.with_name("other.jsonl"), [header("other")])

    assert fresh(store, other) is None


def test_a_log_that_vanished_and_came_back_is_not_fresh(logs: Path, store: Path, log: Path) -> None:
    log.rename(log.with_suffix(".kept"))
    run(logs, store)
    log.with_suffix(".kept").rename(log)

    assert not fresh(store, log)


def test_a_log_that_is_not_there_is_an_error(store: Path, log: Path) -> None:
    log.unlink()

    with pytest.raises(FileNotFoundError):
        fresh(store, log)


def test_finding_nothing_to_do_loads_no_engine_but_sqlite(store: Path, log: Path) -> None:
    subprocess.run([sys.executable, "-c", _UNCHANGED, str(store), str(log)], check=True)
