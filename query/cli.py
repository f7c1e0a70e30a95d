"""The command line: each command is its options, one call and one way to print the result."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from . import render
from .cli_errors import CommandLine
from .cli_options import (
    Settings,
    as_path,
    as_session,
    as_text,
    debug_option,
    find_session,
    json_option,
    log_roots,
    read_inputs,
    shared_options,
    store_option,
)
from .printing import print_json, print_text, print_warnings, working

if TYPE_CHECKING:
    from ..pipelines.run_report import RunReport

__all__ = ["cli", "main"]

_Value = TypeVar("_Value")

_FAILED = 1
_FINISHED_WITH_REJECTS = 4

_leaf_option = click.option(
    "--leaf", type=as_text, metavar="ID", help="Entry the branch ends at; by default the current leaf."
)


def _example(*lines: str) -> str:
    """End a command's help with lines to type; the mark keeps click from filling them into a paragraph."""
    return "\n".join(("\b", "Example:", *(f"  {line}" for line in lines)))


@click.group(
    cls=CommandLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_example(
        "uncompact reindex",
        "uncompact sessions",
        "uncompact retrieve --session SESSION 'which pool size did we settle on?'",
    ),
)
@json_option
@store_option
@debug_option
@click.version_option(package_name="uncompact", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Bring back what compaction took away from a coding agent's context.

    Exit codes: 0 ok, 1 error, 2 wrong usage, 3 another process is writing the store, 4 rejects (reindex --strict).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command(
    short_help="Bring the store up to date.",
    epilog=_example("uncompact reindex ~/.pi/agent/sessions --strict --json"),
)
@shared_options
@click.argument("paths", nargs=-1, type=as_path, metavar="[PATH]...")
@click.option("--strict", is_flag=True, help="Exit with 4 when a line or a log could not be read.")
@click.option(
    "--wait", type=click.FloatRange(min=0), default=0, metavar="SECONDS", help="Wait for another writer."
)
@click.option("--rebuild-companion", is_flag=True, help="Build the full-text companion anew from the lake.")
def reindex(
    settings: Settings, paths: tuple[Path, ...], strict: bool, wait: float, rebuild_companion: bool
) -> None:
    """Bring the store up to date with the logs below PATHs, by default the agents' own folders."""
    from ..pipelines.reindex import reindex as bring_up_to_date

    with working("indexing"):
        report = bring_up_to_date(
            log_roots(paths), settings.store_folder(), wait_s=wait, rebuild_companion=rebuild_companion
        )
    _print(settings, report.to_dict(), render.report_text, warnings=report.warnings)
    if strict and _is_lossy(report):
        raise click.exceptions.Exit(_FINISHED_WITH_REJECTS)


@cli.command(short_help="Say how the store is doing.", epilog=_example("uncompact status"))
@shared_options
def status(settings: Settings) -> None:
    """Say where the store is, what it holds, how large it is and how fresh."""
    with settings.open_store() as store:
        state = store.status()
    _print(settings, state, render.status_text)


@cli.command(short_help="List the sessions.", epilog=_example("uncompact sessions --json"))
@shared_options
def sessions(settings: Settings) -> None:
    """List the sessions of the store, the newest first."""
    with settings.open_store() as store:
        found = store.sessions()
    _print(settings, found, render.sessions_text)


@cli.command(
    short_help="Find what a compaction removed.",
    epilog=_example(
        "uncompact retrieve --session log.jsonl 'which pool size did we settle on?'",
        "uncompact retrieve --session log.jsonl -- --no-cache",
    ),
)
@shared_options
@click.argument("request", type=as_text)
@click.option(
    "--session", type=as_session, required=True, metavar="FILE|ID", help="A log, or a session's id."
)
@_leaf_option
@click.option(
    "--context-ids",
    metavar="FILE",
    help="Ids of the entries in context: a JSON list, or one a line; - is stdin.",
)
@click.option("--max-results", type=int, default=12, show_default=True, metavar="N", help="1 to 100.")
@click.option(
    "--max-tokens", type=int, default=16_000, show_default=True, metavar="N", help="For all evidence."
)
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--full", is_flag=True, help="Show whole excerpts.")
def retrieve(
    settings: Settings,
    request: str,
    session: str,
    leaf: str | None,
    context_ids: str | None,
    max_results: int,
    max_tokens: int,
    explain: bool,
    full: bool,
) -> None:
    """Find what a compaction removed from a branch and REQUEST is about; - reads REQUEST from stdin."""
    request, in_context = read_inputs(request, context_ids)
    limits = {"max_results": max_results, "max_retrieved_history_tokens": max_tokens}
    with settings.open_store() as store:
        key = find_session(store, session)
        answer = store.retrieve(key, request, leaf, context_ids=in_context, **limits).to_dict()
    layout = partial(render.retrieval_text, explain=explain, full=full)
    _print(settings, answer, layout, warnings=answer["warnings"])
    if answer["status"] == "failed":
        raise click.exceptions.Exit(_FAILED)


@cli.command(
    short_help="List a session's entries and their states.",
    epilog=_example("uncompact show log.jsonl --tree"),
)
@shared_options
@click.argument("session", type=as_session)
@_leaf_option
@click.option("--tree", is_flag=True, help="Draw the branches instead of listing the entries.")
def show(settings: Settings, session: str, leaf: str | None, tree: bool) -> None:
    """List SESSION's entries and the state of each for a leaf: in context, compacted, edited out, on a sibling."""
    from .tree_text import tree_text

    with settings.open_store() as store:
        shown = store.show(find_session(store, session), leaf)
    _print(settings, shown, tree_text if tree else render.entries_text)


@cli.command(short_help="Try it on the demo sessions.", epilog=_example("uncompact demo"))
@shared_options
def demo(settings: Settings) -> None:
    """Index the demo sessions into a store of their own and show what comes back."""
    from .demo import run_demo

    with tempfile.TemporaryDirectory() if settings.store is None else nullcontext(settings.store) as store:
        shown = run_demo(Path(store))
    _print(settings, shown, render.demo_text)


def _print(
    settings: Settings, value: _Value, layout: Callable[[_Value], str], *, warnings: Sequence[str] = ()
) -> None:
    if settings.as_json:
        print_json(value)
        return
    print_text(layout(value))
    print_warnings(warnings)


def _is_lossy(report: RunReport) -> bool:
    """Tell whether a line, a file or a whole log came to nothing."""
    return bool(report.failed or report.rejects or report.without_entries)


def main() -> None:
    """Run the command line; the console entry point."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="uncompact")


from . import cli_upkeep as cli_upkeep  # noqa: PLC0414 it adds its commands to the group above
