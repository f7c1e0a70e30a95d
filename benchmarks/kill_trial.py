"""Kill real runs: does the old state answer, does the next run finish, and does the store then hold what it should?

    python benchmarks/kill_trial.py [--kills 20] [--every 25 | --spread 12] [--seed 1] [--scenarios append,forget]
        [--json FILE]

In each scenario a command is killed ``--kills`` times at a random moment and at every ``--every``-th change it makes
to the store, or at ``--spread`` changes (before the change, with half of a write done, or after it, in turn). Every fourth time the run after it is
killed too. Then a plain ``reindex`` must bring the store to what it is without a kill. *lost* are entries, *left* the
most files that no commit names after a kill, *left then* after the run that followed, *orphans* children that lived
on. Counting changes takes Linux and a C compiler: without them the exit code is 3.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar, cast

from kill_scenarios import Scenario, command_line, reindex, requests, scenarios, write_logs
from store_contents import companion_counts, lake_rows, left_over_files, retrieved, shown
from write_killer import HOWS, Ended, Kill, KillerMissingError, build_killer, run

import uncompact

Result = TypeVar("Result")
JsonObject = dict[str, object]
Lake = dict[str, list[tuple[object, ...]]]

# What a row of the table shows, and under which name.
_COLUMNS = {
    "changes": "changes", "tried": "tried", "killed": "killed", "recovered": "recovered", "entries_lost": "lost",
    "files_left": "left", "files_left_after_next_run": "left then", "orphans": "orphans",
}  # fmt: skip


@dataclass(slots=True)
class Figures:
    """What a scenario's kills came to; files are the most that one trial left."""

    scenario: str
    changes: int = 0
    tried: int = 0
    killed: int = 0
    recovered: int = 0
    entries_lost: int = 0
    files_left: int = 0
    files_left_after_next_run: int = 0
    orphans: int = 0
    failures: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


@dataclass(frozen=True, slots=True)
class State:
    """What a store holds; an engine's part is ``None`` where it has nothing yet, or says why it cannot be read."""

    lake: Lake | str | None
    shown: dict[str, JsonObject] | str | None
    retrieved: dict[str, JsonObject] | str | None
    counts: dict[str, int] | str | None


class Trial:
    """One scenario's logs, the states of a store that nothing kills, and a store to kill commands on."""

    def __init__(self, scenario: Scenario, folder: Path, killer: Path) -> None:
        self.scenario = scenario
        self.figures = Figures(scenario.name)
        self._logs, self._store, self._before = folder / "logs", folder / "store", folder / "before"
        self._killer = killer
        write_logs(self._logs)
        if scenario.has_store:
            uncompact.reindex([self._logs], self._before)
        scenario.change(self._logs)
        self._old = read_state(self._before)
        self._reset()
        whole = self._run()
        if whole.code:
            raise SystemExit(f"{scenario.name}: without a kill it ended with {whole.code}: {whole.errors}")
        self.figures.changes, self.seconds = whole.changes, whole.seconds
        self._done = read_state(self._store)
        self._run(plain=True)
        self._new = read_state(self._store)
        self._left_anyway = len(left_over_files(self._store))

    def try_kill(self, kill: Kill, then: Kill | None) -> None:
        """Kill the command, look at what is left, kill the next run when told to, let one finish and compare."""
        self._reset()
        self.figures.tried += 1
        ended = self._run(kill)
        self.figures.killed += ended.killed
        self.figures.orphans += ended.orphans
        what = f"{kill} of {self.figures.changes}: {ended.place}"
        faults = [] if ended.killed or ended.code == 0 else [f"ended with {ended.code}: {ended.errors}"]
        faults += self._check_left()
        self.figures.files_left = max(self.figures.files_left, self._count_left())
        if then is not None:
            what += f"; then {then}: {self._run(then, plain=True).place}"
            faults += self._check_left()
        faults += self._finish()
        self.figures.recovered += not faults
        self.figures.failures += [{"kill": what, "fault": fault} for fault in faults]

    def _reset(self) -> None:
        shutil.rmtree(self._store, ignore_errors=True)
        if self.scenario.has_store:
            shutil.copytree(self._before, self._store)

    def _run(self, kill: Kill | None = None, *, plain: bool = False) -> Ended:
        arguments = (reindex if plain else self.scenario.arguments)(self._logs)
        return run(command_line(arguments, self._store), self._store, self._killer, kill)

    def _check_left(self) -> Iterator[str]:
        """Compare what a killed command left with the states before and after it, one of which it must be whole."""
        # A copy: opening a store may complete what was left, and the next run has to manage without.
        shutil.rmtree(copy := self._store.with_name("copy"), ignore_errors=True)
        if self._store.exists():
            shutil.copytree(self._store, copy)
        found, wanted = read_state(copy), (self._old, self._done, self._new)
        for name in ("lake", "shown", "retrieved"):
            if getattr(found, name) not in [getattr(one, name) for one in wanted]:
                told = (_difference(getattr(found, name), getattr(one, name)) for one in wanted[:2])
                yield f"{name} after the kill: {' and '.join(told)}"

    def _count_left(self) -> int:
        return max(len(left_over_files(self._store)) - self._left_anyway, 0)

    def _finish(self) -> Iterator[str]:
        done = self._run(plain=True)
        if done.code == 0 and self.scenario.once_more and read_state(self._store) != self._new:
            done = self._run()
            self._run(plain=True)
        if done.code:
            yield f"the next run ended with {done.code}: {done.errors}"
            return
        if left := self._count_left():
            self.figures.files_left_after_next_run = max(self.figures.files_left_after_next_run, left)
            yield f"{left} files left after the next run: {', '.join(left_over_files(self._store))}"
        found = read_state(self._store)
        self.figures.entries_lost += _lost(found.lake, self._new.lake)
        for name in ("lake", "shown", "retrieved", "counts"):
            if getattr(found, name) != getattr(self._new, name):
                told = _difference(getattr(found, name), getattr(self._new, name))
                yield f"{name} after the next run: {told}"
        report = uncompact.reindex([self._logs], self._store)
        if report.changed or report.vanished:
            yield f"a run after that found {report.changed} logs changed and {report.vanished} vanished"


