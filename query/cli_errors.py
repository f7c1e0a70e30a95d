"""Every error of the command line as one line or one JSON object, with its exit code; never a traceback unasked."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import click

from ..pipelines.errors import UncompactError
from .printing import print_error, print_json

__all__ = ["CommandLine", "Problem", "problem_of"]

# Exit codes by the kind of error; 4 is `reindex --strict` with rejects.
_EXIT_CODES = {"usage": 2, "busy": 3}
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is shown."""

    kind: str
    message: str
    hint: str

    @property
    def exit_code(self) -> int:
        """What the process ends with."""
        return _EXIT_CODES.get(self.kind, 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the error's JSON form."""
        return {"error": {"kind": self.kind, "message": self.message, "hint": self.hint}}


class CommandLine(click.Group):
    """A group of commands that shows errors by our rules instead of click's."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run a command line and end the process."""
        arguments = sys.argv[1:] if args is None else list(args)
        try:
            code = super().main(arguments, prog_name, complete_var, standalone_mode=False, **extra)
        except click.Abort:
            sys.exit(_INTERRUPTED)
        except Exception as error:  # noqa: BLE001 nobody at a shell can use a traceback
            sys.exit(_show(error, arguments))
        sys.exit(code if isinstance(code, int) else 0)


def problem_of(error: Exception) -> Problem:
    """Say what an error is, in words, and what would help."""
    if isinstance(error, UncompactError):
        return Problem(error.kind, error.message, error.hint)
    if isinstance(error, click.ClickException):
        return Problem("usage", error.format_message(), _usage_hint(error))
    if isinstance(error, OSError):
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return Problem("io", f"{place}{error.strerror or error}", "")
    what = f"unexpected {type(error).__name__}: {error}"
    return Problem("internal", what, "`--debug` before the command shows where it came from")


def _usage_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return ""
    if isinstance(error, click.BadOptionUsage | click.NoSuchOption) and context.info_name == "retrieve":
        return "put `--` before a request that begins with a dash: `uncompact retrieve ... -- -Wall`"
    return f"`{context.command_path} --help`"


def _show(error: Exception, arguments: Sequence[str]) -> int:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    problem = problem_of(error)
    if "--debug" in options:
        traceback.print_exception(error)
    try:
        if "--json" in options:
            print_json(problem.to_dict())
        else:
            print_error(problem.message, problem.hint)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return problem.exit_code
