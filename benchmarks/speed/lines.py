"""All that is measured of one store, as lines of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from speed.baseline import build_baseline, open_baseline, removed_ids
from speed.cold_start import COMMAND, measure_cold_starts
from speed.corpus import BuiltCorpus, Corpus
from speed.measure import ASKED_AGAIN, Measured, Way, measure_rounds, over_rounds
from speed.ours import RANKINGS, measure_batches, open_ours
from speed.report import Line, alone_budget, batch_budget, cold_budget, predecessor_budget, warm_budget
from speed.request_set import make_requests

__all__ = ["Effort", "measure_corpus"]

_BASELINE = "baseline"
_WARM_UPS = 5

# A plain search takes seconds for a request in a large store: fewer requests there, in one round.
_LARGE_STORE = 200_000
_LARGE_REQUESTS = 10
_LARGE_SESSION = 50_000


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is asked: different requests, requests of a batch, rounds, and processes."""

    requests: int
    batch: int
    repeats: int
    cold_starts: int

    def adjusted(self, requests: int | None, batch: int | None, repeats: int | None) -> Self:
        """Return it with what is given in place of its own."""
        return replace(
            self,
            requests=requests or self.requests,
            batch=batch or self.batch,
            repeats=repeats or self.repeats,
            cold_starts=min(self.cold_starts, requests or self.cold_starts),
        )


def measure_corpus(
    built: BuiltCorpus, effort: Effort, before: Sequence[Line], *, cold: bool
) -> Iterator[Line]:
    """Measure one store; ``before`` are the lines of smaller ones, ``cold`` adds the processes."""
    warm_ups = make_requests(_WARM_UPS, seed=6)
    measured = measure_rounds(list(_ways(built, effort)), warm_ups)
    yield from _warm_lines(built, measured, before)
    batch = make_requests(effort.batch, seed=8)
    repeats = effort.repeats if built.corpus.entries < _LARGE_SESSION else 1
    for ranking in RANKINGS:
        cpu, wall, hits = measure_batches(built, ranking, batch, warm_ups, repeats)
        what = f"{ranking}, a request of {len(batch):,}"
        line = Line(built.corpus.name, what, repeats, cpu, wall, hits)
        yield line.within(batch_budget(built.corpus.entries))
    if cold:
        for one in measure_cold_starts(built, make_requests(effort.cold_starts, seed=9)):
            budget = cold_budget() if one.name == COMMAND else None
            yield Line(built.corpus.name, one.name, one.runs, one.cpu, one.wall, one.mean_hits).within(budget)


def _ways(built: BuiltCorpus, effort: Effort) -> Iterator[Way]:
    requests = make_requests(effort.requests, seed=7)
    for ranking in RANKINGS:
        yield Way(ranking, partial(open_ours, built, ranking), requests, effort.repeats, again=True)
    large = built.corpus.stored >= _LARGE_STORE
    asked = requests[:_LARGE_REQUESTS] if large else requests
    described = [*asked, *make_requests(_WARM_UPS, seed=6)]
    opened = partial(open_baseline, build_baseline(built), removed_ids(built), described)
    yield Way(_BASELINE, opened, asked, 1 if large else effort.repeats)


def _warm_lines(
    built: BuiltCorpus, measured: Mapping[str, Measured], before: Sequence[Line]
) -> Iterator[Line]:
    name = built.corpus.name
    for what, one in measured.items():
        cpu, wall = over_rounds(one.cpu), over_rounds(one.wall)
        line = Line(name, what, len(one.cpu[0]), cpu, wall, one.mean_hits)
        if what in RANKINGS:
            yield from _lines_of_ours(line, built, one, measured[_BASELINE], before)
        else:
            yield line
        if not what.endswith(ASKED_AGAIN):
            for stage in one.stages:
                yield Line(name, f"{what}: {stage}", len(one.answers), None, one.stage(stage))


def _lines_of_ours(
    line: Line, built: BuiltCorpus, ours: Measured, base: Measured, before: Sequence[Line]
) -> Iterator[Line]:
    # Of the same requests: the baseline may have been asked fewer.
    same = over_rounds([spent[: len(base.cpu[0])] for spent in ours.cpu])
    line = replace(line, ratio=same.p50 / over_rounds(base.cpu).p50)
    corpus = built.corpus
    if corpus.stored != corpus.entries:
        yield _beside_itself_alone(line, corpus, before)
        return
    yield line.within(warm_budget(corpus.entries))
    if budget := predecessor_budget(corpus.entries):
        yield replace(line, what=f"{line.what}, to its predecessor", ratio=None, cpu_budget=budget)


def _beside_itself_alone(line: Line, corpus: Corpus, before: Sequence[Line]) -> Line:
    for one in before:
        if (one.store, one.what) == (corpus.alone.name, line.what) and one.cpu:
            return replace(line, cpu_budget=alone_budget(one.cpu), wall_budget=alone_budget(one.wall))
    return line
