"""Signals: a word, the exit code of a shell, nothing unfinished left behind, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

from jtb.errors import ExitCode
from jtb.signals import Stopped
from tests.processes import ENVIRONMENT, JTB, ROOT, run_python

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals between processes")

ENDS = [
    (signal.SIGINT, ExitCode.INTERRUPTED, "interrupted"),
    (signal.SIGTERM, ExitCode.TERMINATED, "terminated"),
    (signal.SIGHUP, ExitCode.HUNG_UP, "hung up"),
]
signals = pytest.mark.parametrize(("number", "code", "word"), ENDS)

# Whoever starts the tests in the background may have these ignored in them.
LISTENING = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""
SENT_BY_AN_IMPORT = """
number, module = int(sys.argv.pop(1)), sys.argv.pop(1)

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            signal.raise_signal(number)

sys.meta_path.insert(0, Sender())
from jtb.__main__ import main
main()
"""
START_SLOWLY = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L_w"


def listening() -> None:
    """In a child, before it becomes the command: no signal is ignored."""
    for number, *_ in ENDS:
        signal.signal(number, signal.SIG_DFL)


def test_exit_codes_are_those_of_a_shell() -> None:
    for number, code, word in ENDS:
        stopped = Stopped(number)
        assert (stopped.exit_code, stopped.word) == (code, word)
        assert code == 128 + number


@pytest.mark.parametrize(
    ("module", "number", "code", "word"),
    [
        *(("click", *end) for end in ENDS),
        *((name, *ENDS[0]) for name in ("jtb.commands.list", "tablebase.tablefile", "numpy")),
    ],
)
def test_a_signal_while_modules_are_loaded(
    module: str, number: int, code: int, word: str, tmp_path: Path
) -> None:
    (tmp_path / "standard").mkdir()
    (tmp_path / "standard" / "EvP.dtw.h5").write_bytes(b"x" * 4096)
    program = LISTENING + SENT_BY_AN_IMPORT
    done = run_python(program, str(int(number)), module, "list", "--data-dir", tmp_path)
    assert done.returncode == code
    assert done.stderr.strip() == f"jtb: {word}"
    assert done.stdout == ""


@signals
def test_a_signal_at_work(number: int, code: int, word: str) -> None:
    with subprocess.Popen(
        [*JTB, "perft", "30", START_SLOWLY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=listening,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1 24\n"
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode == code
    assert err.strip() == f"jtb: {word}"


@signals
def test_an_unfinished_file_is_removed(number: int, code: int, word: str, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    with subprocess.Popen(
        [*JTB, "convert", "-", "--to", "jtb", "-o", str(file)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        preexec_fn=listening,
    ) as process:
        while not list(tmp_path.iterdir()):  # it waits for input, with the file open
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        process.send_signal(number)  # as `timeout` does
        assert process.stderr is not None
        assert process.stderr.read().strip() == f"jtb: {word}"
        assert process.wait() == code
    assert list(tmp_path.iterdir()) == []


def program(text: str) -> str:
    """What a program prints that has signals caught."""
    done = run_python(f"{LISTENING}\nfrom jtb import signals\n{text}")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_signals_in_quick_succession_are_one_request() -> None:
    shown = program("""
signals.catch()
try:
    signal.raise_signal(signal.SIGTERM)
except signals.Stopped as stopped:
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGHUP)
    print(stopped.word)
signals._catcher._last -= 60
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt as stopped:
    print(stopped.word)
""")
    assert shown.split() == ["terminated", "interrupted"]


def test_a_signal_comes_later_where_no_exception_can_go_on() -> None:
    shown = program("""
class Deaf:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

signals.catch()
try:
    Deaf()
    time.sleep(60)
    print("not heard")
except signals.Stopped as stopped:
    print(stopped.word)

class Faulty:
    def __del__(self):
        1 / 0

sys.stderr = sys.stdout
Faulty()
""")
    first, *others = shown.splitlines()
    assert first == "terminated"
    assert others[-1] == "ZeroDivisionError: division by zero"


def test_what_the_caller_ignores_is_ignored_and_the_end_is_at_once() -> None:
    shown = program("""
signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
signals.catch()
signals.catch()
signal.raise_signal(signal.SIGHUP)
signals.release()
for name in ("SIGHUP", "SIGINT", "SIGTERM"):
    print(signal.getsignal(getattr(signal, name)).name)
""")
    assert shown.split() == ["SIG_IGN", "SIG_DFL", "SIG_DFL"]


def test_the_script_begins_with_the_module_that_sees_to_signals() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"jtb": "jtb.__main__:main"}
    before = run_python(
        "import sys; known = set(sys.modules); import jtb.__main__;"
        "print(*sorted(m for m in set(sys.modules) - known if m.split('.')[0] != 'jtb'))"
    )
    slow = {"click", "typing", "json", "numpy", "tablebase", "pathlib", "dataclasses"}
    assert not slow & set(before.stdout.split())
