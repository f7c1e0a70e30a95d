"""What SQLite says of a companion, in words that name the file and what would work.

Its own words are left out: they may quote a log.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from .errors import StoreError
from .store import ROOM_WANTED

__all__ = ["companion_error", "companion_problem", "damaged_companion", "named_companion_errors"]

_BUILT_ANEW = "`uncompact reindex` builds it anew"
_BUILT_ANEW_FOR_SURE = "`uncompact reindex --rebuild-companion` builds it anew"

# What a caller did, not what was found.
_MISUSES = (
    apsw.BindingsError,
    apsw.ConnectionClosedError,
    apsw.ForkingViolationError,
    apsw.InterruptError,
    apsw.MisuseError,
    apsw.ThreadingViolationError,
)


def companion_problem(error: Exception) -> tuple[str, str]:
    """Say what an error of the companion's engine means and what would work: (found, hint)."""
    name = type(error).__name__
    match error:
        case apsw.FullError():
            return "no space left on the device", ROOM_WANTED
        case apsw.BusyError() | apsw.LockedError():
            return "another process is writing the companion", "try again when it has ended"
        case apsw.CantOpenError():
            return "the companion cannot be opened", "look at the rights of the store folder and its files"
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError():
            return (
                "the companion may not be written",
                "look at the rights of the store folder and its files, or name another folder with --store",
            )
        case apsw.IOError():
            return (
                f"the companion could not be read or written ({name})",
                f"look at the device and the room on it; {_BUILT_ANEW_FOR_SURE}",
            )
        case apsw.NoMemError() | MemoryError():
            return "not enough memory for the companion", "end other programs and run again"
        case apsw.NotADBError() | apsw.CorruptError():
            return f"damaged companion ({name})", _BUILT_ANEW
        case _:
            return f"damaged companion ({name})", _BUILT_ANEW_FOR_SURE


def companion_error(path: Path, error: Exception) -> StoreError:
    """Return the error that names the companion for one of its engine."""
    found, hint = companion_problem(error)
    return StoreError(path, found, hint=hint)


def damaged_companion(path: Path, problem: str) -> StoreError:
    """Return the error for a companion in which a check found something."""
    return StoreError(path, f"damaged companion: {problem}", hint=_BUILT_ANEW)


@contextmanager
def named_companion_errors(path: Path) -> Generator[None]:
    """Name the companion in what its engine raises, but for misuse, which stays what it is."""
    try:
        yield
    except _MISUSES:
        raise
    except apsw.Error as error:
        raise companion_error(path, error) from error
