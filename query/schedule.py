"""A nightly reindex in the words of systemd, cron or launchd: text to install, nothing is run or written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["KINDS", "Plan", "UnitFile", "plan_text", "plan_units"]

KINDS = ("systemd", "cron", "launchd")

_UNIT = "uncompact-reindex"
_LABEL = "uncompact.reindex"
_SYSTEMD_FOLDER = "~/.config/systemd/user"
_PLIST = f"~/Library/LaunchAgents/{_LABEL}.plist"

_WAIT_S = 600
_NICE = 10

# systemd refuses to execute a path that holds one of these; as an argument it may.
_NO_EXECUTABLE = re.compile(r"[\x00-\x1f\x7f\"'\\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# What XML cannot write; a carriage return would be read back as a newline.
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")
# A byte of a file name that is not UTF-8; the files are.
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file to save; ``~`` in its path is the user's home."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The files of one kind, and the commands that put them to work once they are saved."""

    kind: str
    files: tuple[UnitFile, ...]
    install: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan's JSON form."""
        files = [{"path": file.path, "content": file.content} for file in self.files]
        return {"kind": self.kind, "files": files, "install": list(self.install)}


def plan_units(
    kind: str, program: Sequence[str], store: str, paths: Sequence[str], *, hour: int, minute: int
) -> Plan:
    """Plan a nightly reindex of ``paths`` into ``store`` at a time of day.

    ``program`` is what starts the command line: an absolute path, and arguments if need be; so are the others. Raises
    ``ValueError`` when an argument cannot be written in the format.
    """
    command = [*program, "--store", store, "reindex", "--wait", str(_WAIT_S), *paths]
    for argument in command:
        _require(not _SURROGATE.search(argument), kind, argument)
    if kind == "systemd":
        return _systemd(command, hour, minute)
    if kind == "launchd":
        return _launchd(command, hour, minute)
    at = f"{hour:02}:{minute:02}"
    again = [*program, "--store", store, "schedule", "print", "cron", "--at", at, *paths]
    return _cron(command, again, hour, minute)


def plan_text(plan: Plan) -> str:
    """Lay out a plan: one file as it is, ready for a pipe; several with their names as comments."""
    if len(plan.files) == 1:
        return plan.files[0].content.rstrip("\n")
    blocks = [f"# {file.path}\n{file.content}" for file in plan.files]
    steps = "\n".join(f"#   {command}" for command in plan.install)
    return "\n".join((*blocks, f"# Save both files under these names, then:\n{steps}"))


def _systemd(command: Sequence[str], hour: int, minute: int) -> Plan:
    if _NO_EXECUTABLE.search(command[0]):
        command = ["/bin/sh", "-c", 'exec "$0" "$@"', *command]
    # The colon keeps systemd from replacing $NAME in the arguments.
    line = " ".join(map(_systemd_quoted, (f":{command[0]}", *command[1:])))
    service = (
        "[Unit]\n"
        "Description=Bring the uncompact store up to date\n"
        "\n"
        "[Service]\n"
        "Type=oneshot\n"
        f"ExecStart={line}\n"
        f"Nice={_NICE}\n"
        "IOSchedulingClass=idle\n"
    )
    timer = (
        "[Unit]\n"
        "Description=Bring the uncompact store up to date every night\n"
        "\n"
        "[Timer]\n"
        f"OnCalendar=*-*-* {hour:02}:{minute:02}:00\n"
        "Persistent=true\n"
        "\n"
        "[Install]\n"
        "WantedBy=timers.target\n"
    )
    return Plan(
        "systemd",
        (
            UnitFile(f"{_SYSTEMD_FOLDER}/{_UNIT}.service", service),
            UnitFile(f"{_SYSTEMD_FOLDER}/{_UNIT}.timer", timer),
        ),
        ("systemctl --user daemon-reload", f"systemctl --user enable --now {_UNIT}.timer"),
    )


def _systemd_quoted(argument: str) -> str:
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return '"' + _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", escaped) + '"'


def _cron(command: Sequence[str], again: Sequence[str], hour: int, minute: int) -> Plan:
    for argument in command:
        _require(not _CONTROL.search(argument), "cron", argument)
    line = f"{minute} {hour} * * * {' '.join(map(_cron_quoted, command))}\n"
    install = f"(crontab -l 2>/dev/null; {shlex.join(again)}) | crontab -"
    return Plan("cron", (UnitFile("crontab", line),), (install,))


def _cron_quoted(argument: str) -> str:
    """Quote for the shell, then for cron, which ends a command at a bare ``%``.

    Some crons make two backslashes one: after each the quotes are closed and opened again, so that no two meet.
    """
    return shlex.quote(argument).replace("\\", "\\''").replace("%", "\\%")


def _launchd(command: Sequence[str], hour: int, minute: int) -> Plan:
    for argument in command:
        _require(not _NOT_IN_XML.search(argument), "launchd", argument)
    job = {
        "Label": _LABEL,
        "ProgramArguments": list(command),
        "StartCalendarInterval": {"Hour": hour, "Minute": minute},
        "Nice": _NICE,
        "ProcessType": "Background",
    }
    # Every command line loads this file; only this kind needs the library.
    import plistlib

    content = plistlib.dumps(job, sort_keys=False).decode()
    return Plan("launchd", (UnitFile(_PLIST, content),), (f"launchctl bootstrap gui/$(id -u) {_PLIST}",))


def _require(can_hold: bool, kind: str, argument: str) -> None:
    if not can_hold:
        raise ValueError(f"{kind} cannot hold this argument: {argument!r}")
