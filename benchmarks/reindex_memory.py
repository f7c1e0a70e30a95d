"""Peak memory of a reindex beyond what its imports take: a log of gigabytes, a long line or chain, many files, an append.

    python benchmarks/reindex_memory.py [--gigabytes 2] [--cases log,line,wide,chain,files,tail] [--workers N] [--json FILE]

Each case is a process of its own, on Linux. It counts beyond its imports, and so does each of its workers: what they
take together at one time, seen every ten milliseconds, or the process's own peak where that is more.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from make_sessions import make_session, session_lines

CEILING_MB = 400

_POOL = 2000
_LINE_BYTES = 20_000_000
_CHAIN = 100_000
_FILES = 10_000
_STAMP = "2026-05-28T20:26:40.000Z"

# Apart, so that only a reindex counts: a process's peak is never forgotten, nor that of the one that started it.
_CHILD = """
import json, sys, threading, time
from pathlib import Path
import uncompact

def memory_mb(process, name="VmHWM"):
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)

def helpers():
    for task in Path("/proc/self/task").iterdir():
        try:
            yield from (task / "children").read_text().split()
        except OSError:
            pass

def watch():
    while not done.wait(0.01):
        try:
            in_helpers = [memory_mb(helper, "VmRSS") for helper in helpers()]
        except OSError:  # one ended meanwhile
            continue
        beyond = [max(taken - imports_mb, 0) for taken in (memory_mb("self", "VmRSS"), *in_helpers)]
        together.append(sum(beyond))
        workers.append(max(in_helpers, default=0))

options = json.loads(sys.argv[3])
run, imports_mb, start = uncompact.reindex, memory_mb("self", "VmRSS"), time.perf_counter()
done, together, workers = threading.Event(), [0], [0]
watching = threading.Thread(target=watch)
watching.start()
report = run([Path(sys.argv[1])], Path(sys.argv[2]), **options).to_dict()
done.set()
watching.join()
print(json.dumps({
    "entries": report["entries"]["total"], "read_mb": report["bytes_read"] / 1e6,
    "seconds": time.perf_counter() - start, "imports_mb": imports_mb, "peak_mb": memory_mb("self"),
    "workers_mb": max(workers), "beyond_imports_mb": max(memory_mb("self") - imports_mb, *together),
    "stages": report["seconds"],
}))
"""


def write_large_log(folder: Path, *, gigabytes: float) -> None:
    """Write one log of so many gigabytes: the messages of a generated session, over and over in one chain."""
    lines = list(session_lines(entries=_POOL, seed=3, project="/srv/bench"))
    messages = [json.dumps(line["message"], separators=(",", ":")) for line in lines if "message" in line]
    size, number, parent = 0, 0, "null"
    folder.mkdir(exist_ok=True)
    with (folder / "large.jsonl").open("w", encoding="utf-8") as file:
        file.write(json.dumps(lines[0]) + "\n")
        while size < gigabytes * 1e9:
            entry = f'"{number:08x}"'
            head = f'{{"type":"message","id":{entry},"parentId":{parent},"timestamp":"{_STAMP}","message":'
            size += file.write(f"{head}{messages[number % len(messages)]}}}\n")
            number, parent = number + 1, entry


def write_long_line(folder: Path, row: str) -> None:
    """Write a log with a tool result of 20 MB; with one character beyond 16 bits each takes four bytes in memory."""
    text = row * (_LINE_BYTES // len(row.encode()))
    said = [{"type": "text", "text": text}]
    result = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": said, "isError": False}
    _write_chain(folder / "line.jsonl", [{"role": "user", "content": "list all"}, result])


def write_long_chain(folder: Path) -> None:
    """Write a log of 100,000 short entries in one chain."""
    turns = ({"role": "user", "content": f"turn {number}, nothing of note"} for number in range(_CHAIN))
    _write_chain(folder / "chain.jsonl", turns)


def write_many_files(folder: Path, count: int = _FILES) -> None:
    """Write logs of ten entries, in fifty projects."""
    for number in range(count):
        place = folder / f"p{number % 50}" / f"s{number}.jsonl"
        make_session(place, entries=10, seed=number, project=f"/srv/p{number % 50}")


def _write_chain(path: Path, messages: Iterable[Mapping[str, object]]) -> None:
    header = {"type": "session", "version": 3, "id": path.stem, "timestamp": _STAMP, "cwd": "/srv/bench"}
    parent = None
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(header) + "\n")
        for number, message in enumerate(messages):
            entry = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": _STAMP}
            file.write(json.dumps({**entry, "message": message}, ensure_ascii=False) + "\n")
            parent = entry["id"]


def append_much(folder: Path) -> None:
    """Append 15 MB of messages to a log: about the most that is read on from where the last run ended."""
    write_large_log(folder / "more", gigabytes=0.015)
    more = (folder / "more" / "large.jsonl").read_bytes().split(b"\n", 1)[1].replace(b'"id":"', b'"id":"t')
    with (folder / "line.jsonl").open("ab") as file:
        file.write(more.replace(b'"parentId":"', b'"parentId":"t'))
    shutil.rmtree(folder / "more")


Write = Callable[[Path], None]


def make_cases(*, gigabytes: float, files: int) -> dict[str, tuple[Write, Write | None]]:
    """Return what each case writes, and what it appends after a first run that does not count."""
    return {
        "log": (lambda folder: write_large_log(folder, gigabytes=gigabytes), None),
        "line": (lambda folder: write_long_line(folder, "a row of ballast "), None),
        "wide": (lambda folder: write_long_line(folder, "a row of ballast\n" * 40 + "🚀"), None),
        "chain": (write_long_chain, None),
        "files": (lambda folder: write_many_files(folder, files), None),
        "tail": (lambda folder: _write_chain(folder / "line.jsonl", []), append_much),
    }


def measure(write: Write, append: Write | None, *, workers: int) -> dict[str, float]:
    """Write logs, reindex them in a process of its own and return its figures."""
    with tempfile.TemporaryDirectory() as scratch:
        logs, store = Path(scratch) / "logs", Path(scratch) / "store"
        logs.mkdir()
        write(logs)
        if append is not None:
            _reindex(logs, store, workers)
            append(logs)
        return _reindex(logs, store, workers)


def _reindex(logs: Path, store: Path, workers: int) -> dict[str, float]:
    options = json.dumps({"workers": workers} if workers else {})
    command = [sys.executable, "-c", _CHILD, str(logs), str(store), options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Measure each case and print a table; exit with 1 when one is over the ceiling."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--files", type=int, default=_FILES)
    parser.add_argument("--cases", default="log,line,wide,chain,files,tail")
    parser.add_argument("--workers", type=int, default=0, help="by default what the program chooses")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cases = make_cases(gigabytes=options.gigabytes, files=options.files)
    found: dict[str, dict[str, float]] = {}
    print(f"{'case':8}{'MB read':>12}{'entries':>12}{'seconds':>10}{'imports':>10}{'beyond':>10}  (MB)")
    for name in options.cases.split(","):
        figures = found[name] = measure(*cases[name], workers=options.workers)
        verdict = "within" if figures["beyond_imports_mb"] <= CEILING_MB else "OVER"
        print(
            f"{name:8}{figures['read_mb']:12.1f}{figures['entries']:12}{figures['seconds']:10.1f}"
            f"{figures['imports_mb']:10.0f}{figures['beyond_imports_mb']:10.0f}  {verdict} {CEILING_MB}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if any(figures["beyond_imports_mb"] > CEILING_MB for figures in found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
