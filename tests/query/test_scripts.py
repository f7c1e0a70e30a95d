"""Words of every script, with and without accents, composed and decomposed, short ones and emoji: planted and found."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from tests.cases.builders import Answer, IndexedLogs
from tests.query.histories import ask, remember

Form = Literal["NFC", "NFD"]

# What is said, and requests that must find it and nothing else.
PLANTED: dict[str, tuple[str, ...]] = {
    # Scripts without spaces, in a run: the beginning, the middle, the end, one character, a whole question.
    "我们决定把缓存目录移到磁盘上，因为内存不够": ("缓存", "磁盘", "`缓存目录`", "「缓存目录」", "缓存目录在哪里？", "内存"),
    "数据库连接池已满": ("连接", "数据库", "连接池"),
    "設定ファイルを直した": ("設定", "ファイル", "設定ファイル"),
    "接続プールの容量を増やした": ("容量", "プール", "接続"),
    "ひらがなのテスト": ("ひらがな", "テスト"),
    "스케줄러를 새로 바꿨다": ("스케줄러", "`스케줄러`"),
    "ปรับขนาดแล้ว": ("ขนาด",),
    "已经重跑gen_plan后": ("gen_plan", "`gen_plan`", "重跑gen_plan"),
    # Scripts with spaces, marks that are vowels, letters with two small forms, right to left.
    "यह हिन्दी शब्द है": ("हिन्दी", "शब्द"),
    "בנינו את המזח החדש": ("המזח", "`המזח`"),
    "بنينا الرصيف الجديد": ("الرصيف",),
    "Мы выбрали Причал": ("причал", "ПРИЧАЛ", "`Причал`"),
    "ΟΔΟΣ ΤΟΥ ΛΙΜΑΝΙΟΥ": ("οδος", "λιμανιου"),
    # Latin accents: with and without, large and small, one code point or two.
    "il caffè è nero": ("caffè", "caffe", "CAFFÈ", "CAFFE", "caffe\u0300", "`caffè`"),
    "la mare\u0301e monte": ("mare\u0301e", "marée", "maree", "MARÉE"),
    "el señor piloto": ("señor", "senor", "SEN\u0303OR"),
    "Ångström per metre": ("ångström", "angstrom", "A\u030angstro\u0308m"),
    "cảng biển tiếng Việt": ("tiếng Việt", "tieng viet", unicodedata.normalize("NFD", "tiếng Việt")),
    "perché_no = 1": ("perché_no", "`perché_no`", "`perche\u0301_no`"),
    # Sharp s keeps its place, and has two letters in capitals.
    "Die Größe des Piers": ("Größe", "größe", "GRÖßE", "GRÖẞE", "GRÖSSE", "`Größe`"),
    "HAUPTSTRASSE 5": ("hauptstraße", "Hauptstraße", "hauptstrasse", "HAUPTSTRASSE"),
    # Dotted capital I grows when it is lowered; dotless i is a letter of its own.
    "İzmir limanı": ("İzmir", "izmir", "I\u0307zmir", "IZMIR"),
    "fener ışık verdi": ("ışık", "`ışık`"),
    # Words of one or two characters that are a topic all the same.
    "the db is full": ("db", "DB"),
    "the UX was tested": ("UX", "ux"),
    "k8s took over": ("k8s", "K8s"),
    "only v2 answers": ("v2", "V2"),
    "x->y was wrong": ("`->`",),
    "either a ?? b": ("`??`",),
    # Emoji, in backticks or quotes: plain, of several code points, glued to words.
    "🚀 is for launches": ("`🚀`", '"🚀 is for"'),
    "👩\u200d🔧 fixed it": ("`👩\u200d🔧`",),
    "🇮🇹 on the stern": ("`🇮🇹`",),
    "👍🏽 by the pilot": ("`👍🏽`",),
    "❤\ufe0f the sea": ("`❤\ufe0f`", "`❤`"),
    "1\ufe0f\u20e3 comes first": ("`1\ufe0f\u20e3`",),
    "mooring⚓done": ("`⚓`", "mooring"),
}  # fmt: skip

# What is said above, and requests that only resemble it.
STRANGERS = (
    "存缓", "目磁", "池库", "ラーメン", "스케이트", "กาก", "المرفأ", "ישן",
    "isik", "rizmir", "`Caffè`", "`caffe\u0300`", "`größe`", "grose", "`👨\u200d🔧`", "`🇫🇷`", "v3", "ci", "`=>`",
)  # fmt: skip


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> IndexedLogs:
    return remember(tmp_path_factory.mktemp("scripts"), *PLANTED)


def texts(answer: Answer) -> list[str]:
    return [hit["excerpt"] for hit in answer.hits]


@pytest.mark.parametrize(
    ("planted", "request_text"),
    [(planted, request_text) for planted, requests in PLANTED.items() for request_text in requests],
)
def test_what_was_said_in_any_script_is_found(scripts: IndexedLogs, planted: str, request_text: str) -> None:
    assert texts(ask(scripts, request_text)) == [planted]


@pytest.mark.parametrize("request_text", STRANGERS)
def test_what_only_resembles_it_is_not_found_as_it_stands(scripts: IndexedLogs, request_text: str) -> None:
    answer = ask(scripts, request_text)

    assert answer.literal_ids == set()
    assert answer.ids == [] or request_text.startswith("`")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_composed_and_decomposed_find_each_other_and_are_quoted_as_said(
    tmp_path_factory: pytest.TempPathFactory, stored: Form, form: Form
) -> None:
    text = f"La m{unicodedata.normalize(stored, 'aré')}e_haute à Saint-Malo, côté quai"
    logs = remember(tmp_path_factory.mktemp("forms"), "start", text)
    word = unicodedata.normalize(form, "côté")
    answer = ask(logs, f"marée {word}")

    assert texts(answer) == [text]
    assert answer.values["descriptor"]["keywords"] == ["marée", word]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_a_literal_is_one_only_in_the_form_it_is_written_in(
    tmp_path_factory: pytest.TempPathFactory, stored: Form, form: Form
) -> None:
    text = f"see {unicodedata.normalize(stored, 'perché.txt')} for it"
    logs = remember(tmp_path_factory.mktemp("literal"), "start", text)
    answer = ask(logs, f"`{unicodedata.normalize(form, 'perché.txt')}`")

    assert answer.ids == ["e1"]
    assert answer.literal_ids == ({"e1"} if stored == form else set())
