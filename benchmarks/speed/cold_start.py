"""A whole process: `uncompact retrieve` from its start to its end, and what the interpreter alone takes.

Cold are the process and its imports; the files are in the system's cache, and compiled, as an installation has them.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from speed.corpus import BuiltCorpus
from speed.measure import Quantiles, quantiles

__all__ = ["ColdStart", "measure_cold_starts"]

COMMAND = "uncompact retrieve"

_FLOORS = {"python -c pass": "pass", "python -c 'import sqlite3, duckdb'": "import sqlite3, duckdb"}


@dataclass(frozen=True, slots=True)
class ColdStart:
    """CPU and wall of one command's processes, and the mean number of hits it printed; milliseconds."""

    name: str
    runs: int
    cpu: Quantiles
    wall: Quantiles
    mean_hits: float | None = None


def measure_cold_starts(built: BuiltCorpus, requests: Sequence[str]) -> list[ColdStart]:
    """Run the command once for each request, with the floors in between."""
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in (*_FLOORS, COMMAND)}
    hits: list[int] = []
    command = [sys.executable, "-m", "uncompact", "retrieve", "--store", str(built.store)]
    command += ["--session", str(built.log), "--json"]
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        _run([*command, "the first one compiles"], environment)
        for request in requests:
            for name, program in _FLOORS.items():
                spent[name].append(_run([sys.executable, "-c", program], environment)[:2])
            cpu, wall, printed = _run([*command, request], environment)
            spent[COMMAND].append((cpu, wall))
            hits.append(len(json.loads(printed)["hits"]))
    return [
        ColdStart(
            name,
            len(requests),
            quantiles([cpu for cpu, _ in times]),
            quantiles([wall for _, wall in times]),
            sum(hits) / len(hits) if name == COMMAND else None,
        )
        for name, times in spent.items()
    ]


def _run(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float, bytes]:
    """Return CPU and wall milliseconds of a process, and what it printed."""
    before, start = _children_cpu_s(), time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    wall = time.perf_counter() - start
    return (_children_cpu_s() - before) * 1000, wall * 1000, done.stdout


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
