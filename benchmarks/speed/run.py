"""How fast retrieval answers: warm, again, in batches and as a cold process, beside a plain search in SQLite.

    python benchmarks/speed/run.py [--quick] [--sizes 5000 50000 200000 5000/1000000] [--work DIR] [--json FILE]

A size is the entries of the measured session, or these and the entries of the whole store. --work keeps the stores for
the next run; building the default ones takes some ten minutes and 5 GB.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from quality.tables import write_tables
from speed.corpus import DEFAULT_SIZES, Corpus, build_corpus, read_size
from speed.lines import Effort, measure_corpus
from speed.report import Line, make_table

_QUICK = Effort(requests=20, batch=100, repeats=1, cold_starts=3)
_FULL = Effort(requests=100, batch=1000, repeats=3, cold_starts=15)


def measure(corpora: list[Corpus], work: Path, effort: Effort) -> list[Line]:
    """Build and measure one store after the other, whole sessions before the same among others; returns all lines."""
    lines: list[Line] = []
    for corpus in sorted(corpora, key=lambda one: (one.stored != one.entries, one.entries)):
        print(f"{corpus.name} entries ...", file=sys.stderr, flush=True)
        lines += measure_corpus(build_corpus(corpus, work), effort, lines, cold=not lines)
    return lines


def _size(text: str) -> Corpus:
    try:
        return read_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def main() -> None:
    """Measure once and print one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=_size, nargs="+", metavar="ENTRIES[/STORED]")
    parser.add_argument("--quick", action="store_true", help="5,000 entries and few requests")
    parser.add_argument("--requests", type=int, help="different requests for each way")
    parser.add_argument("--batch", type=int, help="requests of one batch")
    parser.add_argument("--repeats", type=int, help="rounds, and batches")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep logs and stores here")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    effort = (_QUICK if options.quick else _FULL).adjusted(options.requests, options.batch, options.repeats)
    sizes: list[Corpus] = options.sizes or [
        read_size(size) for size in DEFAULT_SIZES[: 1 if options.quick else None]
    ]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        lines = measure(sizes, options.work or Path(scratch), effort)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
    write_tables([make_table(lines, load)], options.json)


if __name__ == "__main__":
    main()
