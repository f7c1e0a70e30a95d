"""Our branches, contexts and visible entries equal real Pi's on everything Pi can load."""

from __future__ import annotations

from pathlib import Path

import pytest

from .comparison import Answer, LeafAnswer, ask_pi, find_mismatches
from .install_pi import PiMissingError, RealPi, find_pi

FIXTURES = Path(__file__).resolve().parents[2] / "data-fixtures"
GENERATOR = Path(__file__).with_name("generate_session.mjs")
EVERY_ENTRY_UP_TO = 400

GENERATED = [
    pytest.param(["--seed", "1"], 1, id="plain"),
    pytest.param(["--seed", "2", "--branches", "0", "--entries", "400"], 1, id="one-long-branch"),
    pytest.param(["--seed", "3", "--branches", "0.4"], 1, id="many-branches"),
    pytest.param(["--seed", "4", "--branches", "0.02", "--compactions", "0.1"], 1, id="many-compactions"),
    pytest.param(["--seed", "5", "--entries", "900", "--branches", "0.1"], 1, id="large-tips-only"),
    pytest.param(["--seed", "6", "--forks", "4", "--compactions", "0.05"], 4, id="forks"),
    pytest.param(["--seed", "7", "--as-version", "1", "--branches", "0.01"], 2, id="version-1"),
    pytest.param(
        ["--seed", "8", "--as-version", "1", "--branches", "0", "--damage"], 4, id="version-1-damaged"
    ),
    pytest.param(["--seed", "9", "--as-version", "2"], 2, id="version-2"),
    pytest.param(["--seed", "10", "--damage", "--forks", "2"], 4, id="damaged"),
    pytest.param(["--seed", "11", "--damage", "--branches", "0.3"], 2, id="damaged-many-branches"),
    pytest.param(
        ["--seed", "12", "--damage", "--branches", "0", "--entries", "390"], 2, id="damaged-long-branch"
    ),
    pytest.param(["--seed", "13", "--text", "400", "--entries", "60"], 1, id="long-texts"),
]


@pytest.fixture(scope="module")
def pi() -> RealPi:
    try:
        return find_pi()
    except PiMissingError as missing:
        pytest.skip(f"no real Pi to compare with: {missing}")


@pytest.mark.parametrize(("options", "at_least"), GENERATED)
def test_generated_sessions_read_as_pi_reads_them(
    pi: RealPi, tmp_path: Path, options: list[str], at_least: int
) -> None:
    printed = pi.run(GENERATOR, "--out", str(tmp_path / "session.jsonl"), *options)
    files = [Path(line) for line in printed.splitlines()]

    answers = list(ask_pi(pi, files, all_leaves_up_to=EVERY_ENTRY_UP_TO))

    assert len(answers) >= at_least
    assert mismatches(answers) == []


@pytest.mark.parametrize("folder", ["demo", "cases"])
def test_fixtures_read_as_pi_reads_them(pi: RealPi, folder: str) -> None:
    files = sorted((FIXTURES / folder).rglob("*.jsonl"))
    if not files:
        pytest.skip(f"data-fixtures/{folder} holds no logs")

    answers = list(ask_pi(pi, files, all_leaves_up_to=EVERY_ENTRY_UP_TO))

    assert mismatches(answers) == []


def test_pi_loads_every_demo_session(pi: RealPi) -> None:
    files = sorted((FIXTURES / "demo").rglob("*.jsonl"))

    answers = ask_pi(pi, files, all_leaves_up_to=0)

    assert [(answer.error, len(answer.ids) > 10) for answer in answers] == [(None, True)] * 4


def test_a_cycle_is_left_out_of_the_comparison_and_still_read(pi: RealPi, tmp_path: Path) -> None:
    log = tmp_path / "cycle.jsonl"
    log.write_text(
        '{"type":"session","version":3,"id":"s","cwd":"/"}\n'
        '{"type":"custom","id":"a","parentId":"b"}\n'
        '{"type":"custom","id":"b","parentId":"a"}\n'
        '{"type":"custom","id":"c","parentId":null}\n'
    )

    [answer] = ask_pi(pi, [log], all_leaves_up_to=EVERY_ENTRY_UP_TO)

    assert (answer.cyclic, [leaf.leaf for leaf in answer.leaves]) == (2, [2])
    assert mismatches([answer]) == []


def test_the_comparison_notices_a_wrong_answer(pi: RealPi) -> None:
    [log] = (FIXTURES / "demo").rglob("2026-03-09*.jsonl")
    [answer] = ask_pi(pi, [log], all_leaves_up_to=0)
    leaf = answer.leaves[-1]
    wrong = Answer(answer.file, answer.ids, leaves=(LeafAnswer(leaf.leaf, leaf.branch, leaf.branch),))

    assert [mismatch.what for mismatch in find_mismatches(wrong)] == ["the context"]


def test_demo_sessions_are_what_their_transcripts_make(pi: RealPi, tmp_path: Path) -> None:
    pi.run(FIXTURES / "make_demo.mjs", str(tmp_path / "demo"))

    assert contents(tmp_path / "demo") == contents(FIXTURES / "demo")


def mismatches(answers: list[Answer]) -> list[str]:
    return [str(mismatch) for answer in answers for mismatch in find_mismatches(answer)]


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
