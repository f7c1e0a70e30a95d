"""What a damaged lake should hold of each session: its ``sessions`` row, from the best place that still has it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import polars as pl
import polars.selectors as cs

from .companion_db import connect_reader
from .errors import StoreError
from .frames import session_key
from .lake_stock import OUT_OF_USE, DataFile, TableStock, read_light, read_rows, take_stock
from .paths import display_path
from .schema import PARTITION, TABLES, Column
from .sources import SOURCES
from .sql_files import load_sql
from .sqlite import rows

__all__ = [
    "Claim",
    "LogPlace",
    "claim_sessions",
    "is_log_gone",
    "known_sessions",
    "log_places",
    "sessions_of_a_lost_commit",
]


@dataclass(frozen=True, slots=True)
class Claim:
    """A session's row, times in microseconds.

    Its counts are those of the session as it was only if ``is_exact``. With ``is_stated`` the lake itself has the row;
    with ``is_uncommitted`` the session's rows are in files that a run whose last commit is missing has written.
    """

    row: Mapping[str, Any]
    is_exact: bool
    is_stated: bool = False
    is_uncommitted: bool = False

    @property
    def key(self) -> str:
        """The session's key."""
        return str(self.row["session_key"])

    @property
    def project(self) -> str:
        """The project whose partition has the session's rows."""
        return str(self.row[PARTITION])


@dataclass(frozen=True, slots=True)
class LogPlace:
    """A log that is there: the kind of its agent and its path."""

    source: str
    path: Path


def known_sessions(companion: Path) -> dict[str, Claim]:
    """Return what a companion has of the lake's ``sessions``: nothing when it cannot be read."""
    names = TABLES["sessions"].schema.names()
    try:
        with closing(connect_reader(companion)) as connection:
            found = list(rows(connection, load_sql("uncompact.pipelines", "select_lake_sessions")))
    except (StoreError, apsw.Error):
        return {}
    claims = [Claim(dict(zip(names, row, strict=True)), is_exact=True) for row in found]
    return {claim.key: claim for claim in claims}


def claim_sessions(
    sessions: TableStock, entries: TableStock, known: Mapping[str, Claim], logs: Mapping[str, LogPlace]
) -> dict[str, Claim]:
    """Return the sessions a lake should hold, by key.

    A row of the state comes first; where the table has lost some, one that the companion has, then one of an earlier
    state. Entries that no row of a session is left for get one of what the key tells: the place of its log.
    """
    stated = _newest_rows(sessions, lambda file: file.standing > OUT_OF_USE)
    claims = {key: Claim(row, is_exact=True, is_stated=True) for key, (_, row) in stated.items()}
    if sessions.has_log:
        claims |= _of_a_lost_commit(sessions, stated, logs)
    left = _projects_of_entries(entries)
    earlier = _newest_rows(sessions, lambda file: file.standing == OUT_OF_USE)
    lacking = [key for key in (*left, *_lost_keys(sessions, earlier, known, logs)) if key not in claims]
    for key in lacking:
        if key in known:
            claims[key] = known[key]
        elif key in earlier:
            row = earlier[key][1]
            claims[key] = Claim({**row, PARTITION: left.get(key, row[PARTITION])}, is_exact=False)
        else:
            claims[key] = _without_row(key, left[key], logs.get(key))
    return claims


def log_places(logs: Iterable[Path]) -> dict[str, LogPlace]:
    """Return the logs there are by the key that a session read from such a place has."""
    return {
        session_key(source.kind, os.fsencode(log)): LogPlace(source.kind, log)
        for log in logs
        for source in SOURCES
    }


def is_log_gone(claim: Claim, logs: Mapping[str, LogPlace]) -> bool:
    """Tell whether nothing is where a session's log was."""
    path = str(claim.row["path"])
    return claim.key not in logs and ("\ufffd" in path or not path or not os.path.lexists(path))


def sessions_of_a_lost_commit(root: Path, version: int) -> list[Claim]:
    """Return sessions that a run left whole but for its last commit, whose logs are gone; ``version`` of ``sessions``."""
    stock = take_stock(root, "sessions", version)
    stated = _newest_rows(stock, lambda file: file.standing > OUT_OF_USE)
    return list(_of_a_lost_commit(stock, stated, {}).values())


def _newest_rows(
    sessions: TableStock, of: Callable[[DataFile], bool]
) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return each session's row from the latest run among some files, with the run."""
    files = [file for file in sessions.files if of(file)]
    frame = read_light("sessions", files, TABLES["sessions"].schema.names())
    newest = frame.sort("run", "standing").unique("session_key", keep="last")
    rows = newest.drop("row", "file", "standing").with_columns(cs.datetime().to_physical())
    return {row["session_key"]: (row.pop("run"), row) for row in rows.iter_rows(named=True)}


def _of_a_lost_commit(
    sessions: TableStock,
    stated: Mapping[str, tuple[str, Mapping[str, Any]]],
    logs: Mapping[str, LogPlace],
) -> dict[str, Claim]:
    """Return sessions as a run left them whose last commit is not there, and whose logs are not there either.

    Its other commits came before that one, so its rows are all there.
    """
    newer: dict[str, Claim] = {}
    for key, (run, row) in _newest_rows(sessions, lambda file: file.is_orphan).items():
        before, known = stated.get(key, ("", {}))
        # One that only says the log is gone adds nothing.
        if run > before and row["fingerprint"] != known.get("fingerprint"):
            newer[key] = Claim(row, is_exact=True, is_stated=True, is_uncommitted=True)
    return {key: claim for key, claim in newer.items() if is_log_gone(claim, logs)}


def _lost_keys(
    sessions: TableStock,
    earlier: Mapping[str, tuple[str, Mapping[str, Any]]],
    known: Mapping[str, Claim],
    logs: Mapping[str, LogPlace],
) -> Iterator[str]:
    """Yield keys of sessions that the lake had and has no row of, as far as others remember them."""
    for key, (_, row) in earlier.items():
        if not sessions.has_log or any(lost.holds(str(row[PARTITION]), key) for lost in sessions.lost):
            yield key
    for key, claim in known.items():
        is_lost = not sessions.has_log or any(lost.holds(claim.project, key) for lost in sessions.lost)
        if is_lost and is_log_gone(claim, logs):
            yield key


def _projects_of_entries(entries: TableStock) -> dict[str, str]:
    """Return every session that has entries, with the project that has its newest ones."""
    found: dict[str, tuple[str, str]] = {}
    for file in entries.files:
        if file.standing > OUT_OF_USE:
            for key in read_rows("entries", file, ("session_key",))["session_key"].unique():
                found[key] = max(found.get(key, ("", "")), (file.run, file.project))
    return {key: project for key, (_, project) in found.items()}


def _without_row(key: str, project: str, log: LogPlace | None) -> Claim:
    """Make a row for a session of which only entries are left."""
    texts = {
        "session_key": key,
        PARTITION: project,
        "session_id": key,
        "source": log.source if log else SOURCES[0].kind,
        "path": display_path(log.path) if log else "",
        "state": "present" if log else "vanished",
    }
    row = {column.name: _blank(column) for column in TABLES["sessions"].columns}
    return Claim({**row, **texts}, is_exact=False)


def _blank(column: Column) -> str | int | None:
    if not column.required:
        return None
    return "" if column.dtype == pl.String else 0
