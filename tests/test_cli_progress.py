"""What long runs show on stderr: a bar, or a line a minute, and a sentence for what happens."""

from __future__ import annotations

import io
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from jtb.main import app
from jtb.options import Settings
from jtb.progress import check_display, run_display
from tablebase.game.rules import RULE_SETS
from tablebase.generation import Event, Made, State
from tablebase.generation.events import EventKind
from tablebase.materials.table import Table
from tablebase.verification import Progress

TABLE = Table.of(RULE_SETS["plyyard"], "EvE", "dtc")
PATH = Path("data") / TABLE.file
MADE = Made(TABLE, 34, 1.234, 12_345, "digest")
BEGUN = State(2, 0, 100, 0, None, None)
HALF = State(2, 1, 100, 40, 9.0, 400.0)

SENTENCES: dict[EventKind, str] = {
    "compiling": "compiling the kernels, as the first run on a machine does: up to a minute",
    "damaged": f"{PATH} is damaged and is made anew",
    "vanished": f"{PATH} is there no more and is made anew",
    "waiting": "another process is making the tables that are left",
    "elsewhere": "EvE (dtc) was made by another process",
    "made": "EvE (dtc): 34 plies, 1.23 s, 12,345 bytes",
    "working": "",
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def event(kind: EventKind, state: State = HALF) -> Event:
    return Event(kind, state, TABLE, PATH, MADE)


@pytest.mark.parametrize(
    ("verbosity", "terminal", "bar"), [(0, True, True), (-1, True, False), (0, False, False)]
)
def test_progress_is_a_bar_on_a_terminal_only(
    verbosity: int, terminal: bool, bar: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stderr = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "30")
    with run_display(Settings(verbosity=verbosity)) as show:
        show(Event("compiling", BEGUN))
        show(event("made"))
        show(Event("working", HALF))
    assert ("1 of 2 tables" in stderr.getvalue()) is bar
    assert (SENTENCES["compiling"] in stderr.getvalue()) is (verbosity == 0)
    assert SENTENCES["made"] not in stderr.getvalue()


@pytest.mark.parametrize("kind", get_args(EventKind))
@pytest.mark.parametrize("verbosity", [-1, 0, 1])
def test_what_happens_is_told_in_a_sentence(
    capsys: pytest.CaptureFixture[str], kind: EventKind, verbosity: int
) -> None:
    with run_display(Settings(verbosity=verbosity), lambda: 0.0) as show:
        show(event(kind))
    needed = 1 if kind in ("made", "elsewhere") else 0
    told = SENTENCES[kind] if verbosity >= needed else ""
    assert capsys.readouterr().err == (f"{told}\n" if told else "")


def lines_of_run(capsys: pytest.CaptureFixture[str], verbosity: int) -> list[str]:
    """What is told in two minutes and a half of which a third of a second passes between events."""
    now = 1000.0
    with run_display(Settings(verbosity=verbosity), lambda: now) as show:
        for tick in range(450):
            now = 1000 + tick / 3
            show(Event("working", HALF if tick > 200 else BEGUN))
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_there_is_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines_of_run(capsys, 0) == [
        "0 of 2 tables, 0 % of the values",
        "1 of 2 tables, 40 % of the values, about 6 min 40 s left",
    ]


def test_a_quiet_run_has_no_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines_of_run(capsys, -1) == []


def test_a_short_run_has_no_lines(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with run_display(Settings(), lambda: now) as show:
        now = 59.9
        show(Event("working", HALF))
    assert capsys.readouterr().err == ""


def test_the_end_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with run_display(Settings(), lambda: now) as show:
        for time, done in ((70.0, 60), (140.0, 100)):
            now = time
            show(Event("working", State(2, done // 50, 100, done, 1.0, (100 - done) * 1.26)))
    assert capsys.readouterr().err == "1 of 2 tables, 60 % of the values, about 50 s left\n"


def test_a_verification_has_a_line_a_minute_too(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with check_display(Settings(), lambda: now) as show:
        for now in (30.0, 61.0, 90.0, 125.0):
            show(Progress(3, 1, 1000, int(now), None))
    assert capsys.readouterr().err.splitlines() == [
        "1 of 3 tables, 6 % of the values",
        "1 of 3 tables, 12 % of the values",
    ]


@pytest.mark.parametrize("memory", ["nan", "inf", "-inf", "1e300", "0", "-1", "1048577"])
def test_an_amount_of_memory_that_cannot_be_is_bad_usage(tmp_path: Path, memory: str) -> None:
    arguments = ("generate", "EvE", f"--memory={memory}", "--data-dir", str(tmp_path / "none"))
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stderr == (
        f"jtb: Invalid value for '--memory': {float(memory):g} is not a number of GiB greater than"
        " 0 and up to 1,048,576 (see 'jtb generate -h')\n"
    )
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("jobs", ["0", "100000", "99999999999999999999"])
def test_a_number_of_threads_that_cannot_be_is_bad_usage(tmp_path: Path, jobs: str) -> None:
    arguments = ("generate", "EvE", "--jobs", jobs, "--data-dir", str(tmp_path / "none"))
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"jtb: Invalid value for '--jobs': {jobs} is not in the range")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()
