"""One text, one piece of evidence: repeated questions, our own output, copies, renamed and replaced logs."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.cases.builders import (
    CASES,
    IndexedLogs,
    JsonObject,
    OpenCase,
    assistant,
    compacted,
    header,
    index,
    index_case,
    stamp,
    user,
    write_log,
)
from uncompact.pipelines.copies import count_copies
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.store import StorePaths


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


def copies(logs: IndexedLogs) -> list[tuple[str, str, str, str]]:
    """Return (session id, entry id) of each copy and of its first, in order."""
    lake = open_lake(StorePaths(logs.store).lake)
    names = {row["session_key"]: row["session_id"] for row in lake.scan("sessions").collect().to_dicts()}
    entries = {
        (row["session_key"], row["pos"]): row["entry_id"]
        for row in lake.scan("entries").select("session_key", "pos", "entry_id").collect().to_dicts()
    }
    return sorted(
        (names[key], entries[key, pos], names[first], entries[first, first_pos])
        for _, key, pos, first, first_pos in lake.scan("copies").collect().rows()
    )


def test_what_a_fork_repeats_is_marked_as_a_copy_of_the_earlier_session(open_case: OpenCase) -> None:
    parent, fork = "0195a000-0000-7000-8000-000000000012", "0195a000-0000-7000-8000-000000000013"

    assert copies(open_case("fork_with_shared_prefix")) == [
        (fork, "a0000001", parent, "a0000001"),
        (fork, "a0000002", parent, "a0000002"),
    ]


def test_sums_leave_copies_out(open_case: OpenCase) -> None:
    lake = open_lake(StorePaths(open_case("fork_with_shared_prefix").store).lake)
    usage = lake.scan("usage").select("session_key", "pos", "output_tokens")
    counted = usage.join(lake.scan("copies"), on=("session_key", "pos"), how="anti").collect()

    assert (usage.collect()["output_tokens"].sum(), counted["output_tokens"].sum()) == (160, 120)
    assert count_copies(lake) == 2


def test_equal_ids_of_unrelated_sessions_are_no_copies(tmp_path: Path) -> None:
    write_log(
        tmp_path / "logs" / "a.jsonl",
        [header("id-a"), user("e1", None, "Ropes."), user("e2", "e1", "Go on.")],
    )
    write_log(
        tmp_path / "logs" / "b.jsonl", [header("id-b"), user("e1", None, "Sails."), user("e2", "e1", "Stop.")]
    )

    assert copies(index(tmp_path / "logs", tmp_path / "store")) == []


def first_version(word: str, minute: int) -> list[JsonObject]:
    """Return a log of version 1, whose entries have no ids."""
    line = {"type": "message", "timestamp": stamp(minute), "message": {"role": "user", "content": word}}
    return [line, {**line, "timestamp": stamp(minute + 1)}]


def test_without_ids_equal_words_are_copies_only_when_their_times_are_equal(tmp_path: Path) -> None:
    for name, minute in (("a", 1), ("b", 1), ("c", 30)):
        lines = [{**header(f"id-{name}"), "version": 1}, *first_version("Hello.", minute)]
        write_log(tmp_path / "logs" / f"{name}.jsonl", lines)

    assert copies(index(tmp_path / "logs", tmp_path / "store")) == [
        ("id-b", "v1:1", "id-a", "v1:1"),
        ("id-b", "v1:2", "id-a", "v1:2"),
    ]


def test_a_renamed_log_is_no_copy_of_itself(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    (first.root / "s.jsonl").rename(first.root / "renamed.jsonl")

    assert copies(first.again()) == []


def test_a_whole_copy_under_the_same_session_id_is_found_by_its_own_path(tmp_path: Path) -> None:
    first = index_case("plain_session", tmp_path)
    shutil.copy(first.root / "s.jsonl", first.root / "copy.jsonl")
    logs = first.again()

    for log in ("s.jsonl", "copy.jsonl"):
        assert sorted(logs.retrieve("`hull_number`", log=log).ids) == ["a0000001", "a0000002"]
    assert len(copies(logs)) == 6


def test_the_order_of_runs_does_not_decide_which_is_the_first(tmp_path: Path) -> None:
    case = CASES / "fork_with_shared_prefix"
    (tmp_path / "logs").mkdir()
    shutil.copy(case / "fork.jsonl", tmp_path / "logs")
    index(tmp_path / "logs", tmp_path / "store")
    shutil.copy(case / "parent.jsonl", tmp_path / "logs")
    later = index(tmp_path / "logs", tmp_path / "store")

    assert copies(later) == copies(index(tmp_path / "logs", tmp_path / "new"))
