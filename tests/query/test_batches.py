"""Many requests at once, and the same one again: every answer is as if it were asked alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import IndexedLogs, assistant, compacted, encode, header, index_lines, user
from tests.pipelines.stores import append
from tests.query.cli_runs import run
from uncompact import RetrievalRequest
from uncompact.pipelines.sync import sync_log

REQUESTS = (
    "which crane lifts the turbine?",
    "`maxPool` of the crane",
    "thanks, go on",
    "nothing of the kind: zeppelin",
    "which crane lifts the turbine?",
)


@pytest.fixture
def logs(tmp_path: Path) -> IndexedLogs:
    lines = [header("s-1")]
    parent: str | None = None
    for number in range(40):
        text = f"the crane number {number} lifts a turbine" if number % 3 else f"maxPool = {number}"
        lines.append((user if number % 2 else assistant)(f"e{number}", parent, text, number))
        parent = f"e{number}"
    assert parent is not None
    return index_lines([*lines, *compacted(parent)], tmp_path)


def plain(answer: uncompact.Retrieval) -> dict[str, Any]:
    return {name: value for name, value in answer.to_dict().items() if name != "timings_ms"}


@pytest.mark.parametrize("ranking", ["seed", "relevance"])
def test_requests_at_once_are_answered_as_one_by_one(logs: IndexedLogs, ranking: Any) -> None:
    settings = uncompact.RetrievalSettings(ranking=ranking)
    asked = [RetrievalRequest("s-1", request) for request in REQUESTS]
    with uncompact.open_store(logs.store) as store:
        together = store.retrieve_many(asked, settings=settings)
    alone: list[uncompact.Retrieval] = []
    for request in REQUESTS:
        with uncompact.open_store(logs.store) as store:
            alone.append(store.retrieve("s-1", request, settings=settings))

    assert [*map(plain, together)] == [*map(plain, alone)]
    assert [answer.status for answer in together] == [
        "complete",
        "complete",
        "no-query",
        "no-hits",
        "complete",
    ]


def test_more_requests_than_are_ranked_in_one_pass_are_all_answered(logs: IndexedLogs) -> None:
    asked = [RetrievalRequest("s-1", f"crane number {number}") for number in range(130)]
    with uncompact.open_store(logs.store) as store:
        answers = store.retrieve_many(asked)

    assert [len(answer.hits) > 0 for answer in answers] == [True] * 130


def test_no_requests_have_no_answers(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store:
        assert store.retrieve_many([]) == []


def test_the_same_question_is_answered_from_memory_until_the_session_grows(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store:
        first = store.retrieve("s-1", "which crane?")
        again = store.retrieve("s-1", "which crane?")
        append(logs.root / "s.jsonl", encode(user("later", "d0000001", "more", 99)))
        sync_log(logs.store, logs.root / "s.jsonl")
        grown = store.retrieve("s-1", "which crane?")

    assert again is first
    assert grown is not first
    assert (first.leaf, grown.leaf) == ("d0000001", "later")


def test_other_limits_are_another_question(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store:
        many, one = (store.retrieve("s-1", "which crane?", max_results=most) for most in (12, 1))

    assert (len(many.hits) > 1, len(one.hits)) == (True, 1)


def test_an_unknown_leaf_in_a_batch_is_an_error(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store, pytest.raises(uncompact.NotFoundError):
        store.retrieve_many([RetrievalRequest("s-1", "which crane?", leaf="nowhere")])


def test_a_file_of_requests_is_answered_line_by_line(logs: IndexedLogs, tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text(
        '{"request": "which crane?", "session": "s-1"}\n\n{"request": "maxPool", "leaf": "e9"}\n',
        encoding="utf-8",
    )
    result = run("--store", str(logs.store), "retrieve", "--requests", str(file), "--session", "s-1")

    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(answer["status"], answer["leaf"]) for answer in answers] == [
        ("complete", "d0000001"),
        ("no-hits", "e9"),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        pytest.param('{"session": "s-1"}', "missing required field `request`", id="no request"),
        pytest.param('{"request": 1}', "Expected `str`", id="no text"),
        pytest.param('{"request": "x", "leef": "a"}', "unknown field `leef`", id="unknown field"),
        pytest.param("{", "truncated", id="no JSON"),
        pytest.param('{"request": "x"}', "names no session", id="no session"),
    ],
)
def test_a_line_that_is_no_request_is_named(
    logs: IndexedLogs, tmp_path: Path, line: str, problem: str
) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text(f'{{"request": "which crane?", "session": "s-1"}}\n{line}\n', encoding="utf-8")
    result = run("--store", str(logs.store), "retrieve", "--requests", str(file))

    assert result.exit_code == 2
    assert f"{file}:2: " in result.stderr
    assert problem in result.stderr


def test_a_request_and_a_file_of_them_do_not_go_together(logs: IndexedLogs, tmp_path: Path) -> None:
    result = run("--store", str(logs.store), "retrieve", "--requests", str(tmp_path / "x"), "which crane?")

    assert result.exit_code == 2
