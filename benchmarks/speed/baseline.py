"""What a plain full-text search in SQLite takes for the same requests to the same session.

Literals are looked for by ``instr``, newest first; words by FTS5's ``bm25`` over the whole index, of which the entries
that may be returned are kept. It is told the request's terms and the session's removed entries, both for nothing, and
neither cuts excerpts nor suppresses duplicates.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
from speed.corpus import BuiltCorpus
from speed.measure import Answer, Ask

from uncompact import open_store
from uncompact.pipelines.sqlite import execute, execute_many, rows, value
from uncompact.query.descriptor import Descriptor, describe

__all__ = ["build_baseline", "open_baseline", "removed_ids"]

_POOL = 72
_RESULTS = 12
_LITERALS = ("identifier", "phrase")

_TABLES = """
create table entries (id integer primary key, entry_id text not null, body text not null);
create virtual table words using fts5 (body, content = '');
"""
_NEWEST = "select id, entry_id from entries where instr(body, ?) > 0 order by id desc limit ?"
_BEST = "select rowid from words where words match ? order by bm25(words), rowid desc"


def build_baseline(built: BuiltCorpus) -> Path:
    """Index the texts of all logs, unless that is done; only the measured session's are kept as they are.

    Its entries have the first row ids.
    """
    path = built.folder / "baseline.sqlite"
    if path.exists():
        return path
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with closing(apsw.Connection(str(unfinished))) as connection:
        execute(connection, "pragma journal_mode = off; pragma synchronous = off")
        execute(connection, _TABLES)
        mine = list(enumerate(_texts(built.log), start=1))
        bodies = itertools.chain(
            (text for _, (_, text) in mine),
            (text for log in built.logs[1:] for _, text in _texts(log)),
        )
        with connection:
            rows_of_mine = [(number, *entry) for number, entry in mine]
            execute_many(connection, "insert into entries values (?, ?, ?)", rows_of_mine)
            insert = "insert into words (rowid, body) values (?, ?)"
            execute_many(connection, insert, enumerate(bodies, start=1))
    unfinished.rename(path)
    return path


def _texts(log: Path) -> Iterator[tuple[str, str]]:
    """Yield id and text of each message of a generated log."""
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            entry: dict[str, Any] = json.loads(line)
            if entry["type"] == "message":
                yield entry["id"], _text_of(entry["message"]["content"])


def _text_of(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] if "text" in part else json.dumps(part["arguments"]) for part in content)


def removed_ids(built: BuiltCorpus) -> frozenset[str]:
    """Return the ids of the entries on the session's branch that are no longer in its context."""
    with open_store(built.store) as store:
        entries = store.show(built.log)["entries"]
    return frozenset(entry["entry_id"] for entry in entries if entry["state"] == "compacted")


@contextmanager
def open_baseline(path: Path, allowed: frozenset[str], requests: list[str]) -> Generator[Ask]:
    """Open the index for these requests."""
    described = {request: describe(request) for request in requests}
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        listed: Iterator[tuple[Any, ...]] = rows(connection, "select id, entry_id from entries")
        ids = {number: entry_id for number, entry_id in listed if entry_id in allowed}
        yield lambda request: _ask(connection, ids, described[request])


def _ask(connection: apsw.Connection, allowed: Mapping[int, str], described: Descriptor) -> Answer:
    start = time.perf_counter()
    literals = [term.text for term in described.terms if term.kind in _LITERALS]
    newest = [
        number
        for literal in literals
        for number, _ in rows(connection, _NEWEST, (literal, _POOL))
        if number in allowed
    ]
    scanned = time.perf_counter()
    match = " OR ".join('"' + term.text.replace('"', '""') + '"' for term in described.terms)
    ranked = (number for (number,) in rows(connection, _BEST, (match,)) if number in allowed) if match else ()
    best = list(itertools.islice(ranked, _POOL))
    searched = time.perf_counter()
    chosen = list(dict.fromkeys((*newest, *best)))[:_RESULTS]
    for number in chosen:
        value(connection, "select body from entries where id = ?", (number,))
    stages = {
        "literals": scanned - start,
        "words": searched - scanned,
        "texts": time.perf_counter() - searched,
    }
    return Answer(
        tuple(allowed[number] for number in chosen),
        {name: spent * 1000 for name, spent in stages.items()},
    )
