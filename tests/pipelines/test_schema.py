"""The tables' definitions hold together."""

from __future__ import annotations

import polars as pl
import pytest

from uncompact.pipelines.schema import PARTITION, TABLES, Table, render_schema

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@every_table
def test_every_row_begins_with_its_partition_and_session(table: Table) -> None:
    assert table.schema.names()[:2] == [PARTITION, "session_key"]


@every_table
def test_column_names_are_unique(table: Table) -> None:
    names = [column.name for column in table.columns]

    assert len(set(names)) == len(names)


@every_table
def test_rows_are_sorted_by_columns_of_the_table(table: Table) -> None:
    assert table.order[0] == "session_key"
    assert set(table.order) <= set(table.schema.names())


@every_table
def test_times_have_a_zone_and_counts_a_fixed_width(table: Table) -> None:
    allowed = {pl.String, pl.Boolean, pl.Int32, pl.Int64, pl.Float64, pl.Datetime("us", "UTC")}

    assert set(table.schema.dtypes()) <= allowed


def test_sessions_are_committed_last() -> None:
    assert list(TABLES)[-1] == "sessions"


@every_table
def test_the_page_describes_every_column(table: Table) -> None:
    section = render_schema().split(f"## `{table.name}`\n")[1].split("\n## ")[0]

    listed = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert listed == table.schema.names()
