"""How long a warm retrieve takes: different requests on one session, in one process.

python benchmarks/retrieve_latency.py [--entries 5000] [--requests 100] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from make_sessions import make_session, make_vocabulary, pick_words

import uncompact

_WARM_UPS = 5


def make_requests(count: int, seed: int) -> list[str]:
    """Make natural questions, each with one identifier or file and some words."""
    rng = random.Random(seed)
    words = make_vocabulary(1)
    requests: list[str] = []
    for number in range(count):
        names = words.files if number % 3 == 0 else words.identifiers
        name = rng.choices(names, cum_weights=words.weights)[0]
        requests.append(f"Why did {name} {' '.join(pick_words(rng, 5))}?")
    return requests


def measure(entries: int, requests: int) -> dict[str, float]:
    """Index one generated session and time the requests; milliseconds."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "logs" / "bench.jsonl"
        make_session(log, entries=entries, seed=1)
        uncompact.reindex([log.parent], Path(scratch) / "store")
        with uncompact.open_store(Path(scratch) / "store") as store:
            asked = make_requests(requests + _WARM_UPS, seed=7)
            for request in asked[:_WARM_UPS]:
                store.retrieve(log, request)
            wall, cpu, hits = zip(
                *(_time_one(store, log, request) for request in asked[_WARM_UPS:]), strict=True
            )
    return {
        "entries": entries,
        "requests": requests,
        "mean_hits": statistics.mean(hits),
        **_quantiles("wall", wall),
        **_quantiles("cpu", cpu),
    }


def _time_one(store: uncompact.HistoryStore, log: Path, request: str) -> tuple[float, float, int]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = store.retrieve(log, request)
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000, len(answer.hits)


def _quantiles(name: str, values: tuple[float, ...]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        f"{name}_p50_ms": statistics.median(ordered),
        f"{name}_p95_ms": ordered[int(len(ordered) * 0.95)],
        f"{name}_max_ms": ordered[-1],
    }


def main() -> None:
    """Measure once and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure(options.entries, options.requests)
    for name, figure in figures.items():
        print(f"{name:16} {figure:10.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
