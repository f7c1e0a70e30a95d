"""Seeded Pi sessions for benchmarks: believable sizes, a vocabulary with Zipf's law, one compaction near the end.

Mean entry about 1.25 KB, every tenth a tool result of 2-8 KB, the last 200 entries kept by the compaction.

    python benchmarks/make_sessions.py OUT_FOLDER --sessions 20 --entries 5000 --seed 1
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

KEPT_ENTRIES = 200

_SYLLABLES = "ba ce di fo gu la me ni po ra se ti vo ka len mor tes bin cal dur".split()
_PROSE_WORDS = 4000
_VERBS = "parse load store fetch build merge drop retry flush open close render resolve encode decode".split()
_NOUNS = (
    "config session cache token index branch socket queue schema user order ledger price route batch".split()
)
_ERRORS = "ECONNRESET ENOENT ETIMEDOUT TS2345 E0277 KeyError ValueError SIGSEGV".split()
_START_MS = 1_780_000_000_000


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Identifiers and files, the first ones common, the last ones rare."""

    identifiers: tuple[str, ...]
    files: tuple[str, ...]
    weights: tuple[float, ...]


def make_vocabulary(seed: int, size: int = 3000) -> Vocabulary:
    """Make ``size`` names, camel and snake case in turn, and as many files."""
    rng = random.Random(seed)
    names: list[str] = []
    for number in range(size):
        verb, noun, other = rng.choice(_VERBS), rng.choice(_NOUNS), rng.choice(_NOUNS)
        camel = f"{verb}{noun.title()}{other.title()}{number}"
        names.append(camel if number % 2 else f"{verb}_{noun}_{other}_{number}")
    files = tuple(f"src/{name.split('_')[0].lower()}/{name}.py" for name in names)
    weights = tuple(itertools.accumulate(1 / (rank + 3) for rank in range(size)))
    return Vocabulary(tuple(names), files, weights)


@cache
def _prose_words() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Make words of two to four syllables, and their weights by Zipf's law."""
    rng = random.Random(2)
    words = tuple("".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(_PROSE_WORDS))
    return words, tuple(itertools.accumulate(1 / (rank + 8) for rank in range(_PROSE_WORDS)))


def pick_words(rng: random.Random, count: int) -> list[str]:
    """Pick words of prose: common ones often, rare ones seldom."""
    words, weights = _prose_words()
    return rng.choices(words, cum_weights=weights, k=count)


def make_session(path: Path, *, entries: int, seed: int, project: str = "/srv/bench") -> int:
    """Write one session and return its size in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for line in session_lines(entries=entries, seed=seed, project=project):
            size += file.write(json.dumps(line, separators=(",", ":")) + "\n")
    return size


def session_lines(*, entries: int, seed: int, project: str) -> Iterator[dict[str, object]]:
    """Yield a session's lines: the header, then ``entries`` entries in one chain."""
    rng = random.Random(seed)
    words = make_vocabulary(1)
    yield {
        "type": "session",
        "version": 3,
        "id": f"bench-{seed}",
        "timestamp": "2026-05-28T20:26:40.000Z",
        "cwd": project,
    }
    compaction_at = max(entries - KEPT_ENTRIES, 1)
    parent = None
    for number in range(entries):
        entry_id = f"{number:08x}"
        head = {"id": entry_id, "parentId": parent, "timestamp": _START_MS + number * 1000}
        if number == entries - 1 and entries > KEPT_ENTRIES:
            kept = f"{compaction_at:08x}"
            summary = {
                "summary": "Earlier work was summarised.",
                "firstKeptEntryId": kept,
                "tokensBefore": 100_000,
            }
            yield {"type": "compaction", **head, **summary}
        else:
            yield {"type": "message", **head, "message": _message(rng, words, number)}
        parent = entry_id


def _message(rng: random.Random, words: Vocabulary, number: int) -> dict[str, object]:
    kind = number % 10
    if kind == 0:
        return {"role": "user", "content": _prose(rng, words, 60)}
    if kind == 4:
        text = _tool_output(rng, words, rng.randint(2000, 8000))
        return {
            "role": "toolResult",
            "toolCallId": f"call_{number - 1}",
            "toolName": "read",
            "content": [{"type": "text", "text": text}],
            "isError": rng.random() < 0.1,
        }
    content: list[dict[str, object]] = [{"type": "text", "text": _prose(rng, words, 110)}]
    if kind == 3:
        arguments = {"path": _pick(rng, words, words.files)}
        content.append({"type": "toolCall", "id": f"call_{number}", "name": "read", "arguments": arguments})
    usage = {"input": 1200, "output": 300, "cacheRead": 9000, "cacheWrite": 100, "cost": {"total": 0.01}}
    return {"role": "assistant", "provider": "bench", "model": "bench-1", "content": content, "usage": usage}


def _pick(rng: random.Random, words: Vocabulary, names: tuple[str, ...]) -> str:
    return rng.choices(names, cum_weights=words.weights)[0]


def _prose(rng: random.Random, words: Vocabulary, count: int) -> str:
    picked = pick_words(rng, count)
    for _ in range(max(count // 20, 1)):
        picked[rng.randrange(count)] = _pick(rng, words, words.identifiers)
    return " ".join(picked)


def _tool_output(rng: random.Random, words: Vocabulary, chars: int) -> str:
    lines: list[str] = []
    size = 0
    while size < chars:
        name, file = _pick(rng, words, words.identifiers), _pick(rng, words, words.files)
        line = rng.choice(
            (
                f"    def {name}(self, value: int = {rng.randint(1, 9999)}) -> None:",
                f'  File "{file}", line {rng.randint(1, 900)}, in {name}',
                f"        if {name} != {rng.randint(0, 99)} and not self.closed:  # {' '.join(pick_words(rng, 5))}",
                f"{rng.choice(_ERRORS)}: {' '.join(pick_words(rng, 8))}",
                f"        return self.{name}(options, key={rng.random():.6f})",
            )
        )
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def main() -> None:
    """Write sessions into a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for number in range(options.sessions):
        seed = options.seed + number
        size = make_session(options.folder / f"bench-{seed}.jsonl", entries=options.entries, seed=seed)
        print(f"bench-{seed}.jsonl {size} bytes")


if __name__ == "__main__":
    main()
