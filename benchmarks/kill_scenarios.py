"""What a killed command was about to do: logs before and after, and its arguments."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from make_sessions import make_session, pick_words

LOGS = 8
FORGOTTEN = "kill-1"

_ENTRIES = 24
_LARGE_LOGS = 8
_LARGE_ENTRIES = 10_000
_TORN = b'{"type":"message","id":"torn"\n'

Line = Mapping[str, object]


def reindex(logs: Path) -> list[str]:
    """Return the arguments of a plain run."""
    return ["reindex", str(logs)]


@dataclass(frozen=True, slots=True)
class Scenario:
    """``change`` is done to the logs between the store's last whole run and the killed command.

    Of a command that the next run may not finish (``once_more``), the user runs it again. A ``heavy`` one is tried
    only when it is named.
    """

    name: str
    change: Callable[[Path], None]
    arguments: Callable[[Path], list[str]] = reindex
    has_store: bool = True
    once_more: bool = False
    heavy: bool = False


def scenarios() -> list[Scenario]:
    """Return the scenarios that this program's commands allow."""
    found = [
        Scenario("first run", nothing, has_store=False),
        Scenario("append", append),
        Scenario("rewrite", rewrite),
        Scenario("vanished or renamed", remove_and_rename),
        Scenario("all at once", change_all),
        Scenario("rebuild companion", nothing, lambda logs: [*reindex(logs), "--rebuild-companion"]),
        Scenario("several processes", add_large_logs, heavy=True),
    ]
    optional = {
        ("reindex", "--full"): Scenario("full", change_all, lambda logs: [*reindex(logs), "--full"]),
        ("forget", "--yes"): Scenario(
            "forget", nothing, lambda _logs: ["forget", FORGOTTEN, "--yes"], once_more=True
        ),
        ("sync", "--json"): Scenario("sync", append, lambda logs: ["sync", str(log_path(logs, 0))]),
    }
    return found + [scenario for (name, option), scenario in optional.items() if option in _help(name)]


def command_line(arguments: Sequence[str], store: Path) -> list[str]:
    """Return the command that a process is started with."""
    return [sys.executable, "-m", "uncompact", "--store", str(store), *arguments]


def _help(command: str) -> str:
    line = [sys.executable, "-m", "uncompact", command, "--help"]
    return subprocess.run(line, capture_output=True, text=True, check=False).stdout


def requests() -> list[str]:
    """Return requests whose answers tell the states of the logs from one another."""
    words = [f"`{word}_{number}`" for word in ("anchor", "anew", "grown") for number in range(LOGS)]
    return [f"{' '.join(words)} of the harbour ledger"]


def log_path(logs: Path, number: int) -> Path:
    return logs / f"p{number % 4}" / f"s{number}.jsonl"


def write_logs(logs: Path) -> None:
    """Write logs in four projects, and a fork of one, that put rows into every table of the lake."""
    for number in range(LOGS):
        write_log(log_path(logs, number), number, f"anchor_{number}", f"/srv/p{number % 4}")
    write_log(logs / "p1" / "fork.jsonl", 1, "anchor_1", "/srv/p1", session="kill-fork")


