"""Build a lake anew from what can be read of a damaged one: whole files as they are, of the rest row by row.

A session is as it was when its rows agree with its ``sessions`` row and no file that may have held some is missing.
Any other keeps what is found of it, files out of use included, and is marked so that the next run reads its log
whole, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from .lake import create_lake, open_lake
from .lake_claims import Claim, claim_sessions, known_sessions, log_places
from .lake_stock import OUT_OF_USE, read_rows, take_stock
from .lake_writer import LakeWriter
from .salvaged_project import ROW, Project, Wreck
from .salvaged_rest import Outcome, salvage_rest
from .salvaged_session import mark_unread
from .schema import TABLES

__all__ = ["Salvage", "salvage_lake"]

# Found anew from the entries.
_DERIVED = "copies"


class Salvage(NamedTuple):
    """What became of each session, and the files that could not be read to their ends."""

    outcomes: list[Outcome]
    broken: list[Path]


def salvage_lake(
    old: Path,
    new: Path,
    run: str,
    versions: Mapping[str, int],
    *,
    logs: Iterable[Path] = (),
    companion: Path | None = None,
    is_current: bool = True,
) -> Salvage:
    """Build the lake ``new`` from what can be read of ``old`` at ``versions``, and say what became of it.

    ``logs`` are those there are, wherever they lie; ``companion`` tells of sessions whose row is lost. Of a lake that
    is not of the current version all sessions are marked to be read anew. Needs memory for the keys of the largest
    project and one file.
    """
    stocks = {table: take_stock(old, table, versions.get(table)) for table in TABLES if table != _DERIVED}
    places = log_places(logs)
    known = known_sessions(companion) if companion else {}
    claims = claim_sessions(stocks["sessions"], stocks["entries"], known, places)
    wreck = Wreck(stocks, claims, places, has_versions="sessions" in versions, is_current=is_current)
    create_lake(new)
    writer = LakeWriter(open_lake(new), run)
    outcomes: list[Outcome] = []
    for project in sorted({claim.project for claim in claims.values()}):
        outcomes += _salvage_project(wreck, project, writer)
    writer.commit(())
    files = (file for stock in stocks.values() for file in stock.files)
    return Salvage(
        outcomes, [file.path for file in files if not file.is_whole and file.standing > OUT_OF_USE]
    )


def _salvage_project(wreck: Wreck, name: str, writer: LakeWriter) -> list[Outcome]:
    project = Project(wreck, name, {key: one for key, one in wreck.claims.items() if one.project == name})
    state = {table: project.rows_of_state(table) for table in project.files}
    whole = sorted(project.whole_sessions(state))
    rest = salvage_rest(project, state, sorted(project.claims.keys() - set(whole)))
    for table in project.files:
        kept = state[table].filter(pl.col("session_key").is_in(whole)).select(ROW)
        _write_rows(project, table, pl.concat((kept, *(one.rows[table] for one in rest))), writer)
    for one in rest:
        writer.add("segments", one.segments)
    stated = [project.claims[key].row for key in whole]
    stated = stated if wreck.is_current else [mark_unread(row) for row in stated]
    rows = [*stated, *(one.row for one in rest if one.row)]
    writer.add("sessions", pl.DataFrame(rows, schema=TABLES["sessions"].schema))
    return [*(_as_it_was(wreck, project.claims[key]) for key in whole), *(one.outcome for one in rest)]


def _as_it_was(wreck: Wreck, claim: Claim) -> Outcome:
    return Outcome(claim, {}, is_as_it_was=True, is_log_gone=wreck.is_log_gone(claim))


def _write_rows(project: Project, table: str, rows: pl.DataFrame, writer: LakeWriter) -> None:
    """Take over the files of which all rows are wanted, and write the wanted rows of the others anew."""
    for (at,), part in rows.partition_by("file", as_dict=True).items():
        file = project.files[table][int(at)]
        if project.wreck.is_current and file.is_whole and part.height == project.sizes[table][int(at)]:
            writer.adopt(table, file.path, project.keys[table].filter(pl.col("file") == at))
        else:
            frame = read_rows(table, file, TABLES[table].schema.names())
            writer.add(table, frame.join(part, on="row", how="semi").drop("row"))
