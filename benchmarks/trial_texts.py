"""Seeded texts of coding sessions, cut into passages, as the companion's word index gets them.

Made to be like real code and notes where an index cares: about 150 words per KB, 80 of them different, names that
come in bursts, Zipf's law, a third of the passages with a character beyond ASCII.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

from uncompact.pipelines.passages import cut_passages

__all__ = ["TextMaker", "choose_terms", "inflect"]

_COMMON = """the a to of and in is it for that this on with as be we are not if but from at by an or so when then
does was has have should will which because only now still also after before into""".split()
_ONSETS = "b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl sp st str t th tr v w z".split()
_VOWELS = "a e i o u ai ea ee io ou".split()
_CODAS = ("", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ck", "ng")
_SYLLABLES = (1, 1, 2, 2, 3)
_INFLECTIONS = ("", "s", "es", "ed", "d", "ing", "er", "ers", "ion", "ions", "ly", "ment")
_TERMS = 200
_CJK = "配置文件索引会话压缩错误日志缓存队列重试超时测试部署数据库连接失败路径函数返回值检查修复"
_ERRORS = ("ECONNRESET", "KeyError", "error[E0277]", "TS2345")
_ENDS = (". ", ". ", ",\n", ":\n- ", ".\n\n")


class TextMaker:
    """Makes one entry after the other; each has its own few words, names and files, as a real one does."""

    def __init__(self, seed: int, names: int) -> None:
        rng = self._rng = random.Random(seed)
        words = {_make_word(rng) for _ in range(40_000)} - set(_COMMON)
        ranked = sorted((len(word) + rng.random() * 4, word) for word in sorted(words))
        vocabulary = _COMMON + [word for _, word in ranked[:20_000]]
        parts = vocabulary[len(_COMMON) : 3000]
        identifiers = [_make_name(number, *rng.choices(parts, k=3)) for number in range(names)]
        files = [f"src/{rng.choice(parts)}/{name.lower()}.py" for name in identifiers[: names // 4]]
        self._words = _draw(rng, vocabulary, 1 << 19)
        self._names = _draw(rng, identifiers, 1 << 17)
        self._files = _draw(rng, files, 1 << 16)
        self._choose_topic(1, 1)

    def passages(self, entry: int) -> list[str]:
        """Return an entry's passages with their label: every tenth entry is a tool's result of 2-8 KB."""
        if entry % 10 == 4:
            self._choose_topic(160, 14)
            text = _join(self._rng.randint(2000, 8000), self._line)
            label = f"read {self._file()}\n"
        else:
            self._choose_topic(90, 6)
            text = _join(int(min(self._rng.expovariate(1 / 700) + 120, 5000)), self._sentence)
            label = ""
        return [label + piece for _, piece in cut_passages(text)]

    def _choose_topic(self, words: int, names: int) -> None:
        self._topic_words = self._stretch(self._words, words)
        self._topic_names = self._stretch(self._names, names)
        self._topic_files = self._stretch(self._files, 3)

    def _stretch(self, drawn: Sequence[str], length: int) -> Sequence[str]:
        start = self._rng.randrange(len(drawn) - length)
        return drawn[start : start + length]

    def _name(self) -> str:
        return self._topic_names[int(self._rng.random() ** 2 * len(self._topic_names))]

    def _file(self) -> str:
        return self._rng.choice(self._topic_files)

    def _say(self, count: int) -> str:
        return " ".join(self._rng.choices(self._topic_words, k=count))

    def _sentence(self) -> str:
        kind = self._rng.random()
        extra = ""
        if kind < 0.35:
            extra = f" `{self._name()}`"
        elif kind < 0.42:
            extra = f" in {self._file()}:{self._rng.randint(1, 900)}"
        elif kind < 0.48:
            extra = f" — it’s fixed ✓ → {self._name()}"
        elif kind < 0.485:
            extra = " " + "".join(self._rng.choices(_CJK, k=8))
        return self._say(self._rng.randint(6, 16)).capitalize() + extra + self._rng.choice(_ENDS)

    def _line(self) -> str:
        number = self._rng.randint(1, 9999)
        makers: tuple[Callable[[], str], ...] = (
            lambda: f"    def {self._name()}(self, {self._name()}: int = {number}) -> None:\n",
            lambda: f'  File "{self._file()}", line {number}, in {self._name()}\n',
            lambda: f"        if {self._name()} != {number} and not self.{self._name()}:  # {self._say(6)}\n",
            lambda: f"{self._rng.choice(_ERRORS)}: {self._say(8)}\n",
            lambda: f"const {self._name()} = await {self._name()}({{ key: '{self._say(2)}' }}) || [];\n",
            lambda: f"2026-05-10T10:{number % 60}Z {self._name()}::open id={self._rng.getrandbits(48):x}\n",
            lambda: f"{self._file()}:{number}: {self._name()} && {self._name()}->{self._name()}\n",
            lambda: f"    {self._say(9)}\n",
        )
        return self._rng.choice(makers)()


def choose_terms(texts: list[str]) -> dict[str, list[str]]:
    """Choose up to 200 quoted terms that up to 0.1 %, 0.2-2 % and at least 10 % of the passages hold."""
    holders = Counter(word for text in texts for word in set(re.findall(r"[a-z0-9]{2,}", text.lower())))
    shares = {"rare": (0.0, 0.001), "middling": (0.002, 0.02), "common": (0.1, 1.0)}
    rng = random.Random(3)
    terms: dict[str, list[str]] = {}
    for kind, (least, most) in shares.items():
        upper = max(most * len(texts), 1)
        fitting = [word for word, held in holders.most_common() if least * len(texts) <= held <= upper]
        some = rng.sample(fitting, min(_TERMS, len(fitting))) if kind != "common" else fitting[:_TERMS]
        terms[kind] = [f'"{word}"' for word in some]
    return terms


def inflect(quoted: str) -> list[str]:
    """Return a quoted term with the endings of English, most of them not in any text."""
    word = quoted.strip('"')
    return [f'"{word}{ending}"' for ending in _INFLECTIONS]


def _join(chars: int, make: Callable[[], str]) -> str:
    pieces: list[str] = []
    while chars > 0:
        pieces.append(make())
        chars -= len(pieces[-1])
    return "".join(pieces)


def _make_word(rng: random.Random) -> str:
    syllables = range(rng.choice(_SYLLABLES))
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in syllables)


def _make_name(number: int, first: str, second: str, third: str) -> str:
    camel = f"{first}{second.title()}{third.title()}"
    return (camel, f"{first}_{second}_{third}", f"{first.title()}{second.title()}")[number % 3]


def _draw(rng: random.Random, ranked: Sequence[str], count: int) -> Sequence[str]:
    """Draw with Zipf's law: the first are the most frequent."""
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(ranked))))
    return rng.choices(ranked, cum_weights=weights, k=count)
