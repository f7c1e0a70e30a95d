"""Pi's logs to records: versions 1 to 3, and everything that hangs on an entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.builders import compaction, encode, entry, header, tool_result, user
from tests.pipelines.pi_logs import MESSAGE, JsonObject, entries, recognised, records
from uncompact.pipelines.sources.pi import PiSource
from uncompact.pipelines.sources.records import Compaction, ContextEdit, Header, ToolCall, Usage


def turn(**fields: Any) -> JsonObject:
    return entry("message", "a", None, message={"role": "assistant", "content": [], **fields})


def test_a_header_says_who_a_log_is(tmp_path: Path) -> None:
    first = {
        **header("s-1", "/srv/x"),
        "parentSession": "/old.jsonl",
        "timestamp": "2026-05-28T20:26:40.000Z",
    }

    assert recognised(tmp_path, first) == Header("s-1", "/srv/x", "3", "/old.jsonl", 1_780_000_000_000_000)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(b"\n \n\r\n", id="blank lines"),
        pytest.param(b"not json\n{\n", id="torn lines"),
        pytest.param(b'null\n0\n""\nfalse\n', id="values JavaScript takes for false"),
        pytest.param(b"\xef\xbb\xbf", id="byte order mark"),
    ],
)
def test_what_pi_passes_over_may_stand_before_the_header(tmp_path: Path, before: bytes) -> None:
    assert recognised(tmp_path, before, header("s-1")) is not None


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(b"", id="empty file"),
        pytest.param(b'{"type":"message","id":"a"}\n', id="an entry"),
        pytest.param(b'{"type":"session"}\n', id="no id"),
        pytest.param(b'{"type":"session","id":5}\n', id="id that is no text"),
        pytest.param(b"[]\n", id="a list"),
        pytest.param(b"7\n", id="a number"),
        pytest.param(b"not json\n" * 300, id="only torn lines"),
        pytest.param(b"x" * (1 << 20) + b"\n", id="a first line too long to be a header"),
    ],
)
def test_a_file_that_does_not_begin_with_a_header_is_not_ours(tmp_path: Path, first: bytes) -> None:
    assert recognised(tmp_path, first, header("s-1")) is None or first == b""


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        pytest.param({}, "home/.pi/agent/sessions", id="home"),
        pytest.param({"PI_CODING_AGENT_DIR": "agent"}, "agent/sessions", id="agent folder"),
        pytest.param(
            {"PI_CODING_AGENT_DIR": "agent", "PI_CODING_AGENT_SESSION_DIR": "flat"}, "flat", id="session folder"
        ),
    ],
)  # fmt: skip
def test_the_environment_names_the_session_folder(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], root: str
) -> None:
    monkeypatch.setenv("HOME", "home")
    for name in ("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in variables.items():
        monkeypatch.setenv(name, folder)

    assert PiSource().default_roots() == [Path(root)]


def test_an_entry_leads_back_to_its_line(tmp_path: Path) -> None:
    (found,) = entries(tmp_path, b"\n", user("a", None, "hello"))

    raw = (tmp_path / "s.jsonl").read_bytes()[found.byte_start : found.byte_end]
    assert (raw, found.line, found.pos) == (encode(user("a", None, "hello")), 3, 0)


def test_version_1_gets_ids_by_position_and_one_chain(tmp_path: Path) -> None:
    found = entries(tmp_path, MESSAGE, b"torn\n", b"null\n", b"[]\n", MESSAGE, version=1)

    assert [(one.entry_id, one.parent_id) for one in found] == [("v1:1", None), ("v1:3", "v1:1")]


def test_version_1_states_what_a_compaction_keeps_as_an_index(tmp_path: Path) -> None:
    shortened = {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 2}

    found = records(tmp_path, MESSAGE, MESSAGE, shortened, version=None)

    assert [one.kept_from for one in found if isinstance(one, Compaction)] == ["v1:2"]


def test_version_2_calls_a_custom_message_by_its_old_name(tmp_path: Path) -> None:
    hook = entry("message", "a", None, message={"role": "hookMessage", "content": "note", "customType": "x"})

    (found,) = entries(tmp_path, hook, version=2)

    assert (found.role, found.origin, found.text) == ("custom", "injected", "note")


def test_an_entry_without_id_is_named_by_its_line(tmp_path: Path) -> None:
    (found,) = entries(tmp_path, MESSAGE)

    assert found.entry_id == "#2"


def test_an_empty_parent_is_none(tmp_path: Path) -> None:
    (found,) = entries(tmp_path, {**user("a", None, "x"), "parentId": ""})

    assert (found.raw_parent_id, found.parent_id) == ("", None)


def test_tool_calls_are_told_apart_by_their_order(tmp_path: Path) -> None:
    calls = [
        {"type": "toolCall", "id": f"c{at}", "name": "read", "arguments": {"path": f"{at}.py"}}
        for at in range(2)
    ]
    found = records(tmp_path, turn(content=[calls[0], {"type": "text", "text": "and"}, calls[1]]))

    assert [(one.ordinal, one.call_id, one.path) for one in found if isinstance(one, ToolCall)] == [
        (0, "c0", "0.py"),
        (1, "c1", "1.py"),
    ]


def test_usage_is_bounded_and_whole(tmp_path: Path) -> None:
    usage = {"input": -5, "output": 1e300, "cacheRead": 7.9, "cost": {"total": 0.25}}

    (found,) = [one for one in records(tmp_path, turn(usage=usage, model="m")) if isinstance(one, Usage)]

    assert (found.input_tokens, found.output_tokens, found.cache_read_tokens) == (0, 1 << 53, 7)
    assert (found.cache_write_tokens, found.cost_usd, found.kind, found.model) == (0, 0.25, "turn", "m")


@pytest.mark.parametrize(
    ("line", "never_sent", "is_error"),
    [
        pytest.param(user("a", None, "x"), False, False, id="user"),
        pytest.param(turn(stopReason="stop"), False, False, id="finished turn"),
        pytest.param(turn(stopReason="aborted"), True, False, id="aborted turn"),
        pytest.param(turn(stopReason="error"), True, True, id="failed turn"),
        pytest.param(tool_result("a", None, "x"), False, False, id="tool result"),
        pytest.param(
            entry("message", "a", None, message={"role": "toolResult", "isError": True}), False, True, id="failed tool"
        ),
        pytest.param(
            entry("message", "a", None, message={"role": "bashExecution", "exitCode": 1}), False, True, id="failed shell run"
        ),
        pytest.param(
            entry("message", "a", None, message={"role": "bashExecution", "excludeFromContext": True}),
            True, False, id="shell run kept from the model",
        ),
    ],
)  # fmt: skip
def test_what_the_model_never_saw_is_marked(
    tmp_path: Path, line: JsonObject, never_sent: bool, is_error: bool
) -> None:
    (found,) = entries(tmp_path, line)

    assert (found.never_sent, found.is_error) == (never_sent, is_error)


def test_images_are_counted(tmp_path: Path) -> None:
    blocks = [{"type": "image", "data": "QUJD"}, {"type": "text", "text": "two"}, {"type": "image"}]

    (found,) = entries(tmp_path, entry("custom_message", "a", None, content=blocks))

    assert (found.images, found.text) == (2, "two")


def test_an_edit_without_replacement_is_no_edit(tmp_path: Path) -> None:
    lines = [
        entry("context_edit", "e", None, targetId="a", replacement=None),
        entry("context_edit", "f", "e", targetId="a", replacement={"content": "x"}),
        entry("context_edit", "g", "f", targetId="a"),
    ]
    found = records(tmp_path, *lines)

    assert [(one.entry_id, one.removes) for one in found if isinstance(one, ContextEdit)] == [
        ("e", True),
        ("f", False),
    ]


def test_a_compaction_states_what_it_keeps(tmp_path: Path) -> None:
    found = records(tmp_path, user("a", None, "x"), compaction("k", "a", "a"))

    (one,) = [record for record in found if isinstance(record, Compaction)]
    assert (one.kept_from, one.tokens_before, one.summary_chars) == ("a", 61_000, 27)
