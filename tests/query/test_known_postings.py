"""What was read of the word index is remembered as long as it is true, and within bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import uncompact
from tests.cases.builders import compacted, encode, header, user, write_log
from uncompact.pipelines.companion_db import connect_reader
from uncompact.pipelines.store import StorePaths
from uncompact.query import known_postings
from uncompact.query.known_postings import KnownPostings
from uncompact.query.scope import find_session

MATCH = '"keel"'


@pytest.fixture
def log(logs: Path) -> Path:
    lines = [user(f"a{at}", f"a{at - 1}" if at else None, f"the keel of boat {at}") for at in range(4)]
    return write_log(logs / "a.jsonl", [header("s-a"), *lines, *compacted("a3")])


def statements(connection: apsw.Connection) -> list[str]:
    """Return a list to which each statement that runs from now on is added."""
    run: list[str] = []

    def trace(_cursor: apsw.Cursor, statement: str, _bound: object) -> bool:
        run.append(statement)
        return True

    connection.exec_trace = trace
    return run


def test_a_query_is_read_once_and_then_only_what_was_appended(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store)
    connection = connect_reader(StorePaths(store).companion)
    session, known = find_session(connection, "s-a"), KnownPostings()
    run = statements(connection)

    assert known.read(connection, replace(session, passages=3), MATCH) == 0b111
    assert known.read(connection, replace(session, passages=3), MATCH) == 0b111
    assert len(run) == 1
    assert known.read(connection, replace(session, passages=4), MATCH) == 0b1111
    assert len(run) == 2
    assert known.read(connection, replace(session, passages=2), MATCH) == 0b11
    assert known.read(connection, replace(session, passages=0), MATCH) == 0


def test_what_is_appended_is_found_by_a_store_that_was_asked_before(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store)
    with uncompact.open_store(store) as opened:
        before = opened.retrieve(log, "which keel?").counts["candidates"]
        with log.open("ab") as file:
            file.write(encode(user("b1", "a3", "another keel")) + b"\n")
        uncompact.sync_log(store, log)
        after = opened.retrieve(log, "which keel?").counts

    assert before == 4
    assert sum(after[name] for name in ("candidates", "in_context", "edited_out", "sibling")) == 5


def test_of_a_session_that_is_written_anew_nothing_is_remembered(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store)
    with uncompact.open_store(store) as opened:
        assert opened.retrieve(log, "which keel?").hits
        lines = [user(f"a{at}", f"a{at - 1}" if at else None, f"the mast of boat {at}") for at in range(4)]
        write_log(log, [header("s-a"), *lines, *compacted("a3")])
        uncompact.sync_log(store, log)

        assert not opened.retrieve(log, "which keel?").hits
        assert opened.retrieve(log, "which mast?").counts["candidates"] == 4


def test_what_is_remembered_is_bounded(log: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uncompact.reindex([log.parent], store)
    connection = connect_reader(StorePaths(store).companion)
    session, known = find_session(connection, "s-a"), KnownPostings()
    monkeypatch.setattr(known_postings, "_MOST_BYTES", 450)
    run = statements(connection)
    for word in ("keel", "boat", "keel", "of", "keel", "boat"):
        known.read(connection, session, f'"{word}"')

    # The word that was asked for longest ago made room.
    assert len(run) == 4
