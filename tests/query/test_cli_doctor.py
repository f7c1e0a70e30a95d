"""`doctor`: exit codes, and a repair that leaves nothing wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.builders import JsonObject, user
from tests.pipelines.stores import lake_rows, log
from tests.pipelines.stores import run as reindex
from tests.query.cli_runs import run
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.store import StorePaths


@pytest.fixture
def indexed(logs: Path, store: Path) -> Path:
    log(logs, "a.jsonl", user("a", None, "one"), user("b", "a", "two"))
    reindex(logs, store)
    return store


def doctor(logs: Path, store: Path, *options: str) -> tuple[int, JsonObject]:
    result = run("--store", str(store), "--json", "doctor", str(logs), *options)
    return result.exit_code, json.loads(result.stdout)


def test_a_sound_store_is_exit_code_0(indexed: Path, logs: Path) -> None:
    code, result = doctor(logs, indexed)

    assert (code, result["found"], result["repaired"]) == (0, [], False)


def test_a_damaged_store_is_exit_code_1_and_left_as_it_is(indexed: Path, logs: Path) -> None:
    file = Path(open_lake(StorePaths(indexed).lake).files("entries")[0])
    file.write_bytes(b"garbage")
    code, result = doctor(logs, indexed, "--quick")

    assert (code, result["left"]) == (1, result["found"])
    assert file.read_bytes() == b"garbage"


def test_a_repair_brings_all_rows_back(indexed: Path, logs: Path) -> None:
    before = lake_rows(indexed)
    Path(open_lake(StorePaths(indexed).lake).files("entries")[0]).unlink()
    code, result = doctor(logs, indexed, "--repair")

    assert (code, result["left"], result["repaired"]) == (0, [], True)
    assert lake_rows(indexed) == before


def test_text_names_the_place_and_the_repair(logs: Path, store: Path) -> None:
    result = run("--store", str(store), "doctor", str(logs))

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{store}: there is no store",
        "  to mend it: `uncompact reindex` with the same --store makes one",
    ]
