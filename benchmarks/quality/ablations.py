"""What each setting is worth: the planted facts, and a public set if there is one, once per variant.

    python benchmarks/quality/ablations.py [--variant 'NAME={"argument": value}'] [--data DATA_FOLDER] [--json FILE]

A variant is a name and further arguments of ``HistoryStore.retrieve``, as JSON; ``default`` has none. Permanent ones
are listed in VARIANTS.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import msgspec
from quality import planted_facts, public_sets
from quality.tables import Cell, Table, write_tables

from uncompact import RetrievalSettings

__all__ = ["VARIANTS", "measure", "read_variant"]

Variants = Mapping[str, Mapping[str, Any]]

# Each part of matching and ranking on and off, beside the default and the other ranking.
VARIANTS: Variants = {
    "default": {},
    "no stems": {"settings": RetrievalSettings(stems=False)},
    "no sub-tokens": {"settings": RetrievalSettings(subtokens=False)},
    "near duplicates kept": {"settings": RetrievalSettings(near_duplicates=False)},
    "calls and results apart": {"settings": RetrievalSettings(tool_pairs=False)},
    "ranking: relevance": {"settings": RetrievalSettings(ranking="relevance")},
    "relevance, no stems": {"settings": RetrievalSettings(ranking="relevance", stems=False)},
}

_HOW_TO_ADD = (
    """Add a variant with --variant 'NAME={"argument": value}': arguments of HistoryStore.retrieve."""
)


def measure(
    variants: Variants = VARIANTS,
    *,
    data: Path | None = None,
    entries: int = 5000,
    facts: int = 100,
    times: bool = True,
) -> list[Table]:
    """Measure each variant: the row of all planted facts, and ours of the public set."""
    planted: list[tuple[Cell, ...]] = []
    public: list[tuple[Cell, ...]] = []
    header: tuple[str, ...] = ()
    public_header: tuple[str, ...] = ()
    for name, settings in variants.items():
        by_kind, *_ = planted_facts.measure(
            entries=entries, facts=facts, settings=settings, compare=False, times=times
        )
        header = ("variant", *by_kind.header)
        planted.extend((name, *row) for row in by_kind.rows)
        overview, *_ = public_sets.measure(data, settings, engines={})
        public_header = ("variant", *overview.header)
        public.extend((name, *row) for row in overview.rows)
    tables = [Table("Ablations: planted facts", header, planted, _HOW_TO_ADD)]
    return [*tables, Table("Ablations: public question set", public_header, public)] if public else tables


def read_variant(text: str) -> tuple[str, Mapping[str, Any]]:
    """Read ``NAME={...}``.

    Raises ``ValueError`` for anything else.
    """
    name, _, settings = text.partition("=")
    if not name:
        raise ValueError(f"{text!r} is not NAME={{...}}")
    return name, msgspec.json.decode(settings, type=dict[str, Any])


def main() -> None:
    """Measure once and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", type=read_variant, action="append", default=[])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--facts", type=int, default=100)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    variants = {**VARIANTS, **dict(options.variant)}
    tables = measure(variants, data=options.data, entries=options.entries, facts=options.facts)
    write_tables(tables, options.json)


if __name__ == "__main__":
    main()
