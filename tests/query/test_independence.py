"""A session's answers are its own: whatever else a store holds changes no byte of them, nor what they cost."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import IndexedLogs, JsonObject, header, index, write_log
from tests.query.histories import RANKINGS, chain, result_of, session_lines, tool_call
from tests.query.work import retrieval_work
from uncompact.pipelines.companion_file import rebuild_companion
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.store import StorePaths
from uncompact.query.settings import RetrievalSettings

REQUESTS = (
    "What did we decide about `maxPool` and the billing outage?",
    "which crane lifts the turbine in src/harbour.py?",
    '"the tide table" and 缓存目录, with git or sql',
    "retrying",
    "zeppelin",
    "please continue",
)
TOPICS = (
    "maxPool is read by the billing worker, which retries after an outage.",
    "The crane lifts the turbine, says src/harbour.py.",
    "We look into the tide table before git push or any sql.",
    "我们把缓存目录移到磁盘上。",
    "Nothing of note today, rain and wind.",
)
OTHERS = 200
# The index merges segments of a level before there are so many (FTS5's documentation: "crisismerge").
SEGMENTS = 16


def said(number: int) -> list[str | JsonObject]:
    """Return what is said in a session: the topics in another order and number each time, and a call."""
    draw = random.Random(number)
    call = tool_call(f"call{number}", {"path": "src/harbour.py"}, tool="read")
    talk = [f"{draw.choice(TOPICS)} Note {draw.randrange(9)}." for _ in range(draw.randrange(3, 12))]
    return [*talk, call, result_of(f"result{number}", call, f"crane = {number}\nmaxPool = {number % 7}")]


def watched() -> list[JsonObject]:
    decision = "We decided that maxPool stays at 37 because of the billing outage."
    return session_lines(decision, *(one for number in range(8) for one in said(1000 + number)))


def add_others(folder: Path) -> None:
    """Write 200 sessions: in the same project and in others, with the same ids, and forks of the watched one."""
    entries = watched()[1:]
    for number in range(OTHERS):
        name = f"other-{number}"
        if number % 4 == 3:
            fork = header(name, "/srv/harbour") | {"parentSession": str(folder / "s.jsonl")}
            more = chain(*said(number))
            write_log(folder / f"{name}.jsonl", [fork, *entries[: 5 + number % 20], *more])
        else:
            project = "/srv/harbour" if number % 2 else f"/srv/quay-{number % 6}"
            write_log(folder / f"{name}.jsonl", session_lines(*said(number), session_id=name, cwd=project))


@dataclass(frozen=True)
class Crowd:
    """The watched session alone, and in a store with 200 others: added later, built anew, and read in one run."""

    alone: IndexedLogs
    stores: dict[str, IndexedLogs]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    folder = tmp_path_factory.mktemp("crowd")
    logs = folder / "logs"
    write_log(logs / "s.jsonl", watched())
    alone = index(logs, folder / "alone")
    grown = index(logs, folder / "grown")
    add_others(logs)
    added = grown.again()
    at_once = index(logs, folder / "at once")
    rebuilt = index(logs, folder / "rebuilt")
    paths = StorePaths(rebuilt.store)
    rebuild_companion(open_lake(paths.lake), paths)
    return Crowd(alone, {"added later": added, "read at once": at_once, "companion rebuilt": rebuilt})


def answers(logs: IndexedLogs) -> bytes:
    """Return all answers as JSON, in both rankings, without how long they took."""
    found: list[JsonObject] = []
    with uncompact.open_store(logs.store) as store:
        for ranking in RANKINGS:
            settings = RetrievalSettings(ranking=ranking)
            for request in REQUESTS:
                answer = store.retrieve(logs.root / "s.jsonl", request, settings=settings).to_dict()
                found.append({name: value for name, value in answer.items() if name != "timings_ms"})
    return json.dumps(found, ensure_ascii=False).encode()


@pytest.mark.parametrize("how", ["added later", "read at once", "companion rebuilt"])
def test_200_other_sessions_change_no_byte_of_an_answer(crowd: Crowd, how: str) -> None:
    assert crowd.stores[how].report["entries"]["total"] > 10 * crowd.alone.report["entries"]["total"]
    assert answers(crowd.stores[how]) == answers(crowd.alone)


def test_what_is_compared_holds_evidence_and_scores(crowd: Crowd) -> None:
    compared: list[JsonObject] = json.loads(answers(crowd.alone))

    assert [answer["status"] for answer in compared] == [
        "complete", "complete", "complete", "complete", "no-hits", "no-query",
    ] * 2  # fmt: skip
    assert all(hit["score"] and hit["components"] for answer in compared for hit in answer["hits"])


@pytest.mark.parametrize("request_text", REQUESTS[:4])
def test_200_other_sessions_cost_a_request_nothing(crowd: Crowd, request_text: str) -> None:
    # Searched by words first and by session after, every other session's passages would be stepped over.
    alone, *among = (retrieval_work(logs, request_text) for logs in (crowd.alone, *crowd.stores.values()))

    for work in among:
        assert work.statements == alone.statements
        assert work.scanned == 0
        # Which row ends a look-up costs a few steps; one for each other session would be 200.
        assert abs(work.steps - alone.steps) < OTHERS // 2
        # A word is looked up in each segment of the index, of which runs leave some until it merges them.
        assert work.lookups < SEGMENTS * alone.lookups
