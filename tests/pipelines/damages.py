"""Ways in which a companion's file can be damaged: each does it to a real one."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from uncompact.pipelines.companion_db import connect_writer, read_codec
from uncompact.pipelines.index_text import index_text
from uncompact.pipelines.sqlite import execute, execute_many, rows

Damage = Callable[[Path], None]

_BLOCK = 4096


def rewritten(change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of the file."""

    def damage(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return damage


def overwritten(seed: int, blocks: int) -> Damage:
    """Put random bytes into some blocks of the file, as a failing disk or another program does."""

    def damage(path: Path) -> None:
        rng = random.Random(seed)
        data = bytearray(path.read_bytes())
        for _ in range(blocks):
            start = rng.randrange(1, len(data) // _BLOCK) * _BLOCK
            data[start : start + _BLOCK] = rng.randbytes(_BLOCK)
        path.write_bytes(data)

    return damage


def changed(*statements: str) -> Damage:
    """Run SQL on the file, as a curious hand does."""

    def damage(path: Path) -> None:
        with closing(apsw.Connection(str(path))) as connection:
            for statement in statements:
                execute(connection, statement)

    return damage


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def indexed_otherwise(path: Path) -> None:
    """Index all passages anew, one of them by a word that it does not have."""
    with closing(connect_writer(path)) as connection:
        codec = read_codec(connection)
        passages = list(rows(connection, "select id, body from passages order by id"))
        words = [(passage, index_text(codec.unpack(body))) for passage, body in passages]
        words[10] = (words[10][0], "zeppelin")
        execute(connection, "insert into words (words) values ('delete-all')")
        execute_many(connection, "insert into words (rowid, body) values (?, ?)", words)


# Noticed by every run.
DAMAGES: dict[str, Damage] = {
    "emptied": rewritten(lambda data: b""),
    "another file": rewritten(lambda data: b"no database at all"),
    "head zeroed": rewritten(lambda data: bytes(100) + data[100:]),
    "cut in half": rewritten(lambda data: data[: len(data) // 2]),
    "cut by a page": rewritten(lambda data: data[:-8192]),
    "first pages zeroed": rewritten(lambda data: data[:8192] + bytes(8192 * 3) + data[8192 * 4 :]),
    "last pages zeroed": rewritten(lambda data: data[: -8192 * 9] + bytes(8192 * 9)),
    "blocks overwritten": overwritten(seed=1, blocks=8),
    "gone": Path.unlink,
    "a folder": folder_instead,
    "word index emptied": changed("delete from words_data"),
    "word index cut": changed("delete from words_data where id > 10"),
    "word index without its pages' first words": changed("delete from words_idx"),
    "word index without settings": changed("delete from words_config"),
    "no word index": changed("drop table words"),
    "no entries": changed("drop table entries"),
    "no passages": changed("drop table passages"),
    "no segments": changed("drop table segments"),
    "no index of entries": changed("drop index entries_by_id"),
    "lost an entry": changed("delete from entries where id = (select min(id) + 5 from entries)"),
    "lost the last entry": changed("delete from entries where id = (select max(id) from entries)"),
    "lost a passage": changed("delete from passages where id = (select min(id) + 5 from passages)"),
    "lost all passages": changed("delete from passages"),
    "lost stretches": changed("delete from runs"),
    "lost segments": changed("delete from segments"),
    "lost a session": changed("delete from sessions where number = 1"),
    "lost its dictionary": changed("delete from meta where name = 'dictionary'"),
    "lost its counters": changed("delete from meta where name in ('last_session', 'loads')"),
    "newer": changed("update meta set value = '99' where name = 'version'"),
    "older": changed("update meta set value = '0' where name = 'version'"),
    "version that is no number": changed("update meta set value = 'x' where name = 'version'"),
}

# Pages and counts are as they should be: only a comparison with the lake tells.
HIDDEN_DAMAGES: dict[str, tuple[Damage, str]] = {
    "another text": (
        changed(
            "update passages set body = (select body from passages order by id limit 1 offset 11) "
            "where id = (select id from passages order by id limit 1 offset 10)"
        ),
        "has other texts than the lake",
    ),
    "another id": (
        changed("update entries set entry_id = 'zz' where id = (select min(id) from entries)"),
        "has other entries than the lake gives",
    ),
    "another label": (
        changed("update entries set label = 'read x.py' where id = (select min(id) from entries)"),
        "has other entries than the lake gives",
    ),
    "another parent of a segment": (
        changed("update segments set parent_position = 0 where parent_position > 0"),
        "has other segments than the lake gives",
    ),
    "another stretch": (
        changed("update runs set first_pos = first_pos + 1"),
        "has other stretches than the lake gives",
    ),
    "other words": (
        indexed_otherwise,
        "has other words in the index than in its texts",
    ),
}
