"""What a run tells of its progress: the stages in their order, and all bytes that it read."""

from __future__ import annotations

from pathlib import Path

from tests.cases.builders import encode, header, user
from tests.pipelines.stores import append, log
from uncompact.pipelines.progress import NO_PROGRESS, Progress, Stage
from uncompact.pipelines.reindex import reindex


class Told:
    """Notes each stage with its total, and what was done in it."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int | None]] = []
        self.done: dict[str, tuple[int, int]] = {}

    def stage(self, name: Stage, total_bytes: int | None = None) -> None:
        self.stages.append((name, total_bytes))

    def advance(self, done_bytes: int, logs: int = 1) -> None:
        name = self.stages[-1][0]
        before = self.done.get(name, (0, 0))
        self.done[name] = before[0] + done_bytes, before[1] + logs


def told(logs: Path, store: Path) -> Told:
    progress = Told()
    reindex([logs], store, progress=progress)
    return progress


def test_the_stages_come_in_their_order(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    names = [name for name, _ in told(logs, store).stages]

    assert list(dict.fromkeys(names))[:4] == ["discover", "read", "commit", "companion"]


def test_all_bytes_of_new_logs_are_told(logs: Path, store: Path) -> None:
    paths = [log(logs, f"{name}.jsonl", user("a1", None, "Hello")) for name in "ab"]
    size = sum(path.stat().st_size for path in paths)
    progress = told(logs, store)

    assert ("read", size) in progress.stages
    assert (progress.done["discover"], progress.done["read"]) == ((size, 2), (size, 2))


def test_only_what_was_appended_is_to_be_read(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a1", None, "Hello"))
    log(logs, "b.jsonl", user("b1", None, "Hello"))
    reindex([logs], store)
    line = encode(user("a2", "a1", "More"))
    append(path, line)
    progress = told(logs, store)

    assert ("read", len(line)) in progress.stages
    assert progress.done["read"] == (len(line), 2)


def test_a_log_that_shrank_is_read_whole(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"), user("a2", "a1", "More"))
    reindex([logs], store)
    path = log(logs, "a.jsonl", user("a1", None, "Hello"), first=header("s-a"))

    assert ("read", path.stat().st_size) in told(logs, store).stages


def test_all_characters_that_the_companion_loads_are_told(logs: Path, store: Path) -> None:
    path = log(logs, "a.jsonl", user("a1", None, "Hello"))
    progress = told(logs, store)
    append(path, encode(user("a2", "a1", "World")))
    grown = told(logs, store)

    assert ("companion", 5) in progress.stages
    assert (progress.done["companion"], grown.done["companion"]) == ((5, 1), (5, 1))


def test_nobody_has_to_listen(logs: Path, store: Path) -> None:
    log(logs, "a.jsonl", user("a1", None, "Hello"))
    progress: Progress = NO_PROGRESS

    assert reindex([logs], store, progress=progress).changed == 1
