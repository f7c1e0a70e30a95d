"""Each entry's state for a leaf is what the log itself says, on any tree."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import (
    IndexedLogs,
    assistant,
    compaction,
    entry,
    header,
    index,
    index_lines,
    user,
    write_log,
)
from uncompact.pipelines.branches import LeafView, SessionView, read_session
from uncompact.pipelines.tree import NO_SEGMENT

FIXTURES = Path(__file__).resolve().parents[2] / "data-fixtures"

# A request, its edited answer, a kept turn, a compaction, and an answer that was tried twice.
TRUNK = [
    header(),
    user("a1", None, "How large may the pool be?"),
    assistant("a2", "a1", "At most 24."),
    entry("context_edit", "a3", "a2", targetId="a2", replacement=None),
    user("a4", "a3", "And the timeout?"),
    compaction("a5", "a4", "a4"),
    assistant("a6", "a5", "Five seconds."),
    assistant("b6", "a5", "Nine seconds."),
]


def test_states_for_the_current_leaf(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)

    assert states(logs) == {
        "a1": "compacted",
        "a2": "edited_out",
        "a3": "compacted",
        "a4": "in_context",
        "a5": "in_context",
        "a6": "sibling",
        "b6": "in_context",
    }


def test_states_for_a_leaf_before_the_compaction(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)

    assert states(logs, leaf="a2") == {
        "a1": "in_context",
        "a2": "in_context",
        "a3": "sibling",
        "a4": "sibling",
        "a5": "sibling",
        "a6": "sibling",
        "b6": "sibling",
    }


def test_system_message_in_the_kept_range_is_compacted(tmp_path: Path) -> None:
    rules = entry("message", "a2", "a1", message={"role": "system", "content": "Be brief."})
    lines = [header(), user("a1", None, "Hello"), rules, user("a3", "a2", "Go"), compaction("a4", "a3", "a1")]

    assert states(index_lines(lines, tmp_path)) == {
        "a1": "in_context",
        "a2": "compacted",
        "a3": "in_context",
        "a4": "in_context",
    }


def test_line_whose_id_was_taken_over_is_superseded(tmp_path: Path) -> None:
    lines = [header(), user("a1", None, "First"), user("a1", None, "Second")]
    listed = index_lines(lines, tmp_path).entry_list()

    assert [(one["line"], one["state"]) for one in listed] == [(2, "superseded"), (3, "in_context")]


def test_show_lists_leaves_latest_first(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)

    with uncompact.open_store(logs.store) as store:
        shown = store.show(logs.root / "s.jsonl")

    assert (shown["leaf"], shown["leaves"]) == ("b6", ["b6", "a6"])


def test_show_describes_an_entry(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)

    assert logs.entries()["a2"] == {
        "entry_id": "a2",
        "parent_id": "a1",
        "type": "message",
        "role": "assistant",
        "created_at": "2026-03-14T09:01:00.000Z",
        "state": "edited_out",
        "text_chars": 11,
        "line": 3,
        "segment": 0,
        "position": 1,
    }


def test_session_without_entries_has_none_to_show(tmp_path: Path) -> None:
    logs = index_lines([header()], tmp_path)

    with uncompact.open_store(logs.store) as store:
        shown = store.show(logs.root / "s.jsonl")

    assert (shown["leaf"], shown["leaves"], shown["entries"]) == (None, [], [])


def test_unknown_leaf_is_an_error_that_names_the_leaves(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)

    with uncompact.open_store(logs.store) as store, pytest.raises(uncompact.NotFoundError) as caught:
        store.show(logs.root / "s.jsonl", leaf="zz")

    assert caught.value.existing == ["b6", "a6"]


def test_lost_file_of_the_lake_is_an_error_of_the_store(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)
    for file in (logs.store / "lake" / "entries").rglob("*.parquet"):
        file.unlink()

    with uncompact.open_store(logs.store) as store, pytest.raises(uncompact.StoreError, match="damaged lake"):
        store.show(logs.root / "s.jsonl")


def test_store_whose_name_looks_like_a_pattern_can_be_shown(tmp_path: Path) -> None:
    write_log(tmp_path / "logs" / "s.jsonl", TRUNK)
    logs = index(tmp_path / "logs", tmp_path / "st[o]re")

    assert states(logs)["b6"] == "in_context"


def test_status_counts_sessions_that_vanished(tmp_path: Path) -> None:
    logs = index_lines(TRUNK, tmp_path)
    (logs.root / "s.jsonl").unlink()

    with uncompact.open_store(logs.again().store) as store:
        assert store.status()["sessions"] == {"present": 0, "vanished": 1}


def test_status_of_an_empty_store(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    uncompact.reindex([tmp_path / "logs"], store=tmp_path / "store")

    with uncompact.open_store(tmp_path / "store") as store:
        status = store.status()

    assert (status["entries"], status["indexed_at"]) == (0, None)


@pytest.mark.parametrize("folder", ["demo", "cases"])
def test_states_equal_the_log_on_all_fixtures(folder: str, tmp_path: Path) -> None:
    logs = index(FIXTURES / folder, tmp_path / "store")

    assert list(differences(logs)) == []


def test_states_equal_the_log_on_random_trees(tmp_path: Path) -> None:
    for seed in range(12):
        write_log(tmp_path / "logs" / f"{seed}.jsonl", random_log(random.Random(seed)))
    logs = index(tmp_path / "logs", tmp_path / "store")

    assert list(differences(logs)) == []


def states(logs: IndexedLogs, leaf: str | None = None) -> dict[str, str]:
    return {entry_id: one["state"] for entry_id, one in logs.entries(leaf=leaf).items()}


def random_log(source: random.Random) -> Iterator[dict[str, Any]]:
    """Yield entries with any parents: branches, several roots, cycles, gaps, repeated ids, edits, compactions."""
    yield header(f"0195a000-0000-7000-8000-{source.getrandbits(40):012x}")
    ids = [f"e{number:02}" for number in range(24)]
    for number in range(40):
        own = ids[number] if number < len(ids) and source.random() < 0.9 else source.choice(ids)
        before: list[str | None] = [*ids[max(number - 1, 0) : number]] * 6
        parent = source.choice([*before, *source.choices(ids, k=2), "gone", None])
        kind = source.choice(["user"] * 4 + ["assistant"] * 4 + ["system", "compaction", "edit", "edit"])
        yield random_entry(source, kind, own, parent, ids)


def random_entry(
    source: random.Random, kind: str, own: str, parent: str | None, ids: list[str]
) -> dict[str, Any]:
    if kind == "compaction":
        return compaction(own, parent or "", source.choice([*ids, own, "gone"]))
    if kind == "edit":
        replacement = source.choice([None, {"content": "shorter"}])
        return entry("context_edit", own, parent, targetId=source.choice(ids), replacement=replacement)
    return entry("message", own, parent, message={"role": kind, "content": f"text of {own}"})


def differences(logs: IndexedLogs) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (log, leaf, entry, expected, found) wherever a state is not what the log says."""
    with uncompact.open_store(logs.store) as store:
        for session in store.sessions():
            log = Path(session["path"])
            view, lines = read_session(log), read_lines(log)
            for leaf in view.tree.places:
                expected = list(expected_states(view, view.at(leaf), lines))
                shown = store.show(session["session"], leaf)["entries"]
                for one, state in zip(shown, expected, strict=True):
                    if one["state"] != state:
                        yield log.name, leaf, one["entry_id"], state, one["state"]


