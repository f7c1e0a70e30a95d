"""What each of an agent's messages is, what it costs, and which one is the request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.query.agent_messages import (
    Message,
    answer,
    calls,
    custom,
    evidence,
    result,
    shell,
    summary,
    system,
    user,
)
from uncompact.query.evidence import CLOSING, OPENING, is_evidence
from uncompact.query.messages import (
    MessageError,
    Request,
    find_request,
    measure_message,
    read_messages,
    request_of,
)

QUOTED = evidence("e1").message.content
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "hello"}

NOT_THE_USERS: dict[str, Message] = {
    "evidence": user(QUOTED),
    "evidence in a block": {"role": "user", "content": [{"type": "text", "text": QUOTED}]},
    "evidence with a line feed": user(f"{QUOTED}\n"),
    "an extension's": custom("note"),
    "an extension's, sent as the user's": {**user("note"), "customType": "note"},
    "an old extension's": {"role": "hookMessage", "customType": "note", "content": "note"},
    "a summary": summary("before"),
    "a branch's summary": summary("elsewhere", "branchSummary"),
    "a tool result": result("c1"),
    "a result in a user's message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]},
    "a shell run": shell("ok"),
    "an answer": answer("yes"),
    "a system message": system("be kind"),
}

THE_USERS: dict[str, tuple[Message, str]] = {
    "text": (user(" which pool? \n"), "which pool?"),
    "blocks": ({"role": "user", "content": [TEXT, IMAGE, {"type": "text", "text": "you"}]}, "hello\nyou"),
    "images alone": ({"role": "user", "content": [IMAGE]}, ""),
    "nothing": ({"role": "user", "content": []}, ""),
    "no content": ({"role": "user", "content": None}, ""),
    "evidence and a question": (user(f"{QUOTED}\nwhy?"), f"{QUOTED}\nwhy?"),
    "half of evidence": (user(QUOTED.removesuffix(CLOSING)), QUOTED.removesuffix(CLOSING).strip()),
    "the first line of evidence": (user(OPENING), OPENING),
}


@pytest.mark.parametrize("message", NOT_THE_USERS.values(), ids=NOT_THE_USERS)
def test_what_the_user_did_not_write_is_no_request(message: Message) -> None:
    assert find_request([message]) is None
    assert find_request([user("mine"), message, message]) == Request(0, "mine")


@pytest.mark.parametrize(("message", "text"), THE_USERS.values(), ids=THE_USERS)
def test_what_the_user_wrote_is_the_request(message: Message, text: str) -> None:
    assert find_request([user("before"), message, answer("well")]) == Request(1, text)


def test_what_is_no_message_is_no_request() -> None:
    damaged: list[Any] = [user("mine"), None, 7, "user", {}, {"role": None}, {"role": ["user"]}]

    assert find_request(damaged) == Request(0, "mine")


def test_views_name_the_same_request() -> None:
    messages = [user("a"), answer("b"), user("c"), calls("c1"), result("c1"), user(QUOTED), custom("n")]

    assert request_of(read_messages(messages)) == 2
    assert find_request(messages) == Request(2, "c")


def test_evidence_is_known_by_its_frame() -> None:
    assert is_evidence(QUOTED)
    assert not is_evidence(QUOTED.replace("\n", "\n\n", 1))
    assert not is_evidence("")


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (user("a"), "user"), (user(QUOTED), "evidence"), (custom("a"), "injected"), (answer("a"), "assistant"),
        (result("c1"), "result"), (shell("a"), "shell"), (summary("a"), "summary"), (system("a"), "system"),
        ({"role": "developer", "content": "a"}, "system"),
    ],
)  # fmt: skip
def test_a_message_has_a_kind(message: Message, kind: str) -> None:
    assert read_messages([message])[0].kind == kind


def test_calls_and_what_answers_them_are_read() -> None:
    call, done = read_messages([calls("c1", "c2", text="look"), result("c2")])

    assert (call.calls, call.answers, done.calls, done.answers) == (("c1", "c2"), None, (), "c2")


def test_ids_that_are_no_text_are_no_ids() -> None:
    block: Message = {"type": "toolCall", "id": 7, "name": "bash", "arguments": {}}
    call, done = read_messages(
        [{"role": "assistant", "content": [block, None, "x"]}, {"role": "toolResult", "content": "x"}]
    )

    assert (call.calls, done.answers) == ((), None)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (user("12345"), 8 + 2),
        (user("😀" * 4), 8 + 2),
        ({"role": "user", "content": [TEXT, IMAGE]}, 8 + 4 + 2 + 4 + 1024),
        ({"role": "user", "content": None}, 8),
        ({"role": "user", "content": 12345}, 8 + 2),
        ({"role": "user", "content": ["abc"]}, 8 + 4 + 2),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "12345678"}]}, 8 + 4 + 2),
        (calls("c1"), 8 + 4 + 1 + 4),
        (result("c1", "1234"), 8 + 1 + 4 + 1),
        (summary("12345678"), 8 + 2),
        (shell("12345678"), 8 + 1 + 2),
        (shell("12345678", excludeFromContext=True), 0),
        (user("\ud800" * 8), 8 + 2),
    ],
)
def test_tokens_are_a_quarter_of_the_characters_and_a_frame(message: Message, tokens: int) -> None:
    assert measure_message(message) == tokens


def test_arguments_cost_as_much_as_their_compact_json() -> None:
    arguments = {"path": "a/b.py", "lines": [1, 2], "text": "größer\n"}
    block = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": arguments}
    chars = len(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))

    assert measure_message({"role": "assistant", "content": [block]}) == 8 + 4 + 1 + -(-chars // 4)


def test_evidence_costs_what_it_says() -> None:
    item = evidence("e1", chars=333)

    assert measure_message(item.message.to_dict()) == item.message.tokens


def _nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (None, "not-a-message"), ("user", "not-a-message"), ({}, "not-a-message"),
        ({"role": 7}, "not-a-message"), ({"role": "narrator", "content": "secret"}, "unknown-role"),
        ({"role": "user", "content": [{"type": "other", "value": {1, 2}}]}, "not-json"),
        ({"role": "user", "content": [_nested(100_000)]}, "not-json"),
    ],
    ids=["none", "text", "empty", "role", "unknown", "set", "deep"],
)  # fmt: skip
def test_what_cannot_be_planned_is_named_by_its_place(message: Any, code: str) -> None:
    with pytest.raises(MessageError, match=r"^message 1 ") as caught:
        read_messages([user("a"), message])

    assert (caught.value.index, caught.value.code) == (1, code)
    assert "secret" not in str(caught.value)
