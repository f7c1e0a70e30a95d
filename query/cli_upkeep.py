"""Commands that keep a store up to date: print a nightly schedule, and follow the logs."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from .cli import cli
from .cli_options import Settings, as_path, log_roots, shared_options
from .printing import print_json, print_text, print_warnings
from .schedule import KINDS, plan_text, plan_units

if TYPE_CHECKING:
    from ..pipelines.watch import WatchEvent

__all__ = ["print_schedule", "schedule", "watch"]

_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)


def _as_time(text: str) -> tuple[int, int]:
    match = _TIME.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a time of day, such as 03:30")
    return int(match[1]), int(match[2])


@cli.group(
    short_help="Print what runs a nightly reindex.",
    epilog="\b\nExample:\n  uncompact schedule print systemd --at 03:30",
)
@shared_options
def schedule(_settings: Settings) -> None:
    """Print what makes the system bring the store up to date every night; nothing is installed."""


@schedule.command(
    "print",
    short_help="Print units, a crontab line or a plist.",
    epilog="\b\nExample:\n  uncompact schedule print systemd --at 03:30\n"
    "  (crontab -l; uncompact schedule print cron) | crontab -",
)
@shared_options
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("paths", nargs=-1, type=as_path, metavar="[PATH]...")
@click.option("--at", type=_as_time, default="03:30", show_default=True, metavar="HH:MM", help="Time of day.")
def print_schedule(settings: Settings, kind: str, paths: tuple[Path, ...], at: tuple[int, int]) -> None:
    """Print a nightly reindex of PATHs, by default the agents' own folders, for systemd, cron or launchd.

    `uncompact runs` says later how each night's run went. --json adds the paths of the files and the commands that install them.
    """
    from ..pipelines.sources import default_roots

    # What starts the job has none of this shell's variables: the folders they lead to are written out.
    roots = paths or default_roots()
    store = os.path.abspath(settings.store_folder())
    try:
        plan = plan_units(
            kind, _program(), store, [os.path.abspath(root) for root in roots], hour=at[0], minute=at[1]
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if settings.as_json:
        print_json(plan.to_dict())
    else:
        print_text(plan_text(plan))


@cli.command(
    short_help="Follow the logs and keep the store up to date.",
    epilog="\b\nExample:\n  uncompact watch\n  uncompact watch ~/.pi/agent/sessions --debounce 5 --json",
)
@shared_options
@click.argument("paths", nargs=-1, type=as_path, metavar="[PATH]...")
@click.option(
    "--debounce",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Take the changes of this long in one round.",
)
def watch(settings: Settings, paths: tuple[Path, ...], debounce: float) -> None:
    """Reindex the logs below PATHs, by default the agents' own folders, then bring in what changes.

    One line a round on stderr, or with --json one event on stdout. Ctrl-C and SIGTERM end it after the round in
    hand, with exit code 0; a second one ends it at once.
    """
    from ..pipelines.watch import watch_logs

    with _stop_on_signals() as stop:
        for event in watch_logs(log_roots(paths), settings.store_folder(), stop, debounce_s=debounce):
            if settings.as_json:
                print_json(event.to_dict())
            else:
                click.echo(_event_text(event), err=True)
                print_warnings(event.warnings)


def _program() -> list[str]:
    """Return what started this command line, by its absolute path."""
    started = os.path.abspath(sys.argv[0])
    if os.path.basename(started) == "uncompact" and os.access(started, os.X_OK) and os.path.isfile(started):
        return [started]
    return [os.path.abspath(sys.executable), "-m", "uncompact"]


def _event_text(event: WatchEvent) -> str:
    counts = event.counts.to_dict()
    told = [f"{counts[name]:,} {name}" for name in ("logs", "entries")]
    told += [f"{counts[name]:,} {name}" for name in ("vanished", "failed", "busy") if counts[name]]
    return f"{event.event}: {', '.join(told)} in {event.seconds:.2f} s"


class _Stop:
    """A flag that a signal handler may set at any moment; ``threading.Event`` takes a lock to be set."""

    requested = False

    def is_set(self) -> bool:
        return self.requested


@contextmanager
def _stop_on_signals() -> Generator[_Stop]:
    """Let the first SIGINT or SIGTERM set a flag; a second one does what it did before."""
    stop = _Stop()
    before: dict[int, Any] = {}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def request(_number: int, _frame: FrameType | None) -> None:
        stop.requested = True
        restore()

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, request)
    try:
        yield stop
    finally:
        restore()
