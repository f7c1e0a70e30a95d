"""One text, one piece of evidence: repeated questions, our own output, renamed and replaced logs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.cases.builders import (
    JsonObject,
    OpenCase,
    assistant,
    compacted,
    header,
    index_case,
    user,
    write_log,
)


def test_a_question_asked_three_times_is_quoted_once(open_case: OpenCase) -> None:
    answer = open_case("repeated_question").retrieve("Which channel does the pilot_radio use?")

    assert max(Counter(hit["excerpt"] for hit in answer.hits).values()) == 1


def test_repeated_questions_do_not_crowd_out_their_answer(open_case: OpenCase) -> None:
    answer = open_case("repeated_question").retrieve("Which channel does the pilot_radio use?")

    assert "a0000002" in answer.ids[:3]


def test_the_entry_itself_is_evidence_and_ranks_first(open_case: OpenCase) -> None:
    answer = open_case("own_output").retrieve("`gate_code`")

    assert answer.ids[0] == "a0000001"


@pytest.mark.parametrize(
    "entry_id",
    [
        pytest.param("e0000001", id="evidence in a message of our own"),
        pytest.param("e0000002", id="evidence as a user message"),
        pytest.param("e0000003", id="output of a history tool"),
        pytest.param("e0000004", id="output of a history tool behind MCP"),
        pytest.param("e0000005", id="evidence in a file that was read"),
        pytest.param("e0000006", id="evidence that an answer repeats"),
    ],
)
def test_our_own_output_never_comes_back(open_case: OpenCase, entry_id: str) -> None:
    answer = open_case("own_output").retrieve("`gate_code`")

    assert entry_id not in answer.ids


@pytest.mark.parametrize("request_text", ["historical evidence quoted data", "`gate_code` retrieval score"])
def test_the_frame_of_evidence_is_no_evidence(open_case: OpenCase, request_text: str) -> None:
    answer = open_case("own_output").retrieve(request_text)

    assert set(answer.ids) <= {"a0000001"}


def test_a_renamed_log_is_one_session_under_its_new_path(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    (first.root / "s.jsonl").rename(first.root / "renamed.jsonl")
    logs = first.again()

    assert [(one["path"], one["state"]) for one in logs.sessions()] == [
        (str(logs.root / "renamed.jsonl"), "present")
    ]
    assert sorted(logs.retrieve("`hull_number`", log="renamed.jsonl").ids) == ["a0000001", "a0000002"]


def test_a_renamed_log_adds_no_rows(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    (first.root / "s.jsonl").rename(first.root / "renamed.jsonl")

    assert first.again().report["entries"]["total"] == first.report["entries"]["total"] == 6
    assert len(first.again().sessions()) == 1


def talk(word: str, session_id: str) -> list[JsonObject]:
    turns = [
        user("a0000001", None, f"Only here: {word}."),
        assistant("a0000002", "a0000001", f"{word} noted."),
    ]
    return [header(session_id), *turns, *compacted("a0000002")]


def test_words_of_a_replaced_log_match_no_session_that_came_later(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    write_log(first.root / "s.jsonl", talk("steady_word", "0195a000-0000-7000-8000-0000000000aa"))
    write_log(first.root / "new.jsonl", talk("fresh_word", "0195a000-0000-7000-8000-0000000000bb"))
    logs = first.again()

    assert logs.retrieve("`hull_number`").status == "no-hits"
    assert logs.retrieve("`hull_number`", log="new.jsonl").status == "no-hits"
    assert set(logs.retrieve("`steady_word`").ids) == {"a0000001", "a0000002"}
    assert set(logs.retrieve("`fresh_word`", log="new.jsonl").ids) == {"a0000001", "a0000002"}


def test_other_sessions_do_not_change_an_answer(tmp_path: Path) -> None:
    first = index_case("repeated_question", tmp_path)
    alone = first.retrieve("Which channel does the pilot_radio use?").hits
    for number in range(5):
        log = first.root / f"other{number}.jsonl"
        write_log(log, talk("pilot_radio channel", f"0195a000-0000-7000-8000-0000000000c{number}"))

    assert first.again().retrieve("Which channel does the pilot_radio use?").hits == alone
