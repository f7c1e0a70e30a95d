"""The two rankings, one request at a time or in batches."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import cast

from speed.corpus import BuiltCorpus
from speed.measure import Answer, Ask, Quantiles, quantiles, time_call

from uncompact import Retrieval, RetrievalRequest, RetrievalSettings, open_store
from uncompact.query.settings import RankingName

__all__ = ["RANKINGS", "measure_batches", "open_ours"]

RANKINGS = cast("tuple[RankingName, ...]", ("seed", "relevance"))


@contextmanager
def open_ours(built: BuiltCorpus, ranking: RankingName) -> Generator[Ask]:
    """Open the store; the answers are what ``HistoryStore.retrieve`` gives."""
    settings = RetrievalSettings(ranking=ranking)
    with open_store(built.store) as store:
        yield lambda request: _to_answer(store.retrieve(built.log, request, settings=settings))


def measure_batches(
    built: BuiltCorpus, ranking: RankingName, requests: Sequence[str], warm_ups: Sequence[str], repeats: int
) -> tuple[Quantiles, Quantiles, float]:
    """Answer all requests by one ``retrieve_many``, several times.

    Returns CPU and wall milliseconds per request, over the repeats, and the mean number of hits. Each repeat opens
    the store anew, since answers are remembered.
    """
    settings = RetrievalSettings(ranking=ranking)
    batch = [RetrievalRequest(built.log, request) for request in requests]
    cpu: list[float] = []
    wall: list[float] = []
    hits = 0.0
    for _ in range(repeats):
        with open_store(built.store) as store:
            for request in warm_ups:
                store.retrieve(built.log, request, settings=settings)
            spent, took, answers = time_call(partial(store.retrieve_many, batch, settings=settings))
        cpu.append(spent / len(batch))
        wall.append(took / len(batch))
        hits = sum(len(answer.hits) for answer in answers) / len(batch)
    return quantiles(cpu), quantiles(wall), hits


def _to_answer(found: Retrieval) -> Answer:
    if found.status == "failed":
        raise SystemExit(f"a retrieval failed, its time means nothing: {found.reason}")
    return Answer(tuple(str(hit.to_dict()["entry_id"]) for hit in found.hits), found.timings_ms)
