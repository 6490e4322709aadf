"""The one place that turns exceptions into a sentence on stderr and an exit code.

The library's errors say what is wrong, in words and as facts; what to do about it is said here, in
the words of the command line.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from jtb.signals import Stopped
from jtb.streams import InputError, OutputClosed, OutputError, tell

if TYPE_CHECKING:
    from jtb.options import Settings
    from tablebase.errors import CorruptTableError, MissingTableError, ResourceError

__all__ = ["ExitCode", "advised", "code_of", "describe", "report"]


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
    HUNG_UP = 129
    """The terminal went away."""
    INTERRUPTED = 130
    TERMINATED = 143


_REMEDIES: Final = {
    "disk": "free some space, or choose another folder",
    "folder": "choose another folder",
    "files": "allow more of them",
}
"""What can be done where something is short, by what it is."""
_MEMORY_REMEDIES: Final = {
    "generate": "use fewer --jobs, or make tables of fewer animals",
    "verify": "use fewer --jobs",
}
"""The same of memory, by the command."""
_OF_A_VALUE: Final = 300
"""So many characters of a message are enough if it quotes what was given,"""
_OF_A_PATH: Final = 1000
"""and so many if it names files."""
_OF_A_MISTAKE: Final = 200
_NO_ROOM_ERRNOS: Final = frozenset(
    (
        *(errno.ENOSPC, errno.EFBIG, errno.EROFS, errno.EIO),
        *(errno.EACCES, errno.EPERM),
        *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE),
        getattr(errno, "EDQUOT", errno.ENOSPC),  # not everywhere
    )
)
_LOADER_SHORTAGES: Final = ("failed to map segment", "annot allocate memory")
"""What the system's loader says where the memory does not suffice for a library."""


def report(error: BaseException, settings: Settings, about: Path | None = None) -> ExitCode:
    """Say what happened in one sentence on stderr, and return the exit code.

    ``about`` is the file that an error is about which may not know it.
    """
    if isinstance(error, click.Abort) and error.__cause__ is not None:
        error = error.__cause__  # click takes the end of any file for Ctrl-D
    if isinstance(error, OutputClosed):
        return ExitCode.DONE
    message, code = describe(error, settings)
    where = "" if about is None or str(about) in message else f"{about}: "
    tell(f"jtb: {where}{message}")
    if code == ExitCode.INTERNAL and settings.verbosity > 0:
        tell("".join(traceback.format_exception(error)).rstrip())
    return code


def describe(error: BaseException, settings: Settings) -> tuple[str, ExitCode]:
    """The message for ``error`` and its exit code."""
    if isinstance(error, Stopped):
        return error.word, ExitCode(error.exit_code)
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return "interrupted", ExitCode.INTERRUPTED
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        hint = f" (see '{context.command_path} -h')" if context else ""
        return _one_line(error.format_message(), _OF_A_VALUE).rstrip(".") + hint, ExitCode.USAGE
    if _names_no_place(error) and (removed := _removed_directory()):
        return removed, ExitCode.USAGE
    code = code_of(type(error))
    if code is not None:
        return _one_line(advised(error, settings), _OF_A_PATH), code
    if _is_lack_of_memory(error):
        return _with("not enough memory", _MEMORY_REMEDIES.get(settings.running)), ExitCode.NO_ROOM
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "the system allows no more threads (see `ulimit -u`)", ExitCode.NO_ROOM
    if isinstance(error, OSError):
        return _describe_os_error(error)
    what = _one_line(f"{type(error).__name__}: {error}", _OF_A_MISTAKE)
    return (
        f"internal error, please report it with the output of the same command with -v ({what})"
    ), ExitCode.INTERNAL


def code_of(kind: type[BaseException]) -> ExitCode | None:
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


def advised(error: BaseException, settings: Settings) -> str:
    """What an error of the library says, and what can be done about it."""
    from tablebase import errors

    if isinstance(error, errors.MissingTableError) and error.materials:
        return f"{error}: run `{_making(error, settings)}`"
    if isinstance(error, errors.CorruptTableError):
        return f"{error}; {_remedy(error, settings)}"
    if isinstance(error, errors.ResourceError):
        return _with(str(error), _remedy_for(error, settings))
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


def _remedy_for(error: ResourceError, settings: Settings) -> str | None:
    """What to do where something is short."""
    if error.shortage == "memory":
        if error.needed is not None:
            return _more_memory(error.needed)
        return _MEMORY_REMEDIES.get(settings.running)
    remedy = _REMEDIES.get(error.shortage)
    # Files that a command writes elsewhere have options of their own.
    if remedy and remedy.endswith("folder") and settings.is_in_data_dir(error.path):
        remedy += " with --data-dir"
    return remedy


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


def _removed_directory() -> str | None:
    """A sentence on the working directory if there is none any more; a shell does not notice."""
    try:
        Path.cwd()
    except FileNotFoundError:
        try:
            name = str(Path("/proc/self/cwd").readlink()).removesuffix(" (deleted)")
        except OSError:  # not on Linux
            name = os.environ.get("PWD", "")
        return " ".join(("the working directory", *([name] if name else ()), "was removed"))
    return None


def _names_no_place(error: BaseException) -> bool:
    """Whether a file was not found by a name that begins in the working directory."""
    from tablebase.errors import ResourceError, RulesError

    if isinstance(error, ResourceError | RulesError):
        return error.path is not None and not error.path.is_absolute()
    return isinstance(error, FileNotFoundError) and not Path(error.filename or "").is_absolute()


def _is_lack_of_memory(error: BaseException) -> bool:
    """Also where a library could not be loaded, or its own errors hide that one."""
    return any(
        isinstance(each, MemoryError)
        or (
            isinstance(each, ImportError | OSError)
            and any(words in str(each) for words in _LOADER_SHORTAGES)
        )
        for each in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _describe_os_error(error: OSError) -> tuple[str, ExitCode]:
    from tablebase.resources import resource_error

    closed = error.errno == errno.EBADF
    if isinstance(error, OutputError):
        failure = resource_error("cannot write to standard output", error)
        return "standard output is closed" if closed else str(failure), ExitCode.NO_ROOM
    if isinstance(error, InputError):
        failure = resource_error("cannot read standard input", error)
        return "standard input is closed" if closed else str(failure), ExitCode.USAGE
    what = error.strerror or str(error) or type(error).__name__
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    code = ExitCode.NO_ROOM if error.errno in _NO_ROOM_ERRNOS else ExitCode.USAGE
    return _one_line(where + what, _OF_A_PATH), code


def _with(sentence: str, remedy: str | None) -> str:
    return f"{sentence}: {remedy}" if remedy else sentence


def _one_line(text: str, longest: int) -> str:
    """``text`` on one line; where it is too long, without its middle."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end - 1]}…{text[-end:]}"
