"""Whatever happens to the files of a lake, nothing is lost that the logs hold, and what else is lost is told."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipelines.damaged_stores import BuiltStore, build_store
from tests.pipelines.stores import lake_rows
from uncompact.pipelines.lake_check import check_lake
from uncompact.pipelines.lake_folders import suspect_lake

Change = Callable[[Path, random.Random], None]


def remove(path: Path, _chance: random.Random) -> None:
    path.unlink()


def cut(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data) + 1)])


def fill_with_zeros(path: Path, _chance: random.Random) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def change_bytes(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 30]) if data else 0):
        data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    path.write_bytes(data)


def write_other_bytes(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(300))


def make_a_folder(path: Path, _chance: random.Random) -> None:
    path.unlink()
    path.mkdir()


def remove_its_folder(path: Path, _chance: random.Random) -> None:
    shutil.rmtree(path.parent)


CHANGES: list[Change] = [
    remove, cut, fill_with_zeros, change_bytes, write_other_bytes, make_a_folder, remove_its_folder
]  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltStore:
    return build_store(tmp_path_factory.mktemp("built"))


@pytest.fixture
def damaged(built: BuiltStore, tmp_path: Path, seed: int) -> BuiltStore:
    """A copy of the store with up to four files damaged, each in its own way."""
    copy, chance = built.copy(tmp_path), random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        files = sorted(path for path in copy.lake.rglob("*") if path.is_file())
        chance.choice(CHANGES)(chance.choice(files), chance)
    suspect_lake(copy.lake)
    return copy


@pytest.mark.parametrize("seed", range(24))
def test_a_lake_damaged_anywhere_holds_all_that_is_left(damaged: BuiltStore) -> None:
    told = "\n".join(damaged.mend())

    lost = damaged.lost()
    lost_rows = [row for table, rows in lost.items() for row in rows if table != "sessions"]
    assert {row[1] for row in lost_rows} <= damaged.gone
    assert bool(lost_rows) <= ("could not be saved" in told)
    assert check_lake(damaged.lake, deep=True) == []
    now = lake_rows(damaged.store)
    assert all(row in damaged.rows[table] for table in now if table != "sessions" for row in now[table])
