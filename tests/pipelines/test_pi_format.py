"""Pi's lines as types: odd shapes lose a field, never the line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.sources.pi_format import Block, LineLink, SessionLine, decode_line, decode_link, fit

JsonObject = dict[str, Any]

scalars = st.none() | st.booleans() | st.integers() | st.text() | st.floats()
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "id", "content", "usage", "cost", "x"]), inner)
    ),
    max_leaves=8,
)
FIELDS = ["type", "id", "parentId", "timestamp", "message", "content", "usage", "version", "replacement", "x"]
odd_lines = st.dictionaries(st.sampled_from(FIELDS), anything).map(lambda line: json.dumps(line).encode())
cut_lines = st.tuples(odd_lines, st.integers(0, 200)).map(lambda drawn: drawn[0][: drawn[1]])
literals = st.sampled_from(
    [b"1e999", b"9" * 400, b"9" * 5000, b'"\\ud800"', b'"\xff"', b"01", b"NaN", b"[" * 2000]
)
spliced = st.tuples(st.sampled_from(FIELDS), literals).map(
    lambda drawn: b'{"type":"message","id":"a","%s":%s}' % (drawn[0].encode(), drawn[1])
)
any_line = odd_lines | cut_lines | spliced | st.binary()


def line(**fields: Any) -> SessionLine:
    value = decode_line(json.dumps(fields).encode())
    assert isinstance(value, SessionLine)
    return value


def content(value: object) -> object:
    decoded = line(type="message", message={"role": "user", "content": value}).message
    assert decoded is not None
    return decoded.content


def linked(raw: bytes, decode: Callable[[bytes], object]) -> object:
    """Return what a line says of its place in the tree, or why it says nothing."""
    try:
        value = decode(raw)
    except ValueError:
        return "not JSON"
    if isinstance(value, (LineLink, SessionLine)):
        return value.type, value.id, value.parent_id
    return repr(value)


@given(raw=any_line)
def test_any_bytes_decode_or_raise_value_error(raw: bytes) -> None:
    with contextlib.suppress(ValueError):
        decode_line(raw)


@given(raw=any_line)
def test_a_link_decodes_exactly_as_its_line_does(raw: bytes) -> None:
    assert linked(raw, decode_link) == linked(raw, decode_line)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("text", "text", id="string"),
        pytest.param(None, None, id="null"),
        pytest.param(5, None, id="number"),
        pytest.param([], [], id="empty list"),
        pytest.param([{"type": "text", "text": "a"}], [Block(type="text", text="a")], id="blocks"),
        pytest.param({"type": "text", "text": "a"}, [Block(type="text", text="a")], id="one block, no list"),
        pytest.param(
            ["a", 5, None, {"type": "text", "text": "b"}],
            [Block(type="text", text="a"), Block(type="text", text="b")],
            id="mixed list",
        ),
        pytest.param([{"type": "text", "text": 7}], [Block(type="text")], id="text that is a number"),
    ],
)
def test_content_of_any_shape_keeps_what_can_be_read(value: object, expected: object) -> None:
    assert content(value) == expected


def test_missing_content_is_none() -> None:
    decoded = line(type="message", message={"role": "user"}).message

    assert decoded is not None
    assert decoded.content is None


def test_a_field_of_another_type_is_left_out_and_the_rest_stays() -> None:
    value = line(type="message", id=7, parentId="p", timestamp=[], message={"role": "user", "content": "hi"})

    assert (value.type, value.id, value.parent_id, value.timestamp) == ("message", None, "p", None)
    assert value.message is not None
    assert value.message.content == "hi"


def test_a_wrong_field_deep_inside_costs_only_itself() -> None:
    usage = {"input": 5, "output": "many", "cost": {"total": "free"}}
    value = line(type="message", message={"role": "assistant", "usage": usage})

    assert value.message is not None
    assert value.message.usage is not None
    assert (value.message.usage.input, value.message.usage.output) == (5, None)


def test_null_as_replacement_is_not_the_same_as_none_stated() -> None:
    emptied, silent = line(type="context_edit", replacement=None), line(type="context_edit")

    assert emptied.replacement is None
    assert silent.replacement is not None


@pytest.mark.parametrize(
    ("raw", "value"),
    [(b"[]", []), (b"7", 7), (b"null", None), (b'"x"', "x"), (b"true", True)],
    ids=["list", "number", "null", "text", "truth value"],
)
def test_a_value_that_is_no_object_comes_back_as_it_is(raw: bytes, value: object) -> None:
    assert decode_line(raw) == value
    assert decode_link(raw) == value


def test_arguments_nested_5000_deep_keep_their_line() -> None:
    raw = (
        b'{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"toolCall","name":"t",'
        b'"arguments":{"path":"x.py","deep":' + b"[" * 5000 + b"]" * 5000 + b"}}]}}"
    )

    value = decode_line(raw)

    assert isinstance(value, SessionLine)
    assert value.message is not None
    assert isinstance(value.message.content, list)
    assert value.message.content[0].arguments["path"] == "x.py"


def test_the_last_of_repeated_keys_counts() -> None:
    value = decode_line(b'{"type":"message","id":"a","id":"b"}')

    assert isinstance(value, SessionLine)
    assert value.id == "b"


def test_an_object_is_fitted_by_the_names_in_the_log() -> None:
    assert fit({"type": "x", "parentId": "p", "parent_id": "q"}, LineLink) == LineLink("x", None, "p")
