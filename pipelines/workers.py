"""Chunks of logs read by several processes: this one and helpers, which end with it however it ends.

Helpers are fresh interpreters: neither Polars' threads nor its locks survive a fork, and the program that called may
not be one that can be imported once more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Condition, Thread
from typing import IO

from .log_rows import Chunk, ChunkRows, ReadJob, read_chunk
from .memory import peak_rss_mb

__all__ = ["read_chunks", "serve", "usable_cores", "worthwhile_helpers"]

# Starting a helper costs as much as reading some 15 MB: each must have more than that to do.
_HELPER_BYTES = 48 << 20
# So many chunks may be done before their turn: their rows wait in memory.
_MOST_AHEAD = 16
# An interrupt does not end a thread's waiting where a library has a handler of its own: it is noticed in between.
_NOTICE_S = 0.2

_START = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"


def usable_cores() -> int:
    """Return on how many cores this process may run."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worthwhile_helpers(chunks: Sequence[Chunk], workers: int) -> int:
    """Return how many helpers shorten the reading of chunks, when at most ``workers`` processes may read."""
    if getattr(sys, "frozen", False):  # the program's file is no interpreter
        return 0
    size = sum(chunk.size for chunk in chunks)
    return max(min(workers - 1, len(chunks) - 1, size // _HELPER_BYTES), 0)


def read_chunks(
    chunks: Sequence[Chunk], helpers: int, done: Callable[[ReadJob], None]
) -> Generator[ChunkRows]:
    """Yield each chunk's rows in the order of the chunks, read by this process and so many helpers.

    Neither the rows nor their files depend on ``helpers``. ``done`` is told of each log, by this thread. A helper
    that fails or dies is not missed: its chunk is read here. Closing the generator ends the helpers.
    """
    with _shared(chunks, helpers) as shared:
        for at in range(len(chunks)):
            yield shared.rows(at, done)


def serve() -> None:
    """Read the chunks that come in on stdin and answer with their rows on stdout, until stdin ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    chunks: SimpleQueue[Chunk] = SimpleQueue()
    Thread(target=_receive, args=(requests, chunks), daemon=True).start()
    while True:
        rows = read_chunk(chunks.get())
        rows.helper_peak_mb = peak_rss_mb()
        pickle.dump(rows, answers)
        answers.flush()


class _Shared:
    """Chunks that several threads take in turn, and what came of them."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks
        self._next = 0
        self._wanted = 0
        self._rows: dict[int, ChunkRows | None] = {}
        self._changed = Condition()

    def take(self, *, wait: bool) -> int | None:
        """Return the next chunk that nobody has taken, if there is one; ``wait`` until it may be read."""
        with self._changed:
            if wait:
                self._changed.wait_for(self._may_go_on)
            if self._next >= len(self.chunks) or not self._may_go_on():
                return None
            self._next += 1
            return self._next - 1

    def put(self, at: int, rows: ChunkRows | None) -> None:
        """Give what came of a chunk, ``None`` for nothing."""
        with self._changed:
            self._rows[at] = rows
            self._changed.notify_all()

    def close(self) -> None:
        """Give nobody a chunk any more."""
        with self._changed:
            self._next = len(self.chunks)
            self._changed.notify_all()

    def rows(self, at: int, done: Callable[[ReadJob], None]) -> ChunkRows:
        """Return a chunk's rows, the chunks being asked for in their order; reads others while it waits."""
        with self._changed:
            self._wanted = at
            self._changed.notify_all()
        while at not in self._rows:
            own = self.take(wait=False)
            if own == at:
                return read_chunk(self.chunks[at], done)
            if own is not None:
                self.put(own, read_chunk(self.chunks[own]))
                continue
            with self._changed:
                self._changed.wait_for(lambda: at in self._rows, _NOTICE_S)
        rows = self._rows.pop(at)
        if rows is None:
            return read_chunk(self.chunks[at], done)
        for job in self.chunks[at].jobs:
            done(job)
        return rows

    def _may_go_on(self) -> bool:
        return self._next >= len(self.chunks) or self._next <= self._wanted + _MOST_AHEAD


@contextmanager
def _shared(chunks: Sequence[Chunk], helpers: int) -> Generator[_Shared]:
    """Share chunks with so many helpers; where none can be started, nobody else takes any."""
    shared = _Shared(chunks)
    threads: list[tuple[subprocess.Popen[bytes], Thread]] = []
    try:
        with suppress(OSError):
            for _ in range(helpers):
                process = _start_helper()
                thread = Thread(target=_drive, args=(process, shared), daemon=True)
                threads.append((process, thread))
                thread.start()
        yield shared
    finally:
        shared.close()
        for process, thread in threads:
            process.kill()
            thread.join()
            with suppress(OSError):
                process.communicate()


def _start_helper() -> subprocess.Popen[bytes]:
    # Not in the terminal's group: an interrupt is for this process, and whatever ends it closes the helper's stdin.
    return subprocess.Popen(
        [sys.executable, "-c", _START, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
        process_group=0,
    )


def _drive(process: subprocess.Popen[bytes], shared: _Shared) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    while (at := shared.take(wait=True)) is not None:
        try:
            pickle.dump(shared.chunks[at], process.stdin)
            process.stdin.flush()
            rows: ChunkRows = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            shared.put(at, None)
            return
        shared.put(at, rows)


def _receive(requests: IO[bytes], chunks: SimpleQueue[Chunk]) -> None:
    while True:
        try:
            chunks.put(pickle.load(requests))
        except EOFError:
            os._exit(0)
