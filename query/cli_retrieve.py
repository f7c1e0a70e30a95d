"""The command that asks for evidence: one request, or a file of them in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from . import render
from .cli import cli, example, leaf_option
from .cli_options import (
    SessionName,
    Settings,
    as_path,
    as_session,
    as_text,
    find_session,
    no_sync_option,
    print_result,
    read_inputs,
    shared_options,
)
from .printing import print_json

if TYPE_CHECKING:
    from .history_store import HistoryStore, RetrievalRequest
    from .settings import RankingName

__all__ = ["retrieve"]

_FAILED = 1


@cli.command(
    short_help="Find what a compaction removed.",
    epilog=example(
        "uncompact retrieve --session log.jsonl 'which pool size did we settle on?'",
        "uncompact retrieve --session log.jsonl -- --no-cache",
        "uncompact retrieve --requests questions.jsonl > answers.jsonl",
    ),
)
@shared_options
@click.argument("request", required=False, type=as_text)
@click.option("--session", type=as_session, metavar="FILE|ID", help="A log, or a session's id.")
@leaf_option
@click.option(
    "--context-ids",
    metavar="FILE",
    help="Ids of the entries in context: a JSON list, or one a line; - is stdin.",
)
@click.option(
    "--requests",
    type=as_path,
    metavar="FILE",
    help='Answer a file of requests: {"request", "session", "leaf", "context_ids"} a line.',
)
@click.option("--max-results", type=int, default=12, show_default=True, metavar="N", help="1 to 100.")
@click.option(
    "--max-tokens", type=int, default=16_000, show_default=True, metavar="N", help="For all evidence."
)
@click.option(
    "--ranking",
    type=click.Choice(("seed", "relevance")),
    default="seed",
    show_default=True,
    help="By the documented points, or by lexical relevance alone.",
)
@click.option(
    "--explain", is_flag=True, help="Show what each score is made of, and where what matched stands."
)
@click.option("--full", is_flag=True, help="Show whole excerpts.")
@no_sync_option
def retrieve(
    settings: Settings,
    request: str | None,
    session: SessionName | None,
    leaf: str | None,
    context_ids: str | None,
    requests: Path | None,
    max_results: int,
    max_tokens: int,
    ranking: str,
    explain: bool,
    full: bool,
) -> None:
    """Find what a compaction removed from a branch and REQUEST is about; - reads REQUEST from stdin.

    A log named by its FILE is brought up to date first. Where that cannot be, because another process is writing the
    store or it may not be written, the answer comes from what the store has, with a warning. With --requests one
    answer a line is printed as JSON, in the order of the requests; --session is for those that name none.
    """
    from .settings import RetrievalSettings

    limits: dict[str, Any] = {
        "max_results": max_results,
        "max_retrieved_history_tokens": max_tokens,
        "settings": RetrievalSettings(ranking=cast("RankingName", ranking)),
    }
    if requests is not None:
        if request is not None or leaf is not None or context_ids is not None:
            raise click.UsageError("--requests goes with no REQUEST, --leaf or --context-ids")
        _answer_file(settings, requests, session, limits, explain=explain)
        return
    if request is None or session is None:
        raise click.UsageError("name a REQUEST and its --session, or a file with --requests")
    request, in_context = read_inputs(request, context_ids)
    behind = settings.sync_first(session)
    with settings.open_store() as store:
        key = find_session(store, session)
        found = store.retrieve(key, request, leaf, context_ids=in_context, **limits)
    answer = found.to_dict(explain=explain)
    answer["warnings"] += behind
    seconds = {f"{stage}_ms": spent for stage, spent in answer["timings_ms"].items()}
    settings.log("retrieve", hits=len(answer["hits"]), tokens=answer["tokens"], **answer["counts"], **seconds)
    layout = partial(render.retrieval_text, explain=explain, full=full)
    print_result(settings, answer, layout, warnings=answer["warnings"])
    if answer["status"] == "failed":
        raise click.exceptions.Exit(_FAILED)


def _answer_file(
    settings: Settings, file: Path, session: SessionName | None, limits: dict[str, Any], *, explain: bool
) -> None:
    if session is not None:
        settings.sync_first(session)
    with settings.open_store() as store:
        answers = store.retrieve_many(list(_read_requests(store, file, session)), **limits)
    for answer in answers:
        print_json(answer.to_dict(explain=explain))
    if any(answer.status == "failed" for answer in answers):
        raise click.exceptions.Exit(_FAILED)


def _read_requests(
    store: HistoryStore, file: Path, session: SessionName | None
) -> Iterator[RetrievalRequest]:
    """Read a file of requests. Raises ``click.UsageError`` naming the line that is none."""
    from .request_lines import RequestLineError, decode_request

    keys: dict[str, str] = {}
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            asked = decode_request(line)
        except RequestLineError as error:
            raise click.UsageError(f"{file}:{number}: {error}") from error
        name = asked.session or session
        if name is None:
            raise click.UsageError(f"{file}:{number}: names no session, and there is no --session")
        if name not in keys:
            keys[name] = find_session(store, as_session(name))
        yield asked.in_session(keys[name])
