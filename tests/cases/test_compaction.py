"""What a compaction keeps, what it removes, and what must not come back although it was removed."""

from __future__ import annotations

import pytest

from tests.cases.builders import IndexedLogs, OpenCase


def states(logs: IndexedLogs) -> dict[str, str]:
    return {entry_id: one["state"] for entry_id, one in logs.entries().items()}


def test_a_kept_entry_that_is_in_no_line_means_that_nothing_was_kept(open_case: OpenCase) -> None:
    logs = open_case("kept_entry_missing")

    assert set(logs.retrieve("`dredge_plan`").ids) == {"a0000001", "a0000002"}
    assert states(logs) == {
        "a0000001": "compacted",
        "a0000002": "compacted",
        "c0000001": "in_context",
        "b0000001": "in_context",
    }


def test_only_the_last_compaction_on_the_branch_counts(open_case: OpenCase) -> None:
    logs = open_case("two_compactions")

    assert set(logs.retrieve("`dredge_plan`").ids) == {"a0000001", "a0000002", "a0000003"}
    assert states(logs)["a0000002"] == "compacted"
    assert states(logs)["b0000001"] == "in_context"


def test_before_the_second_compaction_the_first_one_counts(open_case: OpenCase) -> None:
    answer = open_case("two_compactions").retrieve("`dredge_plan`", leaf="b0000001")

    assert answer.ids == ["a0000001"]


def test_a_summary_of_a_compaction_is_no_evidence(open_case: OpenCase) -> None:
    answer = open_case("two_compactions").retrieve("first summary speaks of `dredge_plan`")

    assert "c0000001" not in answer.ids


@pytest.mark.parametrize(
    "case",
    [
        pytest.param("compaction_on_other_branch", id="on another branch"),
        pytest.param("no_compaction", id="none at all"),
    ],
)
def test_without_a_compaction_on_the_branch_nothing_was_removed(open_case: OpenCase, case: str) -> None:
    answer = open_case(case).retrieve("`dredge_plan`")

    assert answer.status == "no-hits"
    assert answer.ids == []
    assert answer.values["counts"]["in_context"] >= 2
    assert answer.values["reason"]


def test_an_entry_that_was_edited_out_does_not_come_back(open_case: OpenCase) -> None:
    logs = open_case("entry_edited_out")
    answer = logs.retrieve("`dredge_plan`")

    assert answer.ids == ["a0000001"]
    assert states(logs)["a0000002"] == "edited_out"
    assert answer.values["counts"]["edited_out"] == 1


def test_a_shell_run_that_was_kept_out_of_the_context_does_not_come_back(open_case: OpenCase) -> None:
    answer = open_case("shell_run_kept_out").retrieve("`dredge_plan`")

    assert set(answer.ids) == {"a0000001", "a0000003"}


@pytest.mark.parametrize("request_text", ["private scratch", "`dredge_plan, private scratch`"])
def test_no_words_bring_back_a_shell_run_that_was_kept_out(open_case: OpenCase, request_text: str) -> None:
    answer = open_case("shell_run_kept_out").retrieve(request_text)

    assert "a0000002" not in answer.ids
    assert all("private scratch" not in hit["excerpt"] for hit in answer.hits)
