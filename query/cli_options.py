"""What every command takes: the shared options, and arguments made fit for use."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from ..pipelines.errors import NotFoundError, SourceError
from .printing import print_json, print_text, print_warnings

if TYPE_CHECKING:
    from .history_store import HistoryStore

__all__ = [
    "SessionName",
    "Settings",
    "as_path",
    "as_session",
    "as_text",
    "debug_option",
    "find_session",
    "json_option",
    "log_options",
    "log_roots",
    "no_sync_option",
    "print_result",
    "read_inputs",
    "shared_options",
    "store_option",
]

LOG_LEVELS = ("debug", "info", "warning")
LOG_FORMATS = ("text", "json")

_Value = TypeVar("_Value")

_MOST_INPUT_BYTES = 16 << 20


@dataclass(slots=True)
class Settings:
    """The shared options of one call; ``store`` is ``None`` when none is named."""

    store: Path | None = None
    as_json: bool = False
    log_level: str | None = None
    log_format: str | None = None
    no_sync: bool = False

    def store_folder(self) -> Path:
        """Return the store's folder: the one named, else the default."""
        from ..pipelines.store import default_store

        return self.store or default_store()

    def open_store(self) -> HistoryStore:
        """Open the store for reading. Raises ``StoreError``."""
        from .history_store import open_store

        return open_store(self.store_folder())

    def sync_first(self, session: SessionName) -> list[str]:
        """Bring the log that a session is named by up to date, unless that is not wanted: returns warnings."""
        if session.log is None or self.no_sync:
            return []
        from .sync_first import sync_first

        return sync_first(self.store_folder(), session.log)

    def lake_first(self, session: SessionName) -> list[str]:
        """Bring the lake up to that log, too."""
        if session.log is None or self.no_sync:
            return []
        from .sync_first import lake_first

        return lake_first(self.store_folder(), session.log)

    def log(self, event: str, **facts: float) -> None:
        """Log an event; when nobody asked for logs, no command waits for their import."""
        if self.log_level is not None or self.log_format is not None:
            from ..pipelines.log_events import log_event

            log_event(event, **facts)

    def logging(self) -> AbstractContextManager[None]:
        """Log to standard error while a command runs, when that is asked for."""
        if self.log_level is None and self.log_format is None:
            return nullcontext()
        from .cli_logging import logging_to_stderr

        return logging_to_stderr(self.log_level or "info", self.log_format or "text")


def as_path(text: str) -> Path:
    """Make an argument a path: absolute and without ``..``, so that one file has one name."""
    if not text or "\0" in text:
        raise click.BadParameter("a path is not empty and holds no NUL character")
    return Path(os.path.abspath(text))


class SessionName(str):
    """A session as the store names it; ``log`` is its file when a file that exists was named."""

    log: Path | None

    def __new__(cls, name: str, log: Path | None = None) -> Self:
        """Make a name of a text."""
        made = super().__new__(cls, name)
        made.log = log
        return made


def as_session(text: str) -> SessionName:
    """Name a log that exists as the store does, by its absolute path; leave an id or a key as it is."""
    if not text:
        raise click.BadParameter("name a log, or a session's id or key")
    named_as_file = os.sep in text or text.endswith(".jsonl")
    if "\0" in text or not named_as_file or not os.path.exists(text):
        return SessionName(as_text(text))
    path = os.path.abspath(text)
    return SessionName(os.fsencode(path).decode("utf-8", "replace"), Path(path))


def as_text(text: str) -> str:
    """Put U+FFFD for what in an argument is not UTF-8."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _note(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Keep a shared option, given before or after the command's name; the later one counts."""
    settings = context.ensure_object(Settings)
    if value:
        setattr(settings, parameter.name or "", value)
    return value


store_option = click.option(
    "--store",
    type=as_path,
    metavar="DIR",
    expose_value=False,
    callback=_note,
    help="Folder of the store; by default $UNCOMPACT_STORE, else one in your data folder.",
)
debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show where an error came from."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, expose_value=False, callback=_note, help="Print JSON."
)


