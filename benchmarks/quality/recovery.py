"""The recovery benchmark on anyone's own logs: were the passages that an agent needed again among the first?

    python benchmarks/quality/recovery.py FOLDER_OF_SESSIONS [--json FILE]

No labels and no model: see recovery_cases.py. To read a passage again is no proof that recall would have helped: this
guards against getting worse, it claims no quality. Passages are scored; of whole entries the longest match most, as
the control shows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from quality.engines import Engine, Ranked, our_rankings, store_engine
from quality.metrics import rank_of, reciprocal_rank, with_interval
from quality.public_sets import simple_engines
from quality.recovery_cases import Case, find_cases
from quality.tables import Cell, Table, write_tables

import uncompact

__all__ = ["measure"]

TITLE = "Recovery"
_ALL_HITS = {"max_results": 100, "max_retrieved_history_tokens": 10_000_000}
_SCORES = ("hit@5", "hit@10", "MRR")

# Ranked passages, and the relevant ones.
_Answer = tuple[Sequence[str], frozenset[str]]


def measure(folder: Path | None, settings: Mapping[str, Any] | None = None) -> list[Table]:
    """Find cases in a folder's sessions and let all engines answer; without any the table says so."""
    if folder is None or not any(folder.rglob("*.jsonl")):
        where = "no folder named" if folder is None else f"no *.jsonl in {folder}"
        return [Table(TITLE, (), (), f"skipped: {where}")]
    with tempfile.TemporaryDirectory() as scratch:
        uncompact.reindex([folder], Path(scratch) / "store")
        with uncompact.open_store(Path(scratch) / "store") as store:
            paths = [Path(one["path"]) for one in store.sessions()]
            cases = [case for path in sorted(paths) for case in find_cases(store, path)]
            if not cases:
                return [Table(TITLE, (), (), f"skipped: in {folder} nothing removed was needed again")]
            ours = our_rankings(settings)
            real = _answer_all(store, [case for case in cases if case.context_ids is None], ours)
            assumed = _answer_all(store, [case for case in cases if case.context_ids is not None], ours)
    return [*_tables("real compactions", real), *_tables("assumed cuts", assumed)]


def _answer_all(
    store: uncompact.HistoryStore, cases: Sequence[Case], ours: Mapping[str, Mapping[str, Any]]
) -> dict[str, list[_Answer]]:
    """Let each engine rank the passages of each case; cases of one compaction share them."""
    answers: dict[str, list[_Answer]] = {}
    simple: dict[str, Engine] = {}
    passages: Mapping[str, str] | None = None
    for case in cases:
        if case.passages is not passages:
            passages, simple = case.passages, simple_engines({"": case.passages})
        for name, settings in ours.items():
            answers.setdefault(name, []).append((_ask_store(store, case, settings), case.relevant))
        for name, engine in simple.items():
            ranked = [one.entry_id for one in engine("", case.query)]
            answers.setdefault(name, []).append((ranked, case.relevant))
    return answers


def _ask_store(store: uncompact.HistoryStore, case: Case, settings: Mapping[str, Any]) -> list[str]:
    """Ask our engine as of the case's message, and return the best passage of each hit."""
    asked = {**_ALL_HITS, **settings, "leaf": case.query_id}
    engine = store_engine(store, {"": case.path}, context_ids=case.context_ids, settings=asked)
    return [_best_passage(case, hit) for hit in engine("", case.query)]


def _best_passage(case: Case, hit: Ranked) -> str:
    """Return the passage that a hit shows with the most of what matched; the first of equal ones."""
    excerpt = hit.excerpt or ""
    pieces: list[tuple[int, int, str]] = []
    number = 0
    while (name := f"{hit.entry_id}#{number}") in case.passages:
        piece = case.passages[name]
        shown = piece if piece.strip() in excerpt or excerpt[:80] in piece else ""
        matched = sum(term.lower() in piece.lower() for term in hit.matched)
        pieces.append((matched + len(hit.matched) * bool(shown), -number, name))
        number += 1
    return max(pieces)[2] if pieces else f"{hit.entry_id}#0"


def _tables(of: str, answers: Mapping[str, Sequence[_Answer]]) -> list[Table]:
    if not answers:
        return [Table(f"{TITLE}, {of}", (), (), "no case")]
    notes = f"{len(next(iter(answers.values())))} cases; 95 % bootstrap intervals."
    by_entry = {
        name: [(_entries(ranked), frozenset(_entries(sorted(relevant)))) for ranked, relevant in several]
        for name, several in answers.items()
    }
    return [
        _table(f"{TITLE}, {of}, by passage", answers, notes),
        _table(f"{TITLE}, {of}, by entry", by_entry, notes),
    ]


def _entries(passages: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name.rpartition("#")[0] for name in passages))


def _table(title: str, answers: Mapping[str, Sequence[_Answer]], notes: str) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            *(
                with_interval([_hit(ranked, relevant, most) for ranked, relevant in several])
                for most in (5, 10)
            ),
            with_interval([reciprocal_rank(ranked, relevant) for ranked, relevant in several]),
        )
        for name, several in answers.items()
    ]
    return Table(title, ("engine", *_SCORES), rows, notes)


def _hit(ranked: Sequence[str], relevant: frozenset[str], most: int) -> float:
    return float(rank_of(ranked[:most], relevant) is not None)


def main() -> None:
    """Measure once and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    write_tables(measure(options.folder), options.json)


if __name__ == "__main__":
    main()
