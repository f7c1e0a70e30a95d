"""What an engine says when it cannot read or write the lake, in words a user can act on."""

from __future__ import annotations

import errno
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from deltalake.exceptions import DeltaError

from .errors import StoreError
from .lake_check import check_lake
from .lake_file import DamagedLakeError, is_panic
from .lake_folders import suspect_lake

__all__ = ["lake_problem", "named_lake_failures"]

_KEPT = "what it held before still answers"
_ROOM = f"{_KEPT}; make room or name another folder with --store, and run again"
_ELSEWHERE = f"{_KEPT}; name another folder with --store, or give the right to write here"
_AGAIN = f"{_KEPT}; run again, and if it fails again, `uncompact doctor` says more"

# What the system could not do, and what would help; see errno(3).
_WORDS = {
    errno.ENOSPC: ("no space left on the device", _ROOM),
    errno.EDQUOT: ("the disk quota is used up", _ROOM),
    errno.EFBIG: ("no file may grow so large here", _ROOM),
    errno.EROFS: ("the file system is read-only", _ELSEWHERE),
    errno.EACCES: ("may not be read or written", _ELSEWHERE),
    errno.EPERM: ("may not be read or written", _ELSEWHERE),
    errno.EMFILE: ("too many open files", f"{_KEPT}; raise the limit (`ulimit -n`) and run again"),
    errno.ENFILE: ("too many open files", f"{_KEPT}; close other programs and run again"),
    errno.ENOMEM: ("not enough memory", f"{_KEPT}; close other programs and run again"),
    errno.EIO: ("the device reports an error", f"{_KEPT}; look after the disk before you run again"),
}
_RUST = re.compile(r"(?:os error |Os \{ code: )(\d+)")


@contextmanager
def named_lake_failures(root: Path) -> Generator[None]:
    """Raise what ``lake_problem`` makes of an engine's error."""
    try:
        yield
    except BaseException as error:
        if not _is_of_an_engine(error):
            raise
        raise lake_problem(error, root) from error


def lake_problem(error: BaseException, root: Path) -> StoreError:
    """Return the error to raise for one that an engine raised over the lake ``root``.

    The engine's own words are not told: they may quote a log. Where the system is not to blame the lake is read
    through for damage; if there is any, its place is named and the next run repairs it.
    """
    if isinstance(error, DamagedLakeError):
        suspect_lake(root)
        return error
    number = next(_numbers(error), None)
    if number in _WORDS:
        found, hint = _WORDS[number]
        return StoreError(root.parent, found, hint=hint)
    if isinstance(error, StoreError):
        return error
    suspect_lake(root)
    return _damage(root) or StoreError(
        root.parent, f"could not be written ({type(error).__name__})", hint=_AGAIN
    )


def _is_of_an_engine(error: BaseException) -> bool:
    if isinstance(error, OSError):
        # Polars raises some without a number.
        return error.errno is None or error.errno in _WORDS
    kinds = (pl.exceptions.PolarsError, DeltaError, DamagedLakeError, MemoryError)
    return isinstance(error, kinds) or is_panic(error)


def _damage(root: Path) -> DamagedLakeError | None:
    try:
        findings = check_lake(root, deep=True)
    except (OSError, StoreError):
        return None
    return DamagedLakeError(Path(findings[0].place), findings[0].problem) if findings else None


def _numbers(error: BaseException | None) -> Iterator[int]:
    """Yield the system's error numbers that an error and its causes name."""
    while error is not None:
        if isinstance(error, MemoryError):
            yield errno.ENOMEM
        if isinstance(error, OSError) and error.errno:
            yield error.errno
        yield from map(int, _RUST.findall(str(error)))
        error = error.__cause__ or error.__context__
