"""What was read of the word index is remembered as long as it is true, and within bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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


def test_a_query_is_read_once_for_each_state_of_a_session(log: Path, store: Path) -> None:
    uncompact.reindex([log.parent], store)
    connection = connect_reader(StorePaths(store).companion)
    session, known = find_session(connection, "s-a"), KnownPostings()
    read = known.read(connection, session, MATCH, -1)

    assert len(read) == 4
    assert known.read(connection, session, MATCH, -1) is read
    assert known.read(connection, session, MATCH, 2) == read[:2]
    assert known.read(connection, replace(session, fingerprint="another"), MATCH, -1) is not read


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


def test_what_is_remembered_is_bounded(log: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uncompact.reindex([log.parent], store)
    connection = connect_reader(StorePaths(store).companion)
    session, known = find_session(connection, "s-a"), KnownPostings()
    monkeypatch.setattr(known_postings, "_MOST_KNOWN", 50)
    first = known.read(connection, session, MATCH, -1)
    for word in ("boat", "of"):
        known.read(connection, session, f'"{word}"', -1)
    last = known.read(connection, session, '"of"', -1)

    assert known.read(connection, session, '"of"', -1) is last
    assert known.read(connection, session, MATCH, -1) is not first
