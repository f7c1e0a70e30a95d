"""Copies of entries: the same marks whatever was read first, whatever went, and only across sessions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncompact.pipelines.copies import count_copies, mark_copies
from uncompact.pipelines.lake import LakeSnapshot, create_lake, open_lake
from uncompact.pipelines.lake_writer import LakeWriter
from uncompact.pipelines.schema import TABLES

# Copy keys of a session's entries, in order.
Keys = list[int]
Mark = tuple[Any, ...]


def copy_key(number: int) -> str:
    return f"{number:032x}"


def entries(session: str, keys: Keys, first: int = 0) -> pl.DataFrame:
    rows = [
        {"project_key": f"p-{session}", "session_key": session, "pos": first + at, "copy_key": copy_key(key << 64)}
        for at, key in enumerate(keys)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=TABLES["entries"].schema)


def session(key: str, started: int | None, session_id: str = "one") -> pl.DataFrame:
    row = {
        "project_key": f"p-{key}", "session_key": key, "session_id": session_id, "started_at": started,
    }  # fmt: skip
    return pl.DataFrame([row], schema=TABLES["sessions"].schema)


def marks(*sessions: tuple[str, int | None, Keys], ids: dict[str, str] | None = None) -> list[Mark]:
    """Mark the copies among sessions of (key, start, copy keys)."""
    rows = pl.concat([entries(key, keys) for key, _, keys in sessions])
    named = pl.concat([session(key, started, (ids or {}).get(key, "one")) for key, started, _ in sessions])
    marked = mark_copies(rows.select("session_key", "pos", copy="copy_key").lazy(), named.lazy())
    return sorted(marked.collect().rows())


def test_an_entry_is_a_copy_of_the_session_that_started_first() -> None:
    assert marks(("b", 2, [10, 11]), ("a", 5, [12, 11]), ("c", 9, [11])) == [
        ("a", 1, "b", 1),
        ("c", 0, "b", 1),
    ]


@pytest.mark.parametrize(
    ("first", "other", "ids"),
    [
        pytest.param(("b", 1), ("a", None), {}, id="one without a time comes last"),
        pytest.param(("b", 1), ("a", 1), {"b": "x", "a": "y"}, id="then by session id"),
        pytest.param(("a", 1), ("b", 1), {}, id="then by key"),
    ],
)
def test_first_is_by_start_then_id_then_key(
    first: tuple[str, int | None], other: tuple[str, int | None], ids: dict[str, str]
) -> None:
    assert marks((*other, [7]), (*first, [7]), ids=ids) == [(other[0], 0, first[0], 0)]


def test_what_one_session_repeats_is_no_copy() -> None:
    assert marks(("a", 1, [7, 7]), ("b", 2, [8])) == []


def test_every_repetition_of_an_earlier_session_is_a_copy_of_its_first_entry() -> None:
    assert marks(("a", 1, [7, 7]), ("b", 2, [7, 8, 7])) == [("b", 0, "a", 0), ("b", 2, "a", 0)]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    create_lake(tmp_path / "lake")
    return tmp_path / "lake"


def commit(
    lake: Path,
    number: int,
    rows: Iterable[pl.DataFrame],
    dropped: Iterable[str] = (),
    restated: Iterable[str] = (),
) -> LakeSnapshot:
    writer = LakeWriter(open_lake(lake), f"run{number}")
    for frame in rows:
        writer.add("entries" if "pos" in frame.columns else "sessions", frame)
    return writer.commit(set(dropped), set(restated))


def held(snapshot: LakeSnapshot) -> list[Mark]:
    copies = snapshot.scan("copies").collect()
    assert copies.select("project_key").to_series().to_list() == [f"p-{key}" for key in copies["session_key"]]
    return sorted(copies.drop("project_key").rows())


def test_a_run_marks_the_copies_of_what_an_earlier_run_read(lake: Path) -> None:
    commit(lake, 1, [entries("a", [1, 2]), session("a", 1)])

    snapshot = commit(lake, 2, [entries("b", [2, 3]), session("b", 2)])

    assert (held(snapshot), count_copies(snapshot)) == ([("b", 0, "a", 1)], 1)


def test_an_earlier_session_that_is_read_later_becomes_the_first(lake: Path) -> None:
    commit(lake, 1, [entries("b", [2, 3]), session("b", 2), entries("c", [2]), session("c", 3)])

    snapshot = commit(lake, 2, [entries("a", [1, 2]), session("a", 1)])

    assert held(snapshot) == [("b", 0, "a", 1), ("c", 0, "a", 1)]


def test_the_next_becomes_the_first_when_the_first_goes(lake: Path) -> None:
    rows = [entries("a", [1, 2]), entries("b", [2, 3]), entries("c", [3, 2])]
    commit(lake, 1, [*rows, session("a", 1), session("b", 2), session("c", 3)])

    snapshot = commit(lake, 2, [], dropped=["a"])

    assert held(snapshot) == [("c", 0, "b", 1), ("c", 1, "b", 0)]


def test_what_is_appended_to_a_fork_leaves_its_marks(lake: Path) -> None:
    commit(lake, 1, [entries("a", [1, 2, 3]), session("a", 1), entries("b", [1]), session("b", 2)])

    snapshot = commit(lake, 2, [entries("b", [9, 3], 1), session("b", 2)], restated=["b"])

    assert held(snapshot) == [("b", 0, "a", 0), ("b", 2, "a", 2)]


def test_a_lake_without_copies_has_an_unchanged_table(lake: Path) -> None:
    before = commit(lake, 1, [entries("a", [1]), session("a", 1)])

    after = commit(lake, 2, [entries("b", [2]), session("b", 1)])

    assert (before.versions["copies"], after.versions["copies"]) == (0, 0)


def test_entries_of_a_log_that_could_not_be_read_are_no_first(lake: Path) -> None:
    writer = LakeWriter(open_lake(lake), "run1")
    for key, started in (("a", 1), ("b", 2)):
        writer.add("entries", entries(key, [1]))
        writer.add("sessions", session(key, started))
    writer.discard("a")

    assert held(writer.commit(set())) == []


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, tuple[str, int | None, Keys]]]:
    """Draw runs: for each session that a run touches whether it is dropped, read anew or went on, and its rows."""
    keys = st.lists(st.integers(1, 6), max_size=4)
    step = st.tuples(st.sampled_from(["drop", "read", "append"]), st.none() | st.integers(1, 3), keys)
    runs: list[dict[str, tuple[str, int | None, Keys]]] = draw(
        st.lists(st.dictionaries(st.sampled_from("abcd"), step, max_size=4), min_size=1, max_size=4)
    )
    return runs


@settings(max_examples=40)
@given(histories())
def test_marks_are_those_of_all_entries_found_anew(
    tmp_path_factory: pytest.TempPathFactory, runs: list[dict[str, tuple[str, int | None, Keys]]]
) -> None:
    lake = tmp_path_factory.mktemp("lake")
    create_lake(lake)
    known: dict[str, tuple[int | None, Keys]] = {}
    for number, steps in enumerate(runs):
        dropped = {key for key, (what, _, _) in steps.items() if what != "append" and key in known}
        grown = {key for key, (what, _, _) in steps.items() if what == "append" and key in known}
        rows: list[pl.DataFrame] = []
        for key, (what, started, keys) in steps.items():
            if what == "drop":
                known.pop(key, None)
                continue
            before = known[key][1] if key in grown else []
            started = known[key][0] if key in grown else started
            known[key] = (started, [*before, *keys])
            rows += [entries(key, keys, len(before)), session(key, started)]
        commit(lake, number, rows, dropped, grown)

    expected = marks(*((key, *rest) for key, rest in known.items())) if known else []
    assert held(open_lake(lake)) == expected
