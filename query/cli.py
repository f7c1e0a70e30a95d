"""The command line: each command is its options, one call and one way to print the result."""

from __future__ import annotations

import io
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import click

from . import render
from .cli_errors import CommandLine
from .cli_options import (
    SessionName,
    Settings,
    as_path,
    as_session,
    as_text,
    debug_option,
    find_session,
    json_option,
    log_options,
    no_sync_option,
    print_result,
    shared_options,
    store_option,
)

__all__ = ["cli", "example", "leaf_option", "main"]

_FAILED = 1

leaf_option = click.option(
    "--leaf", type=as_text, metavar="ID", help="Entry the branch ends at; by default the current leaf."
)


def example(*lines: str) -> str:
    """End a command's help with lines to type; the mark keeps click from filling them into a paragraph."""
    return "\n".join(("\b", "Example:", *(f"  {line}" for line in lines)))


@click.group(
    cls=CommandLine,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example(
        "uncompact reindex",
        "uncompact sessions",
        "uncompact retrieve --session SESSION 'which pool size did we settle on?'",
    ),
)
@json_option
@store_option
@log_options
@debug_option
@click.version_option(package_name="uncompact", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Bring back what compaction took away from a coding agent's context.

    Exit codes: 0 ok, 1 error, 2 wrong usage, 3 another process is writing the store, 4 rejects (reindex --strict).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command(short_help="Say how the store is doing.", epilog=example("uncompact status"))
@shared_options
@click.argument("paths", nargs=-1, type=as_path, metavar="[PATH]...")
def status(settings: Settings, paths: tuple[Path, ...]) -> None:
    """Say where the store is, what it holds, how large it is, how fresh, and what it misses.

    What it misses are logs, or ends of logs, below PATHs, by default the agents' own folders, that it has not read.
    """
    from ..pipelines.sources import default_roots

    with settings.open_store() as store:
        state = store.status(paths or default_roots())
    coverage = state["coverage"]
    unread = [f"{log}: not read to its end" for log in coverage["named"]]
    print_result(settings, state, render.status_text, warnings=unread)


@cli.command(short_help="List the sessions.", epilog=example("uncompact sessions --json"))
@shared_options
def sessions(settings: Settings) -> None:
    """List the sessions of the store, the newest first."""
    with settings.open_store() as store:
        found = store.sessions()
    print_result(settings, found, render.sessions_text)


@cli.command(
    short_help="List a session's entries and their states.",
    epilog=example("uncompact show log.jsonl --tree"),
)
@shared_options
@click.argument("session", type=as_session)
@leaf_option
@click.option("--tree", is_flag=True, help="Draw the branches instead of listing the entries.")
@no_sync_option
def show(settings: Settings, session: SessionName, leaf: str | None, tree: bool) -> None:
    """List SESSION's entries and the state of each for a leaf: in context, compacted, edited out, on a sibling.

    A log named by its file is brought up to date first, as `retrieve` does.
    """
    from .tree_text import tree_text

    behind = settings.sync_first(session)
    with settings.open_store() as store:
        key = find_session(store, session)
        shown = store.show(key, leaf)
        if shown["warnings"]:
            behind += settings.lake_first(session)
            shown = store.show(key, leaf)
    shown["warnings"] += behind
    print_result(settings, shown, tree_text if tree else render.entries_text, warnings=shown["warnings"])


@cli.command(short_help="Try it on the demo sessions.", epilog=example("uncompact demo"))
@shared_options
def demo(settings: Settings) -> None:
    """Index the demo sessions into a store of their own and show what comes back."""
    from .demo import run_demo

    with tempfile.TemporaryDirectory() if settings.store is None else nullcontext(settings.store) as store:
        shown = run_demo(Path(store))
    print_result(settings, shown, render.demo_text)


def main() -> None:
    """Run the command line; the console entry point."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="uncompact")


# They add their commands to the group above.
from . import cli_doctor as cli_doctor  # noqa: PLC0414
from . import cli_reindex as cli_reindex  # noqa: PLC0414
from . import cli_retention as cli_retention  # noqa: PLC0414
from . import cli_retrieve as cli_retrieve  # noqa: PLC0414
from . import cli_upkeep as cli_upkeep  # noqa: PLC0414
