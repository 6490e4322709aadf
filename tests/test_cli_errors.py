"""Whatever goes wrong in ``jtb``: one sentence on stderr and the exit code of the contract."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click
import pytest
from click.testing import CliRunner

from jtb import errors
from jtb.commands import perft
from jtb.errors import ExitCode
from jtb.main import app
from jtb.options import Settings
from tablebase import errors as library_errors
from tablebase.errors import (
    CorruptTableError,
    FenError,
    IllegalPositionError,
    MaterialError,
    MissingTableError,
    ResourceError,
    RulesError,
    Shortage,
    TablebaseError,
)
from tablebase.values import Metric

ROOT = Path(__file__).resolve().parent.parent
START_SLOWLY = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L_w"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FenError("the FEN is empty"), 2),
        (IllegalPositionError("two in one place"), 2),
        (MaterialError("Black has no animals"), 2),
        (RulesError("no such rules"), 2),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x.toml"), 2),
        (MissingTableError("there is no table EvT"), 3),
        (CorruptTableError(Path("EvT.dtw.h5"), "it is empty"), 4),
        (TablebaseError("something about a table"), 4),
        (ResourceError("the disk is full", "disk"), 5),
        (MemoryError(), 5),
        (OSError(errno.ENOSPC, "No space left on device"), 5),
        (PermissionError(errno.EACCES, "Permission denied", "tables"), 5),
        (click.Abort(), 130),
        (ZeroDivisionError("by zero"), 70),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_every_error_has_a_sentence_and_a_code(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(perft.command, "callback", fail)
    result = CliRunner().invoke(app, ["perft", "1"])
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("jtb: ")
    assert result.stderr.count("\n") == 1
    assert str(error.args[-1] if error.args else "") in result.stderr


def test_only_a_mistake_of_the_program_shows_a_traceback_and_only_with_v(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(perft.command, "callback", fail)
    result = CliRunner().invoke(app, ["perft", "1", "-v"])
    assert result.exit_code == ExitCode.INTERNAL
    assert "internal error, please report it" in result.stderr
    assert "Traceback" in result.stderr
    assert "Traceback" not in CliRunner().invoke(app, ["perft", "1"]).stderr
    monkeypatch.undo()
    assert "Traceback" not in CliRunner().invoke(app, ["-v", "perft", "1", "bad"]).stderr


# -- what can be done about it ---------------------------------------------------------------------


def told(error: Exception, *options: str) -> str:
    """The sentence on stderr with which a command with these options ends."""

    def fail(*_: object, **__: object) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perft.command, "callback", fail)
        result = CliRunner().invoke(app, ["perft", "1", *options])
    assert result.stderr.startswith("jtb: ")
    return result.stderr.removeprefix("jtb: ").removesuffix("\n")


def missing(
    materials: Sequence[str] = ("EvP",),
    metric: Metric | None = "dtw",
    rules_key: str | None = "standard",
    pieces: int | None = None,
) -> MissingTableError:
    return MissingTableError(
        "x is not there", materials=materials, metric=metric, rules_key=rules_key, pieces=pieces
    )


def corrupt(
    material: str | None = "EvP",
    metric: Metric | None = "dtw",
    rules_key: str | None = "standard",
    belongs_at: str | None = None,
    newer: bool = False,
) -> CorruptTableError:
    return CorruptTableError(
        Path("x.h5"),
        "it is empty",
        material=material,
        metric=metric,
        rules_key=rules_key,
        belongs_at=belongs_at,
        newer=newer,
    )


@pytest.fixture
def limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, with a rule set that has a limit, and one that has none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my rules.toml").write_text("no_capture_limit = 30\n")
    (tmp_path / "free.toml").write_text('lion_jumps = "none"\n')


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize(
    ("error", "options", "command"),
    [
        (missing(), [], "EvP"),
        (missing(["EvP", "EvL"]), [], "EvP"),
        (missing(["EvP", "EvL"], pieces=3), [], "--pieces 3"),
        (missing(metric="dtc"), [], "EvP --metric dtc"),
        (missing(metric=None, rules_key=None), [], "EvP"),
        (missing(), ["--data-dir", "tables"], "--data-dir tables EvP"),
        (missing(pieces=2), ["--data-dir", "a b"], "--data-dir 'a b' --pieces 2"),
        # A rule set that was asked for; one with a limit gets both metrics without being told.
        (missing(), ["--rules", "plyyard"], "EvP --rules plyyard"),
        (missing(metric="dtc", rules_key="plyyard"), ["--rules", "plyyard"], "EvP --rules plyyard"),
        (
            missing(metric="dtc", rules_key="leiden"),
            ["--rules", "leiden"],
            "EvP --rules leiden --metric dtc",
        ),
        (
            missing(metric="dtc", rules_key="custom-0123abcd"),
            ["--rules", "my rules.toml"],
            "EvP --rules 'my rules.toml'",
        ),
        (
            missing(metric="dtc", rules_key="custom-0123abcd"),
            ["--rules", "free.toml", "--data-dir", "t"],
            "--data-dir t EvP --rules free.toml --metric dtc",
        ),
        (
            missing(metric="dtc", rules_key="custom-0123abcd"),
            ["--rules", "gone.toml"],
            "EvP --rules gone.toml --metric dtc",
        ),
        # One that was not asked for: files of any are listed and verified.
        (missing(rules_key="jade"), [], "EvP --rules jade"),
        (missing(metric="dtc", rules_key="jade"), [], "EvP --rules jade"),
        (missing(metric="dtc", rules_key="leiden"), [], "EvP --rules leiden --metric dtc"),
        (missing(rules_key="custom-0123abcd"), [], "EvP --rules FILE.toml"),
    ],
)
def test_a_missing_table_comes_with_the_command_that_makes_it(
    error: Exception, options: list[str], command: str
) -> None:
    assert told(error, *options) == f"x is not there: run `jtb generate {command}`"


def test_a_table_that_cannot_be_made_comes_with_no_command() -> None:
    assert told(missing(materials=())) == "x is not there"


@pytest.mark.parametrize(
    ("error", "options", "remedy"),
    [
        (corrupt(), [], "delete it and run `jtb generate EvP`"),
        (
            corrupt(metric="dtc"),
            ["--data-dir", "a b"],
            "delete it and run `jtb generate --data-dir 'a b' EvP --metric dtc`",
        ),
        (corrupt(rules_key="jade"), [], "delete it and run `jtb generate EvP --rules jade`"),
        (
            corrupt(metric="dtc", rules_key="plyyard"),
            ["--rules", "plyyard"],
            "delete it and run `jtb generate EvP --rules plyyard`",
        ),
        (corrupt(material=None), [], "delete it"),
        (corrupt(newer=True), [], "update jtb, or delete it and run `jtb generate EvP`"),
        (corrupt(material=None, newer=True), [], "update jtb, or delete it"),
        (corrupt(belongs_at="standard/EvL.dtw.h5"), [], "move it there, or delete it"),
    ],
)
def test_a_file_that_is_no_good_comes_with_a_remedy(
    error: Exception, options: list[str], remedy: str
) -> None:
    assert told(error, *options) == f"x.h5 cannot be used: it is empty; {remedy}"


@pytest.mark.parametrize(
    ("shortage", "remedy"),
    [
        ("disk", ": free some space, or choose another folder"),
        ("memory", ""),  # perft has no option for that
        ("folder", ": choose another folder"),
        ("files", ": allow more of them"),
        ("permission", ""),
        ("system", ""),
    ],
)
def test_what_is_short_comes_with_a_remedy(shortage: Shortage, remedy: str) -> None:
    assert told(ResourceError("too little of it", shortage)) == f"too little of it{remedy}"


def test_the_option_of_a_folder_is_named_where_it_is_about_the_tables(tmp_path: Path) -> None:
    settings = Settings(given_data_dir=tmp_path)
    for path, option in (
        (tmp_path, " with --data-dir"),
        (tmp_path / "standard" / "EvP.dtw.h5", " with --data-dir"),
        (tmp_path.parent, " with --data-dir"),
        (tmp_path.parent / "values.csv", ""),
    ):
        error = ResourceError("cannot write", "folder", path=path)
        assert errors.advised(error, settings) == f"cannot write: choose another folder{option}"


def test_how_much_memory_helps_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.resources.available_memory", lambda: 1000)
    for needed, remedy in (
        (1000, "allow more memory with --memory"),
        (1001, "make tables of fewer animals, or use a machine with more memory"),
    ):
        assert told(ResourceError("too little", "memory", needed=needed)) == f"too little: {remedy}"


def test_every_shortage_is_thought_of() -> None:
    assert set(get_args(Shortage)) == {*errors._REMEDIES, "memory", "permission", "system"}


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        ("generate", ": use fewer --jobs, or make tables of fewer animals"),
        ("verify", ": use fewer --jobs"),
        ("probe", ""),
    ],
)
def test_where_memory_is_short_the_options_of_the_command_help(command: str, remedy: str) -> None:
    settings = Settings(running=command)
    for error in (MemoryError(), ResourceError("not enough memory", "memory")):
        assert errors.describe(error, settings) == (f"not enough memory{remedy}", 5)


def test_the_same_words_are_for_errors_that_do_not_end_a_command() -> None:
    settings = Settings(given_data_dir=Path("t"))
    for error in (missing(), corrupt(), ResourceError("x", "disk"), TablebaseError("x")):
        assert errors.describe(error, settings)[0] == errors.advised(error, settings)


@pytest.mark.parametrize("name", [name for name in library_errors.__all__ if name != "Shortage"])
def test_every_error_of_the_library_has_a_code(name: str) -> None:
    code = errors.code_of(getattr(library_errors, name))
    assert code is not None
    assert code not in (ExitCode.DONE, ExitCode.INTERNAL)
    assert isinstance(code, ExitCode)


def test_other_errors_have_none() -> None:
    for kind in (ValueError, OSError, KeyError, MemoryError, ZeroDivisionError):
        assert errors.code_of(kind) is None


def test_no_text_spreads_over_lines() -> None:
    assert told(TablebaseError("one\ntwo  three")) == "one two three"
    long = told(ZeroDivisionError("far\n" * 200))
    assert len(long) < 350
    assert "ZeroDivisionError: far far" in long
    assert "…" in long


# -- bad input, and interrupts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["prft"], "No such command 'prft'"),
        (["--bad"], "No such option"),
        (["perft"], "Missing argument 'DEPTH' (see 'jtb perft -h')"),
        (["perft", "x"], "'x' is not a valid integer"),
        (["perft", "0"], "0 is not in the range 1<=x<=100"),
        (["perft", "1", "7/7 w"], "the board has 9 ranks"),
        (["perft", "1", "nonsense", "w"], "the board has 9 ranks"),
        (["perft", "1", "7/7/7/7/7/7/7/7/D6"], "the side to move is missing"),
        (["perft", "1", "7/7/7/7/1D5/7/7/7/7_w"], "stands in water"),
        (["perft", "1", "7/7/7/7/7/7/7/7/D6_w", "7/7/7/7/7/7/7/7/D6_w"], "not from several"),
        (["perft", "1", "--rules", "chess"], "no rule set is called 'chess'"),
        (["perft", "1", "--rules", "no-such.toml"], "cannot read the rules file no-such.toml"),
        (["rules", "chess"], "no rule set is called 'chess'"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments: list[str], sentence: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr
    assert result.stderr.startswith("jtb: ")
    assert result.stderr.count("\n") == 1


def start(*arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(ROOT), str(ROOT / "cli")))
    # Whoever starts the tests in the background may have SIGINT ignored in them.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import jtb.main; jtb.main.main()"
    )
    return subprocess.Popen(
        [sys.executable, "-u", "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_interrupt_ends_with_130_and_no_traceback() -> None:
    with start("perft", "30", START_SLOWLY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1 24\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert err.strip() == "jtb: interrupted"


def test_a_reader_that_goes_away_is_no_error() -> None:
    with start("perft", "30", "7/7/7/7/7/7/7/d6/1D5_w") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait() == 0
