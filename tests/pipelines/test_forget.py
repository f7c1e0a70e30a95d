"""Forgetting: nothing of a session is left in the store, nothing brings it back, and nothing else goes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import assistant, compaction, encode, header, user
from tests.pipelines.store_traces import traces
from tests.pipelines.stores import append, ids, log, run, sources, states, table
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.coverage import compare_sources
from uncompact.pipelines.errors import BusyError, NotFoundError, StoreError
from uncompact.pipelines.forget import allow, forget, list_forgotten
from uncompact.pipelines.forget_report import KeptCopies
from uncompact.pipelines.forget_selection import SelectionError
from uncompact.pipelines.store import StorePaths, writer_lock
from uncompact.pipelines.sync import sync_log
from uncompact.pipelines.tombstones import read_tombstones

SECRET = "zebrafinch"


def talk(word: str, ids: str = "a") -> list[dict[str, Any]]:
    """Return two turns and a compaction that removes them."""
    first, second, third = (f"{ids}{nth}" for nth in "123")
    return [
        user(first, None, f"Only here: {word}."),
        assistant(second, first, f"`{word}` noted."),
        compaction(third, second, third),
    ]


def contents(store: Path) -> dict[Path, bytes]:
    """Return a store's files, but for what SQLite's readers leave beside a companion."""
    return {
        path: path.read_bytes()
        for path in store.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def named(session_id: str, cwd: str = "/home/ada/harbour") -> dict[str, Any]:
    return header(session_id, cwd)


@pytest.fixture
def secret(logs: Path, store: Path) -> Path:
    """A log of which two runs have put something into the store, beside another one."""
    path = log(logs, "secret.jsonl", *talk(SECRET), first=named("id-secret", f"/srv/{SECRET}"))
    log(logs, "other.jsonl", *talk("nightjar", "b"), first=named("id-other"))
    run(logs, store)
    append(path, encode(user("a4", "a3", f"More {SECRET}.", 5)))
    run(logs, store)
    return path


def test_what_was_indexed_stands_in_the_store(secret: Path, store: Path) -> None:
    found = {trace.rpartition(": ")[2] for trace in traces(store, SECRET)}

    assert found == {"name", "bytes", "rows", "passages", "words"}


def test_nothing_of_a_forgotten_session_is_left(secret: Path, store: Path) -> None:
    keys = table(store, "sessions").filter(path=str(secret))["session_key"].to_list()

    forget(store, ["id-secret"])

    assert traces(store, SECRET, "id-secret", "secret.jsonl", *keys) == []


def leave_companion(store: Path) -> None:
    present = StorePaths(store).companion
    shutil.copy(present, store / f"companion-{0:016x}.sqlite")
    (store / f"companion-{0:016x}.sqlite-wal").write_text(SECRET)


def leave_staged_file(store: Path) -> None:
    (held,) = (store / "lake" / "entries").glob(f"*{SECRET}*")
    for file in [*held.iterdir()]:
        shutil.copy(file, held / f"killed-{file.name}")


def leave_damaged_lake(store: Path) -> None:
    (store / "lake.damaged-1").mkdir()
    (store / "lake.damaged-1" / "part.parquet").write_text(SECRET)


@pytest.mark.parametrize(
    "leave",
    [leave_companion, leave_staged_file, leave_damaged_lake],
    ids=lambda leave: leave.__name__,
)
def test_nothing_is_left_of_what_killed_runs_and_repairs_left(
    secret: Path, store: Path, leave: Callable[[Path], None]
) -> None:
    leave(store)

    forget(store, ["id-secret"])

    assert traces(store, SECRET) == []


def test_other_sessions_stay_whole(secret: Path, logs: Path, store: Path) -> None:
    forget(store, ["id-secret"])

    with uncompact.open_store(store) as opened:
        hits = opened.retrieve(logs / "other.jsonl", "`nightjar`").to_dict()["hits"]
    assert {hit["entry_id"] for hit in hits} == {"b1", "b2"}
    assert states(store) == [("id-other", "present")]


def test_the_logs_are_never_touched(secret: Path, logs: Path, store: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in logs.iterdir()}

    forget(store, ["id-secret"])

    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in logs.iterdir()} == before


def test_the_answer_counts_what_went(secret: Path, store: Path) -> None:
    report = forget(store, ["id-secret"])

    texts = [f"Only here: {SECRET}.", f"`{SECRET}` noted.", "Earlier talk was shortened.", f"More {SECRET}."]
    assert (report.entries, report.text_bytes) == (4, sum(len(text) for text in texts))
    assert [(one.session_id, one.path, one.entries, one.state) for one in report.forgotten] == [
        ("id-secret", str(secret), 4, "present")
    ]


def test_a_dry_run_says_the_same_and_changes_nothing(secret: Path, store: Path) -> None:
    before = contents(store)

    with writer_lock(StorePaths(store)):
        planned = forget(store, ["id-secret"], dry_run=True)

    assert contents(store) == before
    done = forget(store, ["id-secret"])
    of_disk = {"dry_run": None, "disk_bytes": None}
    assert {**planned.to_dict(), **of_disk} == {**done.to_dict(), **of_disk}


def test_the_last_session_can_go(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", *talk(SECRET))
    run(logs, store)

    forget(store, ["s-a"])

    assert (ids(store), traces(store, SECRET)) == ([], [])
    assert run(logs, store)["entries"]["total"] == 0


def test_a_log_appended_to_is_still_not_read(secret: Path, logs: Path, store: Path) -> None:
    forget(store, ["id-secret"])
    append(secret, encode(user("a5", "a4", f"Again {SECRET}.")))

    report = run(logs, store)

    assert (sources(report), report["sources"]["forgotten"]) == ((2, 0, 1, 0, 0), 1)
    assert report["warnings"] == []
    assert traces(store, SECRET) == []


@pytest.mark.parametrize("copied", [False, True], ids=["moved", "copied"])
def test_a_log_under_another_name_is_not_read(secret: Path, logs: Path, store: Path, copied: bool) -> None:
    forget(store, ["id-secret"])
    (logs / "deep").mkdir()
    (shutil.copy if copied else shutil.move)(secret, logs / "deep" / "plain.jsonl")

    assert run(logs, store)["sources"]["forgotten"] == 1 + copied
    assert traces(store, SECRET) == []


def test_a_session_brought_in_again_under_another_store_is_another_matter(
    secret: Path, logs: Path, store: Path, tmp_path: Path
) -> None:
    forget(store, ["id-secret"])

    assert run(logs, tmp_path / "new")["entries"]["total"] == 7


def test_a_log_that_takes_a_forgotten_ones_place_is_named(secret: Path, logs: Path, store: Path) -> None:
    forget(store, ["id-secret"])
    log(logs, "secret.jsonl", *talk("bittern"), first=named("id-new"))

    report = run(logs, store)

    assert report["sources"]["forgotten"] == 1
    assert report["warnings"] == [
        f"{secret}: not read: another session was forgotten here; `uncompact forget --allow` with this path lets it in"
    ]


def test_a_fork_stays_and_is_named(secret: Path, logs: Path, store: Path) -> None:
    fork = log(logs, "fork.jsonl", *talk(SECRET)[:2], user("a9", "a2", "On."), first=named("id-fork"))
    run(logs, store)

    report = forget(store, ["id-secret"])

    (kept,) = report.kept
    assert report.copied_entries == 2
    assert kept == KeptCopies(kept.session, "id-fork", str(fork), 2)
    assert len(ids(store)) == 6


def test_the_tombstone_tells_nothing(secret: Path, store: Path) -> None:
    forget(store, ["id-secret"])

    place = StorePaths(store).tombstones
    (stone,) = json.loads(place.read_bytes())["tombstones"]
    assert place.stat().st_mode & 0o777 == 0o600
    assert {name for name, one in stone.items() if isinstance(one, str) and len(one) == 64} == {
        "key", "place", "session", "stamp", "content",
    }  # fmt: skip
    assert (stone["covers"], stone["entries"], stone["erased"]) == ("session", 4, True)


def test_a_vanished_log_can_be_forgotten(secret: Path, logs: Path, store: Path) -> None:
    secret.unlink()
    run(logs, store)

    assert forget(store, ["id-secret"]).forgotten[0].state == "vanished"
    assert traces(store, SECRET) == []


def test_a_session_that_only_a_sync_brought_in_is_forgotten(secret: Path, logs: Path, store: Path) -> None:
    synced = log(logs, "synced.jsonl", *talk("bittern"), first=named("id-synced"))
    sync_log(store, synced)

    assert [one.session_id for one in forget(store, ["id-synced"]).forgotten] == ["id-synced"]
    assert traces(store, "bittern") == []
    assert sync_log(store, synced).outcome == "forgotten"
    assert run(logs, store)["sources"]["forgotten"] == 1


def test_what_a_sync_added_goes_with_its_session(secret: Path, store: Path) -> None:
    append(secret, encode(user("a5", "a4", "And a bittern.")))
    sync_log(store, secret)

    forget(store, ["id-secret"])

    assert traces(store, SECRET, "bittern") == []


def test_a_session_is_not_too_old_when_a_sync_has_news_of_it(secret: Path, store: Path) -> None:
    append(secret, encode(user("a5", "a4", "News.", 60 * 24 * 365)))
    sync_log(store, secret)

    report = forget(store, before="2026-06-01", dry_run=True)

    assert [one.session_id for one in report.forgotten] == ["id-other"]


def test_what_was_allowed_is_read_again(secret: Path, logs: Path, store: Path) -> None:
    before = ids(store)
    forget(store, ["id-secret"])

    assert [stone.short for stone in allow(store, "id-secret")] != []
    assert list_forgotten(store) == []
    run(logs, store)
    assert ids(store) == before


@pytest.mark.parametrize("how", ["path", "key", "hash"])
def test_a_session_is_allowed_by_any_of_its_names(secret: Path, logs: Path, store: Path, how: str) -> None:
    key = table(store, "sessions").filter(path=str(secret))["session_key"].item()
    forget(store, ["id-secret"])
    names = {"path": str(secret), "key": key, "hash": list_forgotten(store)[0].short}

    allow(store, names[how])

    assert list_forgotten(store) == []


def test_allowing_what_was_not_forgotten_says_what_was(secret: Path, store: Path) -> None:
    forget(store, ["id-secret"])
    (stone,) = list_forgotten(store)

    with pytest.raises(NotFoundError, match=f"no forgotten session 'id-other'; there is: {stone.short}"):
        allow(store, "id-other")


def test_forgetting_again_says_that_it_was_forgotten(secret: Path, store: Path) -> None:
    forget(store, ["id-secret"])

    with pytest.raises(NotFoundError, match="it was forgotten before"):
        forget(store, ["id-secret"])


@pytest.mark.parametrize(
    ("choice", "error"),
    [
        pytest.param({}, SelectionError, id="nothing"),
        pytest.param({"before": "yesterday"}, SelectionError, id="no date"),
        pytest.param({"sessions": ["id-nobody"]}, NotFoundError, id="unknown session"),
        pytest.param({"project": "/srv/nobody"}, NotFoundError, id="unknown project"),
        pytest.param({"before": "2001-01-01"}, NotFoundError, id="nothing that old"),
    ],
)
def test_a_choice_of_nothing_changes_nothing(
    secret: Path, store: Path, choice: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        forget(store, **choice)

    assert not StorePaths(store).tombstones.exists()
    assert len(ids(store)) == 7


def test_a_store_that_is_being_written_is_busy(secret: Path, store: Path) -> None:
    with writer_lock(StorePaths(store)), pytest.raises(BusyError):
        forget(store, ["id-secret"])


def test_a_folder_without_a_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store here"):
        forget(tmp_path / "nothing", ["a"])


def test_damaged_tombstones_stop_a_run(secret: Path, logs: Path, store: Path) -> None:
    forget(store, ["id-secret"])
    StorePaths(store).tombstones.write_text('{"version": 1, "tombst')

    with pytest.raises(StoreError, match=r"tombstones\.json: is damaged"):
        run(logs, store)


def test_a_file_of_someone_elses_that_names_the_session_is_pointed_out(secret: Path, store: Path) -> None:
    (store / "report.json").write_text(json.dumps({"warnings": [f"{secret}:3: not-json"]}))

    report = forget(store, ["id-secret"])

    assert report.warnings == [
        f"{store}/report.json: names a forgotten session; it is no file of the store's and was left as it is"
    ]


def test_a_forgotten_log_is_not_missing(secret: Path, logs: Path, store: Path) -> None:
    forget(store, ["id-secret"])

    paths = StorePaths(store)
    with closing(connect_reader(paths.companion)) as connection:
        coverage = compare_sources([logs], connection, read_tombstones(paths.tombstones))
    assert (coverage.current, coverage.missing, coverage.forgotten) == (1, 0, 1)
