"""Several processes on one folder, and runs that end early."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tablebase.catalog import Catalog
from tablebase.generation import Event, generate, make_plan
from tablebase.generation.run import Run
from tests.generation.runs import FEW, InTurn, digests, path_of, table_of, tables_of_two, unfinished
from tests.tablefile.damage import ROOT, read_all


@pytest.fixture
def held(folder: Path) -> Iterator[ExitStack]:
    """The lock of LvRT, which is not there, held as another process would."""
    path_of(folder, "LvRT").unlink()
    with ExitStack() as stack:
        assert stack.enter_context(Catalog([folder]).lock(table_of("LvRT"), timeout=0))
        yield stack


def test_a_table_that_another_process_makes_is_waited_for(
    made: Path, folder: Path, held: ExitStack
) -> None:
    told: list[Event] = []

    def hear(event: Event) -> None:
        told.append(event)
        if event.kind == "waiting":
            shutil.copy(path_of(made, "LvRT"), path_of(folder, "LvRT"))
            held.close()

    summary = generate(folder, materials=FEW, progress=hear)
    assert not summary.made
    assert summary.elsewhere == 1
    assert [(event.kind, event.table) for event in told if event.kind != "working"] == [
        ("waiting", None),
        ("elsewhere", table_of("LvRT")),
    ]


def test_a_table_that_another_process_gave_up_is_made(folder: Path, held: ExitStack) -> None:
    summary = generate(
        folder,
        materials=FEW,
        progress=lambda event: held.close() if event.kind == "waiting" else None,
    )
    assert [one.table for one in summary.made] == [table_of("LvRT")]
    assert summary.elsewhere == 0


def test_what_another_process_made_anew_is_not_made_anew_once_more(
    made: Path, folder: Path, tmp_path: Path
) -> None:
    """A run that is to replace what is there takes what others have put in its place."""

    def hear(event: Event) -> None:
        if event.kind == "made":
            shutil.copy(path_of(made, "LvT"), tmp_path / "other")
            (tmp_path / "other").replace(path_of(folder, "LvT"))

    plan = make_plan(folder, materials=["EvP", "LvT"], force=True)
    assert [planned.table for planned in plan.to_make] == [table_of("EvP"), table_of("LvT")]
    catalog = Catalog([folder])
    summary = Run(plan, catalog, hear).run(InTurn(catalog))
    assert [one.table for one in summary.made] == [table_of("EvP")]
    assert summary.elsewhere == 1


SCRIPT = """
import signal
import sys
from tablebase.generation import generate

# Whoever starts the tests in the background may have SIGINT ignored in them.
signal.signal(signal.SIGINT, signal.default_int_handler)

def hear(event):
    print(event.kind, event.table and event.table.name, flush=True)

try:
    summary = generate(sys.argv[1], pieces=2, materials=["LvRT", "ERvE", "TRvR"], jobs=2,
                       progress=hear)
except KeyboardInterrupt:
    sys.exit(130)
print("summary", *(made.table.name for made in summary.made), flush=True)
"""


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def made_by(process: subprocess.Popen[str]) -> list[str]:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return output.splitlines()[-1].split()[1:]


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    first, second = start(tmp_path), start(tmp_path)
    one, other = made_by(first), made_by(second)
    assert not set(one) & set(other)
    plan = make_plan(tmp_path, pieces=2, materials=["LvRT", "ERvE", "TRvR"])
    assert {*one, *other} == {planned.table.name for planned in plan.tables}
    assert not plan.to_make
    assert not unfinished(tmp_path)
    for path in tmp_path.glob("*/*.h5"):
        read_all(path)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda n: n.name)
@pytest.mark.parametrize("after", [1, 6, 11])
def test_an_interrupted_run_leaves_whole_tables_and_goes_on(
    made: Path, tmp_path: Path, number: signal.Signals, after: int
) -> None:
    process = start(tmp_path)
    assert process.stdout is not None
    seen = 0
    while seen < after:
        seen += process.stdout.readline().startswith("made")
    process.send_signal(number)
    process.communicate(timeout=300)
    assert process.returncode == (130 if number is signal.SIGINT else -signal.SIGKILL)
    if number is signal.SIGINT:
        assert not unfinished(tmp_path)
    whole = digests(tmp_path)
    assert len(whole) >= after
    for path in tmp_path.glob("*/*.h5"):
        read_all(path)

    summary = generate(tmp_path, pieces=2, materials=FEW)
    assert not unfinished(tmp_path)
    assert not {one.table.file for one in summary.made} & set(whole)
    assert digests(made).items() <= digests(tmp_path).items()


class Halt(Exception):
    pass


def test_what_the_listener_raises_ends_the_run_at_once(tmp_path: Path) -> None:
    seen = []

    def hear(event: Event) -> None:
        if event.kind == "made":
            seen.append(event.table)
            if len(seen) == 4:
                raise Halt

    before = threading.active_count()
    with pytest.raises(Halt):
        generate(tmp_path, pieces=2, jobs=2, progress=hear)
    assert threading.active_count() == before
    # What the other thread was about to store at that moment may have got its name.
    assert 4 <= len(digests(tmp_path)) <= 6
    assert not unfinished(tmp_path)
    assert len(generate(tmp_path, pieces=2).made) >= 4


def test_the_lock_is_given_up_when_a_run_ends_early(tmp_path: Path) -> None:
    def hear(event: Event) -> None:
        if event.kind == "made":
            raise Halt

    with pytest.raises(Halt):
        generate(tmp_path, pieces=2, jobs=3, progress=hear)
    for table in tables_of_two():
        with Catalog([tmp_path]).lock(table, timeout=0) as held:
            assert held
