"""Every SQL file says what it is, and says it truly: parameters, columns, and that its engine takes it."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import duckdb
import pytest

from tests.cases.builders import header, user, write_log
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.sql_files import load_sql
from uncompact.pipelines.sqlite import execute, rows
from uncompact.pipelines.store import StorePaths

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted([*ROOT.glob("pipelines/sql/*.sql"), *ROOT.glob("query/sql/*.sql")])

_SECTION = re.compile(r"\b(engine|params|reads|returns): ")
_TEXT_COLUMNS = {"entry_id", "role", "text_hash", "kind"}
_SAMPLES: dict[str, object] = {
    "session_key": "0123456789abcdef",
    "spans": [{"segment": 0, "first": 0, "last": 9, "state": "in_context", "drops_system": False}],
    "edited": [{"segment": 0, "position": 0}],
}
# What else a query takes are lists, or lists of rows, as text.
_LIST = "[1]"
_ROWS = "[[1]]"


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A file's header, by section, and its statement."""

    purpose: str
    sections: dict[str, str]
    statement: str

    @property
    def parameters(self) -> set[str]:
        return set(re.findall(r"\$(\w+)", self.statement))

    def names(self, section: str) -> list[str]:
        """Return what a section lists, without what it says about each."""
        return listed(re.sub(r"\([^()]*\)", "", self.sections.get(section, "")))


def listed(text: str) -> list[str]:
    pieces = [piece.strip().removeprefix("and ") for piece in re.split(r"[,:]", text)]
    return [piece for piece in pieces if re.fullmatch(r"\w+", piece)]


def read(path: Path) -> SqlFile:
    text = load_sql(f"uncompact.{path.parts[-3]}", path.stem)
    comments = re.match(r"(?:--[^\n]*\n)*", text)
    assert comments is not None
    first_paragraph = comments[0].split("\n--\n")[0]
    words = " ".join(line.removeprefix("--").strip() for line in first_paragraph.splitlines())
    purpose, *parts = _SECTION.split(words)
    sections = dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
    return SqlFile(purpose.strip(), sections, text[comments.end() :])


def with_engine(engine: str) -> list[Path]:
    return [path for path in FILES if read(path).sections.get("engine") == engine]


def names_of(paths: list[Path]) -> list[str]:
    return [f"{path.parts[-3]}/{path.stem}" for path in paths]


every_file = pytest.mark.parametrize("path", FILES, ids=names_of(FILES))
every_sqlite_file = pytest.mark.parametrize(
    "path", with_engine("sqlite"), ids=names_of(with_engine("sqlite"))
)
every_duckdb_file = pytest.mark.parametrize(
    "path", with_engine("duckdb"), ids=names_of(with_engine("duckdb"))
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> StorePaths:
    folder = tmp_path_factory.mktemp("store")
    write_log(folder / "logs" / "s.jsonl", [header(), user("a", None, "x")])
    reindex([folder / "logs"], folder / "store")
    return StorePaths(folder / "store")


@every_file
def test_a_file_states_its_purpose_engine_parameters_and_columns(path: Path) -> None:
    file = read(path)

    assert re.fullmatch(r"[A-Z].*\.", file.purpose)
    assert {"engine", "params", "returns"} <= set(file.sections)
    assert file.sections["engine"] in {"sqlite", "duckdb"}


@every_file
def test_the_header_lists_the_statements_parameters(path: Path) -> None:
    file = read(path)

    assert set(re.findall(r"\$(\w+)", file.sections["params"])) == file.parameters


@every_file
def test_parameters_are_all_by_name_or_all_in_order(path: Path) -> None:
    file = read(path)

    in_order = file.sections["params"].endswith("in order")
    assert in_order == ("?" in file.statement)
    assert not (in_order and file.parameters)


@every_file
def test_a_file_is_one_statement_but_for_the_schema(path: Path) -> None:
    statements = [part for part in read(path).statement.split(";") if part.strip()]

    assert len(statements) == 1 or path.stem == "create_companion"
    assert read(path).statement.endswith(";\n")


@every_sqlite_file
def test_sqlite_compiles_it_and_returns_the_stated_columns(path: Path, store: StorePaths) -> None:
    file = read(path)
    if path.stem == "create_companion":
        connection = apsw.Connection(":memory:")
        execute(connection, file.statement)
        return
    connection = apsw.Connection(str(store.companion))
    ext: Any = importlib.import_module("apsw.ext")

    details = ext.query_info(connection, file.statement)

    assert [name for name, *_ in details.description] == file.names("returns")[: len(details.description)]
    assert (file.sections["returns"] == "nothing") == (not details.description)
    assert list(rows(connection, f"explain {file.statement}", sample_bindings(details)))
    connection.close()


def sample_bindings(details: Any) -> Any:
    names = [name for name in details.bindings_names if name]
    return dict.fromkeys(names, 1) if names else (1,) * details.bindings_count


@every_duckdb_file
def test_duckdb_takes_it_and_returns_the_stated_columns(path: Path, store: StorePaths) -> None:
    file = read(path)
    lake = open_lake(store.lake)
    with duckdb.connect() as engine:
        for table, columns in re.findall(r"(\w+) \(([^()]*)\)", file.sections.get("reads", "")):
            typed = ", ".join(f'"{name}" {column_type(name)}' for name in listed(columns))
            engine.execute(f"create table {table} ({typed})")
        values = {**_SAMPLES}
        if of := re.search(r"\$files \(Parquet files of the lake's (\w+)\)", file.sections["params"]):
            values["files"] = lake.files(of[1])

        given = _ROWS if file.sections["params"].startswith("lists of rows") else _LIST

        result = engine.execute(file.statement, {name: values.get(name, given) for name in file.parameters})

        assert [name for name, *_ in result.description] == file.names("returns")


def column_type(name: str) -> str:
    if name in _TEXT_COLUMNS:
        return "varchar"
    return "boolean" if name.startswith("is_") or name == "literal" else "bigint"


@every_file
def test_keywords_are_in_lower_case(path: Path) -> None:
    words = re.sub(r"'[^']*'|\"[^\"]*\"|--[^\n]*", "", read(path).statement)

    assert (
        re.findall(r"\b(?:SELECT|FROM|WHERE|JOIN|ORDER|GROUP|INSERT|DELETE|UPDATE|CREATE|LIMIT)\b", words)
        == []
    )
