"""May an entry stand beside a fact? Not one that holds as many of a question's words as the fact does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from quality.facts import Fact, Question, ask
from quality.lexicon import stems

__all__ = ["Fairness"]


class Fairness:
    """Knows how many of its words each question finds in its fact."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.questions = tuple(question for fact in facts for question in ask(fact))
        found = {fact.identifier: stems(fact.text) for fact in facts}
        self._needed = [
            question.evidence(found[question.fact.identifier], question.fact.text)
            for question in self.questions
        ]
        self._asking: dict[str, list[int]] = {}
        self._naming: dict[str, list[int]] = {}
        for number, question in enumerate(self.questions):
            for word in sorted(question.words):
                self._asking.setdefault(word, []).append(number)
            if question.identifier:
                self._naming.setdefault(question.identifier, []).append(number)

    def rivalled(self, text: str) -> list[Question]:
        """Return the questions of which a text holds as many words as the fact itself does."""
        found: Counter[int] = Counter()
        for word in stems(text):
            found.update(self._asking.get(word, ()))
        for identifier, numbers in self._naming.items():
            if identifier in text:
                found.update(numbers)
        return [self.questions[number] for number in sorted(found) if found[number] >= self._needed[number]]

    def unfair(
        self, texts: Mapping[str, str], own: Mapping[str, Iterable[str]]
    ) -> list[tuple[Question, str]]:
        """Return each question with an entry that rivals its fact; ``own`` are a fact's own entries."""
        return [
            (question, entry_id)
            for entry_id, text in texts.items()
            for question in self.rivalled(text)
            if entry_id not in own[question.fact.identifier]
        ]
