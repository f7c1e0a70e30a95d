"""Quality on a public question set: long dialogues with the turns that hold each answer, checked by people.

    python benchmarks/quality/public_sets.py DATA_FOLDER [--json FILE]

DATA_FOLDER holds ``*_queries.jsonl`` (``session``, ``query``, ``relevant`` entry ids, ``category``) and, for each
session, ``<set>_<session>.jsonl``, a Pi session; LoCoMo in this form is one. Its licence may forbid more than
measuring: nothing of it belongs in this repository. No compaction is needed: every entry may be returned.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from quality.engines import (
    BM25S,
    Corpus,
    Engine,
    bm25s_engine,
    coverage_engine,
    fts5_engine,
    has_bm25s,
    longest_engine,
    our_rankings,
    random_engine,
    store_engine,
)
from quality.metrics import average, ndcg_at, recall_at, reciprocal_rank, with_interval
from quality.session_log import message_text
from quality.tables import Cell, Table, write_tables

import uncompact

__all__ = ["PublicSet", "measure", "read_set", "simple_engines"]

TITLE = "Public question set"
# As many hits as an answer may have, and room for all of them.
_ALL_HITS = {"max_results": 100, "max_retrieved_history_tokens": 10_000_000}
_SCORES: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "R@5": lambda ranked, relevant: recall_at(ranked, relevant, 5),
    "R@10": lambda ranked, relevant: recall_at(ranked, relevant, 10),
    "MRR": reciprocal_rank,
    "nDCG@10": lambda ranked, relevant: ndcg_at(ranked, relevant, 10),
}


@dataclass(frozen=True, slots=True)
class Query:
    """A question of the set and the entries that answer it."""

    session: str
    text: str
    relevant: tuple[str, ...]
    category: str


@dataclass(frozen=True, slots=True)
class PublicSet:
    """Questions, and each session's log and texts."""

    queries: tuple[Query, ...]
    paths: Mapping[str, Path]
    corpus: Corpus


def read_set(folder: Path) -> PublicSet:
    """Read a set; a session without a question is left out."""
    queries: list[Query] = []
    paths: dict[str, Path] = {}
    for file in sorted(folder.glob("*_queries.jsonl")):
        name = file.name.removesuffix("_queries.jsonl")
        for row in _lines(file):
            query = Query(row["session"], row["query"], tuple(row["relevant"]), str(row.get("category", "")))
            queries.append(query)
            paths.setdefault(query.session, folder / f"{name}_{query.session}.jsonl")
    corpus = {session: dict(_texts(path)) for session, path in paths.items()}
    return PublicSet(tuple(queries), paths, corpus)


def simple_engines(corpus: Corpus) -> dict[str, Engine]:
    """Return the engines to compare with, the two controls last."""
    engines: dict[str, Engine] = {
        "FTS5 unicode61": fts5_engine(corpus, "unicode61 remove_diacritics 2"),
        "FTS5 porter": fts5_engine(corpus, "porter unicode61 remove_diacritics 2"),
        "coverage of stems": coverage_engine(corpus),
    }
    if has_bm25s():
        engines[f"{BM25S} .9/.4"] = bm25s_engine(corpus)
    return {**engines, "random": random_engine(corpus), "longest first": longest_engine(corpus)}


def measure(
    folder: Path | None,
    settings: Mapping[str, Any] | None = None,
    engines: Mapping[str, Engine] | None = None,
) -> list[Table]:
    """Measure our engine, with both rankings unless it is told how, beside others, by default the simple ones.

    Without data the table says so.
    """
    if folder is None or not any(folder.glob("*_queries.jsonl")):
        where = "no folder named" if folder is None else f"no *_queries.jsonl in {folder}"
        return [Table(TITLE, (), (), f"skipped: {where}")]
    found = read_set(folder)
    with tempfile.TemporaryDirectory() as scratch:
        store_folder = Path(scratch) / "store"
        uncompact.reindex(sorted(found.paths.values()), store_folder)
        with uncompact.open_store(store_folder) as store:
            ours = {
                name: store_engine(store, found.paths, context_ids=(), settings={**_ALL_HITS, **more})
                for name, more in our_rankings(settings).items()
            }
            others = simple_engines(found.corpus) if engines is None else engines
            scores = {name: _score_all(engine, found.queries) for name, engine in {**ours, **others}.items()}
    skipped = "" if has_bm25s() else f" {BM25S} skipped: not installed (pip install {BM25S})."
    notes = (
        f"{len(found.queries)} questions on {len(found.paths)} sessions; 95 % bootstrap intervals.{skipped}"
    )
    return [_overview(scores, notes), _by_category(scores, found.queries)]


def _score_all(engine: Engine, queries: Iterable[Query]) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {name: [] for name in _SCORES}
    for query in queries:
        ranked = list(dict.fromkeys(one.entry_id for one in engine(query.session, query.text)))
        for name, score in _SCORES.items():
            scores[name].append(score(ranked, query.relevant))
    return scores


def _overview(scores: Mapping[str, Mapping[str, Sequence[float]]], notes: str) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (engine, *(with_interval(of_engine[name]) for name in _SCORES))
        for engine, of_engine in scores.items()
    ]
    return Table(TITLE, ("engine", *_SCORES), rows, notes)


def _by_category(scores: Mapping[str, Mapping[str, Sequence[float]]], queries: Sequence[Query]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for category in sorted({query.category for query in queries}):
        places = [at for at, query in enumerate(queries) if query.category == category]
        rows.extend(
            (
                category,
                len(places),
                engine,
                *(average(of_engine[name][at] for at in places) for name in _SCORES),
            )
            for engine, of_engine in scores.items()
        )
    return Table(f"{TITLE} by category", ("category", "questions", "engine", *_SCORES), rows, only_json=True)


def _texts(path: Path) -> Iterable[tuple[str, str]]:
    for line in _lines(path):
        if line["type"] == "message":
            yield line["id"], message_text(line["message"])


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]


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
