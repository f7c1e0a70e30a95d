"""Ranking by relevance alone: coverage, rarity and the dialogue around an entry, no points for roles or age."""

from __future__ import annotations

from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import IndexedLogs, JsonObject, assistant, compacted, header, index_lines, user
from uncompact.query.settings import RetrievalSettings

RELEVANCE = RetrievalSettings(ranking="relevance")


def found(logs: IndexedLogs, request: str) -> list[str]:
    with uncompact.open_store(logs.store) as store:
        answer = store.retrieve("s-1", request, settings=RELEVANCE)
    return [hit.ranked.candidate.entry_id for hit in answer.hits]


def session(tmp_path: Path, *entries: tuple[str, str]) -> IndexedLogs:
    lines: list[JsonObject] = [header("s-1")]
    parent: str | None = None
    for number, (role, text) in enumerate(entries):
        entry_id = f"e{number}"
        lines.append((user if role == "user" else assistant)(entry_id, parent, text, number))
        parent = entry_id
    assert parent is not None
    return index_lines([*lines, *compacted(parent)], tmp_path)


def test_more_of_the_request_outweighs_a_literal(tmp_path: Path) -> None:
    logs = session(
        tmp_path,
        ("user", "the outage came from the retry budget of the billing worker"),
        ("user", "see `parseConfig` for that"),
        *[("assistant", f"unrelated line {number}") for number in range(8)],
    )

    assert found(logs, "`parseConfig` outage retry budget billing worker")[0] == "e0"


def test_the_dialogue_around_an_entry_counts_in_part(tmp_path: Path) -> None:
    logs = session(
        tmp_path,
        *[("user", f"something else {number}") for number in range(6)],
        ("user", "what about the turbine"),
        ("assistant", "we settled on ninety degrees"),
        *[("assistant", f"another thing {number}") for number in range(6)],
        ("assistant", "ninety degrees is the limit of the sensor"),
    )

    assert found(logs, "turbine ninety degrees")[0] == "e7"


def test_a_question_ranks_below_a_statement(tmp_path: Path) -> None:
    logs = session(
        tmp_path,
        *[("user", f"filler {number}") for number in range(4)],
        ("user", "is the harbour crane red?"),
        *[("user", f"more filler {number}") for number in range(4)],
        ("user", "the harbour crane is red."),
        *[("user", f"last filler {number}") for number in range(4)],
    )

    assert found(logs, "harbour crane") == ["e9", "e4"]


def test_the_answer_says_what_the_score_is_made_of(tmp_path: Path) -> None:
    logs = session(tmp_path, ("user", "the harbour crane is red."))
    with uncompact.open_store(logs.store) as store:
        (hit,) = store.retrieve("s-1", "harbour crane", settings=RELEVANCE).hits

    components = hit.ranked.components
    assert list(components) == ["lexical", "coverage", "question"]
    assert hit.ranked.score == pytest.approx(components["lexical"] * 3, abs=1e-5)


def test_adding_nothing_to_a_request_changes_nothing(tmp_path: Path) -> None:
    logs = session(tmp_path, ("user", "the harbour crane is red."), ("assistant", "the crane is blue"))

    assert found(logs, "harbour crane") == found(logs, "harbour crane")
