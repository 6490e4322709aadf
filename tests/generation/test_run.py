"""Runs: what they make, what they tell, and what they leave alone."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tablebase.catalog import Catalog
from tablebase.game.board import Color
from tablebase.generation import Event, generate, local, make_plan, run
from tablebase.generation.run import Run
from tablebase.tablefile import TableFile
from tests.generation.runs import (
    FEW,
    STANDARD,
    InTurn,
    digests,
    path_of,
    spoil_values,
    table_of,
    tables_of_two,
)
from tests.in_memory import InMemory
from tests.tablefile.damage import read_all


def test_the_files_hold_what_the_solver_says(made: Path) -> None:
    tables = InMemory(STANDARD)
    for table in (*tables_of_two(), *map(table_of, FEW)):
        with Catalog([made]).open(table) as file:
            for turn in Color:
                assert (file.read(turn) == tables.codes(table, turn)).all()
            file.check()


@pytest.mark.parametrize("jobs", [1, 3, 7])
def test_digests_do_not_depend_on_the_number_of_threads(
    made: Path, tmp_path: Path, jobs: int
) -> None:
    summary = generate(tmp_path, pieces=2, materials=FEW, jobs=jobs)
    assert digests(tmp_path) == digests(made)
    assert {one.table.file: one.digest for one in summary.made} == digests(tmp_path)


def test_a_run_takes_any_executor(folder: Path) -> None:
    expected = digests(folder)
    spoil_values(path_of(folder, "LvR"))
    path_of(folder, "LvRT").unlink()
    path_of(folder, "ERvE").unlink()
    catalog = Catalog([folder])
    summary = Run(make_plan(folder, materials=FEW), catalog, None).run(InTurn(catalog))
    assert {one.table for one in summary.made} == set(map(table_of, ("LvR", "LvRT", "ERvE")))
    assert digests(folder) == expected
    read_all(path_of(folder, "LvR"))


def test_events_say_how_far_the_run_is(tmp_path: Path) -> None:
    events: list[tuple[threading.Thread, Event]] = []
    summary = generate(
        tmp_path,
        materials=["LvRT"],
        jobs=2,
        progress=lambda event: events.append((threading.current_thread(), event)),
    )
    assert {thread for thread, _ in events} == {threading.current_thread()}
    made = [event for _, event in events if event.kind == "made"]
    assert [event.made for event in made] == list(summary.made)
    assert [event.state.classes_done for event in made] == list(range(1, len(made) + 1))
    last = made[-1].state
    assert last.classes == last.classes_done == len(summary.made)
    assert last.codes == last.codes_done == sum(table.codes for table in summary.made)
    assert last.rate is not None
    assert last.seconds_left == 0
    for event, one in zip(made, summary.made, strict=True):
        assert (event.table, event.path) == (one.table, tmp_path / one.table.file)
        assert one.bytes == (tmp_path / one.table.file).stat().st_size
        assert one.plies >= 0 < one.seconds
        with TableFile(tmp_path / one.table.file) as file:
            assert (one.digest, one.codes) == (file.header.digest, 2 * one.table.cells)


@pytest.mark.parametrize(("compiled", "told"), [((0, 0, 3, 7), 1), ((4,), 0)])
def test_that_kernels_are_compiled_is_said_once_and_only_if_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: tuple[int, ...], told: int
) -> None:
    """``compiled``: how many there are, each time somebody looks."""
    counts = list(compiled)
    looked = threading.Event()

    def count() -> int:
        if len(counts) > 1:
            return counts.pop(0)
        looked.set()
        return counts[0]

    def slow() -> None:
        assert looked.wait(60)
        looked.clear()
        assert looked.wait(60)

    monkeypatch.setattr(run, "_TICK", 0.01)
    monkeypatch.setattr(local, "kernels_compiled", count)
    monkeypatch.setattr(local, "warm_up", slow)
    kinds: list[str] = []
    generate(tmp_path, materials=["EvP"], progress=lambda event: kinds.append(event.kind))
    assert kinds.count("compiling") == told
    assert "made" in kinds


def test_what_is_there_is_not_made_again(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*/*.h5")}
    summary = generate(folder, pieces=2, materials=FEW)
    assert not summary.made
    assert summary.present == len(before)
    assert before == {path: path.stat().st_mtime_ns for path in folder.glob("*/*.h5")}


def test_only_what_is_missing_is_made(folder: Path) -> None:
    expected = digests(folder)
    path_of(folder, "RvR").unlink()
    path_of(folder, "LvRT").unlink()
    summary = generate(folder, pieces=2, materials=FEW)
    assert {one.table for one in summary.made} == {table_of("RvR"), table_of("LvRT")}
    assert digests(folder) == expected


def test_force_makes_everything_anew(folder: Path) -> None:
    expected = digests(folder)
    before = {path: path.stat().st_ino for path in folder.glob("*/*.h5")}
    summary = generate(folder, materials=["LvT"], force=True)
    assert [one.table for one in summary.made] == [table_of("LvT")]
    changed = {path for path in before if path.stat().st_ino != before[path]}
    assert changed == {path_of(folder, "LvT")}
    assert digests(folder) == expected
