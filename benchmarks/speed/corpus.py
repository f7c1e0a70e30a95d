"""The stores that are measured: one generated session, alone or among others of its size."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from make_sessions import make_session

__all__ = ["DEFAULT_SIZES", "BuiltCorpus", "Corpus", "build_corpus", "read_size"]

DEFAULT_SIZES = ("5000", "50000", "200000", "5000/1000000")

_MEASURED_SEED = 1


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a store holds: the measured session of ``entries``, and others of that size up to ``stored`` entries."""

    entries: int
    stored: int

    @property
    def name(self) -> str:
        """What the store is called in tables."""
        return f"{self.entries:,}" if self.stored == self.entries else f"{self.entries:,} in {self.stored:,}"

    @property
    def alone(self) -> Corpus:
        """The same session in a store of its own."""
        return Corpus(self.entries, self.entries)


@dataclass(frozen=True, slots=True)
class BuiltCorpus:
    """A store on disk and the logs that it was made from, the measured session's first."""

    corpus: Corpus
    folder: Path
    logs: tuple[Path, ...]

    @property
    def store(self) -> Path:
        """The store's folder."""
        return self.folder / "store"

    @property
    def log(self) -> Path:
        """The measured session's log."""
        return self.logs[0]


def read_size(text: str) -> Corpus:
    """Read ``ENTRIES`` or ``ENTRIES/STORED``. Raises ``ValueError`` for anything else."""
    entries, _, stored = text.partition("/")
    corpus = Corpus(int(entries), int(stored or entries))
    if corpus.entries < 1 or corpus.stored % corpus.entries:
        raise ValueError(f"{text}: the store holds whole sessions, so STORED is a multiple of ENTRIES")
    return corpus


def build_corpus(corpus: Corpus, work: Path) -> BuiltCorpus:
    """Write the logs that are missing below ``work`` and index what is new: a minute for some 350,000 entries.

    Indexing runs in a process of its own, so that its libraries and memory are not those of what is measured.
    """
    sizes = [corpus.entries] if corpus.stored == corpus.entries else [corpus.entries, corpus.stored]
    folder = work / "-in-".join(map(str, sizes))
    sessions = corpus.stored // corpus.entries
    logs = tuple(
        _write_log(folder / "logs", _MEASURED_SEED + number, corpus.entries) for number in range(sessions)
    )
    built = BuiltCorpus(corpus, folder, logs)
    command = [
        sys.executable,
        "-m",
        "uncompact",
        "reindex",
        "--store",
        str(built.store),
        str(folder / "logs"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{folder}: reindex ended with {done.returncode}: {done.stderr.strip()}")
    return built


def _write_log(folder: Path, seed: int, entries: int) -> Path:
    log = folder / f"bench-{seed}.jsonl"
    if not log.exists():
        unfinished = log.with_suffix(".part")
        make_session(unfinished, entries=entries, seed=seed)
        unfinished.rename(log)
    return log
