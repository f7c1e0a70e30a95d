"""Messages of a session beside its facts: turns of noise, near misses, mentions of names. None answers a question."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from quality.facts import Fact
from quality.fairness import Fairness
from quality.noise import NoiseMaker
from quality.session_log import Message, assistant, bash_run, call_and_result, message_text, user

__all__ = ["TurnMaker"]

_TRIES = 200

_NEAR = (
    "The {a} came up again with the {b}, I only renamed the {n}.",
    "Nobody has looked at the {a} since; the {b} is another matter, {id} too.",
    "I'd like to see the {a} next to the {b} before we {v} anything.",
    "Ho rivisto {a} e {b}, niente di nuovo per {id}.",
    "Is the {a} test still skipped? It needs the {b}, line {num} says.",
    "How about the {a} after the {b}? Line {num} in {path} is {b}, too.",
)
_MENTION = (
    "`{x}` is called in {path}, nothing to change there.",
    "I left {x} as it is and went on with the {n}.",
    "{path} imports {x} now, and {id} as before.",
    "Where else does {x} show up?",
    "Let me look for {x} in {path}.",
    "{x} has {num} hits, most of them in the {n}.",
)
_GREP = "{path}:{num}:    {id}({x})"


class TurnMaker:
    """Makes messages until one rivals no fact: see ``Fairness.rivalled``."""

    def __init__(self, rng: random.Random, facts: Sequence[Fact]) -> None:
        self.rng = rng
        self.fairness = Fairness(facts)
        self.noise = NoiseMaker(rng, [topic for fact in facts for topic in fact.topics])
        self._calls = 0

    def turns(self) -> Iterator[Sequence[Message]]:
        """Yield what one turn after the other brings, a call with its result at once: request, steps, answer."""
        steps = (self._read, self._read, self._run, self._run, self._edit, self._comment, self._shell)
        while True:
            yield self.fair(lambda: (user(self.noise.message()),))
            for _ in range(self.rng.randint(1, 6)):
                yield self.fair(self.rng.choice(steps))
            yield self.answer()

    def answer(self) -> Sequence[Message]:
        """Say something as the model."""
        return self.fair(lambda: (assistant(self.noise.message()),))

    def near_miss(self, fact: Fact) -> Sequence[Message]:
        """Say one or two of a fact's topics without the answer."""

        def make() -> Sequence[Message]:
            first, second = self.rng.sample(fact.topics, 2)
            if self.rng.random() < 0.3:
                second = self.noise.noun()
            frame = self.rng.choice(_NEAR).replace("{a}", first).replace("{b}", second)
            return self._either(self.noise.fill(frame))

        return self.fair(make)

    def mention(self, fact: Fact) -> Sequence[Message]:
        """Name a fact's identifier, in talk or in what a search found."""

        def make() -> Sequence[Message]:
            if self.rng.random() < 0.2:
                frame = _GREP.replace("{x}", fact.identifier)
                lines = [self.noise.fill(frame) for _ in range(self.rng.randint(1, 6))]
                return self.call("", "grep", {"pattern": fact.identifier}, "\n".join(lines))
            text = self.noise.fill(self.rng.choice(_MENTION).replace("{x}", fact.identifier))
            if self.rng.random() < 0.5:
                text += " " + self.noise.message(3)
            return self._either(text)

        return self.fair(make)

    def call(self, text: str, tool: str, arguments: dict[str, str], result: str) -> Sequence[Message]:
        """Call a tool and get its result."""
        self._calls += 1
        return call_and_result(f"call_{self._calls}", text, tool, {**arguments}, result)

    def fair(self, make: Callable[[], Sequence[Message]]) -> Sequence[Message]:
        """Make messages until they rival no fact."""
        for _ in range(_TRIES):
            items = make()
            if not any(self.fairness.rivalled(message_text(item)) for item in items):
                return items
        raise RuntimeError(f"no fair message in {_TRIES} tries: {make()}")

    def fair_text(self, make: Callable[[], str], beside: str = "") -> str:
        """Make a text that rivals no fact, nor does it together with ``beside`` but those this rivals alone."""
        accepted = set(self.fairness.rivalled(beside))
        for _ in range(_TRIES):
            text = make()
            if not self.fairness.rivalled(text) and accepted.issuperset(
                self.fairness.rivalled(f"{beside}\n{text}")
            ):
                return text
        raise RuntimeError(f"no fair text in {_TRIES} tries beside: {beside[:200]}")

    def _either(self, text: str) -> Sequence[Message]:
        return (user(text) if self.rng.random() < 0.3 else assistant(text),)

    def _comment(self) -> Sequence[Message]:
        return (assistant(self.noise.message(3)),)

    def _read(self) -> Sequence[Message]:
        path, text = self.noise.read_file()
        return self.call(self.noise.message(1), "read", {"path": path}, text)

    def _run(self) -> Sequence[Message]:
        output = "\n".join(self.noise.output_line() for _ in range(self.rng.randint(1, 40)))
        return self.call(self.noise.message(1), "bash", {"command": self.noise.command()}, output)

    def _edit(self) -> Sequence[Message]:
        path = self.noise.path()
        change = {"path": path, "oldText": self.noise.code_line(), "newText": self.noise.code_line()}
        return self.call("", "edit", change, f"Successfully replaced 1 block(s) in {path}.")

    def _shell(self) -> Sequence[Message]:
        output = "\n".join(self.noise.output_line() for _ in range(self.rng.randint(1, 12)))
        return (bash_run(self.noise.command(), output),)
