"""Requests to go on and to finish, thanks and what is left have no topic; the same words in a question may."""

from __future__ import annotations

import pytest

from uncompact.query.descriptor import describe
from uncompact.query.small_talk import without_small_talk


@pytest.mark.parametrize(
    "request_text",
    [
        *("please finish everything that is left", "continue with the rest", "what's left to do?", "Anything left?"),
        *("finish the job", "complete the remaining tasks", "proceed to the next task", "Next step, please"),
        *("fix all the issues", "fix this issue", "solve all of these issues", "implement everything", "implement it"),
        *("thanks, looks good to me, ship it", "I agree, go ahead", "approved", "yes, confirmed", "what's missing?"),
        *("more details, please", "how long will it take?", "is it up to date?", "summarize what we have done so far"),
        *("keep going until everything is done", "great work, thank you so much", "that's exactly what I wanted"),
    ],
)  # fmt: skip
def test_english_small_talk_has_no_topic(request_text: str) -> None:
    assert describe(request_text).terms == ()


@pytest.mark.parametrize(
    "request_text",
    [
        *("finisci tutto quello che manca", "va avanti col resto", "cosa manca?", "cosa resta da fare?", "che altro manca"),
        *("puoi finire il lavoro?", "completa tutte le attività rimanenti", "passiamo al prossimo task", "prossimo passo"),
        *("risolvi tutti i problemi", "sistema tutto", "correggilo per favore", "puoi sistemarlo?", "implementa tutto"),
        *("grazie mille, ottimo lavoro", "va bene, procedi pure con tutto", "approvato", "confermo, procedi", "mi sembra buono"),
        *("più dettagli", "PIÙ DETTAGLI", "prossima ATTIVITÀ", "piu\u0300 dettagli", "in che senso?", "quanto tempo ci vuole?", "riassumi quello che abbiamo fatto"),
        *("ricomincia da capo", "torna indietro", "aspetta un attimo", "dove eravamo rimasti?", "serve altro?", "ci sono?"),
    ],
)  # fmt: skip
def test_italian_small_talk_has_no_topic(request_text: str) -> None:
    assert describe(request_text).terms == ()


@pytest.mark.parametrize(
    ("request_text", "topics"),
    [
        pytest.param("the rest API of the quay", ["rest", "API", "quay"], id="an interface"),
        pytest.param("what left join do we use?", ["left", "join"], id="a join"),
        pytest.param("everything left aligned?", ["left", "aligned"], id="a side"),
        pytest.param("implement it in the parser", ["implement", "parser"], id="it somewhere"),
        pytest.param("implement the parser", ["implement", "parser"], id="something"),
        pytest.param("how long is the timeout?", ["timeout"], id="duration of something"),
        pytest.param("il sistema operativo", ["sistema", "operativo"], id="system"),
        pytest.param("lavoro notturno", ["lavoro", "notturno"], id="job"),
        pytest.param("manca una dipendenza", ["manca", "dipendenza"], id="something is missing"),
        pytest.param("il prossimo passo del parser", ["parser"], id="next step of something"),
        pytest.param("next.step() is called", ["next.step", "called"], id="code"),
    ],
)
def test_what_is_asked_about_stays(request_text: str, topics: list[str]) -> None:
    assert [term.text for term in describe(request_text).terms] == topics


def test_small_talk_in_backticks_and_quotes_is_looked_for() -> None:
    assert [term.text for term in describe("`ship it` and “the rest”").terms] == ["ship it", "the rest"]


def test_phrases_are_cut_whole_and_nothing_else() -> None:
    assert without_small_talk("x, what's missing? y").split() == ["x,", "?", "y"]
    assert without_small_talk("what's missingness, othat is left") == "what's missingness, othat is left"


def test_a_long_text_is_left_as_it_is() -> None:
    text = "Finish the job. " * 200

    assert without_small_talk(text) == text
