"""Columns become an Arrow table with the stated types, and DuckDB reads it."""

from __future__ import annotations

import duckdb
import pytest

from uncompact.query.arrow import ArrowType, arrow_table


@pytest.mark.parametrize(
    ("kind", "values", "sql_type"),
    [
        ("int32", [1, None], "INTEGER"),
        ("int64", [1 << 40, None], "BIGINT"),
        ("float64", [0.5, None], "DOUBLE"),
        ("string", ["ü", None], "VARCHAR"),
        ("bool_", [True, None], "BOOLEAN"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_keep_their_type_and_order(kind: ArrowType, values: list[object], sql_type: str) -> None:
    with duckdb.connect() as engine:
        engine.register("given", arrow_table(value=(kind, values)))
        relation = engine.sql("select value from given")

        assert [str(one) for one in relation.types] == [sql_type]
        assert relation.fetchall() == [(value,) for value in values]


def test_columns_keep_their_order() -> None:
    assert arrow_table(b=("int64", [1]), a=("string", ["x"])).column_names == ["b", "a"]


def test_a_table_without_rows_has_its_types() -> None:
    with duckdb.connect() as engine:
        engine.register("given", arrow_table(segment=("int64", []), name=("string", [])))

        assert [str(one) for one in engine.sql("select * from given").types] == ["BIGINT", "VARCHAR"]


def test_columns_of_different_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="expected length 1"):
        arrow_table(a=("int64", [1]), b=("int64", [1, 2]))


def test_a_value_of_another_type_is_an_error() -> None:
    with pytest.raises(ValueError, match="many"):
        arrow_table(tokens=("int64", ["many"]))
