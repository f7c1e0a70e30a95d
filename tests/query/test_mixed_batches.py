"""Requests of several sessions, leaves and kinds at once: byte for byte the answers of one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import IndexedLogs, JsonObject, index, user, write_log
from tests.query.cli_runs import run
from tests.query.histories import RANKINGS, session_lines
from uncompact import RetrievalRequest, RetrievalSettings
from uncompact.query.settings import RankingName

both_rankings = pytest.mark.parametrize("ranking", RANKINGS)

SOUND = [
    RetrievalRequest("east", "which crane lifts the turbine?"),
    RetrievalRequest("west", "which crane lifts the turbine?"),
    RetrievalRequest("east", "`maxPool` of the crane", leaf="e9"),
    RetrievalRequest("east", "`maxPool` of the crane", leaf="branch"),
    RetrievalRequest("west", '"a turbine" and the gates', context_ids=["e1", "e3", "nowhere"]),
    RetrievalRequest("west", "the gates", context_ids=[]),
    RetrievalRequest("east", "which crane lifts the turbine?"),
    RetrievalRequest("north", "crane number 3"),
]
ODD = [
    RetrievalRequest("east", ""),
    RetrievalRequest("west", "please continue"),
    RetrievalRequest("east", "zeppelin"),
    RetrievalRequest("west", 'crane" OR rowid:* NEAR(\0 --'),
    RetrievalRequest("north", "which crane? " + "log line of the turbine " * 4500),
    RetrievalRequest("east", "??? 🚀 \u202e\u0301"),
    RetrievalRequest("empty", "which crane?"),
]
MIXED = [one for pair in zip(SOUND, [*ODD, SOUND[0]], strict=True) for one in pair]
HALF_PAIR = RetrievalRequest("east", "crane \ud800 `max\udc00Pool`")


def talk(name: str, *, every: int) -> list[JsonObject]:
    """Return a session that speaks of cranes, differently in each, with another branch and a compaction."""
    said = [
        f"maxPool = {number}, says {name}" if number % every else f"the crane number {number} lifts a turbine"
        for number in range(40)
    ]
    lines = session_lines(*said, "the gates are shut at dusk", session_id=name)
    return [*lines[:-4], user("branch", "e12", f"on another branch maxPool is {every}", 41), *lines[-4:]]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    folder = tmp_path_factory.mktemp("batch")
    for name, every in (("east", 2), ("west", 3), ("north", 5)):
        write_log(folder / "logs" / f"{name}.jsonl", talk(name, every=every))
    write_log(folder / "logs" / "empty.jsonl", talk("empty", every=2)[:1])
    return index(folder / "logs", folder / "store")


def written(answers: Sequence[JsonObject]) -> list[str]:
    """Write answers as JSON without how long they took."""
    return [
        json.dumps({name: value for name, value in answer.items() if name != "timings_ms"})
        for answer in answers
    ]


def alone(logs: IndexedLogs, asked: RetrievalRequest, ranking: RankingName) -> uncompact.Retrieval:
    """Answer a request from a store that has answered nothing before."""
    with uncompact.open_store(logs.store) as store:
        return store.retrieve(
            asked.session, asked.request, asked.leaf,
            context_ids=asked.context_ids, settings=RetrievalSettings(ranking=ranking),
        )  # fmt: skip


def together(
    logs: IndexedLogs, asked: Sequence[RetrievalRequest], ranking: RankingName
) -> list[uncompact.Retrieval]:
    with uncompact.open_store(logs.store) as store:
        return store.retrieve_many(asked, settings=RetrievalSettings(ranking=ranking))


@both_rankings
def test_mixed_requests_are_answered_as_one_by_one(logs: IndexedLogs, ranking: RankingName) -> None:
    asked = [*MIXED, HALF_PAIR]
    answers = together(logs, asked, ranking)

    assert written([one.to_dict() for one in answers]) == written(
        [alone(logs, one, ranking).to_dict() for one in asked]
    )
    assert {answer.status for answer in answers} == {"complete", "no-query", "no-hits", "disabled"}


@both_rankings
def test_the_order_of_requests_changes_no_answer(logs: IndexedLogs, ranking: RankingName) -> None:
    forwards, backwards = together(logs, MIXED, ranking), together(logs, MIXED[::-1], ranking)

    assert written([one.to_dict() for one in forwards]) == written(
        [one.to_dict() for one in reversed(backwards)]
    )


def test_one_store_may_be_asked_in_both_rankings_by_turns(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store:
        by_turns = [
            store.retrieve_many(MIXED, settings=RetrievalSettings(ranking=ranking))
            for ranking in (*RANKINGS, *RANKINGS)
        ]

    for ranking, answers in zip((*RANKINGS, *RANKINGS), by_turns, strict=True):
        assert written([one.to_dict() for one in answers]) == written(
            [one.to_dict() for one in together(logs, MIXED, ranking)]
        )


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        pytest.param(RetrievalRequest("nowhere", "crane"), "session", id="unknown session"),
        pytest.param(RetrievalRequest("east", "crane", leaf="nowhere"), "entry", id="unknown leaf"),
    ],
)
def test_what_is_an_error_alone_is_the_same_error_among_others(
    logs: IndexedLogs, asked: RetrievalRequest, kind: str
) -> None:
    with pytest.raises(uncompact.NotFoundError, match=kind) as by_itself:
        alone(logs, asked, "seed")
    with pytest.raises(uncompact.NotFoundError) as among:
        together(logs, [*SOUND, asked, *ODD], "seed")

    assert str(among.value) == str(by_itself.value)


def test_after_an_error_among_others_the_store_answers_as_before(logs: IndexedLogs) -> None:
    with uncompact.open_store(logs.store) as store:
        with pytest.raises(uncompact.NotFoundError):
            store.retrieve_many([*SOUND, RetrievalRequest("east", "crane", leaf="nowhere")])
        answers = store.retrieve_many(SOUND)

    assert written([one.to_dict() for one in answers]) == written(
        [one.to_dict() for one in together(logs, SOUND, "seed")]
    )


def one_command(logs: IndexedLogs, asked: RetrievalRequest, ranking: RankingName, folder: Path) -> JsonObject:
    """Ask by a command of its own."""
    options = ["--session", str(asked.session), "--ranking", ranking]
    if asked.leaf is not None:
        options += ["--leaf", asked.leaf]
    if asked.context_ids is not None:
        file = folder / "ids.json"
        file.write_text(json.dumps(asked.context_ids))
        options += ["--context-ids", str(file)]
    result = run("--store", str(logs.store), "--json", "retrieve", *options, "--", asked.request)
    answer: JsonObject = json.loads(result.stdout)
    return answer


@both_rankings
def test_a_file_of_requests_is_answered_as_by_a_command_for_each(
    logs: IndexedLogs, tmp_path: Path, ranking: RankingName
) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text("".join(json.dumps(asdict(one)) + "\n" for one in MIXED), encoding="utf-8")
    result = run("--store", str(logs.store), "retrieve", "--requests", str(file), "--ranking", ranking)

    assert result.exit_code == 0
    assert written([json.loads(line) for line in result.stdout.splitlines()]) == written(
        [one_command(logs, one, ranking, tmp_path) for one in MIXED]
    )


def test_a_file_of_requests_may_hold_half_a_character(logs: IndexedLogs, tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text(json.dumps(asdict(HALF_PAIR)) + "\n", encoding="ascii")
    result = run("--store", str(logs.store), "retrieve", "--requests", str(file))

    assert written([json.loads(result.stdout)]) == written([alone(logs, HALF_PAIR, "seed").to_dict()])
