"""Whatever goes wrong in ``jtb``: one sentence on stderr and the exit code of the contract."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from jtb import errors
from jtb.commands import perft
from jtb.main import app
from tablebase.errors import (
    CorruptTableError,
    FenError,
    IllegalPositionError,
    MaterialError,
    MissingTableError,
    ResourceError,
    RulesError,
    TablebaseError,
)

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
        (CorruptTableError("the file is damaged"), 4),
        (TablebaseError("something about a table"), 4),
        (ResourceError("the disk is full"), 5),
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
    assert result.exit_code == errors.ExitCode.INTERNAL
    assert "internal error, please report it" in result.stderr
    assert "Traceback" in result.stderr
    assert "Traceback" not in CliRunner().invoke(app, ["perft", "1"]).stderr
    monkeypatch.undo()
    assert "Traceback" not in CliRunner().invoke(app, ["-v", "perft", "1", "bad"]).stderr


@pytest.mark.parametrize(
    ("error", "options", "sentence"),
    [
        (
            CorruptTableError("x; run `jtb generate EvP --rules FILE.toml --metric dtc`"),
            ["--data-dir", "a b", "--rules", "my rules.toml"],
            "x; run `jtb generate --data-dir 'a b' EvP --metric dtc --rules 'my rules.toml'`",
        ),
        (
            MissingTableError("x: run `jtb generate EvP`"),
            ["--rules", "plyyard"],
            "x: run `jtb generate EvP --rules plyyard`",
        ),
        (MissingTableError("run `jtb generate EvP`"), [], "run `jtb generate EvP`"),
        (
            ResourceError("the disk is full: free some space, or choose another folder"),
            [],
            "the disk is full: free some space, or choose another folder with --data-dir",
        ),
        (
            ResourceError("allow less memory, use fewer jobs"),
            [],
            "allow less memory with --memory, use fewer --jobs",
        ),
    ],
)
def test_advice_of_the_library_is_completed_by_the_options(
    error: Exception, options: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(perft.command, "callback", fail)
    result = CliRunner().invoke(app, ["perft", "1", *options])
    assert result.stderr == f"jtb: {sentence}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["prft"], "No such command 'prft'"),
        (["--bad"], "No such option"),
        (["perft"], "Missing argument 'DEPTH' (see 'jtb perft -h')"),
        (["perft", "x"], "'x' is not a valid integer"),
        (["perft", "0"], "0 is not in the range x>=1"),
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
