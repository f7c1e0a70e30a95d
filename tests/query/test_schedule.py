"""A nightly reindex as units, a crontab line and a plist: each is read back as the system would."""

from __future__ import annotations

import configparser
import json
import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uncompact.query.schedule import Plan, plan_text, plan_units

from .cli_runs import error_of, run

ODD = '/a b/50% "x" \'y\' \\\\z\\%q\\" $HOME <&> 設定'

PATHS = st.text(st.characters(exclude_categories=["Cs", "Cc"])).map(lambda name: f"/{name}")
ANY_PATHS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).map(
    lambda name: f"/{name}"
)


def plan(kind: str, *paths: str, program: str = "/opt/bin/uncompact", store: str = "/s") -> Plan:
    return plan_units(kind, [program], store, paths, hour=3, minute=5)


def unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True, delimiters="=")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


def systemd_command(made: Plan) -> list[str]:
    """Read ExecStart as systemd does: quoted words, then C escapes, then ``%%``."""
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', unit(made.files[0].content)["Service"]["ExecStart"])
    unescaped = [
        re.sub(r"\\(?:x(..)|(.))", lambda match: chr(int(match[1], 16)) if match[1] else match[2], word)
        for word in words
    ]
    assert all(set(re.findall("%+", word)) <= {"%" * n for n in range(0, 99, 2)} for word in unescaped)
    return [word.replace("%%", "%") for word in unescaped]


def cron_command(made: Plan, special: str) -> list[str]:
    """Read the line as cron does: a backslash before a special character goes away; then as the shell does."""
    command = made.files[0].content.rstrip("\n").split(" ", 5)[5]
    seen, at = "", 0
    while at < len(command):
        assert command[at] != "%"
        pair = command[at : at + 2] if command[at] == "\\" else command[at]
        seen += pair[1] if len(pair) == 2 and pair[1] in special else pair
        at += len(pair)
    return shlex.split(seen)


def plist_command(made: Plan) -> list[str]:
    words: list[str] = plistlib.loads(made.files[0].content.encode())["ProgramArguments"]
    return words


@given(path=ANY_PATHS)
def test_systemd_reads_back_any_path(path: str) -> None:
    made = plan("systemd", path, store=path)

    assert systemd_command(made) == [
        ":/opt/bin/uncompact", "--store", path, "reindex", "--wait", "600", path,
    ]  # fmt: skip


@pytest.mark.parametrize("special", ["%", "%\\"], ids=["cronie", "vixie"])
@given(path=PATHS)
def test_cron_reads_back_any_path(special: str, path: str) -> None:
    made = plan("cron", path, program=path, store=path)

    assert cron_command(made, special) == [path, "--store", path, "reindex", "--wait", "600", path]


@given(path=PATHS.filter(lambda path: not set(path) & {"\ufffe", "\uffff"}))
def test_launchd_reads_back_any_path(path: str) -> None:
    made = plan("launchd", path, program=path, store=path)

    assert plist_command(made) == [path, "--store", path, "reindex", "--wait", "600", path]


def test_a_shell_runs_the_line_cron_leaves(tmp_path: Path) -> None:
    program = tmp_path / "it's 5% \\\\odd"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o700)
    made = plan("cron", ODD, program=str(program))
    command = made.files[0].content.split(" ", 5)[5].replace("\\%", "%")

    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["--store", "/s", "reindex", "--wait", "600", ODD]


def test_timer_catches_up_on_a_missed_night() -> None:
    service, timer = (unit(file.content) for file in plan("systemd").files)

    assert dict(timer["Timer"]) == {"OnCalendar": "*-*-* 03:05:00", "Persistent": "true"}
    assert (service["Service"]["Type"], service["Service"]["Nice"]) == ("oneshot", "10")


def test_crontab_is_one_line() -> None:
    assert plan_text(plan("cron", "/logs")) == (
        "5 3 * * * /opt/bin/uncompact --store /s reindex --wait 600 /logs"
    )


def test_plist_runs_at_the_time() -> None:
    job = plistlib.loads(plan("launchd").files[0].content.encode())

    assert (job["StartCalendarInterval"], job["Label"]) == ({"Hour": 3, "Minute": 5}, "uncompact.reindex")


def test_printed_units_end_with_how_to_install_them() -> None:
    assert plan_text(plan("systemd")).splitlines()[-2:] == [
        "#   systemctl --user daemon-reload",
        "#   systemctl --user enable --now uncompact-reindex.timer",
    ]


@pytest.mark.parametrize(
    ("kind", "path"),
    [("cron", "/a\nb"), ("launchd", "/a\rb"), ("systemd", "/caf\udce9"), ("cron", "/caf\udce9")],
    ids=["newline-cron", "return-plist", "bytes-systemd", "bytes-cron"],
)
def test_what_a_format_cannot_hold_is_refused(kind: str, path: str) -> None:
    with pytest.raises(ValueError, match=f"{kind} cannot hold this argument"):
        plan(kind, path)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("name", ["uncompact", 'it\'s "5%" \\odd $HOME'], ids=["plain", "odd"])
def test_systemd_accepts_the_units(tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    files = [tmp_path / Path(file.path).name for file in plan("systemd", program=str(program)).files]
    for path, file in zip(files, plan("systemd", ODD, program=str(program)).files, strict=True):
        path.write_text(file.content)

    done = subprocess.run(
        ["systemd-analyze", "verify", *map(str, files)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, [line for line in done.stderr.splitlines() if "uncompact-" in line]) == (0, [])


def test_json_has_files_and_commands(tmp_path: Path) -> None:
    store = tmp_path / "my store"
    result = run("--store", str(store), "schedule", "print", "cron", "--at", "23:59", "--json", str(tmp_path))
    printed = json.loads(result.stdout)

    assert (set(printed), printed["kind"]) == ({"kind", "files", "install"}, "cron")
    assert printed["files"][0]["content"].startswith("59 23 * * * /")
    assert printed["files"][0]["content"].endswith(
        f" --store '{store}' reindex --wait 600 {shlex.quote(str(tmp_path))}\n"
    )
    assert "schedule print cron --at 23:59" in printed["install"][0]


@pytest.mark.parametrize("time", ["24:00", "3:30", "03:60", "noon", "03:30\n"])
def test_time_of_day_is_checked(time: str) -> None:
    result = run("schedule", "print", "cron", "--json", "--at", time)

    assert (error_of(result)["kind"], result.exit_code) == ("usage", 2)


def test_path_that_does_not_fit_is_a_usage_error() -> None:
    result = run("schedule", "print", "cron", "--json", "/a\nb")

    assert (error_of(result)["kind"], result.exit_code) == ("usage", 2)
