"""What happened to a log is told from its stamps, or from samples of its bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from uncompact.pipelines.change_detection import SourceState, detect_change, sample_digest
from uncompact.pipelines.sources import find_file

LARGE = 1 << 20


def state_of(path: Path, *, unterminated: int = 0) -> SourceState:
    """Return what a reading of the file leaves; it may end in bytes of a line without end."""
    found = find_file(path)
    # The clock of a file system ticks in milliseconds: a change within one tick leaves no trace.
    probe = path.with_name("probe")
    while not probe.exists() or probe.stat().st_ctime_ns <= found.ctime_ns:
        probe.write_bytes(b"")
    consumed = found.size - unterminated
    return SourceState(
        found.size, found.mtime_ns, found.ctime_ns, found.inode, consumed, sample_digest(path, consumed)
    )


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.fixture(params=[100, 127 * 1024, LARGE], ids=["small", "just sampled", "large"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    size: int = request.param
    path = tmp_path / "s.jsonl"
    path.write_bytes(bytes(ord("a") + at % 23 for at in range(size)))
    return path


def test_nothing_is_read_of_a_file_with_equal_stamps(path: Path) -> None:
    state, found = state_of(path), find_file(path)
    path.unlink()

    assert detect_change(state, found) == "unchanged"


@pytest.mark.parametrize("unterminated", [0, 10], ids=["whole lines", "unterminated line"])
def test_more_bytes_at_the_end_are_an_append(path: Path, unterminated: int) -> None:
    state = state_of(path, unterminated=unterminated)
    overwrite(path, path.stat().st_size, b"more")

    assert detect_change(state, find_file(path)) == "appended"


def test_an_unterminated_line_may_become_another(path: Path) -> None:
    state = state_of(path, unterminated=10)
    overwrite(path, path.stat().st_size - 10, b"other text\n")

    assert detect_change(state, find_file(path)) == "appended"


@pytest.mark.parametrize("grown", [b"", b"more"], ids=["equal size", "grown"])
@pytest.mark.parametrize("at", [0, 99, -1, -99], ids=["first byte", "head", "last byte", "tail"])
def test_other_bytes_at_either_end_are_a_rewrite(path: Path, at: int, grown: bytes) -> None:
    state = state_of(path)
    size = path.stat().st_size
    overwrite(path, at % size, b"#")
    overwrite(path, size, grown)

    assert detect_change(state, find_file(path)) == "rewritten"


def test_a_rewrite_of_a_block_is_seen_in_the_middle_too(path: Path) -> None:
    state = state_of(path)
    size = path.stat().st_size
    overwrite(path, 4096 % size, b"#" * (size // 2))
    os.truncate(path, size)

    assert detect_change(state, find_file(path)) == "rewritten"


@pytest.mark.parametrize("left", [0, 50, -1], ids=["emptied", "first bytes", "last byte gone"])
def test_fewer_bytes_are_a_rewrite(path: Path, left: int) -> None:
    state = state_of(path)
    os.truncate(path, left % (path.stat().st_size))

    assert detect_change(state, find_file(path)) == "rewritten"


def test_a_modification_time_that_was_put_back_hides_nothing(path: Path) -> None:
    state = state_of(path)
    overwrite(path, 0, b"#")
    os.utime(path, ns=(state.mtime_ns, state.mtime_ns))

    assert find_file(path).mtime_ns == state.mtime_ns
    assert detect_change(state, find_file(path)) == "rewritten"


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def change_mode(path: Path) -> None:
    path.chmod(0o600)
    path.chmod(0o640)


def replace_by_copy(path: Path) -> None:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


@pytest.mark.parametrize("change", [touch, change_mode, replace_by_copy])
def test_equal_bytes_under_other_stamps_are_touched(path: Path, change: Callable[[Path], None]) -> None:
    state = state_of(path)
    change(path)

    assert detect_change(state, find_file(path)) == "touched"


def test_samples_are_of_the_consumed_bytes_alone(path: Path) -> None:
    consumed = path.stat().st_size - 20
    before = sample_digest(path, consumed)
    overwrite(path, consumed, b"#" * 20)

    assert sample_digest(path, consumed) == before
    assert sample_digest(path, consumed + 1) != before


def test_an_unreadable_file_is_an_error(path: Path) -> None:
    state = state_of(path)
    overwrite(path, path.stat().st_size, b"more")
    found = find_file(path)
    path.unlink()

    with pytest.raises(FileNotFoundError):
        detect_change(state, found)
