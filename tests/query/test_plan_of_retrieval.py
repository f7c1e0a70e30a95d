"""From a log to the model's messages: what compaction removed is retrieved, planned, and stands before the request."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import uncompact
from tests.cases.builders import IndexedLogs, assistant, compacted, header, index_lines, user, write_log

Message = dict[str, Any]

# What the agent still holds after the compaction, as it would send it.
CONTEXT: list[Message] = [
    {"role": "compactionSummary", "summary": "Earlier talk was shortened.", "tokensBefore": 61_000},
    {"role": "user", "content": "Let us pick a day for the picnic."},
    {"role": "assistant", "content": [{"type": "text", "text": "Thursday looks dry."}]},
    {"role": "user", "content": "Which `maxPool` did we settle on, and why?", "timestamp": 1_780_000_000_000},
    {"role": "assistant", "content": [{"type": "toolCall", "id": "t1", "name": "read", "arguments": {}}]},
    {"role": "toolResult", "toolCallId": "t1", "toolName": "read", "content": []},
]


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    lines = [
        header(),
        user("u1", None, "We settled on `maxPool` 37, because 111 connections are left for 3 replicas."),
        assistant("a1", "u1", f"maxPool is set in pool.toml. {'It is read at start. ' * 40}"),
        user("u2", "a1", "And maxPool needs no restart."),
        *compacted("u2"),
    ]
    return index_lines(lines, tmp_path_factory.mktemp("talk"))


@pytest.fixture(scope="module")
def hits(talk: IndexedLogs) -> tuple[uncompact.Hit, ...]:
    with uncompact.open_store(talk.store) as store:
        return store.retrieve(talk.root / "s.jsonl", CONTEXT[3]["content"]).hits


def test_what_was_removed_stands_before_the_request(hits: tuple[uncompact.Hit, ...]) -> None:
    budgets = uncompact.compute_budgets(200_000, max_output=8_000)
    plan = uncompact.plan_context(CONTEXT, uncompact.evidence_from_hits(hits), budgets)

    assert plan.status == "planned"
    assert [*plan.messages[:3], *plan.messages[-3:]] == CONTEXT
    assert [message["content"] for message in plan.messages[3:-3]] == [hit.message.content for hit in hits]
    assert set(plan.retrieved_event_ids) == {"u1", "a1", "u2"}


def test_what_does_not_fit_is_named_with_its_entry_and_score(hits: tuple[uncompact.Hit, ...]) -> None:
    caps = uncompact.PlanCaps(retrieved_history_tokens=hits[0].message.tokens)
    budgets = uncompact.compute_budgets(200_000, caps=caps)
    plan = uncompact.plan_context(CONTEXT, uncompact.evidence_from_hits(hits), budgets)

    assert plan.tokens_by_kind["retrieval"] == hits[0].message.tokens
    assert [(item.entry_id, item.score, item.reason) for item in plan.excluded] == [
        (hit.ranked.candidate.entry_id, hit.ranked.score, "over-history-cap") for hit in hits[1:]
    ]


def test_a_report_is_json_and_holds_no_text(hits: tuple[uncompact.Hit, ...]) -> None:
    budgets = uncompact.compute_budgets(200_000)
    plan = uncompact.plan_context(CONTEXT, uncompact.evidence_from_hits(hits), budgets)
    written = json.dumps(plan.to_dict())

    assert json.loads(written) == plan.to_dict()
    assert not any(word in written for word in ("maxPool", "settled", "picnic", "shortened", "37"))


def test_a_plan_is_the_same_whatever_else_is_indexed(talk: IndexedLogs, tmp_path: Path) -> None:
    other = header("0195a000-0000-7000-8000-000000000002")
    said = [user(f"o{nth}", None, f"The other maxPool is {nth}.") for nth in range(20)]
    write_log(tmp_path / "logs" / "other.jsonl", [other, *said])
    lines = (talk.root / "s.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    again = index_lines([json.loads(line) for line in lines], tmp_path)
    plans: list[uncompact.Plan] = []
    for logs in (talk, again):
        with uncompact.open_store(logs.store) as store:
            found = store.retrieve(logs.root / "s.jsonl", CONTEXT[3]["content"]).hits
        items = uncompact.evidence_from_hits(found)
        plans.append(uncompact.plan_context(CONTEXT, items, uncompact.compute_budgets(200_000)))

    assert plans[0].messages == plans[1].messages
    assert plans[0].tokens_by_kind == plans[1].tokens_by_kind


def test_planning_imports_no_engine() -> None:
    program = (
        "import sys, uncompact; uncompact.plan_context([], [], uncompact.compute_budgets(9)); "
        "print(sorted({'duckdb', 'polars', 'pyarrow', 'apsw'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert done.stdout == "[]\n"
