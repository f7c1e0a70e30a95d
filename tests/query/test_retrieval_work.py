"""What a request and a sync cost: counted in SQLite's own steps, it does not grow with the history."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases.builders import IndexedLogs, encode, user
from tests.pipelines.stores import append
from tests.query.histories import remember
from tests.query.work import Watch, Work, retrieval_work
from uncompact.pipelines.companion_db import connect_syncer
from uncompact.pipelines.session_sync import SessionSync, sync_session
from uncompact.pipelines.sqlite import execute
from uncompact.pipelines.store import StorePaths

SIZES = (300, 3000)
WORDS = "the quay is calm today and pumps run on as planned while rain beats the deck of every moored boat".split()


def grown_history(folder: Path, size: int) -> IndexedLogs:
    """Index a session of so many messages, one of them, among the first, with the names that are asked for."""
    draw = random.Random(size)
    talk = [f"{' '.join(draw.choices(WORDS, k=40))} {number}" for number in range(size)]
    talk[20] = 'The `winch_drum` turns left; "port side first" says src/winch.py.'
    return remember(folder, *talk)


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> list[IndexedLogs]:
    """The same kind of talk, short and ten times as long."""
    return [grown_history(tmp_path_factory.mktemp("grown"), size) for size in SIZES]


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param("`winch_drum`", id="identifier"),
        pytest.param('where is "port side first"?', id="phrase"),
        pytest.param("why src/winch.py?", id="file"),
        pytest.param("`nowhere_to_be_found`", id="nowhere"),
    ],
)
def test_a_literal_costs_the_same_in_a_history_ten_times_as_long(
    histories: list[IndexedLogs], request_text: str
) -> None:
    # Looked for in every text, or with the branch's ids listed in every statement, it would cost ten times as much.
    short, long = (retrieval_work(logs, request_text) for logs in histories)

    assert long == short
    assert (long.steps > 100, long.scanned) == (True, 0)


@pytest.mark.parametrize("request_text", ["calm quay", "winch_drum of the calm quay"])
def test_no_request_scans_a_table(histories: list[IndexedLogs], request_text: str) -> None:
    work = retrieval_work(histories[1], request_text)

    assert (work.steps > 100, work.scanned) == (True, 0)


def synced(logs: IndexedLogs) -> tuple[SessionSync, Work]:
    """Bring a log's session up to date, and count what it costs."""
    paths = StorePaths(logs.store)
    with closing(connect_syncer(paths.companion)) as connection, Watch(connection).counting() as work:
        execute(connection, "begin immediate")
        result = sync_session(connection, logs.root / "s.jsonl", paths.tombstones)
        execute(connection, "commit")
    return result, work


def test_a_sync_costs_what_was_appended(tmp_path: Path) -> None:
    line = encode(user("later", "d0000001", "The winch is oiled.", 99))
    results: list[tuple[SessionSync, Work]] = []
    for size in SIZES:
        logs = grown_history(tmp_path / str(size), size)
        append(logs.root / "s.jsonl", line)
        results.append(synced(logs))

    assert results[0] == results[1]
    assert results[1][1].steps > 100
    assert results[1][0] == ("appended", 1, len(line))


def test_a_companion_is_smaller_than_the_logs(histories: list[IndexedLogs]) -> None:
    logs = histories[1]

    assert StorePaths(logs.store).companion.stat().st_size < (logs.root / "s.jsonl").stat().st_size
