"""What may be evidence for a leaf is what the log itself says, on any tree; nothing of another branch ever."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

import uncompact
from tests.cases.builders import (
    assistant,
    compaction,
    entry,
    header,
    index,
    index_lines,
    tool_result,
    user,
    write_log,
)
from uncompact.pipelines.branches import LeafView, read_session
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.sqlite import rows
from uncompact.pipelines.store import StorePaths
from uncompact.query.evidence import render_evidence
from uncompact.query.scope import Range, Scope, find_session, read_scope

FRAME = render_evidence(
    entry_id="a1", created_at=None, role="user", score=1, reason="", excerpt="pool"
).content

# A request, its answer, a compaction that keeps the third entry, and an answer that was tried twice.
FORKED = [
    header(),
    user("a1", None, "How large may the pool be?"),
    assistant("a2", "a1", "At most 24."),
    user("a3", "a2", "And the timeout?"),
    compaction("a4", "a3", "a3"),
    assistant("a5", "a4", "Five seconds."),
    assistant("b5", "a4", "Nine seconds."),
]


# Each of these stands on the branch of its log, and is no original evidence.
NEVER_TOLD = [
    entry(
        "message",
        "shell",
        None,
        message={"role": "bashExecution", "command": "ls", "excludeFromContext": True},
    ),
    entry(
        "message", "aborted", None, message={"role": "assistant", "stopReason": "aborted", "content": "So"}
    ),
    entry("message", "failed", None, message={"role": "assistant", "stopReason": "error", "content": "So"}),
    user("own evidence", None, FRAME),
    tool_result("history tool", None, "found", tool="history_recall"),
    tool_result("older history tool", None, "found", tool="context_history_search"),
    entry("custom_message", "own message", None, customType="uncompact", content="found"),
    entry("message", "system", None, message={"role": "system", "content": "Be brief"}),
    entry("label", "label", None, targetId="a1", label="pool"),
    compaction("earlier summary", "", "a1"),
    user("empty", None, ""),
]


def scope_of(store: Path, leaf: str | None = None, context_ids: list[str] | None = None) -> Scope | None:
    with closing(connect_reader(StorePaths(store).companion)) as companion:
        (session,) = [
            find_session(companion, key) for (key,) in rows(companion, "select session_key from sessions")
        ]
        return read_scope(companion, session, leaf, context_ids)


def ids_in(companion: apsw.Connection, ranges: Iterable[Range]) -> list[str]:
    """Return the ids of the entries whose passages the ranges hold, in file order."""
    sql = (
        "select entry_id, passages from entries where passages and first_passage between ? and ? order by id"
    )
    found = [row for bounds in ranges for row in rows(companion, sql, bounds)]
    assert sum(passages for _, passages in found) == sum(last - first + 1 for first, last in ranges)
    return [entry_id for entry_id, _ in found]


def eligible_in(store: Path, leaf: str | None = None, context_ids: list[str] | None = None) -> list[str]:
    scope = scope_of(store, leaf, context_ids)
    assert scope is not None
    with closing(connect_reader(StorePaths(store).companion)) as companion:
        return ids_in(companion, scope.eligible)


def eligible_ids(
    lines: list[dict[str, Any]], folder: Path, leaf: str | None = None, *shown: str
) -> list[str]:
    return eligible_in(index_lines(lines, folder).store, leaf, list(shown) or None)


def test_the_removed_entries_of_the_branch_are_eligible(tmp_path: Path) -> None:
    assert eligible_ids(FORKED, tmp_path) == ["a1", "a2"]


def test_nothing_is_eligible_before_a_compaction(tmp_path: Path) -> None:
    assert eligible_ids(FORKED, tmp_path, "a3") == []


def test_siblings_are_never_eligible_even_if_not_shown(tmp_path: Path) -> None:
    assert eligible_ids(FORKED, tmp_path, "b5", "a3") == ["a1", "a2", "b5"]


def test_shown_entries_are_not_eligible(tmp_path: Path) -> None:
    assert eligible_ids(FORKED, tmp_path, "a5", "a1", "a5", "unknown") == ["a2", "a3"]


def test_with_nothing_shown_the_whole_branch_is_eligible(tmp_path: Path) -> None:
    store = index_lines(FORKED, tmp_path).store
    scope = scope_of(store, "a5", [])

    assert scope is not None
    assert scope.eligible == ((scope.session.base, scope.session.base + 3),)
    assert scope.in_context == ()


@pytest.mark.parametrize("replacement", [None, {"content": "At most some."}], ids=["emptied", "replaced"])
@pytest.mark.parametrize("shown", [[], ["a5"]], ids=["as the log has it", "as the caller has it"])
def test_what_an_edit_took_out_is_not_eligible(
    tmp_path: Path, replacement: dict[str, str] | None, shown: list[str]
) -> None:
    edit = entry("context_edit", "e1", "a3", targetId="a2", replacement=replacement)
    lines = [*FORKED[:4], edit, compaction("a4", "e1", "a3"), FORKED[5]]

    assert "a2" not in eligible_ids(lines, tmp_path, None, *shown)


def test_an_edit_in_context_keeps_its_target_out_when_that_is_not_shown(tmp_path: Path) -> None:
    edit = entry("context_edit", "e1", "a5", targetId="a3", replacement={"content": "What else?"})

    assert eligible_ids([*FORKED[:6], edit], tmp_path, None, "a5") == ["a1", "a2"]


def test_an_edit_on_another_branch_takes_nothing_out(tmp_path: Path) -> None:
    edit = entry("context_edit", "e1", "b5", targetId="a2", replacement=None)

    assert eligible_ids([*FORKED, edit], tmp_path, "a5") == ["a1", "a2"]


def test_an_emptied_entry_in_context_is_counted_once(tmp_path: Path) -> None:
    edit = entry("context_edit", "e1", "a5", targetId="a5", replacement=None)
    store = index_lines([*FORKED[:6], edit], tmp_path).store
    scope = scope_of(store)
    assert scope is not None

    with closing(connect_reader(StorePaths(store).companion)) as companion:
        assert (ids_in(companion, scope.in_context), ids_in(companion, scope.edited_out)) == (["a3"], ["a5"])


def test_what_no_model_was_told_is_never_eligible(tmp_path: Path) -> None:
    told = FORKED[2]["id"]
    lines = FORKED[:3]
    for line in NEVER_TOLD:
        lines.append({**line, "parentId": told})
        told = line["id"]
    lines += [user("a3", told, "And the timeout?"), *FORKED[4:]]
    store = index_lines(lines, tmp_path).store

    assert eligible_in(store) == ["a1", "a2"]
    assert eligible_in(store, "b5", ["a3", "b5"]) == ["a1", "a2"]


def test_a_session_without_entries_has_no_scope(tmp_path: Path) -> None:
    assert scope_of(index_lines([header()], tmp_path).store) is None


def test_an_unknown_leaf_is_an_error_that_names_the_leaves(tmp_path: Path) -> None:
    store = index_lines(FORKED, tmp_path).store

    with pytest.raises(uncompact.NotFoundError) as caught:
        scope_of(store, "zz")

    assert caught.value.existing == ["b5", "a5"]


def test_a_line_whose_id_was_taken_over_is_on_no_branch(tmp_path: Path) -> None:
    lines = [header(), user("a1", None, "First"), user("a1", None, "Second"), compaction("a2", "a1", "a2")]
    store = index_lines(lines, tmp_path).store
    scope = scope_of(store)

    assert scope is not None
    assert sum(last - first + 1 for first, last in scope.eligible) == 1


def test_labels_among_the_removed_entries_are_held(tmp_path: Path) -> None:
    scope = scope_of(index_lines(FORKED, tmp_path).store, "b5")

    assert scope is not None
    assert [scope.holds(0, position) for position in range(5)] == [True, True, False, False, False]
    assert not scope.holds(1, 0)


def test_interleaved_branches_have_several_ranges(tmp_path: Path) -> None:
    lines = [header()]
    for number in range(4):
        lines += [
            user(f"{letter}{number}", f"{letter}{number - 1}" if number else None, "hi") for letter in "ab"
        ]
    lines.append(compaction("a4", "a3", "a4"))
    scope = scope_of(index_lines(lines, tmp_path).store)

    assert scope is not None
    assert [(first - scope.session.base, last - scope.session.base) for first, last in scope.eligible] == [
        (0, 0), (2, 2), (4, 4), (6, 6),
    ]  # fmt: skip


def test_scopes_equal_the_log_on_random_trees(tmp_path: Path) -> None:
    for seed in range(16):
        write_log(tmp_path / "logs" / f"{seed}.jsonl", random_log(random.Random(seed)))
    store = index(tmp_path / "logs", tmp_path / "store").store

    with closing(connect_reader(StorePaths(store).companion)) as companion:
        assert list(differences(companion, tmp_path / "logs")) == []


def random_log(source: random.Random) -> list[dict[str, Any]]:
    """Make a log with any parents: branches, several roots, gaps, repeated ids, edits, compactions, long texts."""
    lines = [header(f"0195a000-0000-7000-8000-{source.getrandbits(40):012x}")]
    ids = [f"e{number:02}" for number in range(40)]
    for number in range(44):
        own = ids[number] if number < len(ids) else source.choice(ids)
        before: list[str | None] = [*ids[max(number - 1, 0) : number]] * 8
        parent = source.choice([*before, *source.choices(ids[: number + 1], k=2), None])
        lines.append(random_entry(source, own, parent, ids))
    return lines


def random_entry(source: random.Random, own: str, parent: str | None, ids: list[str]) -> dict[str, Any]:
    kind = source.choice(["user"] * 4 + ["assistant", "tool", "own", "compaction", "edit", "edit", "long"])
    if kind == "compaction":
        return compaction(own, parent or "", source.choice([*ids, "gone"]))
    if kind == "edit":
        replacement = source.choice([None, {"content": "shorter"}])
        return entry("context_edit", own, parent, targetId=source.choice(ids), replacement=replacement)
    if kind in ("tool", "own"):
        return tool_result(own, parent, f"result {own}", tool="bash" if kind == "tool" else "history_recall")
    text = f"text of {own}\n" * (300 if kind == "long" else 1)
    return assistant(own, parent, text) if kind == "assistant" else user(own, parent, text)


def differences(companion: apsw.Connection, logs: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (log, leaf, set of entries) wherever a scope is not what the log says."""
    for log in sorted(logs.iterdir()):
        view = read_session(log)
        session = find_session(companion, str(log))
        lines = {line["id"]: line for line in read_lines(log)}
        for leaf in view.tree.places:
            shown = sorted(view.at(leaf).branch)[::3]
            scope, told = read_scope(companion, session, leaf), read_scope(companion, session, leaf, shown)
            assert scope is not None
            assert told is not None
            expected = naive_scope(view.at(leaf), lines)
            found = {name: set(ids_in(companion, getattr(scope, name))) for name in expected}
            yield from ((log.name, leaf, name) for name in expected if found[name] != expected[name])
            if set(ids_in(companion, told.eligible)) != naive_eligible(view.at(leaf), lines, shown):
                yield log.name, leaf, "as the caller has it"


def read_lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()[1:]]


def naive_scope(view: LeafView, lines: Mapping[str, dict[str, Any]]) -> dict[str, set[str]]:
    context = set(view.context)
    speaking = {one for one in view.branch if can_be_evidence(lines[one])}
    edits = [lines[one] for one in view.branch if lines[one]["type"] == "context_edit"]
    last = {edit["targetId"]: edit["replacement"] for edit in edits if edit["id"] in context}
    emptied = {target for target, replacement in last.items() if replacement is None}
    edited = speaking & ({edit["targetId"] for edit in edits} - context | emptied)
    return {
        "eligible": speaking - context - edited,
        "in_context": speaking & context - edited,
        "edited_out": edited,
    }


def naive_eligible(view: LeafView, lines: Mapping[str, dict[str, Any]], shown: list[str]) -> set[str]:
    edited = {lines[one]["targetId"] for one in view.branch if lines[one]["type"] == "context_edit"}
    return {one for one in view.branch if can_be_evidence(lines[one])} - edited - set(shown)


def can_be_evidence(line: dict[str, Any]) -> bool:
    return bool(line["type"] == "message" and line["message"].get("toolName") != "history_recall")
