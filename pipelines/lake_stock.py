"""What there is of a damaged lake: every Parquet file on disk, how it stands to the table's log, what of it decodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl

from .frames import text_hash
from .lake_file import is_as_written, run_of
from .lake_log import LoggedFile, TableLog, project_of, read_table_log
from .schema import PARTITION, TABLES

# What Arrow and Polars make of damaged bytes.
_UNREADABLE = (
    OSError,
    MemoryError,
    LookupError,
    TypeError,
    ValueError,
    NotImplementedError,
    pl.exceptions.PolarsError,
)

__all__ = ["OUT_OF_USE", "DataFile", "Lost", "TableStock", "read_light", "read_rows", "take_stock"]

# How a file stands to the state: no part of it, perhaps a part of it, a part of it.
OUT_OF_USE = 0
_UNKNOWN = 1
_IN_USE = 2


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file on disk.

    ``standing`` orders files by how far their rows are the table's; ``is_orphan`` marks one that no commit names.
    ``is_whole`` tells that it is what was written.
    """

    path: Path
    project: str
    run: str
    standing: int
    is_orphan: bool
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """A file of the state whose rows are not all there: how many it had, of sessions between two keys."""

    place: Path
    project: str
    rows: int
    first_key: str
    last_key: str

    def holds(self, project: str, session_key: str) -> bool:
        """Tell whether rows of a session may have been in the file."""
        return project == self.project and self.first_key <= session_key <= self.last_key


@dataclass(frozen=True, slots=True)
class TableStock:
    """What there is of a table; without ``has_log`` nobody knows which of its files were in use."""

    table: str
    files: Sequence[DataFile]
    lost: Sequence[Lost]
    has_log: bool
    is_gone: bool

    def may_lack(self, project: str, session_key: str) -> bool:
        """Tell whether rows of a session may be missing."""
        return self.is_gone or any(lost.holds(project, session_key) for lost in self.lost)


def take_stock(root: Path, table: str, version: int | None) -> TableStock:
    """Look at all files of a table, each read through once; ``version`` is the one of the lake's state."""
    folder = root / table
    log = read_table_log(folder, version)
    stated = {file.name: file for file in log.files.values()}
    removed = {unquote(path) for path in log.removed}
    files = [_look_at(path, folder, stated, removed, log) for path in _parquet_files(folder)]
    broken = {file.path for file in files if not file.is_whole}
    there = {file.path for file in files}
    lost = [
        _lost(folder / name, file)
        for name, file in stated.items()
        if folder / name in broken or folder / name not in there
    ]
    if log.damage:
        # Of whom these had rows nobody knows.
        unnamed = (file for file in files if not file.is_whole and file.standing == _UNKNOWN)
        lost += [Lost(file.path, file.project, 0, "", "\uffff") for file in unnamed]
    is_gone = bool(log.damage) and not files
    return TableStock(table, files, lost, has_log=not log.damage, is_gone=is_gone)


def read_light(table: str, files: Sequence[DataFile], columns: Sequence[str]) -> pl.DataFrame:
    """Read some columns of files, with the number of each row's file in ``files`` and its place there.

    Rows have ``standing`` and ``run`` of their file; what cannot be read is left out.
    """
    parts = [
        read_rows(table, file, columns).with_columns(
            pl.lit(at, pl.UInt32).alias("file"),
            pl.lit(file.standing, pl.Int8).alias("standing"),
            pl.lit(file.run).alias("run"),
        )
        for at, file in enumerate(files)
    ]
    if parts:
        return pl.concat(parts)
    schema = {name: TABLES[table].schema[name] for name in columns}
    added = {"row": pl.UInt32(), "file": pl.UInt32(), "standing": pl.Int8(), "run": pl.String()}
    return pl.DataFrame(schema=schema | added)


def read_rows(table: str, file: DataFile, columns: Sequence[str]) -> pl.DataFrame:
    """Read a file's rows as far as they can be read, each with its place as ``row``.

    A file of another version that lacks a column which is never null has no rows.
    """
    schema = TABLES[table].schema
    wanted = [
        column for column in TABLES[table].columns if column.name in columns and column.name != PARTITION
    ]
    frame = _scan(file.path) if file.is_whole else _read_groups(table, file.path)
    found = frame.collect_schema()
    missing = [column for column in wanted if column.name not in found]
    if any(column.required for column in missing):
        return schema.to_frame().select(*columns, pl.lit(0, pl.UInt32).alias("row")).clear()
    filled = frame.with_columns(pl.lit(None, column.dtype).alias(column.name) for column in missing)
    typed = filled.select(*(pl.col(column.name).cast(column.dtype) for column in wanted), "row")
    return typed.with_columns(pl.lit(file.project).alias(PARTITION)).select(*columns, "row").collect()


def _parquet_files(folder: Path) -> Iterator[Path]:
    for project in sorted(folder.glob(f"{PARTITION}=*")):
        if project.is_dir():
            yield from (path for path in sorted(project.glob("*.parquet")) if path.is_file())


def _look_at(
    path: Path, folder: Path, stated: Mapping[str, LoggedFile], removed: Collection[str], log: TableLog
) -> DataFile:
    name = path.relative_to(folder).as_posix()
    is_orphan = name not in stated and name not in removed
    if log.damage:
        # What a lost commit took out, and what it put in, cannot be told apart: the newest rows count.
        standing = OUT_OF_USE if name in removed else _UNKNOWN
    else:
        standing = _IN_USE if name in stated else OUT_OF_USE
    return DataFile(
        path, project_of(name), run_of(path.name), standing, is_orphan, is_whole=is_as_written(path)
    )


def _lost(path: Path, file: LoggedFile) -> Lost:
    rows, first, last = file.rows_and_keys()
    return Lost(path, file.project, rows, first, last)


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False, row_index_name="row")


def _read_groups(table: str, path: Path) -> pl.LazyFrame:
    """Read the row groups of a damaged file that decode, of entries the rows whose text is what it was."""
    parts = [group for group in _decoded_groups(path) if group is not None]
    rows = pl.concat(parts) if parts else _no_rows(table)
    return (rows.filter(_is_own_text(rows)) if table == "entries" and parts else rows).lazy()


def _decoded_groups(path: Path) -> Iterator[pl.DataFrame | None]:
    # Arrow raises where other readers end the process; it has no type hints.
    parquet: Any = import_module("pyarrow.parquet")
    polars: Any = pl
    first = 0
    try:
        with parquet.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                try:
                    rows: pl.DataFrame = polars.from_arrow(file.read_row_group(group))
                    yield rows.with_row_index("row", offset=first)
                except _UNREADABLE:
                    yield None
                first += file.metadata.row_group(group).num_rows
    except _UNREADABLE:
        return


def _is_own_text(rows: pl.DataFrame) -> pl.Series:
    texts = zip(rows["text"], rows["text_hash"], strict=True)
    return pl.Series(
        [text is not None and text_hash(text) == stated for text, stated in texts], dtype=pl.Boolean
    )


def _no_rows(table: str) -> pl.DataFrame:
    return TABLES[table].schema.to_frame().with_columns(pl.lit(0, pl.UInt32).alias("row")).clear()
