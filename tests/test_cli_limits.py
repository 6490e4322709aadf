"""What the system does not allow ``jtb``: the true cause in one sentence, and exit code 5."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import filelock
import pytest

from jtb import errors
from jtb.errors import ExitCode
from jtb.limits import require_memory
from jtb.options import Settings
from jtb.streams import InputError, OutputError
from tablebase.catalog import Catalog
from tablebase.errors import FenError, ResourceError, RulesError
from tests.processes import run
from tests.sample_tables import SMALL, write_sample

needs_posix = pytest.mark.skipif(os.name == "nt", reason="needs a shell")
EvP = "7/7/7/7/7/7/7/4p2/E6 w"


def told(error: BaseException, running: str = "probe") -> tuple[str, int]:
    return errors.describe(error, Settings(running=running))


# -- memory ----------------------------------------------------------------------------------------


def caused(error: Exception, cause: Exception) -> Exception:
    error.__context__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("Unable to allocate 8.00 GiB for an array"),
        ImportError("libopenblas.so: failed to map segment from shared object"),
        ImportError("libopenblas.so: cannot allocate memory in static TLS block"),
        caused(ImportError("IMPORTANT: PLEASE READ THIS"), ImportError("failed to map segment")),
        caused(OSError("no libllvmlite.so"), OSError("x.so: failed to map segment from")),
        caused(SystemError("returned a result with an exception set"), MemoryError()),
    ],
    ids=repr,
)
def test_lack_of_memory_in_every_guise(error: Exception) -> None:
    assert told(error) == ("not enough memory", ExitCode.NO_ROOM)


def test_other_errors_of_loading_are_no_lack_of_memory() -> None:
    assert told(ImportError("no module named x"))[1] == ExitCode.INTERNAL
    assert told(SystemError("x"))[1] == ExitCode.INTERNAL


def test_memory_is_asked_for_and_given_back() -> None:
    for _ in range(1000):
        require_memory(1 << 30)
    require_memory(0)
    with pytest.raises(MemoryError):
        require_memory(1 << 62)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit that is kept")
@pytest.mark.parametrize(
    ("kibibytes", "command"),
    [
        (80_000, ["probe", EvP]),
        (80_000, ["list"]),
        (400_000, ["generate", "EvP", "-q"]),
        (400_000, ["rules", "--compare", "standard", "leiden", "--pieces", "2"]),
    ],
    ids=str,
)
def test_a_limit_of_the_address_space(kibibytes: int, command: list[str], tmp_path: Path) -> None:
    done = run(*command, "--data-dir", tmp_path, setup=f"ulimit -v {kibibytes}")
    assert done.returncode == ExitCode.NO_ROOM
    assert done.stdout == b""
    assert done.stderr.startswith(b"jtb: not enough memory")
    assert done.stderr.count(b"\n") == 1


# -- files and threads -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "sentence", "code"),
    [
        (OSError(errno.EMFILE, "Too many open files", "x"), "x: Too many open files", 5),
        (OSError(errno.EIO, "Input/output error", "x"), "x: Input/output error", 5),
        (OSError(errno.EFBIG, "File too large", "x.csv"), "x.csv: File too large", 5),
        (RuntimeError("can't start new thread"), "the system allows no more threads", 5),
        (OutputError(errno.EBADF, "Bad file descriptor"), "standard output is closed", 5),
        (OutputError(errno.EIO, "Input/output error"), "cannot write to standard output: ", 5),
        (InputError(errno.EBADF, "Bad file descriptor"), "standard input is closed", 2),
        (InputError(errno.EISDIR, "Is a directory"), "cannot read standard input: a folder", 2),
        (EOFError(), "internal error", 70),
    ],
    ids=repr,
)
def test_what_the_system_says(error: Exception, sentence: str, code: int) -> None:
    said, exit_code = told(error)
    assert said.startswith(sentence)
    assert exit_code == code


def test_a_lock_of_another_user_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Catalog([tmp_path]).path(SMALL)
    lock = path.parent / ".locks" / f"{path.name}.lock"

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(lock))

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)

    def refusal() -> ResourceError:
        with pytest.raises(ResourceError) as refused, Catalog([tmp_path]).lock(SMALL):
            pass
        return refused.value

    error = refusal()  # there is none yet, and the folder does not take one
    assert (str(error), error.shortage) == (f"cannot lock {path}: permission is denied", "folder")
    lock.touch()
    error = refusal()
    assert (error.shortage, error.path) == ("permission", lock)
    assert told(error) == (
        f"cannot lock {path}: there is no permission to write its lock file {lock}",
        ExitCode.NO_ROOM,
    )


# -- a working directory that is gone --------------------------------------------------------------


def removing(folder: Path) -> str:
    """What a shell does to stand in ``folder`` and have it removed."""
    return f"mkdir '{folder}' && cd '{folder}' && rmdir '{folder}'"


@needs_posix
@pytest.mark.parametrize(
    "command",
    [
        ["list", "--data-dir", "tables"],
        ["generate", "EvP", "--data-dir", "."],
        ["probe", EvP, "--data-dir", "tables"],
        ["rules", "mine.toml"],
        ["export", "EvP", "-o", "EvP.csv"],
    ],
    ids=str,
)
def test_a_removed_working_directory_is_named(command: list[str], tmp_path: Path) -> None:
    write_sample(tmp_path / SMALL.file, SMALL)
    gone = tmp_path / "gone"
    done = run(*command, setup=removing(gone), environment={"JTB_DATA": str(tmp_path)})
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, b"")
    assert done.stderr.decode() == f"jtb: the working directory {gone} was removed\n"


@needs_posix
def test_what_needs_no_working_directory_goes_on(tmp_path: Path) -> None:
    setup = removing(tmp_path / "gone")
    assert run("perft", "1", setup=setup).stdout == b"1 24\n"
    assert run("list", "--data-dir", tmp_path, "-q", setup=setup).returncode == 0
    done = run("rules", tmp_path / "no.toml", setup=setup)
    assert b"cannot read the rules file" in done.stderr


def test_without_proc_the_shell_knows_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> Path:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    lost = FileNotFoundError(errno.ENOENT, "No such file or directory", "x")
    assert told(lost)[0] == "x: No such file or directory"
    monkeypatch.setattr(Path, "cwd", gone)
    monkeypatch.setattr(Path, "readlink", gone)
    monkeypatch.setenv("PWD", "/was/here")
    sentence = ("the working directory /was/here was removed", ExitCode.USAGE)
    assert told(lost) == sentence
    assert told(RulesError("cannot read the rules file x.toml", path=Path("x.toml"))) == sentence
    assert told(ResourceError("cannot write x.csv", "system", path=Path("x.csv"))) == sentence
    monkeypatch.delenv("PWD")
    assert told(lost)[0] == "the working directory was removed"
    for other in (
        FenError("the FEN is empty"),
        RulesError("no rule set is called 'x'"),
        RulesError("cannot read the rules file /x.toml", path=Path("/x.toml")),
        FileNotFoundError(errno.ENOENT, "No such file or directory", "/x"),
    ):
        assert "working directory" not in told(other)[0]
