"""Our branches, contexts and visible entries equal the naive statement of Pi's rules, on any tree: no Pi needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .comparison import find_mismatches
from .naive_rules import NotASessionError, read_plainly

FIXTURES = Path(__file__).resolve().parents[2] / "data-fixtures"
HEADER = {
    "type": "session",
    "version": 3,
    "id": "s",
    "timestamp": "2026-01-05T08:30:00.000Z",
    "cwd": "/srv/x",
}
IDS = [f"e{number}" for number in range(12)]

ids = st.sampled_from(IDS)
any_parent = st.one_of(ids, st.sampled_from(["", "gone"]), st.none())
a_message = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "toolResult", "system", "bashExecution"]),
        "content": st.just("x"),
    }
)
a_kind = st.one_of(
    st.fixed_dictionaries({"type": st.just("message"), "message": a_message}),
    st.fixed_dictionaries(
        {"type": st.just("compaction"), "summary": st.just("s"), "firstKeptEntryId": any_parent}
    ),
    st.fixed_dictionaries({"type": st.just("branch_summary"), "summary": st.sampled_from(["", "left"])}),
    st.fixed_dictionaries(
        {
            "type": st.just("context_edit"),
            "targetId": ids,
            "replacement": st.sampled_from([None, {"content": "shorter"}]),
        }
    ),
    st.fixed_dictionaries({"type": st.sampled_from(["custom", "custom_message", "label", "future_type"])}),
)


@st.composite
def logs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw entries in any order with any parents: several roots, cycles, missing parents, repeated ids."""
    kinds = draw(st.lists(a_kind, max_size=16))
    return [{**kind, "id": draw(ids), "parentId": draw(any_parent)} for kind in kinds]


@st.composite
def chains(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw entries that each follow an earlier one, mostly the last: what Pi itself writes."""
    kinds = draw(st.lists(a_kind, min_size=4, max_size=12))
    back = draw(st.lists(st.sampled_from([1, 1, 1, 1, 2, 4]), min_size=len(kinds), max_size=len(kinds)))
    return [
        {**kind, "id": IDS[at], "parentId": IDS[at - step] if at >= step else None}
        for at, (kind, step) in enumerate(zip(kinds, back, strict=True))
    ]


@settings(derandomize=True, max_examples=150, deadline=None)
@given(entries=st.one_of(logs(), chains()))
def test_any_tree_reads_by_the_naive_rules(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, Any]]
) -> None:
    log = write_log(tmp_path_factory.getbasetemp() / "tree.jsonl", [HEADER, *entries])

    assert [str(mismatch) for mismatch in find_mismatches(read_plainly(log))] == []


@settings(derandomize=True, max_examples=50, deadline=None)
@given(entries=chains(), kept=st.lists(st.integers(0, 14), min_size=12, max_size=12))
def test_any_version_1_log_reads_by_the_naive_rules(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, Any]], kept: list[int]
) -> None:
    header = {key: value for key, value in HEADER.items() if key != "version"}
    bare = [without(entry, "id", "parentId", "firstKeptEntryId") for entry in entries]
    numbered = [{**entry, "firstKeptEntryIndex": index} for entry, index in zip(bare, kept, strict=False)]
    log = write_log(tmp_path_factory.getbasetemp() / "version1.jsonl", [header, *numbered])

    assert [str(mismatch) for mismatch in find_mismatches(read_plainly(log))] == []


@pytest.mark.parametrize("folder", ["demo", "cases"])
def test_fixtures_read_by_the_naive_rules(folder: str) -> None:
    mismatches: list[str] = []
    for log in sorted((FIXTURES / folder).rglob("*.jsonl")):
        try:
            answer = read_plainly(log)
        except NotASessionError:
            continue
        mismatches += [str(mismatch) for mismatch in find_mismatches(answer)]

    assert mismatches == []


def write_log(path: Path, values: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def without(entry: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in keys}
