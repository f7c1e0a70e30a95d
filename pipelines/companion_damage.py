"""What tells a damaged companion by itself: cheap signs at every run, and a look at all of it.

The signs cost the same for any number of entries: the schema, the version, the number of rows that the word index says
it has, and whether passages can be unpacked. ``find_broken_parts`` reads the whole file: 0.5 s for 100,000 entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path

import apsw
import zstandard

from .companion_db import COMPANION_VERSION, companion_version, connect_checker, read_codec
from .sql_files import load_sql
from .sqlite import execute, rows, value

__all__ = ["DAMAGE", "find_broken_parts", "find_signs", "is_session_whole", "look_at_all"]

# What reading a damaged companion ends in.
DAMAGE = (apsw.Error, zstandard.ZstdError, ArithmeticError, LookupError, TypeError, ValueError)

_LOST_WORDS = "its word index does not lead to all passages"
_PARTS = frozenset(
    {
        "awaited", "calls", "compactions", "context_edits", "entries", "entries_by_id", "meta", "passages", "runs",
        "segments", "sessions", "sessions_by_id", "sessions_by_path", "words", "words_config", "words_data", "words_idx",
    }
)  # fmt: skip
_AVERAGES = "select block from words_data where id = 1"
_ANY_WORD = "select rowid from words where words match '\"a\"' limit 1"
_ENDS = "select id, body from passages where id in ((select min(id) from passages), (select max(id) from passages))"
# Words that stand in the index as they stand in a text, letter case aside: beside other than ASCII the tokenizer may go
# on, as it does over accents that follow their letters and over private characters.
_PLAIN_WORD = re.compile(r"(?<![A-Za-z0-9\x80-\U0010ffff])[A-Za-z0-9]+(?![A-Za-z0-9\x80-\U0010ffff])")
_WORDS_OF_A_PASSAGE = 8
_PASSAGES_LOOKED_UP = 64


def find_signs(connection: apsw.Connection) -> list[str]:
    """Return what is wrong with a companion as far as it costs next to nothing to tell."""
    return _told(_signs, connection)


def find_broken_parts(connection: apsw.Connection, *, complete: bool = False) -> list[str]:
    """Return what is wrong with a companion's pages, its word index, or the number of its rows.

    Reads all of the file. With ``complete`` the indexes are compared with their tables, too. The word index is checked
    when the connection may write.
    """
    checks = (partial(_bad_pages, complete=complete), _bad_words, _bad_counts, _bad_texts)
    return [problem for check in checks for problem in _told(check, connection)]


def look_at_all(path: Path) -> list[str]:
    """Return what is wrong with a companion's file, read as a whole."""
    with closing(connect_checker(path)) as connection:
        execute(connection, "begin")
        return [*find_signs(connection), *find_broken_parts(connection)]


def is_session_whole(connection: apsw.Connection, number: int) -> bool:
    """Tell whether the last rows of a session are there; raises as reading a damaged companion does."""
    last = next(rows(connection, _sql("select_last_rows"), {"session": number}), None)
    return last is not None and all(last)


def _told(check: Callable[[apsw.Connection], Iterator[str]], connection: apsw.Connection) -> list[str]:
    problems: list[str] = []
    try:
        problems.extend(check(connection))
    except DAMAGE as error:
        problems.append(f"it cannot be read ({type(error).__name__})")
    return problems


def _signs(connection: apsw.Connection) -> Iterator[str]:
    found = {name for (name,) in rows(connection, "select name from sqlite_schema")}
    if missing := sorted(_PARTS - found):
        yield f"it has no {', '.join(missing)}"
        return
    if (version := companion_version(connection)) != COMPANION_VERSION:
        yield f"it is of version {version}, this program reads version {COMPANION_VERSION}"
        return
    passages, last_number = next(rows(connection, _sql("select_totals")))
    left_over: int = _counter(connection, "left_over_passages")
    indexed = _first_varint(value(connection, _AVERAGES))
    if indexed != passages + left_over:
        yield f"its word index has {indexed} passages, its sessions have {passages + left_over}"
    if last_number > _counter(connection, "last_session"):
        yield "its sessions are numbered beyond the last number given"
    value(connection, _ANY_WORD)
    codec = read_codec(connection)
    ends = [(passage, codec.unpack(body)) for passage, body in rows(connection, _ENDS)]
    if passages and not ends:
        yield "it has no passages"
    if not all(_are_found(connection, passage, text) for passage, text in ends):
        yield _LOST_WORDS


def _bad_pages(connection: apsw.Connection, *, complete: bool) -> Iterator[str]:
    check = "integrity_check" if complete else "quick_check"
    found: str = value(connection, f"pragma {check}(1)")
    if found != "ok":
        yield f"its pages are damaged: {' '.join(found.split())}"


def _bad_words(connection: apsw.Connection) -> Iterator[str]:
    try:
        execute(connection, "insert into words (words) values ('integrity-check')")
    except (apsw.ReadOnlyError, apsw.BusyError):
        return
    except apsw.CorruptError:
        yield "its word index is damaged"


def _bad_texts(connection: apsw.Connection) -> Iterator[str]:
    """Unpack all passages, and look up words of some: FTS5's own check does not miss what nothing leads to."""
    codec = read_codec(connection)
    passages = value(connection, _sql("select_totals"))
    step = max(passages // _PASSAGES_LOOKED_UP, 1)
    for nth, (passage, body) in enumerate(rows(connection, "select id, body from passages order by id")):
        text = codec.unpack(body)
        if nth % step == 0 and not _are_found(connection, passage, text):
            yield _LOST_WORDS
            return


def _are_found(connection: apsw.Connection, passage: int, text: str) -> bool:
    """Tell whether some words of a passage lead to it."""
    words = list(islice(dict.fromkeys(_PLAIN_WORD.findall(text)), _WORDS_OF_A_PASSAGE))
    match = " ".join(f'"{word}"' for word in words)
    return (
        not words
        or value(connection, _sql("select_indexed"), {"match": match, "passage": passage}) is not None
    )


def _bad_counts(connection: apsw.Connection) -> Iterator[str]:
    for key, what, stated, found in rows(connection, _sql("select_wrong_counts")):
        whose = f"session {key} has" if key else "sessions that are not there have"
        yield f"{whose} {found} {what} instead of {stated}"


def _counter(connection: apsw.Connection, name: str) -> int:
    return int(value(connection, _sql("select_counter"), {"name": name}) or 0)


def _first_varint(block: bytes) -> int:
    """Read the number of rows that FTS5's averages record begins with (fts5_index.c: "Averages record")."""
    if not block:
        return 0
    number = 0
    for byte in block[:8]:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number
    raise ValueError("a number without an end")


def _sql(name: str) -> str:
    return load_sql("uncompact.pipelines", name)
