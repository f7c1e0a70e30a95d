"""What was forgotten, as hashes alone: a later run knows such a log when it meets it, and nobody can read what it was.

A log is known by its session id, wherever it lies and whatever it is called. Where another log of the same id was
kept, only the forgotten one is held back: by its place, and by the entries it began with when it is somewhere else.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from .atomic_file import replace_file
from .errors import StoreError
from .frames import session_key
from .session_totals import content_chain
from .sources.records import Cursor, Found, Header, Source
from .timestamps import format_time, parse_time

__all__ = ["Tombstone", "Tombstones", "hash_of", "new_tombstone", "read_tombstones", "write_tombstones"]

TOMBSTONES_VERSION = 1
_SHORT_DIGITS = 12


class Tombstone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One forgotten log. All but counts and times are SHA-256 hashes in hex.

    ``covers`` is ``session`` when every log with its session id is held back, ``log`` when one was kept. ``key`` is
    of the session's key, ``place`` of the path's, ``session`` of source and session id, ``stamp`` of what ``stat``
    said of the file, ``content`` of its entries up to ``entries``; without ``content``, what it began with was kept.
    ``erased`` is false until nothing of it is left in the store.
    """

    covers: Literal["session", "log"]
    key: str
    place: str
    session: str
    stamp: str
    content: str | None
    entries: int
    forgotten_at: str
    erased: bool

    @property
    def short(self) -> str:
        """What it is called when it is listed."""
        return self.key[:_SHORT_DIGITS]

    def is_of(self, source: Source, header: Header) -> bool:
        """Tell whether a log is of the session that was forgotten."""
        return self.session == _session_hash(source.kind, header.session_id)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    tombstones: list[Tombstone]


class Tombstones:
    """All tombstones of a store."""

    def __init__(self, stones: Iterable[Tombstone] = ()) -> None:
        self.all = tuple(stones)
        self._by_session: dict[str, list[Tombstone]] = {}
        self._by_place: dict[str, Tombstone] = {}
        for stone in self.all:
            self._by_session.setdefault(stone.session, []).append(stone)
            self._by_place[stone.place] = stone

    @property
    def unfinished(self) -> list[Tombstone]:
        """Those of which something may still be in the store."""
        return [stone for stone in self.all if not stone.erased]

    def without(self, gone: Iterable[Tombstone]) -> Tombstones:
        """Return all but some."""
        left = set(gone)
        return Tombstones(stone for stone in self.all if stone not in left)

    def is_unchanged(self, item: Found, kinds: Iterable[str]) -> bool:
        """Tell by ``stat`` alone whether a file is a forgotten log as it was."""
        if not self.all:
            return False
        stamp = _stamp_hash(item.size, item.mtime_ns, item.ctime_ns, item.inode)
        return any(stone.stamp == stamp for stone in self.at(item.path, kinds))

    def of(self, item: Found, source: Source, header: Header) -> Tombstone | None:
        """Return the tombstone that holds a log back.

        Reads the log when one of its session id was forgotten and another kept. Raises ``OSError`` when it cannot.
        """
        same_session = self._by_session.get(_session_hash(source.kind, header.session_id), [])
        by_id = next((stone for stone in same_session if stone.covers == "session"), None)
        by_place = next(iter(self.at(item.path, [source.kind])), None)
        if by_id or by_place or not same_session:
            return by_id or by_place
        return next((stone for stone in same_session if _begins_with(stone, item, source, header)), None)

    def at(self, path: Path, kinds: Iterable[str]) -> list[Tombstone]:
        """Return those of a place."""
        places = [_place_hash(kind, path) for kind in kinds] if self.all else []
        return [self._by_place[place] for place in places if place in self._by_place]

    def named(self, name: str, kinds: Iterable[str]) -> list[Tombstone]:
        """Return those of a session id or key, or of a short hash as they are listed with."""
        hashes = {hash_of(name), *(_session_hash(kind, name) for kind in kinds)}
        return [
            stone for stone in self.all if {stone.key, stone.session} & hashes or stone.short == name.lower()
        ]


def hash_of(text: str) -> str:
    """Hash a text: 64 hex digits of SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def new_tombstone(
    session: Mapping[str, Any],
    *,
    covers: Literal["session", "log"],
    content_was_kept: bool,
    forgotten_at: int,
) -> Tombstone:
    """Make the tombstone of a ``sessions`` row, not yet erased; ``forgotten_at`` is microseconds since 1970."""
    path: str = session["path"]
    # A name that is not UTF-8 is known by its key alone.
    place = session["session_key"] if "\ufffd" in path else session_key(session["source"], os.fsencode(path))
    return Tombstone(
        covers=covers,
        key=hash_of(session["session_key"]),
        place=hash_of(place),
        session=_session_hash(session["source"], session["session_id"]),
        stamp=_stamp_hash(
            session["file_size"], session["file_mtime_ns"], session["file_ctime_ns"], session["file_inode"]
        ),
        content=hash_of(session["fingerprint"]) if session["entries"] and not content_was_kept else None,
        entries=session["entries"],
        forgotten_at=format_time(forgotten_at) or "",
        erased=False,
    )


def read_tombstones(path: Path) -> Tombstones:
    """Read a store's tombstones; without the file there are none.

    Raises ``StoreError`` when the file cannot be read or is damaged: what was forgotten must not come back unasked.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Tombstones()
    except OSError as error:
        raise StoreError(path, f"cannot be read: {error.strerror or error}") from error
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(path, "is damaged") from error
    if file.version != TOMBSTONES_VERSION:
        raise StoreError(
            path,
            f"version {file.version}, this program reads version {TOMBSTONES_VERSION}",
            hint="use the program that wrote it",
        )
    if any(parse_time(stone.forgotten_at) is None for stone in file.tombstones):
        raise _damaged(path, "is damaged")
    return Tombstones(tuple(file.tombstones))


def write_tombstones(path: Path, tombstones: Iterable[Tombstone]) -> None:
    """Write a store's tombstones as a whole; they are on the disk when this returns."""
    data = msgspec.json.encode(_File(TOMBSTONES_VERSION, list(tombstones)))
    replace_file(path, msgspec.json.format(data, indent=1) + b"\n", mode=0o600)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _damaged(path: Path, found: str) -> StoreError:
    hint = "put a backup in its place; without the file, what was forgotten is read again"
    return StoreError(path, found, hint=hint)


def _begins_with(stone: Tombstone, item: Found, source: Source, header: Header) -> bool:
    if stone.content is None:
        return False
    return hash_of(content_chain(source.open(item, header, Cursor()), stone.entries)) == stone.content


def _session_hash(source: str, session_id: str) -> str:
    return hash_of(f"{source}\0{session_id}")


def _place_hash(source: str, path: Path) -> str:
    return hash_of(session_key(source, os.fsencode(path)))


def _stamp_hash(size: int, mtime_ns: int, ctime_ns: int, inode: int) -> str:
    return hash_of(f"{size} {mtime_ns} {ctime_ns} {inode}")
