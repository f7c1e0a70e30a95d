"""A companion beside one that is built anew from the lake: which sessions do not have the same rows, texts and words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import zstandard

from .companion import load_changes
from .companion_db import create_companion
from .lake import LakeSnapshot
from .passage_codec import PassageCodec
from .sqlite import execute, rows, value

__all__ = ["compare_with_lake"]

# Sessions of the same lines, by their numbers in the companion (held) and in the one built anew (main).
_PAIR = """
create temp table pairs as
select held.number as held, anew.number as anew, held.session_key
from held.sessions as held
join main.sessions as anew on anew.session_key = held.session_key and anew.fingerprint = held.fingerprint
"""
# What a sync read is newer than what the lake has.
_UNPAIRED = """
select session_key, 'is not in the companion as it is in the lake'
from main.sessions as anew
where session_key not in (select session_key from temp.pairs)
  and indexed_at >= coalesce((select indexed_at from held.sessions where session_key = anew.session_key), 0)
union all
select session_key, 'is not in the lake'
from held.sessions
where session_key not in (select session_key from main.sessions)
  and indexed_at <= (select coalesce(max(indexed_at), 0) from main.sessions)
order by 1
"""
_PAIRED_BODIES = """
select pairs.session_key, one.body, other.body
from temp.pairs
join held.passages as one on one.id between pairs.held << 32 and (pairs.held << 32) + 0xffffffff
join main.passages as other on other.id = (pairs.anew << 32) + (one.id & 0xffffffff)
"""
# Row ids count from the session's first.
_ROWS = {
    "sessions": "entries, branches, compactions, leaf, text_chars, passages, explicit_passages",
    "entries": (
        "id & 0xffffffff, entry_id, type, role, created_at, tokens, text_hash, text_chars, turn_group, label, segment, "
        "position, next_passage & 0xffffffff, first_passage & 0xffffffff, passages"
    ),
    "segments": "segment, parent_segment, parent_position",
    "compactions": "pos, kept_pos",
    "calls": "call_id, pos, label",
    "awaited": "entry_id",
    "context_edits": "pos, target_pos, removes",
    "passages": "id & 0xffffffff, pos, start",
}
_SESSION_OF = {"sessions": "number", "passages": "id >> 32"}
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI


def compare_with_lake(
    snapshot: LakeSnapshot, path: Path, *, immutable: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield (session key, what is wrong) of a companion's sessions that are not as loading the lake would make them.

    A session that a sync has brought further than the lake is left out. Costs what building a companion costs, and
    as much room in the system's folder for temporary files. Raises as reading a damaged companion does.
    """
    with tempfile.TemporaryDirectory(prefix="uncompact-") as folder:
        anew = Path(folder) / "anew.sqlite"
        with closing(create_companion(anew)) as connection:
            load_changes(connection, snapshot)
        with closing(apsw.Connection(str(anew), flags=_FLAGS)) as connection:
            mode = "immutable=1" if immutable else "mode=ro"
            execute(connection, "attach ? as held", (f"file:{quote(str(path))}?{mode}",))
            yield from _differences(connection)


def _differences(connection: apsw.Connection) -> Iterator[tuple[str, str]]:
    execute(connection, "begin")
    execute(connection, _PAIR)
    execute(connection, "create unique index temp.pairs_by_held on pairs (held)")
    execute(connection, "create unique index temp.pairs_by_anew on pairs (anew)")
    yield from ((key, what) for key, what in rows(connection, _UNPAIRED))
    for table, columns in _ROWS.items():
        found = rows(connection, _differing(table, columns))
        yield from ((key, f"has other {table} than the lake gives") for (key,) in found)
    yield from ((key, "has other stretches than the lake gives") for key in _differing_runs(connection))
    yield from ((key, "has other texts than the lake") for key in _differing_texts(connection))
    yield from (
        (key, "has other words in the index than in its texts") for key in _differing_words(connection)
    )


def _differing(table: str, columns: str) -> str:
    session = _SESSION_OF.get(table, "session")
    held, anew = (
        f"select pairs.session_key, {columns} from {schema}.{table} as one join temp.pairs on pairs.{side} = one.{session}"
        for schema, side in (("held", "held"), ("main", "anew"))
    )
    either = f"select * from ({held} except {anew}) union all select * from ({anew} except {held})"
    return f"select distinct session_key from ({either}) order by session_key"


def _differing_runs(connection: apsw.Connection) -> Iterator[str]:
    """Compare stretches that follow one another, loaded at different times, as one."""
    sql = "select session_key, held, anew from temp.pairs order by session_key"
    for key, held, anew in list(rows(connection, sql)):
        if _joined_runs(connection, "held", held) != _joined_runs(connection, "main", anew):
            yield key


def _joined_runs(connection: apsw.Connection, schema: str, number: int) -> list[tuple[int, ...]]:
    sql = f"select segment, first_position, first_pos, length from {schema}.runs where session = ? order by 1, 2"
    joined: list[tuple[int, ...]] = []
    for segment, position, pos, length in rows(connection, sql, (number,)):
        if joined:
            *start, before = joined[-1]
            if start == [segment, position - before, pos - before]:
                joined[-1] = (*start, before + length)
                continue
        joined.append((segment, position, pos, length))
    return joined


def _differing_texts(connection: apsw.Connection) -> list[str]:
    held, anew = (
        PassageCodec(value(connection, f"select value from {schema}.meta where name = 'dictionary'"))
        for schema in ("held", "main")
    )
    found: set[str] = set()
    for key, packed, expected in rows(connection, _PAIRED_BODIES):
        try:
            if key not in found and held.unpack(packed) != anew.unpack(expected):
                found.add(key)
        except (zstandard.ZstdError, TypeError, ValueError):
            found.add(key)
    return sorted(found)


def _differing_words(connection: apsw.Connection) -> list[str]:
    """Compare for each word how many passages have it and two sums over them; of a word that differs, which."""
    found: set[str] = set()
    held, anew = (
        _word_digests(connection, schema, side) for schema, side in (("held", "held"), ("main", "anew"))
    )
    differing = [term for (term, *_), same in groupby(merge(held, anew)) if len(list(same)) != 2]
    for term in differing:
        passages = (
            f"select pairs.session_key, doc & 0xffffffff from temp.{schema}_words join temp.pairs on pairs.{side} = doc >> 32 "
            "where term = $term"
            for schema, side in (("held", "held"), ("main", "anew"))
        )
        one, other = (set(rows(connection, sql, {"term": term})) for sql in passages)
        found.update(key for key, _ in one ^ other)
    return sorted(found)


def _word_digests(connection: apsw.Connection, schema: str, side: str) -> Iterator[tuple[Any, ...]]:
    """Yield each word, in their order, with the number of its passages and two sums over their numbers."""
    execute(
        connection, f"create virtual table temp.{schema}_words using fts5vocab({schema}, words, instance)"
    )
    passage = "((pairs.held << 32) + (doc & 0xffffffff))"
    return rows(
        connection,
        f"select term, count(*), sum({passage} % 2147483629), sum({passage} % 2147483587 * ({passage} % 65521) % 2147483629) "
        f"from temp.{schema}_words join temp.pairs on pairs.{side} = doc >> 32 group by term",
    )
