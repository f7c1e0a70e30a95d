"""What is read of a log in several runs is what one run reads of it whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.cases.builders import JsonObject, compaction, encode, entry, header, user
from tests.pipelines.any_sessions import GrowingLog, growing_logs
from tests.pipelines.companion_rows import companion_rows
from tests.pipelines.stores import append, lake_rows, log, run
from uncompact.pipelines.store import StorePaths


def first_line(number: int) -> bytes:
    return encode(header(f"s-{number}", f"/srv/{number % 2}"))


def assert_equal_stores(one: Path, other: Path) -> None:
    assert lake_rows(one) == lake_rows(other)
    assert companion_rows(StorePaths(one).companion) == companion_rows(StorePaths(other).companion)


# Without shrinking, which would take minutes: the cases below are the small ones.
@settings(max_examples=10, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(sessions=st.lists(growing_logs(), min_size=1, max_size=10))
def test_a_log_read_as_it_grew_equals_the_log_read_whole(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[GrowingLog]
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    (folder / "logs").mkdir()
    for stage in (0, 1, 2):
        for number, session in enumerate(sessions):
            stages = session.stages(first_line(number))
            with (folder / "logs" / f"{number}.jsonl").open("ab") as file:
                file.write(stages[min(stage, len(stages) - 1)][file.tell() :])
        run(folder / "logs", folder / "store")

    run(folder / "logs", folder / "whole")

    assert_equal_stores(folder / "store", folder / "whole")


def asked(entry_id: str, parent: str | None, call_id: str) -> JsonObject:
    call = {"type": "toolCall", "id": call_id, "name": "read", "arguments": {"path": f"{entry_id}.py"}}
    return entry("message", entry_id, parent, message={"role": "assistant", "content": [call]})


def answered(entry_id: str, parent: str | None, call_id: str) -> JsonObject:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": "x"}
    return entry("message", entry_id, parent, message=message)


# Each line but the last is read before the last one is there.
EARLIER = {
    "a child": [user("a", None, "x"), user("b", "a", "y")],
    "a fork": [user("a", None, "x"), user("b", "a", "y"), user("c", "a", "z")],
    "a fork of a fork": [user("a", None, "x"), user("b", "a", "y"), user("c", "a", "z"), user("d", "a", "w")],
    "another root": [user("a", None, "x"), user("b", None, "y")],
    "an id taken over": [user("a", None, "x"), user("b", "a", "y"), user("a", "b", "z")],
    "a parent that comes late": [user("b", "a", "x"), user("a", None, "y")],
    "a circle closed late": [user("b", "a", "x"), user("a", "b", "y")],
    "what a compaction kept": [user("a", None, "x"), compaction("k", "a", "b"), user("b", "a", "y")],
    "what an edit means": [entry("context_edit", "e", None, targetId="b", replacement=None), user("b", "e", "y")],
    "a result": [asked("a", None, "c1"), answered("b", "a", "c1")],
    "a call with an id used before": [asked("a", None, "c1"), asked("b", "a", "c1"), answered("c", "b", "c1")],
    "a call after its result": [answered("a", None, "c1"), asked("b", "a", "c1")],
    "a name taken back": [entry("session_info", "a", None, name="x"), entry("session_info", "b", "a", name="")],
    "an earlier time": [user("a", None, "x", 9), user("b", "a", "y", 2)],
}  # fmt: skip


@pytest.mark.parametrize("lines", EARLIER.values(), ids=EARLIER)
def test_what_a_line_says_of_earlier_ones_is_as_if_read_at_once(
    logs: Path, store: Path, tmp_path: Path, lines: list[JsonObject]
) -> None:
    path = log(logs, "a.jsonl")
    for line in lines:
        append(path, encode(line))
        run(logs, store)

    run(logs, tmp_path / "whole")

    assert_equal_stores(store, tmp_path / "whole")