def log_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--log-level`` and ``--log-format``."""
    level = click.option(
        "--log-level",
        type=click.Choice(LOG_LEVELS),
        expose_value=False,
        callback=_note,
        help="Log counts and timings to stderr; no path, id or text.",
    )
    form = click.option(
        "--log-format",
        type=click.Choice(LOG_FORMATS),
        expose_value=False,
        callback=_note,
        help="How to log, at level info unless another is named.",
    )
    return level(form(command))


no_sync_option = click.option(
    "--no-sync",
    is_flag=True,
    expose_value=False,
    callback=_note,
    help="Answer from the store as it is, also when the log has grown.",
)


def shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all have, and the settings as its first argument."""

    @wraps(command)
    def run(settings: Settings, *arguments: Any, **options: Any) -> None:
        with settings.logging():
            command(settings, *arguments, **options)

    takes_settings = click.make_pass_decorator(Settings, ensure=True)(run)
    return json_option(store_option(log_options(debug_option(takes_settings))))


def print_result(
    settings: Settings, value: _Value, layout: Callable[[_Value], str], *, warnings: Sequence[str] = ()
) -> None:
    """Print a command's result: as JSON, or laid out for a person with its warnings on standard error."""
    if settings.as_json:
        print_json(value)
        return
    print_text(layout(value))
    print_warnings(warnings)


def find_session(store: HistoryStore, name: str) -> str:
    """Return the key of a session.

    Raises ``NotFoundError``; for a log that exists but is not in the store, and for what was forgotten, it says
    how to get it there.
    """
    try:
        return store.session(name).session_key
    except NotFoundError as error:
        if error.what == "session":
            error.hint = _why_missing(store, name) or error.hint
        raise


def _why_missing(store: HistoryStore, name: str) -> str | None:
    from ..pipelines.forget import forgotten_at

    if moment := forgotten_at(store.paths.root, name):
        return (
            f"it was forgotten at {moment}: `uncompact forget --allow {shlex.quote(name)}` lets it in again"
        )
    if os.path.exists(name):
        return f"it is not in the store yet: `uncompact reindex {shlex.quote(name)}`"
    return None


def log_roots(paths: Sequence[Path]) -> Sequence[Path]:
    """Return the folders and logs to index: those named, else the agents' own.

    Raises ``SourceError`` when none of them exists.
    """
    from ..pipelines.sources import SOURCES, default_roots

    roots = paths or default_roots()
    if any(map(os.path.lexists, roots)):
        return roots
    looked_at = [
        str(path) for path in paths or [root for source in SOURCES for root in source.default_roots()]
    ]
    reason = ", nor ".join(("no such file or folder", *looked_at[1:]))
    raise SourceError(
        Path(looked_at[0]), reason, hint="name a folder of logs or a log: `uncompact reindex PATH`"
    )


def read_inputs(request: str, context_ids: str | None) -> tuple[str, list[str] | None]:
    """Read the request from standard input when it is ``-``, and the ids in context from their file.

    The file is a JSON list or has one id a line. Raises ``click.UsageError``, and ``OSError`` for the file.
    """
    if request == "-" and context_ids == "-":
        raise click.UsageError("REQUEST and --context-ids cannot both be read from standard input")
    ids = None if context_ids is None else _parse_ids(_read(context_ids))
    return (_read("-") if request == "-" else request), ids


def _read(name: str) -> str:
    if name == "-" and not hasattr(sys.stdin, "read"):
        raise click.UsageError("standard input is closed")
    with click.open_file(name, "rb") as stream:
        raw: bytes = stream.read(_MOST_INPUT_BYTES + 1)
    if len(raw) > _MOST_INPUT_BYTES:
        raise click.UsageError(f"{name}: more than {_MOST_INPUT_BYTES >> 20} MiB")
    return raw.decode("utf-8-sig", "replace")


def _parse_ids(text: str) -> list[str]:
    if not text.lstrip().startswith("["):
        return [line.strip() for line in text.split("\n") if line.strip()]
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--context-ids: not a JSON list ({error})") from error
    if not all(isinstance(one, str) for one in ids):
        raise click.UsageError("--context-ids: the JSON list holds something other than text")
    return [as_text(one) for one in ids]
