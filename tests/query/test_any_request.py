"""Every string is a request: never an error, never unbounded, and what is looked for as it stands stands in it."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases.builders import IndexedLogs
from tests.query.histories import RANKINGS, remember
from tests.query.work import WatchedStore, open_watched
from uncompact import Retrieval
from uncompact.pipelines.sqlite import rows
from uncompact.query.descriptor import MAX_EXACT_IDENTIFIERS, MAX_TERMS, Descriptor
from uncompact.query.limits import MAX_RESULTS, MAX_RETRIEVED_HISTORY_TOKENS
from uncompact.query.settings import RankingName, RetrievalSettings

SAID = [
    "The `crane_limit` is 42 tonnes, says src/main.py: see parseConfig and error[E0277].",
    'We run `git push --no-verify`; "the tide table" is in docs/My Notes/tide table.md',
    "NOT buoy AND (light OR dark) NEAR gate* ^anchor {deck}: -sail + 'rope' \"knot\"",
    "select 1; drop table entries; -- attach database 'x' as y",
    "缓存目录 キャッシュの容量 연결 스케줄러 ของขนาด हिन्दी शब्द",
    "שלום עולם مرحبا بالعالم caffe\u0300 perché größe İstanbul ışık",
    "👩\u200d🔧 fixed the 🚀 and the 🇮🇹 flag \ufe0f",
    "a\0b c\x01d e\u2028f g\u202eh",
]

# Each as SQL, full-text engines, shells, regular expressions or displays would read it, and this must not.
TRICKS = [
    *("", " ", "\n", "\0", "\ufeff", "\u200b", "\u202e", "\u2028", "\ud83d", "\udc00", "\udc00\ud83d", "'", '"', "`", "```", "\\", "%", "_"),
    *("AND", "OR", "NOT", "NEAR(", "NEAR/2", "*", "^", "(", ")", "{", "}", ":", "-", "+", "buoy*", "body:", "rowid:", '""', '"a" "b"', "words MATCH"),
    *("'; drop table entries; --", "\" or 1=1 --", "') union select 1,2,3 --", "$match", ":limit", "?1", "@x", "/*", "*/", ";", "x'00'"),
    *("[a-z]+", "(?i:x", "\\d{99999}", "$(reboot)", "%s%n", "{0}", "../../etc/passwd", "C:\\", "\\\\host\\share", "https://x.org/?a=`b`"),
    *("\u0301", "e\u0301\u0302\u0303", "\u064b", "👩\u200d🔧", "\u200d", "🇮", "🏳️\u200d🌈", "שלום", "مرحبا", "缓存", "键", "キャ", "연결", "ของ", "हिन्दी", "İ", "ß", "ﬁ", "𝐬𝐨𝐥𝐨"),
    *("crane_limit", "src/main.py", "parseConfig", "E0277", "--no-verify", "git", "tide", "light", "solo", "senza", "without", "please", "1.2.3"),
]  # fmt: skip

# A word has at most so many forms and spellings that are looked up.
_FORMS = 60

any_text = st.text(st.characters(codec=None, categories=None), max_size=300)
tricky = st.lists(st.sampled_from(TRICKS), max_size=50).flatmap(
    lambda parts: st.sampled_from(["", " ", "\n", "`", '"']).map(lambda glue: glue.join(parts))
)
marks = st.text("\"'`()[]{}<>*+-^~:;,.!?/\\|&%$#@=_… —«»“”‘’「」", max_size=200)
huge = st.tuples(st.sampled_from(TRICKS), st.sampled_from(["", " ", "\n"])).map(
    lambda unit: ("".join(unit) or " ") * (102_400 // max(len("".join(unit)), 1))
)
requests = any_text | tricky | marks | st.tuples(any_text, tricky).map("".join)


@dataclass(frozen=True)
class Asker:
    """A session to ask, in a store that was opened once."""

    logs: IndexedLogs
    opened: WatchedStore

    @property
    def connection(self) -> apsw.Connection:
        return self.opened.watch.connection

    def ask(self, request: str, ranking: RankingName = "seed") -> Retrieval:
        settings = RetrievalSettings(ranking=ranking)
        return self.opened.store.retrieve(self.logs.root / "s.jsonl", request, settings=settings)


@contextmanager
def opened(folder: Path) -> Generator[Asker]:
    logs = remember(folder, *SAID)
    with open_watched(logs) as store:
        yield Asker(logs, store)


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Generator[Asker]:
    with opened(tmp_path_factory.mktemp("any")) as one:
        yield one


def literals(described: Descriptor) -> set[str]:
    """Return all that is looked for as it stands, or shown as if it were."""
    named = {term.text for term in described.terms if term.kind in ("identifier", "phrase")}
    categories = (
        described.backticked, described.phrases, described.files, described.qualified, described.flags,
        described.symbols, described.errors, described.exact_identifiers,
    )  # fmt: skip
    return named.union(*categories)


def assert_sound(answer: Retrieval, request: str) -> None:
    assert answer.status in ("complete", "no-query", "no-hits")
    assert json.dumps(answer.to_dict(), ensure_ascii=False).encode("utf-8", "strict")
    assert {literal for literal in literals(answer.descriptor) if literal not in request} == set()
    assert len(answer.descriptor.terms) <= MAX_TERMS
    assert len(answer.descriptor.exact_identifiers) <= MAX_EXACT_IDENTIFIERS
    assert len(json.dumps(answer.descriptor.to_dict())) < 100_000
    assert len(answer.hits) <= MAX_RESULTS
    assert answer.tokens <= MAX_RETRIEVED_HISTORY_TOKENS


@pytest.mark.parametrize("ranking", RANKINGS)
@given(request_text=requests)
@example(request_text="".join(TRICKS))
@example(request_text=" ".join(TRICKS))
def test_any_text_is_answered(asker: Asker, ranking: RankingName, request_text: str) -> None:
    assert_sound(asker.ask(request_text, ranking), request_text)


@settings(max_examples=15)
@given(request_text=huge)
def test_100_kb_of_anything_is_answered(asker: Asker, request_text: str) -> None:
    assert len(request_text) > 50_000
    assert_sound(asker.ask(request_text), request_text)


@given(request_text=requests | huge)
@settings(max_examples=60)
def test_the_work_for_any_text_is_bounded(asker: Asker, request_text: str) -> None:
    with asker.opened.watch.counting() as work:
        answer = asker.ask(request_text)

    terms = len(answer.descriptor.terms)
    assert work.statements <= 3 * terms + 20
    assert work.lookups <= _FORMS * terms
    assert work.scanned == 0


@given(request_text=marks)
def test_marks_alone_are_never_an_operator(asker: Asker, request_text: str) -> None:
    answer = asker.ask(request_text)

    assert {term.kind for term in answer.descriptor.terms} <= {"identifier"}
    assert_sound(answer, request_text)


@pytest.mark.parametrize("trick", TRICKS)
def test_what_surrounds_a_name_does_not_hide_it(asker: Asker, trick: str) -> None:
    answer = asker.ask(f"{trick}\n`crane_limit` parseConfig\n{trick}")

    assert next(hit.ranked.candidate.entry_id for hit in answer.hits) == "e0"


def test_no_request_changes_the_store(tmp_path: Path) -> None:
    with opened(tmp_path) as asker:
        connection = asker.connection
        before = everything(connection)
        for trick in TRICKS:
            asker.ask(f"crane_limit {trick}")

        assert everything(connection) == before
        assert connection.total_changes() == 0


def everything(connection: apsw.Connection) -> list[object]:
    """Return the definitions of the companion's tables, and the rows of those that hold the session."""
    return [
        list(rows(connection, f"select * from {table}"))
        for table in ("sqlite_schema", "sessions", "entries", "passages", "words_data")
    ]
