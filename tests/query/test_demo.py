"""The demo shows evidence for its questions, wherever the package is installed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from uncompact.query.cli import cli
from uncompact.query.demo import choose_questions, demo_folder

ROOT = Path(__file__).resolve().parents[2]

Answer = dict[str, Any]


@pytest.fixture(scope="module")
def answers() -> list[Answer]:
    asked: list[Answer] = json.loads(CliRunner().invoke(cli, ["demo", "--json"]).stdout)["answers"]
    return asked


def test_demo_asks_every_session_with_something_removed(answers: list[Answer]) -> None:
    assert [asked["session"].split("/")[0] for asked in answers if asked["relevant"]] == [
        "--srv-acme-ledger--",
        "--srv-acme-ledger--",
        "--home-giulia-totem-parcheggio--",
    ]


def test_demo_finds_what_was_removed(answers: list[Answer]) -> None:
    found = [{hit["entry_id"] for hit in asked["answer"]["hits"]} for asked in answers]

    assert all(
        ids & set(asked["relevant"]) for ids, asked in zip(found, answers, strict=True) if asked["relevant"]
    )


def test_demo_ends_with_a_question_that_nothing_answers(answers: list[Answer]) -> None:
    last = answers[-1]

    assert (last["relevant"], last["answer"]["status"], last["answer"]["hits"]) == ([], "no-hits", [])
    assert last["answer"]["reason"] == "what matches is still in the active context"


def test_demo_shows_questions_evidence_and_what_to_type_next() -> None:
    text = CliRunner().invoke(cli, ["demo"]).stdout

    assert text.startswith(
        "360 entries of 4 sessions indexed.\n\n? What value did we choose for `pool_max_size`"
    )
    assert "   why: exact identifier: pool_max_size; " in text
    assert "\nNothing (no-hits): what matches is still in the active context\n" in text
    assert text.splitlines()[-2].strip() == "uncompact reindex"


def test_demo_leaves_the_users_own_store_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNCOMPACT_STORE", str(tmp_path / "own"))
    result = CliRunner().invoke(cli, ["demo"])

    assert (result.exit_code, list(tmp_path.iterdir())) == (0, [])


def test_demo_keeps_a_store_that_is_named(tmp_path: Path) -> None:
    CliRunner().invoke(cli, ["demo", "--store", str(tmp_path / "store")])
    listed = json.loads(
        CliRunner().invoke(cli, ["--store", str(tmp_path / "store"), "sessions", "--json"]).stdout
    )

    assert len(listed) == 4


def test_one_question_a_session_and_one_without_an_answer() -> None:
    questions: list[Answer] = [
        {"session": "a", "relevant": []},
        {"session": "a", "relevant": ["1"]},
        {"session": "a", "relevant": ["2"]},
        {"session": "b", "relevant": ["3"]},
    ]

    assert list(choose_questions(questions)) == [questions[1], questions[3], questions[0]]


def test_demo_sessions_are_those_of_the_checkout() -> None:
    assert demo_folder() == ROOT / "data-fixtures" / "demo"


def test_wheel_takes_every_file_of_the_demo() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["uncompact.data_fixtures"]
    fixtures = ROOT / "data-fixtures"
    taken = {path for pattern in patterns for path in fixtures.glob(pattern)}

    assert taken == {path for path in (fixtures / "demo").rglob("*") if path.is_file()}
