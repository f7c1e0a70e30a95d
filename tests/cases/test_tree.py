"""Branches of damaged, forked, abandoned and very long trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.builders import (
    IndexedLogs,
    JsonObject,
    OpenCase,
    assistant,
    compacted,
    compaction,
    encode,
    header,
    index_case,
    index_lines,
    user,
)

TAIL = {"b0000001", "b0000002", "c0000001", "d0000001"}


def states(logs: IndexedLogs, *, leaf: str | None = None, log: str = "s.jsonl") -> dict[str, str]:
    return {entry_id: one["state"] for entry_id, one in logs.entries(leaf=leaf, log=log).items()}


def test_entries_whose_parents_form_a_ring_are_kept_and_found(open_case: OpenCase) -> None:
    logs = open_case("parent_cycle")
    answer = logs.retrieve("`ring_check_5`")

    assert set(logs.entries()) == {"a0000001", "a0000002", "a0000003"} | TAIL
    assert sorted(answer.ids) == ["a0000001", "a0000002"]


def test_an_entry_that_names_itself_as_parent_is_a_root(tmp_path: Path) -> None:
    lines = [header(), user("a0000001", "a0000001", "The snake_knot bites itself."), *compacted("a0000001")]

    assert index_lines(lines, tmp_path).retrieve("`snake_knot`").ids == ["a0000001"]


def test_a_parent_behind_its_child_in_the_file_is_on_the_branch(tmp_path: Path) -> None:
    turns = [
        assistant("a0000002", "a0000001", "late_root_2 answered."),
        user("a0000001", None, "late_root_2 asked."),
    ]
    logs = index_lines([header(), *turns, *compacted("a0000002")], tmp_path)

    assert set(logs.retrieve("`late_root_2`").ids) == {"a0000001", "a0000002"}


def test_a_missing_parent_ends_the_branch(open_case: OpenCase) -> None:
    logs = open_case("missing_parent")

    assert set(logs.retrieve("`lost_link_3`").ids) == {"a0000003", "a0000004"}
    assert states(logs)["a0000002"] == "sibling"


def test_lines_written_twice_are_listed_but_found_once(open_case: OpenCase) -> None:
    logs = open_case("repeated_ids")

    assert len(logs.entry_list()) == 11
    assert sorted(logs.retrieve("`rope_twice`").ids) == ["a0000003", "a0000004"]


def test_a_line_whose_id_a_later_line_took_over_is_superseded(open_case: OpenCase) -> None:
    listed = open_case("repeated_ids").entry_list()

    written_twice = [one["state"] for one in listed if one["entry_id"] == "a0000004"]
    assert written_twice == ["superseded", "compacted"]


@pytest.mark.parametrize(("quay", "chosen", "other"), [("east", "short", "long"), ("west", "long", "short")])
def test_equal_ids_of_two_sessions_are_two_entries(
    open_case: OpenCase, quay: str, chosen: str, other: str
) -> None:
    answer = open_case("same_ids_in_two_sessions").retrieve("mooring_rule", log=f"{quay}/s.jsonl")

    assert answer.ids == ["a0000001"]
    assert f"{quay} quay we chose mooring_rule {chosen}" in answer.excerpt("a0000001")
    assert other not in answer.excerpt("a0000001")


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("fork.jsonl", ["a0000001", "a0000002", "a0000003"]),
        ("parent.jsonl", ["a0000001", "a0000002", "a0000009"]),
    ],
)
def test_a_fork_answers_from_its_own_branch_each_text_once(
    open_case: OpenCase, log: str, found: list[str]
) -> None:
    answer = open_case("fork_with_shared_prefix").retrieve("manifest_form", log=log)

    assert sorted(answer.ids) == found


def test_a_denser_abandoned_branch_stays_out(open_case: OpenCase) -> None:
    answer = open_case("abandoned_branch").retrieve("what did we decide for `pilot_cache`")

    assert set(answer.ids) == {"a0000001", "a0000002"}
    assert answer.values["counts"]["sibling"] == 2
    assert answer.values["counts"]["alternate_branch_candidates"] == 0


def test_an_abandoned_branch_is_reached_through_its_own_leaf(open_case: OpenCase) -> None:
    logs = open_case("abandoned_branch")

    assert states(logs, leaf="e0000002")["a0000001"] == "in_context"
    assert states(logs, leaf="e0000002")["a0000002"] == "sibling"
    assert logs.retrieve("`pilot_cache`", leaf="e0000002").status == "no-hits"


def crowded_lines() -> list[JsonObject]:
    """Return one weak mention on the branch and 400 strong ones beside it."""
    root = user("a0000001", None, "We spoke once of the lantern_queue and of much else: dinner, roads, rain.")
    crowd = [
        user(f"e{n:07x}", f"e{n - 1:07x}" if n else "a0000001", f"lantern_queue lantern_queue number {n}", n)
        for n in range(400)
    ]
    return [header(), root, *crowd, *compacted("a0000001", 450)]


def test_strong_siblings_do_not_starve_a_weak_hit_on_the_branch(tmp_path: Path) -> None:
    logs = index_lines(crowded_lines(), tmp_path)

    assert logs.retrieve("`lantern_queue`").ids == ["a0000001"]
    assert logs.retrieve("lantern_queue dinner").ids == ["a0000001"]
    assert logs.retrieve("lantern_queue dinner", max_results=1).ids == ["a0000001"]


@pytest.mark.parametrize(
    ("leaf", "found"),
    [("d0000001", {"a0000002", "a0000003"}), ("d1000001", {"e0000001", "e0000002"})],
)
def test_two_writers_of_one_file_make_two_branches(open_case: OpenCase, leaf: str, found: set[str]) -> None:
    assert set(open_case("two_writers").retrieve("`derrick_x`", leaf=leaf).ids) == found


def test_entries_appended_to_an_old_entry_open_a_branch_of_their_own(tmp_path: Path) -> None:
    first = index_case("fork_of_old_entry", tmp_path)
    appended = [
        user("e0000001", "a0000001", "A new line of keel_fork from the trunk.", 60),
        compaction("e0000002", "e0000001", "e0000002", 61),
        user("e0000003", "e0000002", "go on", 62),
    ]
    with (first.root / "s.jsonl").open("ab") as log:
        log.writelines(encode(line) for line in appended)
    answer = first.again().retrieve("`keel_fork`", leaf="e0000003")

    assert set(answer.ids) == {"a0000001", "e0000001"}
    assert set(first.retrieve("`keel_fork`", leaf="d0000001").ids) == {"a0000001", "a0000002", "a0000003"}


def test_the_root_of_a_chain_of_100_000_entries_is_found(tmp_path: Path) -> None:
    turns = [
        user(f"a{n:07x}", f"a{n - 1:07x}" if n else None, f"turn {n}, nothing of note")
        for n in range(100_000)
    ]
    turns[0]["message"]["content"] = "first_topic_0 is where it all began"
    logs = index_lines([header(), *turns, *compacted(turns[-1]["id"])], tmp_path)

    assert logs.report["entries"]["total"] == 100_004
    assert logs.retrieve("`first_topic_0`").ids == ["a0000000"]
