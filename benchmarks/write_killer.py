"""Run a command and kill it: at the n-th change it makes below a folder, or after so many seconds.

Changes are writes, renames, links, removals, new folders, truncations and flushes, by any thread of any of its
processes. ``kill_at_write.c``, preloaded, counts them: that takes Linux and a C compiler.
"""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HOWS: tuple[How, ...] = ("before", "half", "after")

How = Literal["before", "half", "after"]

_SOURCE = Path(__file__).with_name("kill_at_write.c")
_COUNTER_BYTES = 4096
_COUNTED = struct.Struct("=qi2048s")
_ORPHANS_S = 5


class KillerMissingError(Exception):
    """Writes cannot be counted on this machine."""


@dataclass(frozen=True, slots=True)
class Kill:
    """When to kill: at a change (``how``: before it, with half of its bytes written, after it), or after a time."""

    at: int = 0
    how: How = "before"
    after_s: float | None = None

    def __str__(self) -> str:
        return f"after {self.after_s:.3f} s" if self.after_s is not None else f"{self.how} change {self.at}"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: ``place`` is the change that it was killed at, ``orphans`` whether children lived on."""

    code: int
    changes: int
    place: str
    errors: str
    seconds: float
    orphans: bool

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


def build_killer(folder: Path) -> Path:
    """Compile what is preloaded. Raises ``KillerMissingError`` where that cannot be."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if sys.platform != "linux" or compiler is None:
        raise KillerMissingError("counting writes takes Linux and a C compiler")
    library = folder / "kill_at_write.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise KillerMissingError(f"{compiler} failed: {done.stderr.strip()[:200]}")
    return library


def run(command: Sequence[str], folder: Path, killer: Path, kill: Kill | None = None) -> Ended:
    """Run a command to its end or its death; changes below ``folder`` count."""
    kill = kill or Kill()
    counter = killer.with_name("counter")
    counter.write_bytes(bytes(_COUNTER_BYTES))
    environment = {
        **os.environ,
        "LD_PRELOAD": str(killer),
        "KILL_FOLDER": str(folder),
        "KILL_COUNTER": str(counter),
        "KILL_AT": str(kill.at),
        "KILL_HOW": kill.how,
    }
    started = time.monotonic()
    # Not a pipe: children that live on would keep it open.
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(kill.after_s)
        process.kill()
        process.wait()
        seconds = time.monotonic() - started
        orphans = _outlived(process.pid)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    changes, _, place = _COUNTED.unpack_from(counter.read_bytes())
    return Ended(
        process.returncode, changes, place.rstrip(b"\0").decode(errors="replace"), said, seconds, orphans
    )


def _outlived(session: int) -> bool:
    """Wait for a dead command's children to end; those that do not are ended, and told of."""
    until = time.monotonic() + _ORPHANS_S
    while members := _members(session):
        if time.monotonic() > until:
            for member in members:
                with suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)
            return True
        time.sleep(0.01)
    return False


def _members(session: int) -> list[int]:
    """Return the processes that a session still has; helpers may have left its process group."""
    members: list[int] = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, member_of = place.read_text().rpartition(")")[2].split()[:4]
            if int(member_of) == session and state != "Z":
                members.append(int(place.parent.name))
    return members
