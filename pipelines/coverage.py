"""What the sources hold beside what a store holds: so that a store that answers is known to hold all there is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from .catalogue import KnownLog
from .paths import display_path
from .sources import find_files, recognise
from .sources.records import Found
from .sql_files import load_sql
from .sqlite import rows
from .tombstones import Tombstones

__all__ = ["Coverage", "compare_sources"]

_NAMED_LOGS = 20
_COLUMNS = ("path", "state", "file_size", "file_mtime_ns", "file_ctime_ns", "file_inode", "bytes", "digest")


@dataclass(slots=True)
class Coverage:
    """Logs found in the sources, and how many of them the store has read to their end.

    ``behind`` logs have lines, or contents, that the store has not read; ``missing`` ones it does not know. ``bytes``
    are those of all logs found, ``bytes_behind`` those not in the store. ``named`` are paths of logs behind or
    missing, at most 20. ``unreadable`` counts files and folders that could not be looked at; ``other_files`` the
    ``.jsonl`` files that are no log, ``forgotten`` the logs that a tombstone holds back.
    """

    logs: int = 0
    current: int = 0
    behind: int = 0
    missing: int = 0
    unreadable: int = 0
    other_files: int = 0
    forgotten: int = 0
    bytes: int = 0
    bytes_behind: int = 0
    named: list[str] = field(default_factory=list[str])

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and paths by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def compare_sources(
    roots: Sequence[Path], connection: apsw.Connection, tombstones: Tombstones | None = None
) -> Coverage:
    """Compare the logs below ``roots``, and those the store read from elsewhere, with a companion's sessions.

    Reads no more of a known log than ``stat`` says, and of an unknown file its header.
    """
    known = {
        row[0]: KnownLog(dict(zip(_COLUMNS, row, strict=True)))
        for row in rows(connection, load_sql("uncompact.pipelines", "select_known_logs"))
    }
    coverage = Coverage()
    for found in _find_all(roots, known, coverage):
        log = known.get(display_path(found.path))
        if log is None:
            _count_unknown(found, coverage, tombstones or Tombstones())
            continue
        _count(found, coverage)
        if log.is_as(found):
            coverage.current += 1
        else:
            consumed: int = log.row["bytes"]
            unread = found.size - consumed if found.size >= consumed else found.size
            _count_behind(found, coverage, unread)
            coverage.behind += 1
    return coverage


def _find_all(roots: Sequence[Path], known: Iterable[str], coverage: Coverage) -> list[Found]:
    def skip(_path: Path, _reason: str) -> None:
        coverage.unreadable += 1

    folders = [Path(os.path.abspath(root)) for root in roots]
    elsewhere = [Path(path) for path in known if os.path.lexists(path)]
    return sorted(find_files([*folders, *elsewhere], skip), key=lambda item: str(item.path))


def _count_unknown(found: Found, coverage: Coverage, tombstones: Tombstones) -> None:
    try:
        recognised = recognise(found)
        is_forgotten = recognised is not None and tombstones.of(found, *recognised) is not None
    except OSError:
        coverage.unreadable += 1
        return
    if is_forgotten:
        coverage.forgotten += 1
        return
    if recognised is None:
        coverage.other_files += 1
        return
    _count(found, coverage)
    _count_behind(found, coverage, found.size)
    coverage.missing += 1


def _count(found: Found, coverage: Coverage) -> None:
    coverage.logs += 1
    coverage.bytes += found.size


def _count_behind(found: Found, coverage: Coverage, unread: int) -> None:
    coverage.bytes_behind += unread
    if len(coverage.named) < _NAMED_LOGS:
        coverage.named.append(display_path(found.path))
