"""Damaged JSON lines: what JavaScript reads is read, what is torn is cut out, and nothing raises but ValueError."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.pipelines.json_lines import JsonObject, decode_repaired, mend_halves, recover_objects

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def nested(depth: int) -> bytes:
    return b'{"type":"x","deep":' + b"[" * depth + b"1" + b"]" * depth + b',"half":"\\ud800"}'


def recovered(raw: bytes) -> list[JsonObject]:
    return list(recover_objects(raw))


def called_from(depth: int, call: Callable[[], Any]) -> Any:
    """Call with so many more calls on the stack."""
    return call() if depth == 0 else called_from(depth - 1, call)


@given(value=json_values)
def test_whole_json_is_decoded_as_it_is(value: Any) -> None:
    assert decode_repaired(json.dumps(value, ensure_ascii=False).encode()) == value


@given(raw=st.binary() | json_values.map(lambda value: json.dumps(value).encode()[:-1]))
def test_any_bytes_decode_or_raise_value_error(raw: bytes) -> None:
    with contextlib.suppress(ValueError):
        decode_repaired(raw)
    assert all(isinstance(found, dict) for found in recover_objects(raw))


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        pytest.param(rb'"a\ud83d"', "a\ufffd", id="first half of a pair"),
        pytest.param(rb'"\ude00a"', "\ufffda", id="second half of a pair"),
        pytest.param(rb'"\ude00\ud83d"', "\ufffd\ufffd", id="halves in the wrong order"),
        pytest.param(rb'"\ud83d\ude00"', "😀", id="whole pair"),
        pytest.param(rb'{"\ud83d":1}', {"\ufffd": 1}, id="half of a pair in a key"),
        pytest.param(b'"caf\xe9"', "caf\ufffd", id="latin-1 bytes"),
        pytest.param(b'"\xf0\x9f\x98"', "\ufffd", id="cut UTF-8 sequence"),
        pytest.param(rb'"a\u0000b"', "a\0b", id="escaped NUL"),
    ],
)
def test_broken_characters_become_replacement_characters(raw: bytes, value: object) -> None:
    assert decode_repaired(raw) == value


@given(
    text=st.lists(st.sampled_from(["a", "\\", '"', "\n", "ud83d", "\ud83d", "\ude00", "😀", "\ue000"])).map(
        "".join
    ),
    upper=st.booleans(),
)
def test_halves_are_mended_as_they_are_repaired(text: str, upper: bool) -> None:
    raw = json.dumps({"k": text}).encode()
    raw = raw.replace(b"\\ud", b"\\uD") if upper else raw

    mended = mend_halves(raw)

    assert msgspec.json.decode(raw if mended is None else mended) == decode_repaired(raw)


@pytest.mark.parametrize(
    "raw",
    [b'"plain"', rb'"caf\u00e9"', rb'"\n\\"', rb'"\ue000"'],
    ids=["no escape", "a letter", "others", "private use"],
)
def test_without_halves_there_is_nothing_to_mend(raw: bytes) -> None:
    assert mend_halves(raw) is None


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(b"1e999", id="beyond a double"),
        pytest.param(b"-1e999", id="beyond a double, negative"),
        pytest.param(b"9" * 400, id="400 digits"),
        pytest.param(b"9" * 5000, id="5,000 digits"),
    ],
)
def test_numbers_that_no_double_holds_become_null(number: bytes) -> None:
    assert decode_repaired(b'{"id":"a","n":' + number + b"}") == {"id": "a", "n": None}


@pytest.mark.parametrize("name", [b"NaN", b"Infinity", b"-Infinity"])
def test_words_that_are_not_json_are_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="is not JSON"):
        decode_repaired(b'{"n":' + name + b"}")


@pytest.mark.parametrize("depth", [5_000, 100_000])
def test_what_is_nested_too_deep_becomes_null(depth: int) -> None:
    value: Any = decode_repaired(nested(depth))

    assert (value["type"], value["half"]) == ("x", "\ufffd")
    levels = 0
    while isinstance(value := value["deep"] if levels == 0 else value[0], list):
        levels += 1
    assert (levels, value) == (99, None)


def test_braces_inside_strings_are_no_nesting() -> None:
    raw = b'{"text":"' + b"[{" * 50 + b'\\"","deep":' + b"[" * 5000 + b"]" * 5000 + b',"last":7}'

    value: Any = decode_repaired(raw)

    assert (value["text"], value["last"]) == ("[{" * 50 + '"', 7)


def test_brackets_that_do_not_close_are_refused() -> None:
    with pytest.raises(ValueError, match="brackets do not close"):
        decode_repaired(b"[" * 5000)


@pytest.mark.parametrize("stack", [0, 300])
def test_no_depth_of_nesting_ends_in_a_recursion_error(stack: int) -> None:
    for depth in range(940 - stack, 1010 - stack):
        value = called_from(stack, partial(decode_repaired, nested(depth)))
        found = called_from(stack, partial(recovered, b"x" + nested(depth)))

        assert value["half"] == "\ufffd"
        assert len(found) <= 1


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        pytest.param(b'{"type":"a"}{"type":"b"}', [{"type": "a"}, {"type": "b"}], id="two whole objects"),
        pytest.param(b'{"type":"a","x":{"ty{"type":"b"}', [{"type": "b"}], id="torn, then whole"),
        pytest.param(b'{"type":"a"}{"type":"b","x', [{"type": "a"}], id="whole, then torn"),
        pytest.param(b'\0\0\0{"type":"a"}', [{"type": "a"}], id="behind a gap of zeros"),
        pytest.param(b'{"id":"a"}{"id":"b"}', [], id="no type"),
        pytest.param(rb'x{"type":"a","t":"\ud800"}', [{"type": "a", "t": "\ufffd"}], id="half of a pair"),
    ],
)
def test_whole_objects_are_cut_out_of_welded_lines(raw: bytes, found: list[object]) -> None:
    assert list(recover_objects(raw)) == found


def test_an_object_inside_a_recovered_one_is_not_found_again() -> None:
    raw = b'x{"type":"a","inner":{"type":"b"}}'

    assert list(recover_objects(raw)) == [{"type": "a", "inner": {"type": "b"}}]
