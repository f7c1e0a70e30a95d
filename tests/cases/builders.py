"""Pi session logs as values, and an indexed folder of them to ask."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import uncompact

CASES = Path(__file__).resolve().parents[2] / "data-fixtures" / "cases"

JsonObject = dict[str, Any]

_FIRST_MINUTE = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


def stamp(minute: int) -> str:
    """Return the ISO time so many minutes after the builders' clock starts."""
    moment = _FIRST_MINUTE + timedelta(minutes=minute)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def header(
    session_id: str = "0195a000-0000-7000-8000-000000000001", cwd: str = "/home/ada/harbour"
) -> JsonObject:
    return {"type": "session", "version": 3, "id": session_id, "timestamp": stamp(0), "cwd": cwd}


def entry(kind: str, entry_id: str, parent: str | None, minute: int = 1, **fields: Any) -> JsonObject:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": stamp(minute), **fields}


def user(entry_id: str, parent: str | None, text: str, minute: int = 1) -> JsonObject:
    return entry("message", entry_id, parent, minute, message={"role": "user", "content": text})


def assistant(entry_id: str, parent: str | None, text: str, minute: int = 1) -> JsonObject:
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "provider": "example",
        "model": "example-1",
        "usage": {"input": 900, "output": 40, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 940},
        "stopReason": "stop",
    }
    return entry("message", entry_id, parent, minute, message=message)


def tool_result(
    entry_id: str, parent: str | None, text: str, minute: int = 1, *, tool: str = "bash"
) -> JsonObject:
    message = {
        "role": "toolResult",
        "toolCallId": f"call_{entry_id}",
        "toolName": tool,
        "content": [{"type": "text", "text": text}],
        "isError": False,
    }
    return entry("message", entry_id, parent, minute, message=message)


def compaction(entry_id: str, parent: str, kept_from: str, minute: int = 1) -> JsonObject:
    return entry(
        "compaction",
        entry_id,
        parent,
        minute,
        summary="Earlier talk was shortened.",
        firstKeptEntryId=kept_from,
        tokensBefore=61_000,
    )


def compacted(parent: str, minute: int = 50, *, series: int = 0) -> list[JsonObject]:
    """Return a kept turn, a compaction that removes all before it, and the request that follows.

    Their ids are ``b0000001``, ``b0000002``, ``c0000001`` and ``d0000001``; the second digit is ``series``.
    """
    kept, reply, summary, request = (
        f"{letter}{series}00000{nth}" for letter, nth in ("b1", "b2", "c1", "d1")
    )
    return [
        user(kept, parent, "Let us pick a day for the picnic.", minute),
        assistant(reply, kept, "Thursday looks dry.", minute + 1),
        compaction(summary, reply, kept, minute + 2),
        user(request, summary, "Thursday it is.", minute + 3),
    ]


def encode(value: object) -> bytes:
    """Write one line as Pi does: compact JSON in UTF-8 and a line feed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def write_log(path: Path, lines: Iterable[JsonObject]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(encode(line) for line in lines))
    return path


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON of a retrieval."""

    values: JsonObject

    @property
    def status(self) -> str:
        return str(self.values["status"])

    @property
    def hits(self) -> list[JsonObject]:
        return list(self.values["hits"])

    @property
    def ids(self) -> list[str]:
        """Entry ids, best first."""
        return [hit["entry_id"] for hit in self.hits]

    @property
    def literal_ids(self) -> set[str]:
        """Ids of the hits that hold an identifier or a phrase of the request as it stands."""
        return {
            hit["entry_id"] for hit in self.hits if hit["tier"] in ("literal-identifier", "literal-phrase")
        }

    def hit(self, entry_id: str) -> JsonObject:
        return next(hit for hit in self.hits if hit["entry_id"] == entry_id)

    def excerpt(self, entry_id: str) -> str:
        return str(self.hit(entry_id)["excerpt"])


@dataclass(frozen=True, slots=True)
class IndexedLogs:
    """A folder of logs, a store that was brought up to date with it, and the last run's report."""

    root: Path
    store: Path
    report: JsonObject

    def retrieve(
        self, request: str, *, leaf: str | None = None, log: str = "s.jsonl", max_results: int = 12
    ) -> Answer:
        with uncompact.open_store(self.store) as store:
            answer = store.retrieve(self.root / log, request, leaf=leaf, max_results=max_results)
        return Answer(answer.to_dict())

    def entries(self, *, leaf: str | None = None, log: str = "s.jsonl") -> dict[str, JsonObject]:
        """Return what ``show`` says of each entry, by id; fails when an id is there twice."""
        listed = self.entry_list(leaf=leaf, log=log)
        by_id = {one["entry_id"]: one for one in listed}
        assert len(by_id) == len(listed)
        return by_id

    def entry_list(self, *, leaf: str | None = None, log: str = "s.jsonl") -> list[JsonObject]:
        with uncompact.open_store(self.store) as store:
            return list(store.show(self.root / log, leaf=leaf)["entries"])

    def sessions(self) -> list[JsonObject]:
        with uncompact.open_store(self.store) as store:
            return store.sessions()

    def again(self) -> IndexedLogs:
        """Run the index once more on the same folder and store."""
        return index(self.root, self.store)


OpenCase = Callable[[str], IndexedLogs]


def index(root: Path, store: Path) -> IndexedLogs:
    return IndexedLogs(root, store, uncompact.reindex([root], store=store).to_dict())


def index_case(name: str, folder: Path) -> IndexedLogs:
    """Copy a case's logs below ``folder`` and index the copy."""
    shutil.copytree(CASES / name, folder / "logs")
    return index(folder / "logs", folder / "store")


def index_lines(lines: Iterable[JsonObject], folder: Path) -> IndexedLogs:
    """Index one log made of ``lines``."""
    write_log(folder / "logs" / "s.jsonl", lines)
    return index(folder / "logs", folder / "store")
