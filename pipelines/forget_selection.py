"""Which sessions to forget: named ones, a project's, those last written before a date; of several kinds, those in all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from .errors import NotFoundError, UncompactError
from .paths import display_path
from .timestamps import format_time, parse_time

__all__ = ["Selection", "SelectionError", "select_sessions"]

_Row = Mapping[str, Any]

_LEAST_PREFIX = 4


class SelectionError(UncompactError):
    """Nothing was named to forget, or it was not named in a way that can be understood."""

    kind = "usage"


@dataclass(frozen=True, slots=True)
class Selection:
    """What to forget; ``before`` is microseconds since 1970 UTC. A kind that is not given does not count."""

    sessions: tuple[str, ...] = ()
    project: str | None = None
    before: int | None = None

    @classmethod
    def of(
        cls,
        sessions: Iterable[str | Path] = (),
        project: str | Path | None = None,
        before: date | datetime | str | None = None,
    ) -> Selection:
        """Make a selection from what a caller names.

        ``before`` is a date (its first moment) or a time, UTC where it states no zone. Raises ``SelectionError``
        for one that is neither, and when nothing is named.
        """
        named = tuple(str(one) for one in sessions)
        if not named and project is None and before is None:
            raise SelectionError(
                "nothing is named to forget", hint="name sessions, a project or a date before which"
            )
        return cls(named, None if project is None else str(project), _microseconds(before))

    def __str__(self) -> str:
        """Say what is chosen."""
        kinds = [*self.sessions] if self.sessions else []
        kinds += [f"in project {self.project}"] if self.project is not None else []
        kinds += [f"last written before {format_time(self.before)}"] if self.before is not None else []
        return ", ".join(kinds)


def select_sessions(rows: Sequence[_Row], selection: Selection) -> list[_Row]:
    """Return the ``sessions`` rows that are chosen, in order.

    A session is named by its key, its id (all logs that have it), its log's path, or the beginning of a key or id
    that nothing else begins with. One without a time was not written before any date. Raises ``NotFoundError``,
    saying what there is, when a name or a project is unknown, and when nothing is chosen.
    """
    kinds: list[set[str]] = []
    if selection.sessions:
        kinds.append({key for name in selection.sessions for key in _named(rows, name)})
    if selection.project is not None:
        kinds.append(_of_project(rows, selection.project))
    if selection.before is not None:
        limit = selection.before
        kinds.append(
            {row["session_key"] for row in rows if row["last_at"] is not None and row["last_at"] < limit}
        )
    chosen = set[str].intersection(*kinds)
    if not chosen:
        raise NotFoundError("session", str(selection), _by_age(rows))
    return [row for row in rows if row["session_key"] in chosen]


def _named(rows: Sequence[_Row], name: str) -> set[str]:
    # Halves of surrogate pairs, from an argument that is not UTF-8, stand in a store as U+FFFD.
    stored = name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    names = {stored, display_path(Path(os.path.abspath(name)))} if os.path.lexists(name) else {stored}
    exact = {
        row["session_key"] for row in rows if names & {row["session_key"], row["session_id"], row["path"]}
    }
    if exact:
        return exact
    begun = [
        row
        for row in rows
        if len(stored) >= _LEAST_PREFIX
        and (row["session_key"].startswith(stored) or row["session_id"].startswith(stored))
    ]
    if len({row["session_id"] for row in begun}) > 1:
        hint = "several sessions begin with this: name one in full"
        raise NotFoundError("single session", name, [row["path"] for row in begun], hint=hint)
    if not begun:
        raise NotFoundError("session", name, _by_age(rows), hint="`uncompact sessions` lists them")
    return {row["session_key"] for row in begun}


def _of_project(rows: Sequence[_Row], project: str) -> set[str]:
    names = {project, os.path.abspath(project)}
    found = {row["session_key"] for row in rows if row["project"] in names}
    if not found:
        raise NotFoundError("project", project, sorted({row["project"] for row in rows}))
    return found


def _by_age(rows: Sequence[_Row]) -> list[str]:
    """Name sessions with their last times, the oldest first."""
    aged = sorted(rows, key=lambda row: (row["last_at"] is None, row["last_at"] or 0, row["session_id"]))
    return [f"{row['session_id']} ({_last(row)})" for row in aged]


def _last(row: _Row) -> str:
    return f"last written {format_time(row['last_at'])}" if row["last_at"] is not None else "no time"


def _microseconds(before: date | datetime | str | None) -> int | None:
    if before is None:
        return None
    try:
        moment = datetime.fromisoformat(before) if isinstance(before, str) else before
    except ValueError:
        moment = None
    if isinstance(moment, date) and not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(), UTC)
    found = None if moment is None else parse_time(moment.isoformat())
    if found is None:
        raise SelectionError(
            f"{before!r} is no date or time from 1970 on", hint="write 2026-03-01 or 2026-03-01T09:30:00Z"
        )
    return found
