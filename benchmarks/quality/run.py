"""All of the quality benchmark, or some parts of it.

    python benchmarks/quality/run.py [--parts planted,public,recovery,ablations] [--data DATA_FOLDER]
        [--sessions FOLDER_OF_SESSIONS] [--no-times] [--json FILE]

Parts without their data say so and are skipped. With --no-times, the same code on the same data writes the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from quality import ablations, planted_facts, public_sets, recovery
from quality.tables import Table, write_tables


def main() -> None:
    """Measure once and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", default="planted,public,recovery,ablations")
    parser.add_argument("--data", type=Path, help="a public question set: see public_sets.py")
    parser.add_argument("--sessions", type=Path, help="any sessions: see recovery.py")
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--facts", type=int, default=100)
    parser.add_argument("--no-times", action="store_true", help="leave out what no two runs share")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    entries, facts, times = options.entries, options.facts, not options.no_times
    parts: dict[str, Callable[[], list[Table]]] = {
        "planted": lambda: planted_facts.measure(entries=entries, facts=facts, times=times),
        "public": lambda: public_sets.measure(options.data),
        "recovery": lambda: recovery.measure(options.sessions),
        "ablations": lambda: ablations.measure(data=options.data, entries=entries, facts=facts, times=times),
    }
    wanted: list[str] = options.parts.split(",")
    unknown = [part for part in wanted if part not in parts]
    if unknown:
        parser.error(f"no part named {', '.join(unknown)}: there are {', '.join(parts)}")
    write_tables([table for part in wanted for table in parts[part]()], options.json)


if __name__ == "__main__":
    main()
