"""Where in the bytes of a store a word still stands: every file, what is compressed in it unpacked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import polars as pl

from uncompact.pipelines.companion_db import read_codec
from uncompact.pipelines.sqlite import execute, rows, value


def traces(store: Path, *words: str) -> list[str]:
    """Return, sorted, which files of a store hold one of some words: as it is, or within what they compress."""
    found = {
        f"{path.relative_to(store)}: {where}"
        for path in store.rglob("*")
        for where, data in readings(path)
        for word in words
        if word.lower().encode() in data.lower()
    }
    return sorted(found)


def readings(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a file's name, its bytes, and what of it is compressed."""
    yield "name", path.name.encode()
    if not path.is_file():
        return
    yield "bytes", path.read_bytes()
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
        yield "rows", json.dumps(frame.to_dicts(), default=str, ensure_ascii=False).encode()
    elif path.suffix == ".sqlite":
        yield from companion_readings(path)


def companion_readings(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a companion's passages and words; fails when it has pages that belong to nothing."""
    with closing(apsw.Connection(str(path))) as connection:
        assert value(connection, "pragma freelist_count") == 0
        codec = read_codec(connection)
        passages = [codec.unpack(body) for (body,) in rows(connection, "select body from passages")]
        yield "passages", "\n".join(passages).encode()
        execute(connection, "create virtual table temp.terms using fts5vocab(main, words, row)")
        yield "words", "\n".join(term for (term,) in rows(connection, "select term from temp.terms")).encode()
