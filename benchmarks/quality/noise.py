"""Seeded talk and tool output of a coding agent, in English and some Italian, with the facts' words strewn in.

Real words, so that stopwords and stems matter; nouns and names come by Zipf's law; files are read again and again
with small changes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from make_sessions import make_vocabulary

__all__ = ["NoiseMaker"]

_NOUNS = """
adapter alias anchor annotation argument array assertion attribute buffer branch callback capability certificate chart
checkbox checksum class client column command comment commit component condition config constant constructor container
context controller converter coverage dashboard decoder default dependency deployment diagram dialog directory document
draft dropdown editor element encoder endpoint enum event example factory feature field fixture folder form formatter
function generator graph guard handler header helper hook icon index inheritance input instance interface iterator
keyboard label layout library linter list listener loader logger loop macro manager mapping menu merge method
middleware migration mock model module namespace notification object option outline output package panel parameter
parser path payload permission pipeline placeholder plugin pointer port prefix preview process profile project
prompt property protocol queue range record reference refactoring regex release renderer report repository request
resolver resource response result role rule runner sample scheduler schema scope script section selector serializer
server service sidebar signal spec stack state statement step storage stream string struct style submodule suffix
switch symbol table tag target task terminal test theme thread timer toggle toolbar tooltip trace transaction tree
trigger tuple type validator variable version view visitor warning widget wrapper
""".split()
_VERBS = """
rename move split extract inline simplify document cover mock validate sort filter cache log parse render load store
encode escape wrap unwrap export import delete deprecate restore migrate refactor clean format lint type benchmark
profile debug trace inspect review merge rebase revert stage push tag publish deploy bump pin
""".split()
_ADJECTIVES = """
odd fine slow empty stale flaky duplicated missing unused generic private public nullable optional required deprecated
verbose brittle tidy nested circular lazy eager mutable frozen partial local global temporary permanent
""".split()
_ENGLISH = (
    "I looked at {path} and the {n} is {a} there.",
    "The {n} still depends on the {m}, so I would {v} it first.",
    "We could {v} the {n} without touching {id}.",
    "Nothing uses the {a} {n} any more, {path} was the last place.",
    "The tests for the {n} are green, the {m} needs another look.",
    "Please {v} the {n} before the {m} is merged.",
    "I moved the {n} next to {id} because the {m} was {a}.",
    "Is the {n} {a}, or did somebody {v} it by hand?",
    "There are {num} places where the {n} gets copied into the {m}.",
    "I'd rather {v} the {n} than keep a {a} {m}.",
    "{id} returns early when the {n} is {a}.",
    "The review asked for a {a} {n} in {path}.",
    "Don't {v} anything yet, the {n} comes from another team.",
    "After that the {n} looks {a}, and line {num} is not needed.",
    "OK, I'll {v} {id} and leave the {m} alone.",
    "Could you {v} the {n} in {path}?",
    "The diff is small: {num} lines in the {n}, two in the {m}.",
    "Now the {n} has a docstring and {id} a type.",
    "Somebody should write down how the {n} and the {m} fit together.",
    "Let's open a ticket for the {a} {n} and go on.",
)
_OPENINGS = (
    "How about we {v} the {n} in {path}?",
    "How about a {a} {n} for {id}?",
    "Why not {v} the {n} first?",
    "Why not keep {id} and drop the {m}?",
    "Let me look at the {n} in {path}.",
    "Let me look whether {id} is {a}.",
    "Which one is {a}, the {n} or the {m}?",
    "Which one should I {v}: {id} or {id2}?",
)
_ITALIAN = (
    "Ho guardato {path} e il {n} è a posto.",
    "Prima di toccare {id} vorrei capire a cosa serve il {n}.",
    "Il {n} va bene così, il {m} invece è da rivedere.",
    "Possiamo togliere il {n}, tanto nessuno lo chiama più.",
    "I test passano, ma il {n} resta lento con tanti dati.",
    "Mi confermi che il {n} non dipende dal {m}?",
    "Aggiungo un controllo sul {n} alla riga {num}.",
    "Per adesso lascio il {n} com'era e sistemo {id}.",
    "Quanto manca per il {n}? Domani devo mostrarlo.",
    "Abbiamo deciso di rimandare il {n} alla prossima versione.",
)
_CODE = (
    "def {id}(self, value: int = {num}) -> None:",
    "    if {id}(options) is None and not self.closed:",
    "        return {id2}(self._{w}, key={num})",
    "    # {sentence}",
    "const {id} = await {id2}({{ retries: {num} }});",
    "import {{ {id} }} from '../{w}/{id2}';",
    "    self._{w} = {id}({num})",
    "    for {w} in {id2}({num}):",
    "        log.debug('{w} %s', {id})",
    "}}",
    "",
    '    """Return the {w} of {id}."""',
    "    raise ValueError(f'{w} {{value}} is not allowed')",
    "type {id} = Record<string, {id2}>;",
)
_OUTPUT = (
    "tests/{w}/test_{id}.py ....... [{num}%]",
    "PASSED tests/{w}/test_{w2}.py::test_{id}",
    "{path}:{num}: warning: {id} is not used",
    " M {path}",
    "?? {path}.orig",
    "  added {num} packages, changed 3 in {num}s",
    "Compiling {w} v0.{num}.1",
    "-rw-r--r-- 1 dev dev {num} May 12 10:{num} {path}",
    "[INFO] {id2} took {num} ms",
    "    at {id} ({path}:{num}:9)",
    "Traceback (most recent call last):",
    'KeyError: "{w}"',
)
_COMMANDS = (
    "pytest -q tests/{w}",
    "git status --short",
    "npm run build",
    "rg -n {id} src",
    "git diff --stat",
    "ls -la {w}",
    "make lint",
    "cargo check",
)
_OPENING_SHARE = 0.04
_ITALIAN_SHARE = 0.12
_TOPIC_SHARE = 0.45
_COMMENT_SHARE = 0.1
_FILES = 60


class NoiseMaker:
    """Makes what is said and done around the facts; ``topics`` are nouns that the facts use, too."""

    def __init__(self, rng: random.Random, topics: Sequence[str]) -> None:
        self.rng = rng
        names = make_vocabulary(1)
        self._names, self._paths, self._name_weights = names.identifiers, names.files, names.weights
        self._nouns, self._noun_weights = _ranked(rng, _NOUNS)
        self._topics, self._topic_weights = _ranked(rng, topics)
        self._files = {
            path: [self.code_line() for _ in range(rng.randint(30, 160))] for path in self._paths[:_FILES]
        }

    def message(self, most_sentences: int = 5) -> str:
        """Say something: one sentence to ``most_sentences``, 4 % of them with an opening like a question's."""
        rng = self.rng
        frames = _ITALIAN if rng.random() < _ITALIAN_SHARE else _ENGLISH
        said = [self.fill(rng.choice(frames)) for _ in range(rng.randint(1, most_sentences))]
        if rng.random() < _OPENING_SHARE:
            said[0] = self.fill(rng.choice(_OPENINGS))
        return " ".join(said)

    def fill(self, frame: str) -> str:
        """Fill a sentence's frame with nouns, names and numbers."""
        rng = self.rng
        sentence = self.fill(rng.choice(_ENGLISH)) if "{sentence}" in frame else ""
        return frame.format(
            n=self.noun(), m=self.noun(), v=rng.choice(_VERBS), a=rng.choice(_ADJECTIVES), id=self.name(),
            id2=self.name(), path=self.path(), num=rng.randint(2, 99), w=self._plain_noun(), w2=self._plain_noun(),
            sentence=sentence,
        )  # fmt: skip

    def noun(self) -> str:
        """Draw a noun, nearly half of the time one that a fact uses."""
        if self._topics and self.rng.random() < _TOPIC_SHARE:
            return self.rng.choices(self._topics, cum_weights=self._topic_weights)[0]
        return self._plain_noun()

    def name(self) -> str:
        """Draw an identifier."""
        return self.rng.choices(self._names, cum_weights=self._name_weights)[0]

    def path(self) -> str:
        """Draw a file."""
        return self.rng.choices(self._paths, cum_weights=self._name_weights)[0]

    def code_line(self) -> str:
        """Write a line of code, one in ten a comment in plain words."""
        if self.rng.random() < _COMMENT_SHARE:
            return self.fill("    # {sentence}")
        return self.fill(self.rng.choice([frame for frame in _CODE if "{sentence}" not in frame]))

    def output_line(self) -> str:
        """Write a line as tools print it."""
        return self.fill(self.rng.choice(_OUTPUT))

    def command(self) -> str:
        """Draw a command line."""
        return self.fill(self.rng.choice(_COMMANDS))

    def read_file(self) -> tuple[str, str]:
        """Return a file and what it holds now: at each reading a line or two have changed."""
        path = self.rng.choices(self._paths[:_FILES], cum_weights=self._name_weights[:_FILES])[0]
        lines = self._files[path]
        for _ in range(self.rng.randint(0, 2)):
            lines[self.rng.randrange(len(lines))] = self.code_line()
        return path, "\n".join(lines)

    def _plain_noun(self) -> str:
        return self.rng.choices(self._nouns, cum_weights=self._noun_weights)[0]


def _ranked(rng: random.Random, words: Sequence[str]) -> tuple[list[str], list[float]]:
    """Put words in a random order, and weigh them by Zipf's law."""
    order = sorted(set(words))
    rng.shuffle(order)
    return order, list(itertools.accumulate(1 / (rank + 6) for rank in range(len(order))))
