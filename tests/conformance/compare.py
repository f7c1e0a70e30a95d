"""Compare our branches and contexts with real Pi's.

usage: python tests/conformance/compare.py [--sessions N] [--entries N] [--seed N] [--all-leaves] [FILE...]
Without files it compares N generated sessions: plain, forked, damaged, versions 1 and 2. Exit code 1 on a mismatch.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # a script's own folder is all it would see

from tests.conformance.comparison import ask_pi, find_mismatches
from tests.conformance.install_pi import PiMissingError, RealPi, find_pi

_GENERATOR = Path(__file__).with_name("generate_session.mjs")
_SMALL = 400
_SHOWN = 20


def main() -> int:
    """Run the comparison and print what it found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--sessions", type=int, default=10, help="how many sessions to generate (10)")
    parser.add_argument("--entries", type=int, default=200, help="entries in a generated session (200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first generated session (1)")
    parser.add_argument("--all-leaves", action="store_true", help="every entry as a leaf in large files, too")
    given = parser.parse_args()
    try:
        pi = find_pi()
    except PiMissingError as missing:
        print(f"compare: {missing}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        files = given.files or generate(pi, Path(scratch), given.sessions, given.entries, given.seed)
        return report(pi, files, 1_000_000_000 if given.all_leaves else _SMALL)


def generate(pi: RealPi, folder: Path, sessions: int, entries: int, first_seed: int) -> list[Path]:
    """Return generated sessions and, of each, two forks, one in an old version, and all of these damaged."""
    files: list[Path] = []
    for seed in range(first_seed, first_seed + sessions):
        out = str(folder / f"{seed}.jsonl")
        shape = ["--branches", ("0", "0.06", "0.3")[seed % 3], "--compactions", ("0.01", "0.05")[seed % 2]]
        old = ["--as-version", str(1 + seed % 2), "--forks", "2", "--damage"]
        size = ["--seed", str(seed), "--entries", str(entries)]
        files += [Path(line) for line in pi.run(_GENERATOR, "--out", out, *size, *shape, *old).splitlines()]
    return files


def report(pi: RealPi, files: list[Path], all_leaves_up_to: int) -> int:
    """Print counts and the first mismatches; return the exit code."""
    leaves = refused = cyclic = 0
    mismatches: list[str] = []
    for answer in ask_pi(pi, files, all_leaves_up_to=all_leaves_up_to):
        leaves += len(answer.leaves)
        cyclic += answer.cyclic
        refused += answer.error is not None
        mismatches += [str(mismatch) for mismatch in find_mismatches(answer)]
    print("\n".join(mismatches[:_SHOWN]), end="\n" if mismatches else "")
    if len(mismatches) > _SHOWN:
        print(f"... and {len(mismatches) - _SHOWN} more")
    print(f"files {len(files)} (Pi refuses {refused}), leaves {leaves} (and {cyclic} on which Pi would hang)")
    print(f"mismatches {len(mismatches)}")
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
