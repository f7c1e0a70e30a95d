"""One log read whole: its leaves, branches, contexts and visible entries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.builders import assistant, compaction, entry, header, user, write_log
from uncompact.pipelines.branches import SessionView, read_session
from uncompact.pipelines.errors import NotFoundError, SourceError

JsonObject = dict[str, Any]


def read(folder: Path, *lines: JsonObject) -> SessionView:
    return read_session(write_log(folder / "s.jsonl", [header(), *lines]))


def system(entry_id: str, parent: str | None) -> JsonObject:
    return entry("message", entry_id, parent, message={"role": "system", "content": "Be brief."})


def edit(entry_id: str, parent: str, target: str, replacement: object) -> JsonObject:
    return entry("context_edit", entry_id, parent, targetId=target, replacement=replacement)


def talk(count: int) -> list[JsonObject]:
    return [user(str(at), str(at - 1) if at else None, f"turn {at}") for at in range(count)]


def test_the_current_leaf_is_the_last_line_of_any_type(tmp_path: Path) -> None:
    view = read(tmp_path, user("a", None, "one"), entry("label", "l", "a", targetId="a", label="mark"))

    assert view.leaf == "l"
    assert view.entry_ids == ("a", "l")


def test_a_log_without_entries_has_no_leaf(tmp_path: Path) -> None:
    assert read(tmp_path).leaf is None


def test_a_branch_runs_from_its_root_to_the_leaf(tmp_path: Path) -> None:
    view = read(tmp_path, user("a", None, "1"), user("b", "a", "2"), user("c", "a", "3"), user("d", "c", "4"))

    assert view.at("d").branch == ("a", "c", "d")
    assert view.at("b").branch == ("a", "b")


def test_without_compaction_everything_on_the_branch_is_in_context(tmp_path: Path) -> None:
    view = read(tmp_path, system("s", None), user("a", "s", "1"), entry("custom", "x", "a", customType="t"))

    assert view.at("x").context == ("s", "a", "x")
    assert view.at("x").visible == ("s", "a")


def test_a_compaction_leads_the_context_and_keeps_what_it_names(tmp_path: Path) -> None:
    view = read(tmp_path, *talk(4), compaction("K", "3", "2"), user("a", "K", "after"))

    assert view.at("a").context == ("K", "2", "3", "a")
    assert view.at("3").context == ("0", "1", "2", "3")


def test_system_messages_are_dropped_from_what_a_compaction_keeps(tmp_path: Path) -> None:
    kept = [user("a", None, "1"), system("s", "a"), user("b", "s", "2")]
    view = read(tmp_path, *kept, compaction("K", "b", "a"), system("t", "K"))

    assert view.at("t").context == ("K", "a", "b", "t")


def test_a_kept_range_that_reaches_behind_an_older_compaction_is_active_again(tmp_path: Path) -> None:
    older = [*talk(3), compaction("K1", "2", "2"), user("a", "K1", "between")]
    view = read(tmp_path, *older, compaction("K2", "a", "1"))

    assert view.at("K2").context == ("K2", "1", "2", "K1", "a")
    assert view.at("K2").visible == ("K2", "1", "2", "a")


@pytest.mark.parametrize("kept", ["K", "gone", "b", "z"], ids=["itself", "unknown", "sibling", "after it"])
def test_a_kept_entry_that_is_not_before_it_keeps_nothing(tmp_path: Path, kept: str) -> None:
    view = read(tmp_path, *talk(2), user("b", "0", "aside"), compaction("K", "1", kept), user("z", "K", "on"))

    assert view.at("z").context == ("K", "z")


def test_an_emptied_entry_stays_in_context_but_is_not_visible(tmp_path: Path) -> None:
    view = read(tmp_path, *talk(2), edit("e", "1", "0", None))

    assert view.at("e").context == ("0", "1", "e")
    assert view.at("e").visible == ("1",)


def test_a_later_replacement_undoes_an_emptying(tmp_path: Path) -> None:
    view = read(tmp_path, *talk(2), edit("e", "1", "0", None), edit("f", "e", "0", {"content": "short"}))

    assert view.at("f").visible == ("0", "1")


def test_an_edit_works_only_on_branches_that_hold_it(tmp_path: Path) -> None:
    view = read(tmp_path, *talk(2), edit("e", "1", "0", None), user("b", "1", "other way"))

    assert view.at("b").visible == ("0", "1", "b")


def test_a_branch_summary_is_visible_when_it_says_something(tmp_path: Path) -> None:
    empty = entry("branch_summary", "e", "a", fromId="root", summary="")
    full = entry("branch_summary", "f", "e", fromId="root", summary="We tried YAML.")
    view = read(tmp_path, user("a", None, "1"), empty, full)

    assert view.at("f").context == ("a", "e", "f")
    assert view.at("f").visible == ("a", "f")


def test_a_missing_parent_ends_the_walk(tmp_path: Path) -> None:
    view = read(
        tmp_path, *talk(2), compaction("K", "1", "0"), user("a", "lost", "orphan"), user("b", "a", "on")
    )

    assert view.at("b").branch == ("a", "b")
    assert view.at("b").context == ("a", "b")


def test_version_1_is_one_chain_with_ids_by_position(tmp_path: Path) -> None:
    first = {**header(), "version": 1}
    messages = [{"type": "message", "message": {"role": "user", "content": text}} for text in "abc"]
    shortened = {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 2}
    view = read_session(write_log(tmp_path / "s.jsonl", [first, *messages, shortened, messages[0]]))

    assert view.leaf == "v1:5"
    assert view.at("v1:5").branch == ("v1:1", "v1:2", "v1:3", "v1:4", "v1:5")
    assert view.at("v1:5").context == ("v1:4", "v1:2", "v1:3", "v1:5")


@pytest.mark.parametrize("index", [0, 4, 5, 99, -1, None], ids=str)
def test_a_version_1_index_of_the_header_or_forward_keeps_nothing(tmp_path: Path, index: int | None) -> None:
    message = {"type": "message", "message": {"role": "user", "content": "x"}}
    shortened = {"type": "compaction", "summary": "s", "firstKeptEntryIndex": index}
    lines = [{**header(), "version": 1}, message, message, message, shortened, message]

    assert read_session(write_log(tmp_path / "s.jsonl", lines)).at("v1:5").context == ("v1:4", "v1:5")


def test_an_unknown_leaf_is_refused_with_the_leaves_there_are(tmp_path: Path) -> None:
    view = read(tmp_path, user("a", None, "1"), assistant("b", "a", "2"), user("c", "a", "3"))

    with pytest.raises(NotFoundError) as error:
        view.at("nope")

    assert error.value.existing == ["b", "c"]


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b'{"type":"note"}\n')

    with pytest.raises(SourceError, match="not a session log"):
        read_session(path)
