"""A store with sessions whose logs are there and others whose logs are gone, and ways to damage its lake."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.cases.builders import JsonObject, compaction, encode, entry, header, tool_result, user, write_log
from tests.pipelines.companion_rows import Row
from tests.pipelines.stores import append, lake_rows
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.reindex import reindex
from uncompact.pipelines.store import StorePaths

Damage = Callable[[Path], None]
Rows = dict[str, list[Row]]


@dataclass(frozen=True, slots=True)
class BuiltStore:
    """A store, the logs that are there, and the rows it holds; ``gone`` are the keys of sessions without a log."""

    logs: Path
    store: Path
    rows: Rows
    gone: frozenset[str]

    def copy(self, folder: Path) -> BuiltStore:
        shutil.copytree(self.store, folder / "store", symlinks=True)
        return BuiltStore(self.logs, folder / "store", self.rows, self.gone)

    @property
    def lake(self) -> Path:
        return StorePaths(self.store).lake

    def mend(self) -> list[str]:
        """Let a run bring everything up to date; return what it warns of, but for lines of logs."""
        warnings = reindex([self.logs], self.store).warnings
        return [told for told in warnings if ".jsonl:14:" not in told]

    def lost(self) -> dict[str, list[Row]]:
        """Return the rows, by table, that the lake held and does not hold now."""
        now = lake_rows(self.store)
        lost = {table: [row for row in rows if row not in now[table]] for table, rows in self.rows.items()}
        return {table: rows for table, rows in lost.items() if rows}


def build_store(folder: Path) -> BuiltStore:
    """Build a store in four runs: of five logs in two projects two are gone, one is a fork of another."""
    logs, store = folder / "logs", folder / "store"
    for name, cwd in (("a", "/srv/x"), ("b", "/srv/x"), ("v", "/srv/x"), ("w", "/srv/y")):
        write_log(logs / f"{name}.jsonl", talk(name, cwd))
    reindex([logs], store)
    for name in "av":
        append(logs / f"{name}.jsonl", encode(user(f"{name}x", f"{name}c", f"{name} more")) + b"{torn\n")
    write_log(logs / "fork.jsonl", [header("s-fork", "/srv/y"), *talk("a", "")[1:6]])
    reindex([logs], store)
    (logs / "v.jsonl").unlink()
    (logs / "w.jsonl").unlink()
    reindex([logs], store)
    rows = lake_rows(store)
    sessions = open_lake(StorePaths(store).lake).scan("sessions").collect()
    gone = sessions.filter(state="vanished")["session_key"]
    return BuiltStore(logs, store, rows, frozenset(gone))


def talk(name: str, cwd: str, turns: int = 10) -> list[JsonObject]:
    """Make a session that reads files, branches and is compacted."""
    lines = [header(f"s-{name}", cwd)]
    for at in range(turns):
        one, parent = f"{name}{at}", f"{name}{at - 1 if at != 7 else 3}" if at else None
        if at % 4 == 1:
            call = {
                "type": "toolCall",
                "id": f"call_{name}{at + 1}",
                "name": "read",
                "arguments": {"path": f"{one}.py"},
            }
            usage = {"input": 9, "output": 4, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 13}
            message = {"role": "assistant", "content": [call], "usage": usage, "stopReason": "toolUse"}
            lines.append(entry("message", one, parent, message=message))
        elif at % 4 == 2:
            lines.append(tool_result(one, parent, f"{name} result {at}", tool="read"))
        else:
            lines.append(user(one, parent, f"{name} says {at}"))
    return [*lines, compaction(f"{name}c", f"{name}{turns - 1}", f"{name}{turns - 2}")]


def file_of(table: str, project: str = "srv-x", nth: int = 0) -> Callable[[Path], Path]:
    """Name a Parquet file of a project, the oldest first."""
    return lambda lake: [Path(file) for file in open_lake(lake).files(table) if f"={project}-" in file][nth]


def commit_of(table: str, nth: int) -> Callable[[Path], Path]:
    """Name a commit in a table's log."""
    return lambda lake: sorted((lake / table / "_delta_log").glob("*.json"))[nth]


def removed(place: Callable[[Path], Path]) -> Damage:
    return lambda lake: place(lake).unlink()


def cut(place: Callable[[Path], Path]) -> Damage:
    def damage(lake: Path) -> None:
        data = place(lake).read_bytes()
        place(lake).write_bytes(data[: len(data) // 2])

    return damage


def zeroed(place: Callable[[Path], Path]) -> Damage:
    return lambda lake: overwrite(place(lake), bytes(place(lake).stat().st_size))


def garbled(place: Callable[[Path], Path]) -> Damage:
    return lambda lake: overwrite(place(lake), b"\xff{ no" * 40)


def flipped(place: Callable[[Path], Path]) -> Damage:
    """Change forty bytes in the middle, and leave size, beginning and end."""

    def damage(lake: Path) -> None:
        data = bytearray(place(lake).read_bytes())
        middle = len(data) // 2
        data[middle - 20 : middle + 20] = bytes(byte ^ 0x5A for byte in data[middle - 20 : middle + 20])
        overwrite(place(lake), bytes(data))

    return damage


def folder_gone(*names: str) -> Damage:
    return lambda lake: shutil.rmtree(lake.joinpath(*names))


def overwrite(path: Path, data: bytes) -> None:
    path.write_bytes(data)
