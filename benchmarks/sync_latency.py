"""What a sync in front of a retrieval costs: of a session in which nothing was written, and of one appended line.

    python benchmarks/sync_latency.py [--entries 5000 100000] [--repeats 60] [--json FILE]

*Fresh* opens the companion for each sync, *open* keeps it open (``Syncer``). Milliseconds; ``read`` is what a sync
reads from files in all, KB; ``of retrieve`` is its median CPU beside that of a retrieval of the same session.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from make_sessions import make_session
from speed.request_set import make_requests

import uncompact
from uncompact.pipelines.sync import Syncer, SyncResult, sync_log

_WARM_UPS = 5
_READ = Path("/proc/self/io")


def measure(folder: Path, entries: int, repeats: int) -> Iterator[dict[str, float | str]]:
    """Index one generated session and time its syncs; yields a row of figures for each kind."""
    log, store = folder / "logs" / "bench.jsonl", folder / "store"
    make_session(log, entries=entries, seed=1)
    uncompact.reindex([log.parent], store)
    retrieve_ms = _retrieve_ms(log, store, repeats)
    lines = _more_lines(entries)
    with ExitStack() as stack:
        opened = stack.enter_context(Syncer(store))
        for way, sync in (("fresh", lambda: sync_log(store, log)), ("open", lambda: opened.sync(log))):
            for kind, prepare in (
                ("no change", lambda: None),
                ("one line", lambda: _append(log, next(lines))),
            ):
                yield {
                    "entries": entries,
                    "connection": way,
                    "what": kind,
                    **_time(prepare, sync, repeats, retrieve_ms),
                }


def _time(
    prepare: Callable[[], None], sync: Callable[[], SyncResult], repeats: int, retrieve_ms: float
) -> dict[str, float]:
    wall: list[float] = []
    cpu: list[float] = []
    read = 0.0
    for number in range(-_WARM_UPS, repeats):
        prepare()
        before, started, spent = _bytes_read(), time.perf_counter(), time.process_time()
        sync()
        if number >= 0:
            wall.append((time.perf_counter() - started) * 1000)
            cpu.append((time.process_time() - spent) * 1000)
            read = (_bytes_read() - before) / 1000
    return {
        "cpu_p50_ms": statistics.median(cpu),
        "cpu_p95_ms": sorted(cpu)[int(len(cpu) * 0.95)],
        "wall_p50_ms": statistics.median(wall),
        "wall_p95_ms": sorted(wall)[int(len(wall) * 0.95)],
        "read_kb": read,
        "of_retrieve": statistics.median(cpu) / retrieve_ms,
    }


def _retrieve_ms(log: Path, store: Path, repeats: int) -> float:
    with uncompact.open_store(store) as opened:
        spent: list[float] = []
        for request in make_requests(repeats + _WARM_UPS, seed=7):
            started = time.process_time()
            opened.retrieve(log, request)
            spent.append((time.process_time() - started) * 1000)
    return statistics.median(spent[_WARM_UPS:])


def _more_lines(entries: int) -> Iterator[str]:
    """Yield lines that each continue the one before, from the session's last entry on."""
    parent = f"{entries - 1:08x}"
    number = entries
    while True:
        message = {
            "role": "user",
            "content": f"And what of zebra {number}? It was to be drawn before the crossing.",
        }
        head = {
            "type": "message",
            "id": f"{number:08x}",
            "parentId": parent,
            "timestamp": 1_790_000_000_000 + number,
        }
        yield json.dumps({**head, "message": message}) + "\n"
        parent = f"{number:08x}"
        number += 1


def _append(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(line)


def _bytes_read() -> int:
    """Return the bytes that this process has read, as far as the system counts them."""
    if not _READ.exists():
        return 0
    return int(_READ.read_text().split(maxsplit=2)[1])


def main() -> None:
    """Measure once and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, nargs="+", default=[5000, 100_000])
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, float | str]] = []
    for entries in options.entries:
        with tempfile.TemporaryDirectory() as scratch:
            rows += measure(Path(scratch), entries, options.repeats)
    print(*(f"{name:>12}" for name in rows[0]))
    for row in rows:
        print(
            *(f"{figure:12.2f}" if isinstance(figure, float) else f"{figure:>12}" for figure in row.values())
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
