"""What a reindex costs that finds nothing to do, or one line: over 10,000 logs, beside a bare walk of the same folder.

    python benchmarks/reindex_noop.py [--files 10000] [--runs 5] [--profile] [--json FILE]

Every run is a process of its own. *call* is the reindex, *process* the interpreter and its imports, too. Bytes are
those of /proc/self/io (all that was read and written, and what of it reached the disk), on Linux; opened files are
those that Python opened.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reindex_memory import write_many_files

_CHILD = """
import cProfile, json, os, pstats, sys, time
from pathlib import Path
import uncompact

def io():
    lines = Path("/proc/self/io").read_text().splitlines() if sys.platform == "linux" else []
    return {name: int(count) for name, _, count in (line.partition(": ") for line in lines)}

def walk(folder):
    count = 0
    with os.scandir(folder) as found:
        for one in found:
            if one.is_dir():
                count += walk(one.path)
            else:
                os.stat(one.path)
                count += 1
    return count

logs, store, profiled = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "profile"
run, opened = uncompact.reindex, []
start = time.perf_counter()
walk(logs)
walk_s = time.perf_counter() - start
sys.addaudithook(lambda event, arguments: event == "open" and opened.append(str(arguments[0])))
before, profiler = io(), cProfile.Profile()
wall, cpu = time.perf_counter(), time.process_time()
report = profiler.runcall(run, [logs], store) if profiled else run([logs], store)
wall, cpu, count, after = time.perf_counter() - wall, time.process_time() - cpu, len(opened), io()
if profiled:
    pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(25)
report = report.to_dict()
print(json.dumps({
    "wall_s": wall, "cpu_s": cpu, "walk_s": walk_s, "opened": count,
    "opened_logs": sum(name.endswith(".jsonl") for name in opened),
    **{name: after[name] - before[name] for name in ("rchar", "wchar", "read_bytes", "write_bytes") if name in after},
    "changed": report["sources"]["changed"], "stages": report["seconds"],
}))
"""


def run_once(logs: Path, store: Path, *, profile: bool = False) -> dict[str, float]:
    """Reindex in a process of its own and return its figures."""
    start = time.perf_counter()
    cpu = _children_cpu_s()
    command = [sys.executable, "-c", _CHILD, str(logs), str(store), "profile" if profile else ""]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return {
        "process_wall_s": time.perf_counter() - start,
        "process_cpu_s": _children_cpu_s() - cpu,
        **figures,
    }


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def median(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return each figure's median; stages are of the last run."""
    return {
        name: figure if isinstance(figure, dict) else statistics.median(one[name] for one in runs)
        for name, figure in runs[-1].items()
    }


def append_line(log: Path) -> None:
    """Append one entry to a log."""
    entry = {"type": "message", "id": os.urandom(4).hex(), "parentId": None, "timestamp": 1_790_000_000_000}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**entry, "message": {"role": "user", "content": "one more"}}) + "\n")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--profile", action="store_true", help="print where a run without a change spends its time"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        logs, store = Path(scratch) / "logs", Path(scratch) / "store"
        write_many_files(logs, options.files)
        found = {"first run": run_once(logs, store)}
        found["no change"] = median([run_once(logs, store) for _ in range(options.runs)])
        grown: list[dict[str, float]] = []
        for number in range(options.runs):
            append_line(logs / "p0" / f"s{number * 50}.jsonl")
            grown.append(run_once(logs, store))
        found["one line more"] = median(grown)
        if options.profile:
            run_once(logs, store, profile=True)
    for name, figures in found.items():
        ratio = figures["wall_s"] / figures["walk_s"]
        print(f"{name}: {ratio:.1f} times a bare walk of {options.files} files")
        for figure, measured in figures.items():
            shown = f"{measured:12.4g}" if isinstance(measured, float) else f"  {measured}"
            print(f"    {figure:16} {shown}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