def read_state(store: Path) -> State:
    """Read all of a store."""
    lake = _or_why_not(lambda: lake_rows(store))
    return State(
        lake if isinstance(lake, str) or (lake and any(lake.values())) else None,
        _or_why_not(lambda: shown(store)),
        _or_why_not(lambda: retrieved(store, requests())),
        _or_why_not(lambda: companion_counts(store)),
    )


def _or_why_not(read: Callable[[], Result]) -> Result | str | None:
    try:
        return read()
    except uncompact.StoreError as error:
        return None if " here" in str(error) else f"{type(error).__name__}: {error}"


def _lost(found: Lake | str | None, wanted: Lake | str | None) -> int:
    if not isinstance(wanted, dict):
        return 0
    held = set(map(repr, found["entries"])) if isinstance(found, dict) else set[str]()
    return len(set(map(repr, wanted["entries"])) - held)


def _difference(found: object, wanted: object) -> str:
    """Say in which parts values differ."""
    one, other = _parts(found), _parts(wanted)
    if one is None or other is None:
        return f"{str(found)[:200]} instead of {str(wanted)[:80]}" if found != wanted else "equal"
    names = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    return f"differs in {', '.join(names)[:200]}"


def _parts(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def kills(changes: int, seconds: float, options: argparse.Namespace, rng: random.Random) -> Iterator[Kill]:
    """Yield the kills of a scenario: at changes, then at random moments."""
    numbers: Iterable[int] = range(options.every, changes + 1, options.every) if options.every else ()
    if options.spread:
        numbers = (changes * nth // (options.spread + 1) for nth in range(1, options.spread + 1))
    for nth, number in enumerate(numbers):
        yield Kill(number, HOWS[nth % len(HOWS)])
    for _ in range(options.kills):
        yield Kill(after_s=rng.uniform(0, seconds))


def measure(options: argparse.Namespace) -> Iterator[Figures]:
    """Run the scenarios and yield the figures of each."""
    rng = random.Random(options.seed)
    only = {name for name in options.scenarios.split(",") if name}
    for scenario in scenarios():
        if scenario.name not in only if only else scenario.heavy:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            trial = Trial(scenario, folder, build_killer(folder))
            changes = trial.figures.changes
            for nth, kill in enumerate(kills(changes, trial.seconds, options, rng)):
                second = Kill(rng.randint(1, changes), rng.choice(HOWS))
                trial.try_kill(kill, second if nth % 4 == 3 else None)
        yield trial.figures


def _kinds(failures: Sequence[dict[str, str]]) -> Iterator[tuple[dict[str, str], int]]:
    """Yield the first failure of each kind, and how many there are: those that differ in numbers alone are one."""
    kinds = [re.sub(r"[0-9a-f]*[0-9][0-9a-f]*", "", failure["fault"])[:60] for failure in failures]
    for kind in dict.fromkeys(kinds):
        yield failures[kinds.index(kind)], kinds.count(kind)


def main() -> None:
    """Try the kills and print a table; exit with 1 when any left a store that is not as it should be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20, help="kills at random moments, for each scenario")
    parser.add_argument("--every", type=int, default=25, help="kill at every n-th change; 0: at none")
    parser.add_argument(
        "--spread", type=int, default=0, help="instead: kill at so many changes, evenly spread"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenarios", default="", help="names, with commas between them; default: all")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: list[Figures] = []
    print(f"{'scenario':20}" + "".join(f"{name:>10}" for name in _COLUMNS.values()), flush=True)
    try:
        for figures in measure(options):
            found.append(figures)
            row = (f"{getattr(figures, name):10}" for name in _COLUMNS)
            print(f"{figures.scenario:20}" + "".join(row), flush=True)
            for failure, count in _kinds(figures.failures):
                print(f"    {count} times, first {failure['kill']}: {failure['fault']}", flush=True)
    except KillerMissingError as error:
        parser.exit(3, f"{error}\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1), encoding="utf-8")
    if any(figures.failures for figures in found):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
