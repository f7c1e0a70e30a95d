"""The command that names what is wrong with a store, and mends it."""

from __future__ import annotations

from pathlib import Path

import click

from .cli import cli, example
from .cli_options import Settings, as_path, print_result, shared_options
from .render_upkeep import doctor_text

__all__ = ["doctor"]

_FOUND = 1


@cli.command(
    short_help="Name what is wrong with the store.",
    epilog=example("uncompact doctor", "uncompact doctor --quick --json", "uncompact doctor --repair"),
)
@shared_options
@click.argument("paths", nargs=-1, type=as_path, metavar="[PATH]...")
@click.option("--quick", is_flag=True, help="Look at what every reindex looks at, and no more.")
@click.option("--repair", is_flag=True, help="Mend what can be mended, from the logs and the lake.")
@click.option(
    "--wait", type=click.FloatRange(min=0), default=0, metavar="SECONDS", help="Wait for another writer."
)
def doctor(settings: Settings, paths: tuple[Path, ...], quick: bool, repair: bool, wait: float) -> None:
    """Check the store, and whether it holds all that the logs below PATHs, by default the agents' own folders, hold.

    Every file of the lake and every word of the companion is read, unless --quick. Exits with 1 when something is
    wrong that was not mended. --repair reads every log anew, compares it with the lake, and builds the companion
    anew; what only the store has still is kept.
    """
    from ..pipelines.doctor import examine_store
    from ..pipelines.reindex import reindex
    from ..pipelines.sources import default_roots

    store, roots = settings.store_folder(), list(paths) or default_roots()
    found = examine_store(store, roots, deep=not quick)
    left = found
    warnings: list[str] = []
    if repair and found:
        report = reindex(roots, store, wait_s=wait, verify=True, rebuild_companion=True)
        warnings = report.warnings
        left = examine_store(store, roots, deep=not quick)
    result = {
        "store": str(store),
        "found": [one.to_dict() for one in found],
        "left": [one.to_dict() for one in left],
        "repaired": repair and bool(found),
    }
    print_result(settings, result, doctor_text, warnings=warnings)
    if left:
        raise click.exceptions.Exit(_FOUND)
