"""The demo's questions stay true: answers were really compacted away, and what is forbidden really is not theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from uncompact.pipelines.branches import LeafView, read_session

FIXTURES = Path(__file__).resolve().parents[2] / "data-fixtures"
DEMO = FIXTURES / "demo"


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of demo/questions.json."""

    session: str
    leaf: str | None
    request: str
    relevant: list[str]
    forbidden: list[str]
    note: str


QUESTIONS = msgspec.json.decode((DEMO / "questions.json").read_bytes(), type=list[Question])
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=[str(at) for at in range(len(QUESTIONS))])


@each_question
def test_answers_were_compacted_away(question: Question) -> None:
    leaf = leaf_view(question)

    assert set(question.relevant) <= set(leaf.branch)
    assert set(question.relevant).isdisjoint(leaf.context)


@each_question
def test_forbidden_entries_are_in_context_elsewhere_or_taken_out(question: Question) -> None:
    leaf = leaf_view(question)
    entries = entries_of(DEMO / question.session)
    edited_out = {entry.get("targetId") for entry in entries if entry.get("replacement", "kept") is None}
    never_sent = {entry["id"] for entry in entries if entry.get("message", {}).get("excludeFromContext")}

    retrievable = set(leaf.branch) - set(leaf.context) - edited_out - never_sent

    assert retrievable.isdisjoint(question.forbidden)


@each_question
def test_the_readme_lists_the_question(question: Question) -> None:
    readme = (FIXTURES / "README.md").read_text(encoding="utf-8")

    assert f"| {question.request}" in readme
    assert all(f"`{entry_id}`" in readme for entry_id in [*question.relevant, *question.forbidden])


@pytest.mark.parametrize(
    ("value", "session"),
    [
        pytest.param("37", "--srv-acme-ledger--/2026-03-09", id="pool-size"),
        pytest.param("2750", "--srv-acme-ledger--/2026-03-09", id="acquire-timeout"),
        pytest.param("LGR-4107", "--srv-acme-ledger--/2026-03-09", id="error-code"),
        pytest.param("cp1252", "--srv-acme-ledger--/2026-03-10", id="encoding"),
        pytest.param("75", "--home-giulia-totem-parcheggio--/2026-04-21", id="idle-timeout"),
    ],
)
def test_the_context_no_longer_holds_the_value(value: str, session: str) -> None:
    [log] = DEMO.glob(f"{session}*.jsonl")
    view = read_session(log)
    in_context = set(view.at(view.leaf or "").context)

    said = [json.dumps(said_in(entry)) for entry in entries_of(log) if entry["id"] in in_context]

    assert [text for text in said if re.search(rf"\b{value}\b", text)] == []


def test_the_pool_size_has_a_name_that_is_mentioned_often_after_the_decision() -> None:
    [log] = DEMO.glob("--srv-acme-ledger--/2026-03-09*.jsonl")
    entries = entries_of(log)
    decided = [at for at, entry in enumerate(entries) if "pool_max_size = 37" in json.dumps(entry)]

    later = [entry for entry in entries[decided[-1] + 1 :] if "pool_max_size" in json.dumps(said_in(entry))]

    assert len(later) >= 20


def leaf_view(question: Question) -> LeafView:
    view = read_session(DEMO / question.session)
    return view.at(question.leaf or view.leaf or "")


def entries_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").split("\n")[1:-1]]


def said_in(entry: dict[str, Any]) -> object:
    return entry.get("message", {}).get("content", entry.get("summary"))
