"""The command that makes a store forget sessions, lists what was forgotten, and lets it in again."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .cli import cli, example
from .cli_options import Settings, as_session, as_text, print_result, shared_options
from .printing import print_text, write_error_line
from .render_upkeep import allowed_text, forget_text, tombstones_text

if TYPE_CHECKING:
    from ..pipelines.tombstones import Tombstone

__all__ = ["forget"]

_DECLINED = 1


@cli.command(
    short_help="Remove sessions from the store for good.",
    epilog=example(
        "uncompact forget 0195a000-0000-7000-8000-000000000001",
        "uncompact forget --project /srv/secret --before 2026-01-01 --dry-run",
        "uncompact forget --list",
        "uncompact forget --allow log.jsonl",
    ),
)
@shared_options
@click.argument("sessions", nargs=-1, type=as_session, metavar="[SESSION]...")
@click.option("--project", type=as_text, metavar="DIR", help="Those of exactly this working directory.")
@click.option(
    "--before",
    type=as_text,
    metavar="DATE",
    help="Those last written before a date or ISO time, UTC unless it says otherwise.",
)
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask on a terminal.")
@click.option(
    "--wait", type=click.FloatRange(min=0), default=0, metavar="SECONDS", help="Wait for another writer."
)
@click.option("--list", "listed", is_flag=True, help="List what was forgotten, by time and hash.")
@click.option(
    "--allow", type=as_session, metavar="NAME", help="Let a forgotten session be read again: id, log or hash."
)
def forget(
    settings: Settings,
    sessions: tuple[str, ...],
    project: str | None,
    before: str | None,
    dry_run: bool,
    yes: bool,
    wait: float,
    listed: bool,
    allow: str | None,
) -> None:
    """Remove SESSIONs from the store: every row, word, older file and name; what several options choose in common.

    A SESSION is an id (then every log that has it goes), a log, a key, or the beginning of an id or key that no
    other has. What stays is a hash, which keeps later runs from reading the log again, also when it is renamed,
    moved or copied. The logs themselves are not touched, and forks, which have ids of their own, stay: the answer
    says where copies of the forgotten entries are kept.
    """
    from ..pipelines import forget as retention

    store = settings.store_folder()
    if listed or allow is not None:
        if (listed and allow is not None) or sessions or project or before or dry_run:
            raise click.UsageError("--list and --allow go with no other choice")
        if listed:
            print_result(settings, [*map(_listed, retention.list_forgotten(store))], tombstones_text)
        else:
            lifted = retention.allow(store, allow or "", wait_s=wait)
            print_result(settings, {"allowed": [*map(_listed, lifted)]}, allowed_text)
        return
    forget_chosen = partial(retention.forget, store, sessions, project=project, before=before)
    if not (dry_run or yes or settings.as_json) and _is_at_terminal():
        print_text(forget_text(forget_chosen(dry_run=True).to_dict()))
        if not click.confirm("Forget this?", err=True):
            write_error_line("Nothing was changed.")
            raise click.exceptions.Exit(_DECLINED)
    report = forget_chosen(dry_run=dry_run, wait_s=wait)
    print_result(settings, report.to_dict(), forget_text, warnings=report.warnings)


def _is_at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _listed(stone: Tombstone) -> dict[str, Any]:
    return {
        "id": stone.short,
        "forgotten_at": stone.forgotten_at,
        "covers": stone.covers,
        "erased": stone.erased,
    }
