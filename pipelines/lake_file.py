"""The lake's Parquet files: named with their checksum, so that what is read is known to be what was written.

Parquet itself does not tell: of random changes to the bytes of a file, every fourth is read without an error as
other values.
"""

from __future__ import annotations

import errno
import io
import os
import re
import zlib
from pathlib import Path

import polars as pl

from .errors import StoreError

__all__ = [
    "REPAIR",
    "DamagedLakeError",
    "file_problem",
    "is_as_written",
    "is_panic",
    "read_file",
    "run_of",
    "seal_file",
]

# What mends a damaged lake.
REPAIR = "`uncompact reindex` reads anew what the logs have, and keeps what can be read of the rest"

_MAGIC = b"PAR1"
_SMALLEST_BYTES = 12
_BLOCK_BYTES = 1 << 20
_SEALED = re.compile(r"(?P<run>.+)-(?P<number>\d+)\.(?P<checksum>[0-9a-f]{8})\.parquet")


class DamagedLakeError(StoreError):
    """A file of the lake is missing, or not what was written."""

    def __init__(self, place: Path, problem: str) -> None:
        super().__init__(place, f"damaged: {problem}", hint=REPAIR)
        self.problem = problem


def is_panic(error: BaseException) -> bool:
    """Tell whether an engine gave up in a way it had not foreseen; each has such an error of its own."""
    return type(error).__name__ == "PanicException"


def seal_file(path: Path) -> Path:
    """Rename a file just written so that its name states its checksum, and return its new path.

    It is on the disk when this returns: a commit that names it may outlast a loss of power.
    """
    with path.open("rb") as file:
        os.fsync(file.fileno())
    sealed = path.with_name(f"{path.stem}.{_checksum(path):08x}{path.suffix}")
    os.rename(path, sealed)
    return sealed


def run_of(name: str) -> str:
    """Return what the name of a file begins with, the run that wrote it: later runs sort after earlier ones."""
    found = _SEALED.fullmatch(name)
    return found["run"] if found else name


def is_as_written(path: Path) -> bool:
    """Tell whether a file has the checksum that its name states; one that the disk cannot read has not.

    Raises ``OSError`` when it cannot be read for another reason.
    """
    found = _SEALED.fullmatch(path.name)
    try:
        return found is not None and _checksum(path) == int(found["checksum"], 16)
    except OSError as error:
        if error.errno == errno.EIO:
            return False
        raise


def read_file(path: Path) -> pl.DataFrame:
    """Read a file's rows, without the project that its folder names.

    Raises ``DamagedLakeError`` when it is missing or is not what was written, ``OSError`` when it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise DamagedLakeError(path, "is missing") from error
    found = _SEALED.fullmatch(path.name)
    if found is None or zlib.crc32(data) != int(found["checksum"], 16):
        raise DamagedLakeError(path, "is not what was written")
    return pl.read_parquet(io.BytesIO(data), hive_partitioning=False)


def file_problem(path: str, size: int) -> str | None:
    """Say what can be seen to be wrong with a file without reading it through: size, beginning and end.

    Raises ``OSError`` when it cannot be looked at.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return "is missing"
    try:
        found = os.fstat(descriptor).st_size
        if found != size:
            return f"has {found:,} bytes instead of {size:,}"
        if size < _SMALLEST_BYTES:
            return "is no Parquet file any more"
        head, tail = os.pread(descriptor, 4, 0), os.pread(descriptor, 8, size - 8)
    except IsADirectoryError:
        return "is a folder"
    finally:
        os.close(descriptor)
    length = int.from_bytes(tail[:4], "little")
    if head != _MAGIC or tail[4:] != _MAGIC or length > size - _SMALLEST_BYTES:
        return "is no Parquet file any more"
    return None


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            found = zlib.crc32(block, found)
    return found
