"""Before a run writes: finish what a killed repair began, look for damage, and rebuild a damaged lake beside itself.

The rebuilt lake takes the other's place in one pair of renames. Whatever moment a repair is killed at, the next one
goes on from there or begins again.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from .findings import Finding
from .lake_check import LakeCheck, inspect_lake
from .lake_claims import known_sessions
from .lake_folders import is_suspect, real_folder, trust_lake, work_folder
from .lake_log import LOG_FOLDER, project_of
from .lake_salvage import salvage_lake
from .salvaged_project import COUNTED
from .salvaged_rest import Outcome
from .schema import TABLES

__all__ = ["ready_lake"]

_NAMED = 20
_NEW, _OLD, _DAMAGED, _DONE = "new", "old", "damaged", "done"


def ready_lake(
    root: Path, *, logs: Iterable[Path] = (), companion: Path | None = None, deep: bool = False
) -> list[str]:
    """Make a lake ready to be written to, repairing it where it is damaged; return what there is to warn of.

    ``logs`` are those that can be read anew, ``companion`` tells of sessions whose own row is lost. The check is the
    quick one unless ``deep`` or something failed to read the lake since it was checked so. A lake of an older version
    is rebuilt. The caller holds the writer lock and goes on with ``create_lake``.

    Raises ``StoreError`` for a lake of a newer version, and ``OSError`` when something other than damage is in the way.
    """
    _finish(root)
    suspect = is_suspect(root)
    check = inspect_lake(root, deep=deep or suspect)
    if check.is_empty and companion and known_sessions(companion):
        check.add(root, "is missing")
    elif check.is_empty:
        _remove_unfinished(root)
    told = _repair(check, list(logs), companion) if check.findings else []
    if suspect:
        trust_lake(root)
    return told


def _remove_unfinished(root: Path) -> None:
    """Remove what a first run that was killed had made of the tables: a first log may be half written."""
    for table in TABLES:
        shutil.rmtree(root / table, ignore_errors=True)


def _finish(root: Path) -> None:
    """Put a rebuilt lake in its place if a repair was killed before it had, and remove what repairs leave."""
    work, lake = work_folder(root), real_folder(root)
    if not work.is_dir():
        return
    done = work / _DONE
    if done.exists():
        if (work / _NEW).exists():
            if os.path.lexists(lake):
                # There is an old one already when somebody made a lake where none was for a moment.
                os.rename(lake, work / (f"{_OLD}-2" if (work / _OLD).exists() else _OLD))
            os.rename(work / _NEW, lake)
        if (work / _DAMAGED).exists():
            os.rename(work / _DAMAGED, lake.with_name(f"{lake.name}.damaged-{done.read_text()}"))
    shutil.rmtree(work)


def _repair(check: LakeCheck, logs: Sequence[Path], companion: Path | None) -> list[str]:
    """Rebuild a lake beside itself, put it in the other's place, and say what became of what it held."""
    lake, work = real_folder(check.root), work_folder(check.root)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid():x}-{time.time_ns() % 10**9:09}"
    work.mkdir()
    try:
        salvage = salvage_lake(
            lake,
            work / _NEW,
            stamp,
            check.versions,
            logs=logs,
            companion=companion,
            is_current=check.is_current,
        )
        kept = [
            *_foreign(lake),
            *(salvage.broken if any(outcome.is_lossy for outcome in salvage.outcomes) else ()),
        ]
        for path in kept:
            _keep(path, work / _DAMAGED / (path.relative_to(lake) if path != lake else lake.name))
        # What is removed next must not be all there is when the power fails.
        os.sync()
        (work / _DONE).write_text(stamp)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    _finish(check.root)
    return [*_told_findings(check.findings), *_told_outcomes(salvage.outcomes), *_told_kept(lake, stamp)]


def _foreign(lake: Path) -> Iterator[Path]:
    """Yield what is in a lake's folder and not ours."""
    if not lake.is_dir():
        yield from (lake,) if os.path.lexists(lake) else ()
        return
    for path in sorted(lake.iterdir()):
        if path.name not in TABLES or not path.is_dir():
            yield path
            continue
        for below in sorted(path.iterdir()):
            if below.name != LOG_FOLDER and not project_of(below.name):
                yield below


def _keep(path: Path, place: Path) -> None:
    """Put a second name of a file, or a copy of a folder, in another place; the old lake stays as it is until the end."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, place, symlinks=True)
        return
    try:
        os.link(path, place, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, place, follow_symlinks=False)


def _told_findings(findings: Sequence[Finding]) -> Iterator[str]:
    yield from (f"{finding.place}: {finding.problem}" for finding in findings[:_NAMED])
    if len(findings) > _NAMED:
        yield f"{len(findings) - _NAMED:,} more places in the lake are damaged"


def _told_outcomes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    lossy = [outcome for outcome in outcomes if outcome.is_lossy]
    whole = sum(outcome.is_as_it_was for outcome in outcomes)
    unread = sum(not outcome.is_as_it_was and not outcome.is_log_gone for outcome in outcomes)
    saved = len(outcomes) - whole - unread - len(lossy)
    yield (
        f"the lake was rebuilt: {whole + saved:,} sessions as they were, {unread:,} to be read anew from their logs, "
        f"{len(lossy):,} of which something is lost"
    )
    yield from (_told_loss(outcome) for outcome in lossy[:_NAMED])
    if len(lossy) > _NAMED:
        yield f"something of {len(lossy) - _NAMED:,} more sessions whose logs are gone is lost"


def _told_loss(outcome: Outcome) -> str:
    row = outcome.claim.row
    place = f"{row['path'] or row['session_id']}: its log is gone, and"
    if not any(outcome.saved.values()):
        return f"{place} none of its {row['entries']:,} entries could be saved"
    counted = {"entries": "entries", **COUNTED} if outcome.claim.is_exact else {}
    told = [
        f"{row[counted[table]] - outcome.saved[table]:,} of its {row[counted[table]]:,} {table}"
        for table in outcome.lacking
        if table in counted
    ]
    told += [f"maybe rows of {table}" for table in outcome.lacking if table not in counted]
    return f"{place} could not be saved: {', '.join(told)}"


def _told_kept(lake: Path, stamp: str) -> Iterator[str]:
    folder = lake.with_name(f"{lake.name}.damaged-{stamp}")
    if folder.exists():
        yield f"{folder}: what could not be read is kept here; remove it when nobody needs it"
