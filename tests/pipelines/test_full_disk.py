"""A store on a device without room: the message names it, what it held still answers, and the next run finishes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import uncompact
from tests.cases.builders import compaction, header, user, write_log
from uncompact.pipelines.reindex import reindex

ROOM_BYTES = 1 << 20


@pytest.fixture
def small_device(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of a megabyte; only the superuser may."""
    folder = tmp_path / "device"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM_BYTES}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system takes the superuser's rights")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_device_is_named_and_loses_nothing(logs: Path, small_device: Path) -> None:
    store = small_device / "store"
    write_log(logs / "small.jsonl", talk("small", 3, "the keel is oak"))
    reindex([logs], store)
    ballast = small_device / "ballast"
    write_log(logs / "large.jsonl", talk("large", 2000, os.urandom(400).hex()))
    ballast.write_bytes(b"x" * free_bytes(small_device))

    with pytest.raises(uncompact.StoreError, match=f"{store}: .*no space left") as failure:
        reindex([logs], store)

    assert "run again" in failure.value.hint
    with uncompact.open_store(store) as opened:
        assert opened.retrieve("small", "keel").hits[0].ranked.candidate.entry_id == "e0"
    ballast.unlink()
    (logs / "large.jsonl").unlink()
    write_log(logs / "next.jsonl", talk("next", 3, "the mast is ash"))
    assert reindex([logs], store).entries_total == 8
    with uncompact.open_store(store) as opened:
        assert opened.retrieve("next", "mast").hits


def talk(session: str, turns: int, said: str) -> list[dict[str, object]]:
    """Make a session whose first entries a compaction removed."""
    lines = [header(session)]
    lines += [
        user(
            f"e{turn}",
            f"e{turn - 1}" if turn else None,
            said if turn == 0 else f"{turn} {said}"[: 900 if turn % 2 else 8],
        )
        for turn in range(turns)
    ]
    return [*lines, compaction("k", f"e{turns - 1}", f"e{turns - 1}")]


def free_bytes(folder: Path) -> int:
    """Return how much fits on a file system, down to a few blocks."""
    status = os.statvfs(folder)
    return max(status.f_bavail * status.f_frsize - 4 * status.f_frsize, 0)
