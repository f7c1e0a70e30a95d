"""One long session with planted facts: noise, branches, two compactions, look-alikes, and where each fact stands.

Every fact is removed by a compaction. Beside it stand near misses (its topics without the answer), siblings with
another answer, for some facts repeats in the active context, and for a few 120 later mentions of their name.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from quality.facts import Fact
from quality.session_log import Message, SessionLog, assistant, bash_run, message_text, user
from quality.turns import TurnMaker

__all__ = ["PlantedSession", "plant_session"]

_NEAR_MISSES = 5
_MENTIONS, _CROWD = 2, 120
_CROWDED_SHARE = 0.08
# Shares of the session: where facts stand, and where it is compacted.
_FIRST, _LAST = 0.03, 0.88
_FIRST_CUT, _SECOND_CUT = 0.5, 0.94

_ARGUMENT = {"read": "path", "bash": "command", "grep": "pattern"}


@dataclass(frozen=True, slots=True)
class PlantedSession:
    """A written session: ``entry_ids`` by a fact's identifier, ``removed`` and ``texts`` by entry id.

    ``removed`` holds what may be returned, in the order of the branch; ``crowded`` are the facts whose name is
    mentioned many times later.
    """

    path: Path
    facts: tuple[Fact, ...]
    entry_ids: Mapping[str, frozenset[str]]
    removed: Mapping[str, str]
    in_context: frozenset[str]
    siblings: frozenset[str]
    texts: Mapping[str, str]
    crowded: frozenset[Fact]


def plant_session(path: Path, facts: Sequence[Fact], *, entries: int = 5000, seed: int = 1) -> PlantedSession:
    """Write a session of about ``entries`` entries and say where everything is; the same for the same seed."""
    planter = _Planter(random.Random(seed), tuple(facts), entries)
    planter.run()
    log = planter.log
    log.write(path)
    branch = log.branch()
    cut = branch.index(planter.kept_from)
    on_branch = set(branch)
    return PlantedSession(
        path,
        planter.facts,
        {name: frozenset(ids) for name, ids in planter.planted.items()},
        {one: planter.texts[one] for one in branch[:cut] if one in planter.texts},
        frozenset(branch[cut:]),
        frozenset(one for one in log.parents if one not in on_branch),
        planter.texts,
        planter.crowded,
    )


@dataclass
class _Planter:
    rng: random.Random
    facts: tuple[Fact, ...]
    entries: int
    planted: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    around: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    kept_from: str = ""

    def __post_init__(self) -> None:
        self.log = SessionLog(self.rng)
        self.turns = TurnMaker(self.rng, self.facts)
        self.noise = self.turns.noise
        # Those that no question finds by the words of their name alone.
        self.mentioned = [fact for fact in self.facts if not self.turns.fairness.rivalled(fact.identifier)]
        crowds = max(1, int(len(self.facts) * _CROWDED_SHARE))
        self.crowded = frozenset(self.mentioned[:: max(1, len(self.mentioned) // crowds)][:crowds])

    def run(self) -> None:
        """Fill the log: noise until an event is due, in the order of their places."""
        events = sorted(self._events(), key=lambda event: event[0])
        turns = self.turns.turns()
        while len(self.log) < self.entries or events:
            if events and (events[0][0] <= len(self.log) or len(self.log) >= self.entries):
                events.pop(0)[1]()
                continue
            items = next(turns)
            self._append(items if len(self.log) + len(items) <= self.entries else self.turns.answer())

    def _events(self) -> Iterator[tuple[int, Callable[[], object]]]:
        """Yield what is to happen after how many entries."""
        rng, size = self.rng, self.entries
        shares = [_FIRST + (_LAST - _FIRST) * at / len(self.facts) for at in range(len(self.facts))]
        rng.shuffle(shares)
        for number, (fact, share) in enumerate(zip(self.facts, shares, strict=True)):
            place = int(share * size)
            yield place, partial(self._plant, fact)
            for _ in range(_NEAR_MISSES):
                yield rng.randrange(int(size * 0.9)), partial(self._near_miss, fact)
            mentions = min(_CROWD, size // 40) if fact in self.crowded else _MENTIONS
            for _ in range(mentions * (fact in self.mentioned)):
                yield rng.randrange(place + 1, size - 2), partial(self._mention, fact)
            if number % 4 == 1:
                yield rng.randrange(int(size * 0.95), size - 2), partial(self._repeat, fact)
            if fact.place == "result" and fact.tool == "read":
                again = self._read_without if number % 2 else self._plant
                yield from ((place + at * size // 90, partial(again, fact)) for at in (1, 2))
        yield int(size * _FIRST_CUT), self._compact
        yield int(size * _SECOND_CUT), self._compact
        forks = max(1, size // 500)
        for fork in range(forks):
            some = self.facts[fork :: 2 * forks]
            yield int(size * (0.06 + 0.8 * fork / forks)), partial(self._branch_off, some)

    def _near_miss(self, fact: Fact) -> None:
        self._append(self.turns.near_miss(fact))

    def _mention(self, fact: Fact) -> None:
        self._append(self.turns.mention(fact))

    def _repeat(self, fact: Fact) -> None:
        self._append(self._fact_items(fact, fact.text))

    def _append(self, items: Sequence[Message]) -> list[str]:
        ids = [self.log.message(item) for item in items]
        self.texts.update(zip(ids, map(message_text, items), strict=True))
        return ids

    def _plant(self, fact: Fact) -> None:
        """Plant a fact; a file that holds it is the same again but for a line more."""
        around = self.around.get(fact.identifier) or self._surroundings(fact)
        self.around[fact.identifier] = self._with_a_line_more(fact, *around)
        ids = self._append(self._fact_items(fact, fact.text, *around))
        self.planted.setdefault(fact.identifier, []).extend(ids)

    def _read_without(self, fact: Fact) -> None:
        """Read a fact's file again, when the fact is no longer in it."""
        around = self.around[fact.identifier] = self._with_a_line_more(fact, *self.around[fact.identifier])
        self._append(self._fact_items(fact, "\n", *around))

    def _with_a_line_more(self, fact: Fact, before: str, after: str) -> tuple[str, str]:
        line = self.turns.fair_text(lambda: "\n" + self.noise.code_line(), before + fact.text + after)
        return before, after + line

    def _surroundings(self, fact: Fact) -> tuple[str, str]:
        """Make what stands before and after a fact in its entry."""
        if fact.place in ("user", "assistant"):
            beside = self.turns.fair_text(lambda: self.noise.message(2), fact.text)
            return (beside + " ", "") if self.rng.random() < 0.5 else ("", " " + beside)
        in_file = fact.tool in ("read", "write")
        make = self.noise.code_line if in_file else self.noise.output_line
        before, after = (self.rng.randint(0, 70 if in_file else 12) for _ in range(2))
        lines = self.turns.fair_text(
            lambda: "\0".join("".join(f"{make()}\n" for _ in range(count)) for count in (before, after)),
            fact.text,
        )
        head, tail = lines.split("\0")
        return head, tail

    def _fact_items(self, fact: Fact, text: str, before: str = "", after: str = "") -> Sequence[Message]:
        """Put a fact's text where it belongs: a message, or a call with its result."""
        whole = f"{before}{text}{after}"
        if fact.place == "user":
            return (user(whole),)
        if fact.place == "assistant":
            return (assistant(whole),)
        if fact.place == "bash":
            return (bash_run(fact.target, whole.strip("\n")),)
        said = self.turns.fair_text(lambda: self.noise.message(1), whole)
        if fact.place == "result":
            arguments = {_ARGUMENT[fact.tool]: fact.target}
            return self.turns.call(said, fact.tool, arguments, whole.strip("\n"))
        if fact.tool == "write":
            done = f"Successfully wrote {len(whole)} bytes to {fact.target}"
            return self.turns.call(said, "write", {"path": fact.target, "content": whole}, done)
        if fact.tool == "edit":
            change = {"path": fact.target, "oldText": self.noise.code_line(), "newText": text}
            done = f"Successfully replaced 1 block(s) in {fact.target}."
            return self.turns.call(said, "edit", change, done)
        command = f'{fact.target} "{text.strip()}"'
        return self.turns.call(
            said, "bash", {"command": command}, f"[main {self.rng.getrandbits(28):07x}] done"
        )

    def _compact(self) -> None:
        """Compact: some of what was said last is kept, a call with its result."""
        branch = self.log.branch()
        at = len(branch) - max(4, self.entries // 60)
        while self.log.is_tool_result(branch[at]):
            at -= 1
        self.kept_from = branch[at]
        summary = "Earlier work was summarised. " + self.noise.message(5)
        self.log.entry("compaction", summary=summary, firstKeptEntryId=branch[at], tokensBefore=120_000)

    def _branch_off(self, facts: Sequence[Fact]) -> None:
        """Go another way for a while, with other answers or the same, and come back."""
        fork, kept_from = self.log.leaf, self.kept_from
        turns = self.turns.turns()
        for number, fact in enumerate(facts):
            self._append(next(turns))
            text = fact.text if number % 5 == 4 else fact.with_other_answer()
            self._append(self._fact_items(fact, text))
        for _ in range(min(12, self.entries // 150)):
            self._append(next(turns))
        if self.rng.random() < 0.3:
            self._compact()
        left, self.log.leaf, self.kept_from = self.log.leaf, fork, kept_from
        if self.rng.random() < 0.5:
            summary = self.turns.fair_text(lambda: self.noise.message(4))
            entry_id = self.log.entry("branch_summary", fromId=left, summary=summary)
            self.texts[entry_id] = summary
