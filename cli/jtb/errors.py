"""The one place that turns exceptions into a sentence on stderr and an exit code.

The library's errors say what is wrong, in words and as facts; what to do about it is said here, in
the words of the command line.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from jtb.options import Settings
    from tablebase.errors import CorruptTableError, MissingTableError

__all__ = ["ExitCode", "OutputClosed", "advised", "code_of", "describe", "report"]


class ExitCode(IntEnum):
    """What the exit codes of the command mean."""

    DONE = 0
    NO = 1
    """The answer is no: a check failed."""
    USAGE = 2
    """Bad input or usage."""
    MISSING = 3
    """A table is missing."""
    DAMAGED = 4
    """A file is damaged, or of an unknown format or another rule set."""
    NO_ROOM = 5
    """Not enough memory or disk, or a file or folder that may not be read or written."""
    INTERNAL = 70
    """A mistake of the program."""
    INTERRUPTED = 130
    TERMINATED = 143


_REMEDIES: Final = {
    "disk": "free some space, or choose another folder",
    "memory": "use fewer --jobs, or make tables of fewer animals",
    "folder": "choose another folder",
    "files": "allow more of them",
}
"""What can be done where something is short, by what it is."""
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
        errno.EMFILE,
        errno.ENFILE,
    )
)


class OutputClosed(Exception):
    """The reader of stdout went away, as ``head`` does when it has seen enough."""


def report(error: Exception, settings: Settings) -> ExitCode:
    """Say what happened in one sentence on stderr, and return the exit code."""
    if isinstance(error, OutputClosed):
        # What is still buffered has no reader; the interpreter must not try again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    message, code = describe(error, settings)
    click.echo(f"jtb: {message}", err=True)
    if code == ExitCode.INTERNAL and settings.verbosity > 0:
        traceback.print_exception(error)
    return code


def describe(error: Exception, settings: Settings) -> tuple[str, ExitCode]:
    """The message for ``error`` and its exit code."""
    if isinstance(error, click.Abort):
        return "interrupted", ExitCode.INTERRUPTED
    if isinstance(error, click.UsageError):
        hint = f" (see '{error.ctx.command_path} -h')" if error.ctx else ""
        return _one_line(error.format_message()).rstrip(".") + hint, ExitCode.USAGE
    if isinstance(error, click.ClickException):
        return _one_line(error.format_message()), ExitCode.USAGE
    code = code_of(type(error))
    if code is not None:
        return _one_line(advised(error, settings)), code
    if isinstance(error, MemoryError):
        return f"not enough memory: {_REMEDIES['memory']}", ExitCode.NO_ROOM
    if isinstance(error, OSError):
        return _describe_os_error(error)
    what = _one_line(f"{type(error).__name__}: {error}")
    return (
        f"internal error, please report it with the output of the same command with -v"
        f" ({what if len(what) <= _LONGEST else what[: _LONGEST - 1] + '…'})"
    ), ExitCode.INTERNAL


def code_of(kind: type[Exception]) -> ExitCode | None:
    """The exit code of a kind of error that the library raises on purpose; ``None`` of others."""
    from tablebase import errors

    codes: tuple[tuple[type[Exception], ExitCode], ...] = (
        (errors.MissingTableError, ExitCode.MISSING),
        (errors.CorruptTableError, ExitCode.DAMAGED),
        (errors.ResourceError, ExitCode.NO_ROOM),
        (errors.TablebaseError, ExitCode.DAMAGED),
        (errors.FenError, ExitCode.USAGE),
        (errors.FormatError, ExitCode.USAGE),
        (errors.IllegalPositionError, ExitCode.USAGE),
        (errors.MaterialError, ExitCode.USAGE),
        (errors.RulesError, ExitCode.USAGE),
    )
    return next((code for known, code in codes if issubclass(kind, known)), None)


def advised(error: Exception, settings: Settings) -> str:
    """What an error of the library says, and what can be done about it."""
    from tablebase import errors

    if isinstance(error, errors.MissingTableError) and error.materials:
        return f"{error}: run `{_making(error, settings)}`"
    if isinstance(error, errors.CorruptTableError):
        return f"{error}; {_remedy(error, settings)}"
    if isinstance(error, errors.ResourceError) and error.shortage in _REMEDIES:
        remedy = _REMEDIES[error.shortage]
        if error.shortage == "memory" and error.needed is not None:
            remedy = _more_memory(error.needed)
        # Files that a command writes elsewhere have options of their own.
        if remedy.endswith("folder") and settings.is_in_data_dir(error.path):
            remedy += " with --data-dir"
        return f"{error}: {remedy}"
    if isinstance(error, errors.AmbiguousError):
        return f"{error}; --format NAME says which"
    return str(error)


def _more_memory(needed: int) -> str:
    """What to do where a budget is smaller than what is ``needed``, in bytes."""
    from tablebase.resources import available_memory

    if needed <= available_memory():
        return "allow more memory with --memory"
    return "make tables of fewer animals, or use a machine with more memory"


def _remedy(error: CorruptTableError, settings: Settings) -> str:
    """What to do about a file that is no good."""
    if error.belongs_at is not None:
        return "move it there, or delete it"
    remedy = "delete it"
    if error.material is not None:
        remedy += f" and run `{_making(error, settings)}`"
    return f"update jtb, or {remedy}" if error.newer else remedy


def _making(error: MissingTableError | CorruptTableError, settings: Settings) -> str:
    """The command that makes the tables that an error is about."""
    from tablebase import errors
    from tablebase.game.rules import RULE_SETS

    if isinstance(error, errors.MissingTableError):
        what = f"--pieces {error.pieces}" if error.pieces else error.materials[0]
    else:
        what = error.material or ""
    command = settings.command("generate", what)
    # Rules with a limit get the tables of dtc, and those that go with them, without being told.
    rules = settings.rules_name
    if settings.given_rules is None and error.rules_key and error.rules_key != "standard":
        rules = error.rules_key if error.rules_key in RULE_SETS else "FILE.toml"
        command += f" --rules {rules}"
    limited = rules in RULE_SETS and RULE_SETS[rules].no_capture_limit is not None
    if error.metric == "dtc" and not limited and not settings.has_limit():
        command += " --metric dtc"
    return command


def _describe_os_error(error: OSError) -> tuple[str, ExitCode]:
    what = error.strerror or str(error) or type(error).__name__
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    code = ExitCode.NO_ROOM if error.errno in _NO_ROOM_ERRNOS else ExitCode.USAGE
    return f"{where}{_one_line(what)}", code


def _one_line(text: str) -> str:
    return " ".join(text.split())