def write_log(path: Path, number: int, anchor: str, project: str, *, session: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    session = session or f"kill-{number}"
    start = {"type": "session", "version": 3, "id": session, "timestamp": _stamp(0), "cwd": project}
    with path.open("wb") as file:
        file.write(_line(start))
        file.writelines(map(_line, _talk(number, anchor)))
        file.write(_TORN if number % 3 == 0 else b"")
        # Of a log that is written anew nothing stays: what its fork has are copies no more.
        prefix = f"{'k' if anchor.startswith('anchor') else 'n'}{number}"
        end = _compacted(f"e{number}-{_ENTRIES - 1}", f"e{number}-{_ENTRIES - 4}", prefix)
        file.writelines(map(_line, end))


def _talk(number: int, anchor: str) -> Iterator[Line]:
    rng = random.Random(number)
    parent = None
    for at in range(_ENTRIES):
        entry_id = f"e{number}-{at}"
        text = f"{anchor} {' '.join(pick_words(rng, 40))} the harbour ledger {at}"
        if at == 12:
            summary = {"fromId": f"e{number}-2", "summary": f"left: {anchor}"}
            yield _entry("branch_summary", entry_id, parent, at, summary)
        else:
            message = (_asked, _answered, _resulted)[at % 3](text, f"call{number}-{at // 3}")
            yield _entry("message", entry_id, parent, at, {"message": message})
        parent = entry_id


def _asked(text: str, _call: str) -> Line:
    return {"role": "user", "content": text}


def _answered(text: str, call: str) -> Line:
    tool = {"type": "toolCall", "id": call, "name": "read", "arguments": {"path": f"src/{call}.py"}}
    usage = {"input": 100, "output": 10, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0.01}}
    said = [{"type": "text", "text": text}, tool]
    return {"role": "assistant", "provider": "p", "model": "m", "content": said, "usage": usage}


def _resulted(text: str, call: str) -> Line:
    said = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": call, "toolName": "read", "content": said, "isError": False}


def _compacted(parent: str, kept: str, prefix: str) -> Iterator[Line]:
    summary = {"summary": "cut", "firstKeptEntryId": kept, "tokensBefore": 900}
    yield _entry("compaction", f"{prefix}a", parent, 40, summary)
    yield _entry("context_edit", f"{prefix}b", f"{prefix}a", 41, {"targetId": kept, "replacement": None})
    yield _entry("message", f"{prefix}c", f"{prefix}b", 42, {"message": _asked("go on", "")})


def _entry(kind: str, entry_id: str, parent: str | None, minute: int, fields: Line) -> Line:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": _stamp(minute), **fields}


def _stamp(minute: int) -> str:
    return f"2026-03-14T09:{minute:02}:00.000Z"


def _line(value: Line) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _grow(path: Path, number: int, parent: str) -> None:
    """Append an entry and a compaction that removes it."""
    grown = {"message": _asked(f"grown_{number} the harbour ledger", "")}
    with path.open("ab") as file:
        file.write(_line(_entry("message", f"g{number}", parent, 50, grown)))
        file.writelines(map(_line, _compacted(f"g{number}", f"l{number}a", f"l{number}")))


def nothing(_logs: Path) -> None:
    """Change no log."""


def append(logs: Path) -> None:
    """Let half of the logs grow, at the leaf or by a branch from an old entry."""
    for number in range(0, LOGS, 2):
        _grow(log_path(logs, number), number, f"e{number}-3" if number % 4 else f"k{number}c")


def rewrite(logs: Path) -> None:
    """Write three logs anew with other words, one of them in another project."""
    for number in (1, 4, 7):
        project = "/srv/moved" if number == 4 else f"/srv/p{number % 4}"
        write_log(log_path(logs, number), number, f"anew_{number}", project)


def remove_and_rename(logs: Path) -> None:
    """Remove two logs and rename two, one of which grows."""
    log_path(logs, 2).unlink()
    log_path(logs, 3).unlink()
    log_path(logs, 5).rename(logs / "renamed.jsonl")
    _grow(log_path(logs, 6).rename(logs / "p0" / "renamed and grown.jsonl"), 6 + LOGS, "k6c")


def change_all(logs: Path) -> None:
    """Do all of that, and add logs."""
    append(logs)
    rewrite(logs)
    remove_and_rename(logs)
    for number in range(LOGS, LOGS + 3):
        write_log(log_path(logs, number), number, f"anchor_{number}", "/srv/new")


def add_large_logs(logs: Path) -> None:
    """Add so much that a run shares the reading with helpers."""
    for number in range(_LARGE_LOGS):
        make_session(logs / "large" / f"{number}.jsonl", entries=_LARGE_ENTRIES, seed=number)
