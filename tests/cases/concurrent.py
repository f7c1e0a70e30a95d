"""Programs that use a store in processes of their own, at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["ASK", "HOLD", "REBUILD", "REINDEX", "answers", "in_background", "start"]

HOLD = """
import sys
from pathlib import Path
from uncompact.pipelines.store import StorePaths, writer_lock
with writer_lock(StorePaths(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""

REBUILD = """
import sys, threading
from pathlib import Path
from uncompact.pipelines.companion_file import rebuild_companion
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.store import StorePaths, writer_lock
paths = StorePaths(Path(sys.argv[1]))
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
built = 0
while not stop.is_set():
    with writer_lock(paths, wait_s=60):
        rebuild_companion(open_lake(paths.lake), paths)
    built += 1
    print(built, flush=True)
"""

REINDEX = """
import sys
from pathlib import Path
import uncompact
from uncompact.pipelines.reindex import reindex
print("ready", flush=True)
reindex([Path(sys.argv[1])], Path(sys.argv[2]), rebuild_companion=sys.argv[3] == "anew")
"""

# Three answers a time, each of one state: what is found, what is shown, and how many entries are listed.
ASK = """
import json, sys
from pathlib import Path
import uncompact
store, log, times, reopens = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "reopens"
opened = uncompact.open_store(store)
for nth in range(times):
    if reopens:
        opened.close()
        opened = uncompact.open_store(store)
    found = opened.retrieve(log, f"`harbour` zz{nth}", max_results=100).to_dict()
    shown = opened.show(log) if nth % 5 == 0 else {"leaf": None, "entries": [], "warnings": []}
    listed = next(one for one in opened.sessions() if one["path"] == log)
    states = [one["state"] for one in shown["entries"]]
    print(json.dumps([
        [found["status"], found["leaf"], len(found["hits"]), sorted(hit["entry_id"] for hit in found["hits"])],
        [shown["leaf"], len(states), states.count("compacted"), shown["warnings"]],
        [listed["leaf"], listed["entries"], listed["compactions"]],
    ]), flush=True)
"""


def start(program: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start a program that is given as text."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@contextmanager
def in_background(program: str, *arguments: str | Path) -> Generator[subprocess.Popen[str]]:
    """Run a program from its first line of output until the block ends; it ends when its input does."""
    with start(program, *arguments) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        try:
            yield process
        finally:
            _, said = process.communicate()
            assert "Traceback" not in said, said


def answers(process: subprocess.Popen[str]) -> list[list[list[Any]]]:
    """Wait for a program's end and return the JSON of each line; nothing may be on its error stream."""
    lines, said = process.communicate(timeout=300)
    assert (process.returncode, said) == (0, "")
    return [json.loads(line) for line in lines.splitlines()]
