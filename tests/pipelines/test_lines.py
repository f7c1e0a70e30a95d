"""Bytes to lines: split on 0x0A and nothing else, with byte ranges that lead back to the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uncompact.pipelines.lines import read_lines

MEBIBYTE = 1 << 20

some_bytes = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"\x00", b"\xff", b"\xe2\x80\xa8"])).map(
    b"".join
)


def write(folder: Path, data: bytes) -> Path:
    path = folder / "log.jsonl"
    path.write_bytes(data)
    return path


def expected_lines(data: bytes) -> list[bytes]:
    *ended, rest = data.split(b"\n")
    return [*ended, rest] if rest else ended


@settings(max_examples=60)
@given(data=some_bytes, before_chunk_end=st.integers(0, 40))
def test_any_bytes_split_as_bytes_split_does_across_chunks(
    tmp_path: Path, data: bytes, before_chunk_end: int
) -> None:
    whole = b"x" * (MEBIBYTE - before_chunk_end) + data

    lines = list(read_lines(write(tmp_path, whole)))

    assert [line.raw for line in lines] == expected_lines(whole)


@given(data=some_bytes)
def test_ranges_cover_the_file_without_gaps(tmp_path: Path, data: bytes) -> None:
    lines = list(read_lines(write(tmp_path, data)))

    pieces = [data[line.start : line.end] for line in lines]
    assert b"".join(pieces) == data
    assert [line.raw + b"\n" * line.complete for line in lines] == pieces
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@given(data=some_bytes, at=st.integers(0, 30))
def test_reading_goes_on_where_an_earlier_reading_stopped(tmp_path: Path, data: bytes, at: int) -> None:
    path = write(tmp_path, data)
    lines = list(read_lines(path))
    later = lines[at:]

    resumed = list(read_lines(path, start=later[0].start, number=later[0].number)) if later else []

    assert resumed == later


def test_a_last_line_without_line_feed_is_not_complete(tmp_path: Path) -> None:
    lines = list(read_lines(write(tmp_path, b"one\ntwo")))

    assert [(line.raw, line.complete) for line in lines] == [(b"one", True), (b"two", False)]


def test_nothing_behind_the_end_is_read(tmp_path: Path) -> None:
    lines = list(read_lines(write(tmp_path, b"one\ntwo\nthree\n"), end=6))

    assert [(line.raw, line.complete) for line in lines] == [(b"one", True), (b"tw", False)]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert list(read_lines(write(tmp_path, b""))) == []


def test_only_a_byte_order_mark_at_the_beginning_is_skipped(tmp_path: Path) -> None:
    lines = list(read_lines(write(tmp_path, b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n")))

    assert [line.raw for line in lines] == [b"one", b"\xef\xbb\xbftwo"]
    assert (lines[0].start, lines[0].end) == (0, 7)


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param("\r", id="carriage return"),
        pytest.param("\x0b", id="vertical tab"),
        pytest.param("\x0c", id="form feed"),
        pytest.param("\x85", id="U+0085"),
        pytest.param("\u2028", id="U+2028"),
        pytest.param("\u2029", id="U+2029"),
    ],
)
def test_other_line_marks_do_not_split(tmp_path: Path, mark: str) -> None:
    data = f"a{mark}b".encode()

    assert [line.raw for line in read_lines(write(tmp_path, data + b"\n"))] == [data]


def test_a_missing_file_raises_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_lines(tmp_path / "gone.jsonl"))
