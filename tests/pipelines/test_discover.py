"""Folders to files: any depth, each real file once, and nothing that could block or loop."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from uncompact.pipelines.sources import find_file, find_files, recognise


def make(path: Path, text: str = "{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def find(root: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """Return what is found and what is reported, relative to the root."""
    reported: list[tuple[str, str]] = []

    def report(path: Path, reason: str) -> None:
        reported.append((os.path.relpath(path, root), reason))

    return [os.path.relpath(found.path, root) for found in find_files([root], report)], reported


def make_all(root: Path, names: Sequence[str]) -> None:
    for name in names:
        make(root / name)


def test_logs_are_found_at_any_depth_in_path_order(tmp_path: Path) -> None:
    make_all(tmp_path, ["b.jsonl", "a/z.jsonl", "a/b/c/d/e.jsonl", "c/a.jsonl"])

    assert find(tmp_path) == (["a/b/c/d/e.jsonl", "a/z.jsonl", "b.jsonl", "c/a.jsonl"], [])


def test_only_the_suffix_counts_below_a_root(tmp_path: Path) -> None:
    make_all(tmp_path, ["a.jsonl", "a.jsonl.bak", "b.json", ".hidden.jsonl", "jsonl"])

    assert find(tmp_path) == ([".hidden.jsonl", "a.jsonl"], [])


def test_a_root_that_is_a_file_is_taken_under_any_name(tmp_path: Path) -> None:
    assert find(make(tmp_path / "export.txt")) == (["."], [])


def test_a_folder_named_like_a_log_is_a_folder(tmp_path: Path) -> None:
    make(tmp_path / "x.jsonl" / "y.jsonl")

    assert find(tmp_path) == (["x.jsonl/y.jsonl"], [])


def test_a_missing_root_is_reported(tmp_path: Path) -> None:
    assert find(tmp_path / "gone") == ([], [(".", "No such file or directory")])


def test_folders_that_link_in_a_circle_are_walked_once(tmp_path: Path) -> None:
    make(tmp_path / "a" / "b" / "s.jsonl")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path, target_is_directory=True)

    assert find(tmp_path) == (["a/b/s.jsonl"], [])


def test_links_that_name_each_other_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "b.jsonl")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "a.jsonl")

    found, reported = find(tmp_path)

    assert found == []
    assert [name for name, _ in reported] == ["a.jsonl", "b.jsonl"]


def test_a_file_goes_by_its_own_name_and_not_by_a_links(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(make(tmp_path / "z.jsonl"))

    assert find(tmp_path) == (["z.jsonl"], [])


def test_a_file_with_two_names_is_found_once(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").hardlink_to(make(tmp_path / "a.jsonl"))

    assert find(tmp_path) == (["a.jsonl"], [])


def test_links_out_of_the_root_are_followed(tmp_path: Path) -> None:
    make(tmp_path / "outside" / "s.jsonl")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "outside", target_is_directory=True)

    assert find(tmp_path / "root") == (["link/s.jsonl"], [])


def test_a_link_to_nowhere_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to(tmp_path / "gone")

    assert find(tmp_path) == ([], [("a.jsonl", "No such file or directory")])


@pytest.mark.usefixtures("time_limit")
def test_a_pipe_is_reported_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")

    assert find(tmp_path) == ([], [("pipe.jsonl", "not a regular file")])


@pytest.mark.usefixtures("time_limit")
def test_a_root_that_is_a_pipe_is_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert find(tmp_path / "pipe") == ([], [(".", "not a regular file")])


@pytest.mark.usefixtures("time_limit")
def test_a_socket_and_a_device_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    (tmp_path / "null.jsonl").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.jsonl")

        assert find(tmp_path) == (
            [],
            [("socket.jsonl", "not a regular file"), ("null.jsonl", "not a regular file")],
        )


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_folder_that_may_not_be_read_is_reported(tmp_path: Path) -> None:
    make(tmp_path / "a.jsonl")
    (tmp_path / "locked").mkdir(mode=0o000)

    assert find(tmp_path) == (["a.jsonl"], [("locked", "Permission denied")])


def test_a_name_that_is_no_utf8_is_found(tmp_path: Path) -> None:
    make(tmp_path / os.fsdecode(b"caf\xe9.jsonl"))

    assert find(tmp_path) == ([os.fsdecode(b"caf\xe9.jsonl")], [])


def test_one_file_is_looked_at_without_being_read(tmp_path: Path) -> None:
    path = make(tmp_path / "a.jsonl", "12345")

    found = find_file(path)

    assert (found.path, found.size, found.mtime_ns) == (path, 5, path.stat().st_mtime_ns)


def test_a_file_no_adapter_knows_is_recognised_by_none(tmp_path: Path) -> None:
    assert recognise(find_file(make(tmp_path / "a.jsonl", '{"type":"note"}\n'))) is None
