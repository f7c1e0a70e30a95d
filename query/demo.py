"""The demo: sessions that come with the package, and questions whose answers a compaction had removed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..pipelines.reindex import reindex
from .history_store import HistoryStore, open_store

__all__ = ["choose_questions", "demo_folder", "run_demo"]

_COMMANDS = (
    "uncompact reindex",
    "uncompact retrieve --session PATH_OF_A_LOG 'what did we decide about `retry_limit`?'",
)

_Question = dict[str, Any]


def demo_folder() -> Path:
    """Return the folder of the demo sessions; ``questions.json`` stands in it."""
    return Path(str(files("uncompact.data_fixtures") / "demo"))


def run_demo(store: Path) -> dict[str, Any]:
    """Index the demo sessions into ``store`` and ask a few of their questions."""
    folder = demo_folder()
    report = reindex([folder], store)
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    with open_store(store) as opened:
        answers = [_ask(opened, folder, question) for question in choose_questions(questions)]
    return {
        "sessions": report.seen,
        "entries": report.entries_total,
        "answers": answers,
        "commands": list(_COMMANDS),
    }


def choose_questions(questions: Sequence[_Question]) -> Iterator[_Question]:
    """Yield each session's first question with an answer, then the first that has none."""
    sessions: set[str] = set()
    for question in questions:
        if question["relevant"] and question["session"] not in sessions:
            sessions.add(question["session"])
            yield question
    yield from [question for question in questions if not question["relevant"]][:1]


def _ask(store: HistoryStore, folder: Path, question: _Question) -> dict[str, Any]:
    answer = store.retrieve(folder / question["session"], question["request"], question["leaf"])
    asked = {name: question[name] for name in ("session", "leaf", "request", "relevant", "note")}
    return {**asked, "answer": answer.to_dict()}
