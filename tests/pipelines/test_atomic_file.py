"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from uncompact.pipelines.atomic_file import replace_file


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    replace_file(path, b"one", mode=0o600)
    replace_file(path, b"two", mode=0o600)

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o600)
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "report.json")
    replace_file(tmp_path / "link", b"one")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "report.json").read_bytes() == b"one"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()

    replace_file(pipe, b"one")
    reader.join()
    assert (read, pipe.is_fifo()) == ([b"one"], True)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, b"one")
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "none" / "report.json", b"one")

    assert os.listdir(tmp_path) == []
