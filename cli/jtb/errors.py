"""The one place that turns exceptions into a sentence on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from jtb.options import Settings

__all__ = [
    "DAMAGED",
    "INTERNAL",
    "INTERRUPTED",
    "MISSING",
    "NO",
    "NO_ROOM",
    "USAGE",
    "OutputClosed",
    "code_of",
    "describe",
    "report",
]

NO: Final = 1
"""The answer is no: a check failed."""
USAGE: Final = 2
"""Bad input or usage."""
MISSING: Final = 3
"""A table is missing."""
DAMAGED: Final = 4
"""A file is damaged, or of an unknown format or another rule set."""
NO_ROOM: Final = 5
"""Not enough memory or disk, or a file or folder that may not be read or written."""
INTERNAL: Final = 70
"""A mistake of the program."""
INTERRUPTED: Final = 130

_OPTIONS: Final = {
    "choose another folder": "choose another folder with --data-dir",
    "allow more memory": "allow more memory with --memory",
    "allow less memory": "allow less memory with --memory",
    "use fewer jobs": "use fewer --jobs",
}
"""What the library, which knows no options, advises of resources, and how that is done here."""
_LONGEST: Final = 200
"""So many characters of an unexpected error are enough for a sentence."""
_NO_ROOM_ERRNOS: Final = frozenset(
    (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.ENOMEM,
        errno.EROFS,
        errno.EACCES,
        errno.EPERM,
    )
)


class OutputClosed(Exception):
    """The reader of stdout went away, as ``head`` does when it has seen enough."""


def report(error: Exception, settings: Settings) -> int:
    """Say what happened in one sentence on stderr, and return the exit code."""
    if isinstance(error, OutputClosed):
        # What is still buffered has no reader; the interpreter must not try again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    message, code = describe(error, settings)
    click.echo(f"jtb: {message}", err=True)
    if code == INTERNAL and settings.verbosity > 0:
        traceback.print_exception(error)
    return code


def describe(error: Exception, settings: Settings) -> tuple[str, int]:
    """The message for ``error`` and its exit code."""
    if isinstance(error, click.Abort):
        return "interrupted", INTERRUPTED
    if isinstance(error, click.UsageError):
        hint = f" (see '{error.ctx.command_path} -h')" if error.ctx else ""
        return _one_line(error.format_message()).rstrip(".") + hint, USAGE
    if isinstance(error, click.ClickException):
        return _one_line(error.format_message()), USAGE
    code = code_of(type(error))
    if code is not None:
        message = settings.with_options(_one_line(str(error)))
        if code == NO_ROOM:
            for advice, option in _OPTIONS.items():
                message = message.replace(advice, option)
        return message, code
    if isinstance(error, MemoryError):
        return "not enough memory", NO_ROOM
    if isinstance(error, OSError):
        return _describe_os_error(error)
    what = _one_line(f"{type(error).__name__}: {error}")
    return (
        f"internal error, please report it with the output of the same command with -v"
        f" ({what if len(what) <= _LONGEST else what[: _LONGEST - 1] + '…'})"
    ), INTERNAL


def code_of(kind: type[Exception]) -> int | None:
    """The exit code of a kind of error that the library raises on purpose; ``None`` of others."""
    from tablebase import errors

    codes: tuple[tuple[type[Exception], int], ...] = (
        (errors.MissingTableError, MISSING),
        (errors.CorruptTableError, DAMAGED),
        (errors.ResourceError, NO_ROOM),
        (errors.TablebaseError, DAMAGED),
        (errors.FenError, USAGE),
        (errors.IllegalPositionError, USAGE),
        (errors.MaterialError, USAGE),
        (errors.RulesError, USAGE),
    )
    return next((code for known, code in codes if issubclass(kind, known)), None)


def _describe_os_error(error: OSError) -> tuple[str, int]:
    what = error.strerror or str(error) or type(error).__name__
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    code = NO_ROOM if error.errno in _NO_ROOM_ERRNOS else USAGE
    return f"{where}{_one_line(what)}", code


def _one_line(text: str) -> str:
    return " ".join(text.split())
