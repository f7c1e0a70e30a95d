"""Tombstones: what holds a log back, what does not, and that the file tells and loses nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cases.builders import header, user
from tests.pipelines.stores import append, log, run, table
from uncompact.pipelines.errors import StoreError
from uncompact.pipelines.sources import find_file, recognise
from uncompact.pipelines.tombstones import (
    Tombstone,
    Tombstones,
    hash_of,
    new_tombstone,
    read_tombstones,
    write_tombstones,
)

TIME = 1_780_000_000_000_000


@pytest.fixture
def path(logs: Path) -> Path:
    return log(logs, "a.jsonl", user("e1", None, "One."), user("e2", "e1", "Two."))


def stone(logs: Path, store: Path, **differing: Any) -> Tombstone:
    """Make the tombstone of the only log."""
    run(logs, store)
    sessions = table(store, "sessions").row(0, named=True)
    facts: dict[str, Any] = {"covers": "log", "content_was_kept": False, "forgotten_at": TIME, **differing}
    return new_tombstone(sessions, **facts)


def holds_back(stone: Tombstone, path: Path) -> bool:
    item = find_file(path)
    recognised = recognise(item)
    assert recognised is not None
    return Tombstones([stone]).of(item, *recognised) is not None


def test_a_log_as_it_was_is_known_without_reading_it(logs: Path, store: Path, path: Path) -> None:
    stones = Tombstones([stone(logs, store)])

    assert stones.is_unchanged(find_file(path), ["pi"])
    append(path, b"\n")
    assert not stones.is_unchanged(find_file(path), ["pi"])


@pytest.mark.parametrize(
    ("name", "session_id", "covers", "held"),
    [
        pytest.param("a.jsonl", "s-a", "session", True, id="as it was"),
        pytest.param("b.jsonl", "s-a", "session", True, id="its id elsewhere"),
        pytest.param("a.jsonl", "s-b", "session", True, id="another id in its place"),
        pytest.param("b.jsonl", "s-b", "session", False, id="another id elsewhere"),
        pytest.param("a.jsonl", "s-a", "log", True, id="one log, in its place"),
        pytest.param("b.jsonl", "s-a", "log", False, id="other lines of its id elsewhere"),
    ],
)
def test_a_log_is_held_back_by_its_id_or_its_place(
    logs: Path, store: Path, path: Path, name: str, session_id: str, covers: str, held: bool
) -> None:
    made = stone(logs, store, covers=covers)

    met = log(logs, name, user("e7", None, "Seven."), first=header(session_id))

    assert holds_back(made, met) == held


@pytest.mark.parametrize(
    ("content_was_kept", "held"),
    [pytest.param(False, True, id="alone"), pytest.param(True, False, id="kept")],
)
def test_a_log_that_begins_like_the_forgotten_one_is_it_unless_another_was_kept_that_does(
    logs: Path, store: Path, path: Path, content_was_kept: bool, held: bool
) -> None:
    made = stone(logs, store, content_was_kept=content_was_kept)

    assert holds_back(made, path.rename(logs / "b.jsonl")) == held


def test_a_shorter_log_is_not_the_forgotten_one(logs: Path, store: Path, path: Path) -> None:
    made = stone(logs, store)

    assert not holds_back(made, log(logs, "b.jsonl", user("e1", None, "One."), first=header("s-a")))


def test_it_is_named_by_its_sessions_id_or_key_or_its_own_short_hash(
    logs: Path, store: Path, path: Path
) -> None:
    made = stone(logs, store)
    key = table(store, "sessions")["session_key"].item()

    stones = Tombstones([made])

    assert [stones.named(name, ["pi"]) for name in ("s-a", key, hash_of(key)[:12])] == [[made]] * 3
    assert [stones.named(name, ["pi"]) for name in ("s-", key[:8], hash_of(key)[:6])] == [[]] * 3


def test_what_was_written_is_what_is_read(logs: Path, store: Path, path: Path) -> None:
    made = stone(logs, store)
    other = msgspec.structs.replace(made, content=None, erased=True)

    write_tombstones(store / "tombstones.json", [made, other])

    assert read_tombstones(store / "tombstones.json").all == (made, other)


def test_without_the_file_there_are_none(tmp_path: Path) -> None:
    assert read_tombstones(tmp_path / "tombstones.json").all == ()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param("", "is damaged", id="empty"),
        pytest.param("[]", "is damaged", id="another shape"),
        pytest.param('{"version": 1, "tombstones": [{"key": "x"}]}', "is damaged", id="missing fields"),
        pytest.param(
            '{"version": 9, "tombstones": []}', "version 9, this program reads version 1", id="newer"
        ),
    ],
)
def test_a_file_that_cannot_be_understood_is_never_taken_for_none(
    tmp_path: Path, content: str, found: str
) -> None:
    (tmp_path / "tombstones.json").write_text(content)

    with pytest.raises(StoreError, match=found):
        read_tombstones(tmp_path / "tombstones.json")


def test_no_word_of_the_log_is_in_the_file(logs: Path, store: Path, path: Path) -> None:
    write_tombstones(store / "tombstones.json", [stone(logs, store)])

    text = (store / "tombstones.json").read_text()
    assert not [word for word in ("s-a", "a.jsonl", str(logs), "/home/ada", "One", 'pi"') if word in text]
    assert json.loads(text)["tombstones"][0]["forgotten_at"] == "2026-05-28T20:26:40.000Z"
