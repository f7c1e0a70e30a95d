"""Sessions of which a compaction removed everything that was said, and what a request brings back of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uncompact
from tests.cases.builders import (
    Answer,
    IndexedLogs,
    JsonObject,
    assistant,
    compacted,
    entry,
    header,
    index_lines,
    tool_result,
    user,
)
from uncompact.query.settings import RankingName, RetrievalSettings

RANKINGS: tuple[RankingName, ...] = ("seed", "relevance")


def tool_call(entry_id: str, arguments: JsonObject, *, tool: str = "write", minute: int = 1) -> JsonObject:
    """Return an entry that calls a tool."""
    call = {"type": "toolCall", "id": f"call_{entry_id}", "name": tool, "arguments": arguments}
    return entry("message", entry_id, None, minute, message={"role": "assistant", "content": [call]})


def result_of(entry_id: str, call: JsonObject, text: str, *, minute: int = 1) -> JsonObject:
    """Return the result of a tool call."""
    made = call["message"]["content"][0]
    result = tool_result(entry_id, None, text, minute, tool=made["name"])
    result["message"]["toolCallId"] = made["id"]
    return result


def chain(*said: str | JsonObject) -> list[JsonObject]:
    """Return entries that follow each other; a text is a user's or an assistant's in turn, called ``e0``, ``e1``, ..."""
    entries: list[JsonObject] = []
    for at, one in enumerate(said):
        parent = entries[-1]["id"] if entries else None
        if isinstance(one, str):
            entries.append((user if at % 2 == 0 else assistant)(f"e{at}", parent, one, at))
        else:
            entries.append({**one, "parentId": parent})
    return entries


def session_lines(
    *said: str | JsonObject, session_id: str = "s-1", cwd: str = "/srv/harbour"
) -> list[JsonObject]:
    """Return a log in which a compaction removed all that was said."""
    entries = chain(*said)
    return [header(session_id, cwd), *entries, *compacted(entries[-1]["id"], len(entries) + 10)]


def remember(folder: Path, *said: str | JsonObject) -> IndexedLogs:
    """Index a session of which a compaction removed all that was said."""
    return index_lines(session_lines(*said), folder)


def ask(logs: IndexedLogs, request: str, *, ranking: RankingName = "seed", **limits: Any) -> Answer:
    """Retrieve from the log ``s.jsonl``."""
    with uncompact.open_store(logs.store) as store:
        return ask_store(store, logs, request, ranking=ranking, **limits)


def ask_store(
    store: uncompact.HistoryStore,
    logs: IndexedLogs,
    request: str,
    *,
    ranking: RankingName = "seed",
    **limits: Any,
) -> Answer:
    """Retrieve from the log ``s.jsonl`` of a store that is open."""
    settings = RetrievalSettings(ranking=ranking)
    return Answer(store.retrieve(logs.root / "s.jsonl", request, settings=settings, **limits).to_dict())


def terms(answer: Answer, kind: str) -> Sequence[str]:
    """Return what was looked for as a kind of term."""
    return [term["text"] for term in answer.values["descriptor"]["terms"] if term["kind"] == kind]
