"""What a full reindex costs: CPU, memory and store size, beside bare FTS5 indexing of the same texts in the same run.

    python benchmarks/reindex_throughput.py [FOLDER_OF_LOGS] [--sessions 20] [--entries 5000] [--workers N] [--json FILE]

Without a folder, sessions are generated. CPU is user and system time of the whole reindex, imports included in
neither; the ratio is what to quote, as machines differ.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw
import polars as pl
from make_sessions import make_session

import uncompact
from uncompact.pipelines.lake import open_lake
from uncompact.pipelines.memory import peak_rss_mb
from uncompact.pipelines.sqlite import execute, execute_many
from uncompact.pipelines.store import StorePaths

Result = TypeVar("Result")

# As FTS5 is when nothing is said, and as lean as it gets: without the texts and without places.
_BARE = "create virtual table words using fts5 (body)"
_LEAN = "create virtual table words using fts5 (body, content = '', detail = none, tokenize = 'unicode61 remove_diacritics 2')"


def measure(folder: Path, store: Path, workers: int = 1) -> dict[str, float]:
    """Reindex a folder of logs into an empty store and return the figures."""
    before_mb = peak_rss_mb()
    report, reindex_cpu_s = _timed(lambda: uncompact.reindex([folder], store, workers=workers))
    peak_mb = peak_rss_mb()
    texts = _texts(store)
    _, bare_cpu_s = _timed(lambda: _index_bare(texts, _BARE))
    _, lean_cpu_s = _timed(lambda: _index_bare(texts, _LEAN))
    raw_mb = report.bytes_read / 1e6
    text_mb = sum(len(text.encode()) for text in texts) / 1e6
    return {
        "entries": report.entries_total,
        "raw_mb": raw_mb,
        "text_mb": text_mb,
        "cpu_s": reindex_cpu_s,
        "raw_mb_per_cpu_s": raw_mb / reindex_cpu_s,
        "bare_fts5_cpu_s": bare_cpu_s,
        "cpu_ratio_to_bare_fts5": reindex_cpu_s / bare_cpu_s,
        "lean_fts5_cpu_s": lean_cpu_s,
        "cpu_ratio_to_lean_fts5": reindex_cpu_s / lean_cpu_s,
        "wall_s": report.seconds["total"],
        "worker_peak_rss_mb": report.to_dict()["peak_worker_rss_mb"],
        "peak_rss_mb": peak_mb,
        "peak_rss_above_start_mb": peak_mb - before_mb,
        "lake_to_text": _size_mb(store / "lake") / text_mb,
        "companion_to_text": _size_mb(StorePaths(store).companion) / text_mb,
    }


def _timed(run: Callable[[], Result]) -> tuple[Result, float]:
    start = _cpu_s()
    result = run()
    return result, _cpu_s() - start


def _cpu_s() -> float:
    """CPU of this process and of those it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _texts(store: Path) -> list[str]:
    entries = open_lake(store / "lake").scan("entries").filter(pl.col("text") != "")
    return entries.select("text").collect().to_series().to_list()


def _index_bare(texts: list[str], table: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        connection = apsw.Connection(str(Path(folder) / "bare.sqlite"))
        execute(connection, "pragma journal_mode = off; pragma synchronous = off")
        execute(connection, table)
        with connection:
            execute_many(connection, "insert into words (rowid, body) values (?, ?)", enumerate(texts))
        connection.close()


def _size_mb(path: Path) -> float:
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return sum(one.stat().st_size for one in files) / 1e6


def main() -> None:
    """Measure once and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = options.folder or Path(scratch) / "logs"
        if options.folder is None:
            for seed in range(options.sessions):
                make_session(folder / f"bench-{seed}.jsonl", entries=options.entries, seed=seed)
        figures = measure(folder, Path(scratch) / "store", options.workers)
    for name, figure in figures.items():
        print(f"{name:28} {figure:12.3f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