def read_lines(log: Path) -> dict[str, dict[str, Any]]:
    """Return a log's entries by id, the last line with an id; what does not parse is left out."""
    found: dict[str, dict[str, Any]] = {}
    for raw in log.read_bytes().decode("utf-8", "replace").split("\n"):
        with suppress(ValueError, KeyError, TypeError):
            line: dict[str, Any] = json.loads(raw)
            found[line["id"]] = line
    return found


def expected_states(view: SessionView, leaf: LeafView, lines: dict[str, dict[str, Any]]) -> Iterator[str]:
    branch, context, edited = set(leaf.branch), set(leaf.context), edited_ids(leaf, lines)
    for place, entry_id in enumerate(view.entry_ids):
        if view.tree.segments[place] == NO_SEGMENT:
            yield "superseded" if entry_id in view.tree.places else "sibling"
        elif entry_id not in branch:
            yield "sibling"
        elif entry_id in edited:
            yield "edited_out"
        else:
            yield "in_context" if entry_id in context else "compacted"


def edited_ids(leaf: LeafView, lines: dict[str, dict[str, Any]]) -> set[str]:
    """An edit in context counts, the last for a target, if it leaves nothing; of what was removed, any edit does."""
    context = set(leaf.context)
    removed = set(leaf.branch[: min(map(leaf.branch.index, context))])
    emptied: dict[str, bool] = {}
    for entry_id in leaf.branch:
        line = lines.get(entry_id, {})
        if line.get("type") == "context_edit" and "replacement" in line:
            if line["targetId"] in removed:
                emptied[line["targetId"]] = True
            elif entry_id in context:
                emptied[line["targetId"]] = line["replacement"] is None
    return {target for target, nothing_left in emptied.items() if nothing_left}
