"""Does a question bring back the one old entry that answers it? 100 planted facts, each asked in seven ways.

    python benchmarks/quality/planted_facts.py [--entries 5000] [--facts 100] [--no-times] [--json FILE]

Of each kind of question, and of each place where facts stand: the share found first, among 5 and among 12; the mean
of 1 / place; how often nothing came back; what must never come back (siblings, entries in the active context); near
duplicates per answer; the share of found facts whose excerpt shows the answer; milliseconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from quality.engines import Engine, coverage_engine, fts5_engine, our_rankings, store_engine
from quality.facts import KINDS, PLACES, Fact, Question, ask, read_facts
from quality.fairness import Fairness
from quality.metrics import average, count_near_duplicates, rank_of, shingles
from quality.planted_session import PlantedSession, plant_session
from quality.tables import Cell, Table, write_tables

import uncompact

__all__ = ["Asked", "ask_all", "compare_engines", "measure", "summarise"]

SESSION = "planted"

_HEADER = (
    "questions", "hit@1", "hit@5", "hit@12", "MRR", "empty", "answer shown", "siblings", "in context",
    "duplicates per answer", "mean ms",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what came back."""

    question: Question
    rank: int | None
    returned: int
    siblings: int
    in_context: int
    duplicates: int
    shown: bool | None
    first: str | None
    ms: float | None


def measure(
    *,
    entries: int = 5000,
    facts: int = 100,
    settings: Mapping[str, Any] | None = None,
    compare: bool = True,
    times: bool = True,
) -> list[Table]:
    """Plant the facts, index the session, ask everything; with ``compare`` of simple engines as well.

    Without ``times`` the same code gives the same tables.
    """
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "logs" / "planted.jsonl"
        planted = plant_session(log, read_facts(facts), entries=entries)
        uncompact.reindex([log.parent], Path(scratch) / "store")
        with uncompact.open_store(Path(scratch) / "store") as store:
            asked = ask_all(store_engine(store, {SESSION: log}, settings=settings), planted, times=times)
            answers = {
                name: ask_all(store_engine(store, {SESSION: log}, settings=more), planted)
                for name, more in (our_rankings(settings).items() if compare else ())
            }
    tables = [*summarise(asked, planted.crowded), _misses(asked, planted)]
    return [compare_engines(answers, planted), *tables] if compare else tables


def ask_all(engine: Engine, planted: PlantedSession, *, times: bool = True) -> list[Asked]:
    """Ask every question of every fact."""

    @cache
    def shingles_of(entry_id: str) -> frozenset[str]:
        return shingles(planted.texts.get(entry_id, ""))

    engine(SESSION, "how does `warm_up` begin?")
    questions = [question for fact in planted.facts for question in ask(fact)]
    asked = [_ask(engine, planted, question, shingles_of) for question in questions]
    return asked if times else [replace(one, ms=None) for one in asked]


def summarise(asked: Sequence[Asked], crowded: Collection[Fact]) -> list[Table]:
    """Sum up by kind of question and by place of the fact."""
    kinds = [(kind, *_figures(one for one in asked if one.question.kind == kind)) for kind in KINDS]
    places = [
        (place, *_figures(one for one in asked if one.question.fact.place == place)) for place in PLACES
    ]
    crowds = (
        "name in a crowd of later mentions",
        *_figures(one for one in asked if one.question.fact in crowded),
    )
    return [
        Table("Planted facts by kind of question", ("kind", *_HEADER), [*kinds, ("all", *_figures(asked))]),
        Table("Planted facts by place", ("place", *_HEADER), [*places, crowds]),
    ]


def compare_engines(ours: Mapping[str, Sequence[Asked]], planted: PlantedSession) -> Table:
    """Ask simple engines what ours were asked; they get the removed entries only, whole."""
    corpus = {SESSION: planted.removed}
    others: dict[str, Engine] = {
        "FTS5 unicode61": fts5_engine(corpus, "unicode61 remove_diacritics 2"),
        "FTS5 porter": fts5_engine(corpus, "porter unicode61 remove_diacritics 2"),
        "coverage of stems": coverage_engine(corpus),
    }
    answers = {**ours, **{name: ask_all(engine, planted) for name, engine in others.items()}}
    unfair = Fairness(planted.facts).unfair(planted.removed, planted.entry_ids)
    rows: list[tuple[Cell, ...]] = [
        (name, *(_hit(answer, kind, most) for most in (1, 12) for kind in KINDS))
        for name, answer in answers.items()
    ]
    header = ("engine", *(f"{kind} @{most}" for most in (1, 12) for kind in KINDS))
    notes = (
        f"{len(planted.removed)} removed entries, {len(unfair)} pairs of a question and an entry that is no answer "
        "but holds as many of its words."
    )
    return Table("Planted facts by engine: share found first, and among 12", header, rows, notes)


def _ask(
    engine: Engine, planted: PlantedSession, question: Question, shingles_of: Callable[[str], frozenset[str]]
) -> Asked:
    start = time.perf_counter()
    answer = list(engine(SESSION, question.text))[:12]
    ms = (time.perf_counter() - start) * 1000
    ids = [one.entry_id for one in answer]
    rank = rank_of(ids, planted.entry_ids[question.fact.identifier])
    excerpt = answer[rank - 1].excerpt if rank else None
    return Asked(
        question,
        rank,
        len(ids),
        len(planted.siblings.intersection(ids)),
        len(planted.in_context.intersection(ids)),
        count_near_duplicates([shingles_of(one) for one in ids]),
        None if excerpt is None else question.fact.answer in excerpt,
        ids[0] if ids else None,
        ms,
    )


def _figures(asked: Iterable[Asked]) -> tuple[Cell, ...]:
    some = list(asked)
    ranks = [one.rank for one in some]
    times = [one.ms for one in some if one.ms is not None]
    return (
        len(some),
        *(_share(ranks, most) for most in (1, 5, 12)),
        average(1 / rank if rank else 0.0 for rank in ranks),
        average(one.returned == 0 for one in some),
        average(one.shown for one in some if one.shown is not None),
        sum(one.siblings for one in some),
        sum(one.in_context for one in some),
        average(one.duplicates for one in some),
        average(times) if times else None,
    )


def _hit(asked: Iterable[Asked], kind: str, most: int) -> float:
    return _share([one.rank for one in asked if one.question.kind == kind], most)


def _share(ranks: Sequence[int | None], most: int) -> float:
    return average(rank is not None and rank <= most for rank in ranks)


def _misses(asked: Iterable[Asked], planted: PlantedSession) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.question.kind, one.question.fact.place, one.question.fact.identifier, one.question.text, one.rank,
            one.returned, one.first, planted.texts.get(one.first or "", "")[:160],
        )
        for one in asked
        if one.rank != 1
    ]  # fmt: skip
    header = ("kind", "place", "identifier", "question", "rank", "returned", "first", "text of the first")
    return Table("Planted facts not found first", header, rows, only_json=True)


def main() -> None:
    """Measure once and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--facts", type=int, default=100)
    parser.add_argument("--no-times", action="store_true", help="leave out what no two runs share")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tables = measure(entries=options.entries, facts=options.facts, times=not options.no_times)
    write_tables(tables, options.json)


if __name__ == "__main__":
    main()
