"""A log is known by its path, and by what moves with it when the path does not stay."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.builders import encode, header, user
from tests.pipelines.stores import append, ids, log, run, sources, table
from uncompact.pipelines.catalogue import Catalogue, read_catalogue
from uncompact.pipelines.frames import session_key
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.sources import find_file
from uncompact.pipelines.store import StorePaths


def catalogue(store: Path) -> Catalogue:
    return read_catalogue(open_lake(StorePaths(store).lake))


def present(store: Path) -> dict[str, str]:
    """Map the path of each log that is there to its key; fails when a key is there twice."""
    rows = table(store, "sessions").filter(state="present").select("path", "session_key").rows()
    assert len({key for _, key in rows}) == len(rows)
    return dict(rows)


@pytest.fixture
def path(logs: Path, store: Path) -> Path:
    """A log of two entries that was read."""
    path = log(logs, "a.jsonl", user("a", None, "one"), user("b", "a", "two"))
    run(logs, store)
    return path


def test_a_log_is_known_as_it_was_read(path: Path, store: Path) -> None:
    known = catalogue(store).at(find_file(path))

    assert known is not None
    assert (known.key, known.cursor.byte) == (session_key("pi", os.fsencode(path)), path.stat().st_size)
    assert (known.cursor.lines, known.cursor.entries) == (3, 2)
    assert known.is_as(find_file(path))


def test_a_path_never_read_is_not_known(path: Path, store: Path, tmp_path: Path) -> None:
    other = log(tmp_path, "b.jsonl")

    assert catalogue(store).at(find_file(other)) is None


def move(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    path.rename(target)


def copy_and_delete(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    path.unlink()


def move_and_append(path: Path, target: Path) -> None:
    move(path, target)
    append(target, encode(user("c", "b", "three")))


@pytest.mark.parametrize(
    ("moved", "name", "report", "entries"),
    [
        pytest.param(move, "z.jsonl", (1, 0, 1, 0, 0), ["a", "b"], id="renamed"),
        pytest.param(move, "deep/er/a.jsonl", (1, 0, 1, 0, 0), ["a", "b"], id="moved to a folder"),
        pytest.param(copy_and_delete, "z.jsonl", (1, 0, 1, 0, 0), ["a", "b"], id="copied and deleted"),
        pytest.param(move_and_append, "z.jsonl", (1, 1, 0, 0, 0), ["a", "b", "c"], id="renamed and grown"),
    ],
)
def test_a_moved_log_keeps_its_key(
    path: Path,
    logs: Path,
    store: Path,
    moved: Callable[[Path, Path], None],
    name: str,
    report: tuple[int, ...],
    entries: list[str],
) -> None:
    key = present(store)[str(path)]
    moved(path, logs / name)

    assert sources(run(logs, store)) == report
    assert present(store) == {str(logs / name): key}
    assert ids(store) == entries
    assert sources(run(logs, store)) == (1, 0, 1, 0, 0)


def test_of_a_log_renamed_and_grown_only_the_new_lines_are_read(path: Path, logs: Path, store: Path) -> None:
    move_and_append(path, logs / "z.jsonl")

    assert run(logs, store)["bytes_read"] == len(encode(user("c", "b", "three")))


def test_a_log_that_moved_to_another_root_is_followed(
    path: Path, store: Path, tmp_path: Path, logs: Path
) -> None:
    key = present(store)[str(path)]
    move(path, tmp_path / "archive" / "a.jsonl")

    run(logs, store)
    run(tmp_path / "archive", store)

    assert present(store) == {str(tmp_path / "archive" / "a.jsonl"): key}


def test_a_copy_is_a_session_of_its_own(path: Path, logs: Path, store: Path) -> None:
    shutil.copy2(path, logs / "copy.jsonl")

    assert sources(run(logs, store)) == (2, 1, 1, 0, 0)
    assert len(set(present(store).values())) == 2
    assert ids(store) == ["a", "b", "a", "b"]


def test_of_two_copies_of_a_log_that_is_gone_one_keeps_its_key(path: Path, logs: Path, store: Path) -> None:
    key = present(store)[str(path)]
    shutil.copy2(path, logs / "copy-1.jsonl")
    shutil.copy2(path, logs / "copy-2.jsonl")
    path.unlink()

    run(logs, store)

    assert present(store)[str(logs / "copy-1.jsonl")] == key
    assert len(present(store)) == 2
    assert ids(store) == ["a", "b", "a", "b"]


@pytest.mark.parametrize("runs_between", [0, 1])
def test_a_new_log_at_a_renamed_logs_path_is_another_session(
    path: Path, logs: Path, store: Path, runs_between: int
) -> None:
    path.rename(logs / "z.jsonl")
    for _ in range(runs_between):
        run(logs, store)
    log(logs, "a.jsonl", user("n", None, "new"), first=header("s-new"))

    run(logs, store)

    assert set(present(store)) == {str(path), str(logs / "z.jsonl")}
    texts = table(store, "entries").join(table(store, "sessions"), on="session_key")
    assert sorted(texts.select("path", "entry_id").rows()) == [
        (str(path), "n"), (str(logs / "z.jsonl"), "a"), (str(logs / "z.jsonl"), "b"),
    ]  # fmt: skip
    assert sources(run(logs, store)) == (2, 0, 2, 0, 0)


def test_two_logs_that_changed_places_are_both_found(path: Path, logs: Path, store: Path) -> None:
    other = log(logs, "b.jsonl", user("x", None, "other"))
    run(logs, store)
    path.rename(logs / "t")
    other.rename(path)
    (logs / "t").rename(other)

    run(logs, store)

    texts = table(store, "entries").join(table(store, "sessions"), on="session_key")
    assert sorted(texts.select("path", "entry_id").rows()) == [
        (str(path), "x"), (str(other), "a"), (str(other), "b"),
    ]  # fmt: skip


def test_another_session_in_the_same_inode_is_no_move(path: Path, logs: Path, store: Path) -> None:
    path.rename(logs / "z.jsonl")
    log(logs, "z.jsonl", user("a", None, "one" * 99), first=header("s-other"))

    assert sources(run(logs, store)) == (1, 1, 0, 1, 0)
    assert present(store) == {str(logs / "z.jsonl"): session_key("pi", os.fsencode(logs / "z.jsonl"))}


def test_names_that_are_no_text_are_told_apart(logs: Path, store: Path) -> None:
    for name in (b"\xfe.jsonl", b"\xff.jsonl"):
        path = Path(os.fsdecode(os.fsencode(logs) + b"/" + name))
        path.write_bytes(encode(header(name.hex())) + encode(user(name.hex(), None, "x")))
    run(logs, store)

    assert sources(run(logs, store)) == (2, 0, 2, 0, 0)
    assert len(ids(store)) == 2
