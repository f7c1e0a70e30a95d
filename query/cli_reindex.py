"""Commands that bring the store up to date, all of it or a log at once, and say what such runs did."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from ..pipelines.errors import SourceError, StoreError
from ..pipelines.paths import display_path
from ..pipelines.store import StorePaths
from . import render
from .cli import cli, example
from .cli_errors import problem_of
from .cli_options import Settings, as_path, log_roots, print_result, shared_options

__all__ = ["reindex", "runs", "sync"]

_FAILED = 1
_BUSY = 3
_FINISHED_WITH_REJECTS = 4
_SHOWN_RUNS = 20


def _as_report_file(text: str) -> Path:
    if text == "-":
        raise click.BadParameter("name a file: --json prints the report on standard output")
    path = as_path(text)
    if not path.parent.is_dir():
        raise click.BadParameter(f"{path.parent} is no folder")
    return path


@cli.command(
    short_help="Bring the store up to date.",
    epilog=example(
        "uncompact reindex ~/.pi/agent/sessions --strict --json",
        "uncompact reindex --report /var/tmp/reindex.json --progress json",
    ),
)
@shared_options
@click.argument("paths", nargs=-1, type=as_path, metavar="[PATH]...")
@click.option("--strict", is_flag=True, help="Exit with 4 when a line or a log could not be read.")
@click.option(
    "--wait", type=click.FloatRange(min=0), default=0, metavar="SECONDS", help="Wait for another writer."
)
@click.option("--full", is_flag=True, help="Read every log from its beginning, whatever its times say.")
@click.option("--verify", is_flag=True, help="Read everything again, and mend what drifted from the logs.")
@click.option("--rebuild-companion", is_flag=True, help="Build the full-text companion anew from the lake.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that read logs, where there is much to read; by default one a core.",
)
@click.option(
    "--progress",
    "shown",
    type=click.Choice(("auto", "bar", "json", "none")),
    default="auto",
    show_default=True,
    help="How to show progress on stderr: a bar, or one JSON object a line; auto is a bar on a terminal.",
)
@click.option(
    "--report",
    "report_file",
    type=_as_report_file,
    metavar="FILE",
    help="Write the run report there, also of a run that fails.",
)
def reindex(
    settings: Settings,
    paths: tuple[Path, ...],
    strict: bool,
    wait: float,
    full: bool,
    verify: bool,
    rebuild_companion: bool,
    workers: int | None,
    shown: str,
    report_file: Path | None,
) -> None:
    """Bring the store up to date with the logs below PATHs, by default the agents' own folders.

    --progress json writes to stderr, at most a few times a second, {"event": "stage" | "progress", "stage",
    "done_bytes", "total_bytes" (null when unknown), "logs", "seconds"}; {"event": "warning", "message"}; and last
    {"event": "done", "outcome", "error", "logs", "entries_added", "bytes_read", "warnings", "seconds"}. Stages are
    discover, read, commit, companion (there bytes are characters of text) and tidy.

    --report FILE has what --json prints, and in "error" why a run failed: its kind, message and hint. The outcome is
    ok, rejects, failed or interrupted. A run that is killed leaves the file as it was.
    """
    from ..pipelines.reindex import reindex as bring_up_to_date
    from ..pipelines.run_report import RunReport
    from .observed_run import chosen_progress, ended_by_sigterm, observed_run

    shown = chosen_progress(shown, as_json=settings.as_json)
    report = RunReport()
    with ended_by_sigterm(), observed_run(report, shown, report_file) as progress:
        bring_up_to_date(
            log_roots(paths),
            settings.store_folder(),
            wait_s=wait,
            full=full,
            verify=verify,
            rebuild_companion=rebuild_companion,
            workers=workers,
            progress=progress,
            report=report,
        )
    warnings = [] if shown == "json" else report.warnings
    print_result(settings, report.to_dict(), render.report_text, warnings=warnings)
    if strict and report.is_lossy:
        raise click.exceptions.Exit(_FINISHED_WITH_REJECTS)


@cli.command(
    short_help="Bring logs up to date for retrieval.", epilog=example("uncompact sync log.jsonl --json")
)
@shared_options
@click.argument("files", nargs=-1, required=True, type=as_path, metavar="FILE...")
def sync(settings: Settings, files: tuple[Path, ...]) -> None:
    """Bring FILEs' sessions up to date for `retrieve`, at the cost of what was appended to them.

    Says of each its outcome (unchanged, appended, read whole, busy, failed), the entries added and the bytes read.
    Exits with 3 when another process is writing the store. The lake follows at the next `reindex`.
    """
    done = [_sync(settings.store_folder(), file, only=len(files) == 1) for file in files]
    print_result(settings, done, render.syncs_text)
    outcomes = {one["outcome"] for one in done}
    if outcomes & {"failed", "busy"}:
        raise click.exceptions.Exit(_FAILED if "failed" in outcomes else _BUSY)


@cli.command(
    short_help="List what reindexing did.",
    epilog=example("uncompact runs --limit 5", "uncompact runs --json"),
)
@shared_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=_SHOWN_RUNS,
    show_default=True,
    metavar="N",
    help="At most so many; a store remembers 1,000.",
)
def runs(settings: Settings, limit: int) -> None:
    """List the store's runs of `reindex`, the newest first: when, how each ended, counts and seconds.

    A run that is unfinished goes on still, or was killed. The history names no log.
    """
    from ..pipelines.run_history import read_runs

    paths = StorePaths(Path(os.path.abspath(settings.store_folder())))
    if not paths.root.is_dir():
        raise StoreError(
            paths.root, "no store here", hint="`uncompact reindex` with the same --store makes one"
        )
    print_result(settings, read_runs(paths.runs, limit), render.runs_text)


def _sync(store: Path, file: Path, *, only: bool) -> dict[str, Any]:
    """Sync one log; an error of the ``only`` one is the command's, of one among several a part of its result."""
    from ..pipelines.log_events import log_event
    from ..pipelines.sync import sync_log

    begun = time.perf_counter()
    try:
        result = sync_log(store, file)
    except (SourceError, OSError) as error:
        if only:
            raise
        problem = problem_of(error).to_dict()
        return {"log": display_path(file), "outcome": "failed", "entries": 0, "bytes_read": 0, **problem}
    log_event(
        f"sync-{result.outcome}",
        entries=result.entries,
        bytes_read=result.bytes_read,
        seconds=round(time.perf_counter() - begun, 6),
    )
    return {
        "log": display_path(file),
        "outcome": result.outcome,
        "entries": result.entries,
        "bytes_read": result.bytes_read,
    }
