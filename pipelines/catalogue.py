"""What the lake knows of the logs: by path, and by what moves with a file when its path does not stay."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars.selectors as cs

from .change_detection import SourceState
from .frames import session_key
from .lake import LakeSnapshot
from .paths import display_path, is_gone
from .sources.records import Cursor, Found, Header

__all__ = ["Catalogue", "KnownLog", "read_catalogue"]


@dataclass(frozen=True, slots=True)
class KnownLog:
    """A log as the lake has it: its ``sessions`` row, times in microseconds."""

    row: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The session's key."""
        return str(self.row["session_key"])

    @property
    def source_state(self) -> SourceState:
        """What its file was when it was read."""
        row = self.row
        return SourceState(
            size=row["file_size"],
            mtime_ns=row["file_mtime_ns"],
            ctime_ns=row["file_ctime_ns"],
            inode=row["file_inode"],
            consumed=row["bytes"],
            digest=row["digest"],
        )

    @property
    def cursor(self) -> Cursor:
        """Where reading goes on."""
        return Cursor(self.row["bytes"], self.row["lines"], self.row["entries"])

    def is_as(self, found: Found) -> bool:
        """Tell whether nothing happened to the log since."""
        return self.row["state"] == "present" and self.source_state.same_file(found)


class Catalogue:
    """The logs that a lake knows."""

    def __init__(self, known: list[KnownLog]) -> None:
        self.by_key = {log.key: log for log in known}
        self._by_path: dict[str, list[KnownLog]] = {}
        self._by_session: dict[str, list[KnownLog]] = {}
        for log in known:
            self._by_path.setdefault(log.row["path"], []).append(log)
            self._by_session.setdefault(log.row["session_id"], []).append(log)

    def at(self, found: Found) -> KnownLog | None:
        """Return the log that was read from this path."""
        stated = display_path(found.path)
        logs = self._by_path.get(stated, [])
        if stated == str(found.path):
            return logs[-1] if logs else None
        # Several names that are not UTF-8 may be displayed alike.
        return next((log for log in logs if _is_own_key(log, found) or _is_same_file(log, found)), None)

    def unread_bytes(self, found: Found) -> int:
        """Return how much of a file is probably to be read, by its stamps alone: none, what grew, or all of it."""
        known = self.at(found)
        if known is None or found.size < known.cursor.byte:
            return found.size
        return 0 if known.is_as(found) else found.size - known.cursor.byte

    def moved(self, found: Found, header: Header, seen: Collection[str]) -> KnownLog | None:
        """Return the log that this file was under another path, which is gone: same session, and same file or stamp.

        Never one of ``seen``, the keys of logs that were found already.
        """
        for log in self._by_session.get(header.session_id, []):
            row = log.row
            same_file = _is_same_file(log, found) and row["file_size"] <= found.size
            same_stamp = (row["file_size"], row["file_mtime_ns"]) == (found.size, found.mtime_ns)
            if log.key not in seen and (same_file or same_stamp) and _is_gone(row["path"]):
                return log
        return None

    def new_key(self, source: str, path: Path) -> str:
        """Return a key for a log seen for the first time; one that moved away may still use the path's own."""
        stated = os.fsencode(path)
        key = session_key(source, stated)
        while key in self.by_key:
            stated += b"\0"
            key = session_key(source, stated)
        return key


def _is_own_key(log: KnownLog, found: Found) -> bool:
    return log.key == session_key(log.row["source"], os.fsencode(found.path))


def _is_same_file(log: KnownLog, found: Found) -> bool:
    return bool(log.row["file_inode"] == found.inode)


def _is_gone(path: str) -> bool:
    """Tell whether nothing is at a path; of one that is displayed with U+FFFD that cannot be told."""
    return "\ufffd" not in path and is_gone(path)


def read_catalogue(snapshot: LakeSnapshot) -> Catalogue:
    """Read the catalogue of a lake's state."""
    sessions = snapshot.scan("sessions").with_columns(cs.datetime().to_physical()).collect()
    return Catalogue([KnownLog(row) for row in sessions.iter_rows(named=True)])
