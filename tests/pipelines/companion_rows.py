"""Everything a companion holds, as plain values without session numbers and times of writing: for comparisons."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from uncompact.pipelines.companion_db import connect_reader, first_row, read_codec
from uncompact.pipelines.sqlite import execute, rows

Row = tuple[Any, ...]

_COLUMNS = {
    "sessions": "session_key, project_key, session_id, source, path, project, parent_session, name, version, "
    "started_at, last_at, leaf, leaf_pos, entries, branches, compactions, rejects, bytes, text_chars, file_size, "
    "file_mtime_ns, file_ctime_ns, file_inode, lines, digest, fingerprint, state, passages, explicit_passages",
    "calls": "call_id, pos, label",
    "awaited": "entry_id",
    "segments": "segment, parent_segment, parent_position",
    "compactions": "pos, kept_pos",
    "context_edits": "pos, target_pos, removes",
}
_ENTRY_COLUMNS = "entry_id, type, role, created_at, tokens, text_hash, text_chars, turn_group, label, segment, position, passages"


def companion_rows(path: Path) -> dict[tuple[str, str], list[Row]]:
    """Return the rows of each (session key, table), row ids counted from the session's first.

    Stretches of a segment that follow one another, which were loaded at different times, are joined.
    """
    found: dict[tuple[str, str], list[Row]] = {}
    with closing(connect_reader(path)) as connection:
        for number, key in list(rows(connection, "select number, session_key from sessions")):
            for table, columns in _COLUMNS.items():
                held = "number" if table == "sessions" else "session"
                sql = f"select {columns} from {table} where {held} = ? order by {columns}"
                found[key, table] = list(rows(connection, sql, (number,)))
            found[key, "runs"] = _runs(connection, number)
            found[key, "entries"] = _entries(connection, number)
            found[key, "passages"] = [
                (passage - first_row(number), pos, start, text)
                for passage, pos, start, text in _passages(connection, number)
            ]
    for number, key in _numbers(path):
        found[key, "postings"] = [
            (row - first_row(number), term)
            for row, term in postings(path)
            if first_row(number) <= row < first_row(number + 1)
        ]
    return found


def reachable_terms(path: Path) -> set[str]:
    """Return the words of all passages that some session's range holds: what a search can meet."""
    live = {number for number, _ in _numbers(path)}
    return {term for row, term in postings(path) if row >> 32 in live}


def passage_texts(path: Path) -> dict[int, tuple[str, str, str]]:
    """Map each passage's id to its entry's id and label, and its text."""
    with closing(connect_reader(path)) as connection:
        found: dict[int, tuple[str, str, str]] = {}
        for number, _ in _numbers(path):
            for passage, pos, _, text in _passages(connection, number):
                sql = "select entry_id, label from entries where id = ?"
                ((entry_id, label),) = rows(connection, sql, (first_row(number) + pos,))
                found[passage] = (entry_id, label, text)
        return found


def postings(path: Path) -> list[tuple[int, str]]:
    """Return all (passage id, word) pairs of the word index."""
    with closing(apsw.Connection(str(path))) as connection:
        execute(connection, "create virtual table temp.vocabulary using fts5vocab(main, words, instance)")
        found = rows(connection, "select doc, term from temp.vocabulary order by doc, term")
        return [(doc, term) for doc, term in found]


def _numbers(path: Path) -> list[tuple[int, str]]:
    with closing(connect_reader(path)) as connection:
        return [(number, key) for number, key in rows(connection, "select number, session_key from sessions")]


def _runs(connection: apsw.Connection, number: int) -> list[Row]:
    sql = (
        "select segment, first_position, first_pos, length from runs "
        "where session = ? order by segment, first_position"
    )
    joined: list[Row] = []
    for segment, position, pos, length in rows(connection, sql, (number,)):
        if joined:
            *at, before = joined[-1]
            if at == [segment, position - before, pos - before]:
                joined[-1] = (*at, before + length)
                continue
        joined.append((segment, position, pos, length))
    return joined


def _entries(connection: apsw.Connection, number: int) -> list[Row]:
    base = first_row(number)
    sql = (
        f"select id - ?, next_passage - ?, first_passage - ?, {_ENTRY_COLUMNS} from entries "
        "where session = ? order by id"
    )
    return list(rows(connection, sql, (base, base, base, number)))


def _passages(connection: apsw.Connection, number: int) -> list[tuple[int, int, int, str]]:
    codec = read_codec(connection)
    sql = "select id, pos, start, body from passages where id >= ? and id < ? order by id"
    found = rows(connection, sql, (first_row(number), first_row(number + 1)))
    return [(passage, pos, start, codec.unpack(body)) for passage, pos, start, body in found]
