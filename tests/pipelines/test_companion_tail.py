"""A session that went on is loaded from where the companion has it; one whose earlier rows changed is loaded anew."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.cases.builders import JsonObject, compaction, encode, entry, header, user, write_log
from tests.pipelines.companion_rows import companion_rows, passage_texts
from tests.pipelines.stores import append, run
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.companion_file import rebuild_companion
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.sqlite import rows, value
from uncompact.pipelines.store import StorePaths


def call(entry_id: str, parent: str | None, call_id: str, path: str) -> JsonObject:
    made = {"type": "toolCall", "id": call_id, "name": "read", "arguments": {"path": path}}
    return entry("message", entry_id, parent, message={"role": "assistant", "content": [made]})


def answer(entry_id: str, parent: str | None, call_id: str) -> JsonObject:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": "code"}
    return entry("message", entry_id, parent, message=message)


def grown(logs: Path, store: Path, before: list[JsonObject], after: list[JsonObject]) -> Path:
    """Read a log, append to it and read it again; return the companion."""
    path = write_log(logs / "s.jsonl", [header(), *before])
    run(logs, store)
    append(path, b"".join(encode(line) for line in after))
    run(logs, store)
    return StorePaths(store).companion


def number(path: Path) -> int:
    with closing(connect_reader(path)) as connection:
        return int(value(connection, "select number from sessions"))


def labels(path: Path) -> dict[str, str]:
    with closing(connect_reader(path)) as connection:
        return dict(rows(connection, "select entry_id, label from entries"))


def assert_equals_one_built_anew(path: Path, store: Path) -> None:
    before = companion_rows(path)
    anew = rebuild_companion(open_lake(StorePaths(store).lake), StorePaths(store))
    assert before == companion_rows(anew)


def test_a_session_that_grew_keeps_its_number_and_passages(logs: Path, store: Path) -> None:
    path = grown(logs, store, [user("a", None, "one")], [user("b", "a", "two"), user("c", "a", "three")])

    assert number(path) == 1
    assert [text for _, _, text in passage_texts(path).values()] == ["one", "two", "three"]
    assert_equals_one_built_anew(path, store)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([user("a", None, "x"), user("b", "a", "x")], [user("a", None, "y")], id="an id taken over"),
        pytest.param([user("b", "a", "x")], [user("a", None, "y")], id="a parent that came late"),
        pytest.param([user("a", None, "x"), compaction("k", "a", "b")], [user("b", "a", "y")], id="what a compaction kept came late"),
        pytest.param([entry("context_edit", "e", None, targetId="b", replacement=None)], [user("b", "e", "y")], id="what an edit means came late"),
    ],
)  # fmt: skip
def test_a_session_whose_earlier_rows_changed_is_loaded_anew(
    logs: Path, store: Path, before: list[JsonObject], after: list[JsonObject]
) -> None:
    path = grown(logs, store, before, after)

    assert number(path) == 2
    assert_equals_one_built_anew(path, store)


@pytest.mark.parametrize(
    "after", [[user("c", "b", "x")], [user("b", "a", "x", 2), user("c", "b", "x")]], ids=["grew", "rewritten"]
)
def test_a_rewritten_beginning_is_loaded_anew(logs: Path, store: Path, after: list[JsonObject]) -> None:
    write_log(logs / "s.jsonl", [header(), user("a", None, "one"), user("b", "a", "two")])
    run(logs, store)
    write_log(logs / "s.jsonl", [header(), user("a", None, "other"), *after])
    run(logs, store)

    assert number(StorePaths(store).companion) == 2
    assert_equals_one_built_anew(StorePaths(store).companion, store)


def test_a_renamed_log_keeps_its_rows_under_the_new_path(logs: Path, store: Path) -> None:
    path = grown(logs, store, [user("a", None, "one")], [user("b", "a", "two")])
    (logs / "s.jsonl").rename(logs / "z.jsonl")
    run(logs, store)

    with closing(connect_reader(path)) as connection:
        found = list(rows(connection, "select number, path, state from sessions"))
    assert found == [(1, str(logs / "z.jsonl"), "present")]
    assert_equals_one_built_anew(path, store)


def test_a_result_is_labelled_with_a_call_of_an_earlier_run(logs: Path, store: Path) -> None:
    path = grown(logs, store, [call("a", None, "c1", "src/a.py")], [answer("b", "a", "c1")])

    assert labels(path) == {"a": "read src/a.py", "b": "read src/a.py"}
    with closing(connect_reader(path)) as connection:
        sql = "select turn_group from entries order by id"
        assert [group for (group,) in rows(connection, sql)] == [0, 0]


@pytest.mark.parametrize(
    ("later", "label"),
    [
        pytest.param([call("b", "a", "c1", "src/b.py"), answer("r", "b", "c1")], "read src/b.py", id="made again"),
        pytest.param([user("u", "a", "x"), answer("r", "u", "c1")], "read src/a.py", id="one call only"),
        pytest.param([call("b", None, "c1", "src/b.py"), answer("r", "a", "c1")], "read src/a.py", id="on another branch since"),
        pytest.param([call("b", "a", "c1", "src/b.py"), user("u", "a", "x"), answer("r", "u", "c1")], "read src/a.py", id="before the branches part"),
        pytest.param([call("b", None, "c1", "src/b.py"), answer("r", None, "c1")], "read src/b.py", id="on no branch of its own"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("runs", [1, 2])
def test_a_result_is_labelled_with_the_nearest_call_on_its_own_branch(
    logs: Path, store: Path, later: list[JsonObject], label: str, runs: int
) -> None:
    first = [call("a", None, "c1", "src/a.py")]
    path = grown(logs, store, first if runs == 2 else [*first, *later], later if runs == 2 else [])

    assert labels(path)["r"] == label
    assert_equals_one_built_anew(path, store)


def test_a_result_that_stands_before_its_call_has_no_label(logs: Path, store: Path) -> None:
    path = grown(
        logs, store, [user("u", None, "x")], [answer("a", "u", "c1"), call("b", "a", "c1", "src/b.py")]
    )

    assert labels(path) == {"u": "", "a": "", "b": "read src/b.py"}
