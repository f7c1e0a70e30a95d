"""Logs that share a session id, as exports and copied files do: forgetting one by its place leaves the other."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cases.builders import encode, header, user
from tests.pipelines.store_traces import traces
from tests.pipelines.stores import append, log, run, states, table
from uncompact.pipelines.errors import NotFoundError
from uncompact.pipelines.forget import forget, list_forgotten
from uncompact.pipelines.store import StorePaths

ID = "id-shared"


def lines(*words: str) -> list[dict[str, Any]]:
    return [user(f"e{at}", f"e{at - 1}" if at else None, f"It is {word}.") for at, word in enumerate(words)]


@pytest.fixture
def pair(logs: Path, store: Path) -> tuple[Path, Path]:
    """Two logs of one id: they begin alike and end in other words."""
    one = log(logs, "one.jsonl", *lines("alike", "zebrafinch"), first=header(ID))
    other = log(logs, "other.jsonl", *lines("alike", "nightjar"), first=header(ID))
    run(logs, store)
    return one, other


def build_anew(logs: Path, store: Path) -> dict[str, Any]:
    """Read all logs into a store of which only the tombstones are left."""
    for path in store.iterdir():
        if path != StorePaths(store).tombstones:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return run(logs, store)


def indexed(store: Path) -> list[str]:
    return sorted(Path(path).name for path in table(store, "sessions")["path"])


def test_both_are_there_and_found_by_their_paths(pair: tuple[Path, Path], store: Path) -> None:
    assert indexed(store) == ["one.jsonl", "other.jsonl"]


def test_by_their_id_both_go(pair: tuple[Path, Path], logs: Path, store: Path) -> None:
    forget(store, [ID])

    assert (states(store), traces(store, "zebrafinch", "nightjar")) == ([], [])
    assert build_anew(logs, store)["sources"]["forgotten"] == 2


def test_by_the_beginning_of_their_id_both_go(pair: tuple[Path, Path], store: Path) -> None:
    assert len(forget(store, ["id-sha"]).forgotten) == 2


@pytest.mark.parametrize("named_by", ["path", "key"])
def test_by_its_place_one_goes(pair: tuple[Path, Path], logs: Path, store: Path, named_by: str) -> None:
    rows = table(store, "sessions").filter(path=str(pair[0]))
    forget(store, [rows["path" if named_by == "path" else "session_key"].item()])

    assert (indexed(store), traces(store, "zebrafinch")) == (["other.jsonl"], [])
    assert build_anew(logs, store)["sources"]["forgotten"] == 1
    assert (indexed(store), traces(store, "zebrafinch")) == (["other.jsonl"], [])


def test_the_forgotten_one_is_known_under_another_name(
    pair: tuple[Path, Path], logs: Path, store: Path
) -> None:
    forget(store, [pair[0]])
    pair[0].rename(logs / "a.jsonl")
    append(logs / "a.jsonl", encode(user("e9", "e1", "More zebrafinch.")))
    pair[1].rename(logs / "b.jsonl")

    assert run(logs, store)["sources"]["forgotten"] == 1
    assert (indexed(store), traces(store, "zebrafinch")) == (["b.jsonl"], [])
    assert build_anew(logs, store)["sources"]["forgotten"] == 1
    assert indexed(store) == ["b.jsonl"]


def test_a_whole_copy_that_was_kept_stays_wherever_it_goes(
    pair: tuple[Path, Path], logs: Path, store: Path
) -> None:
    copy = logs / "copy.jsonl"
    shutil.copy(pair[0], copy)
    run(logs, store)

    report = forget(store, [pair[0]])

    assert (report.copied_entries, sorted(one.entries for one in report.kept)) == (2, [1, 2])
    copy.rename(logs / "moved.jsonl")
    assert build_anew(logs, store)["sources"]["forgotten"] == 1
    assert indexed(store) == ["moved.jsonl", "other.jsonl"]


def test_when_the_last_one_goes_the_id_is_forgotten(pair: tuple[Path, Path], logs: Path, store: Path) -> None:
    forget(store, [pair[0]])
    forget(store, [pair[1]])
    log(logs, "third.jsonl", *lines("another"), first=header(ID))

    assert [stone.covers for stone in list_forgotten(store)] == ["log", "session"]
    assert run(logs, store)["sources"]["forgotten"] == 3


def test_a_beginning_that_several_ids_have_is_refused(
    pair: tuple[Path, Path], logs: Path, store: Path
) -> None:
    log(logs, "third.jsonl", *lines("another"), first=header("id-short"))
    run(logs, store)

    with pytest.raises(NotFoundError, match="no single session 'id-sh'"):
        forget(store, ["id-sh"])
