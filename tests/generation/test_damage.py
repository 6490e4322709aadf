"""Tables that are damaged or vanish: made anew once, by whoever needs them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.generation import Event, generate, make_plan, run_plan
from tablebase.generation.classwork import BadSmallerTable, ClassWork
from tablebase.materials.table import Table
from tests.generation.runs import FEW, digests, path_of, spoil_values, table_of
from tests.tablefile.damage import flip, read_all


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: flip(path, 8 * 3),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"nothing like a table " * 1000),
        lambda path: os.truncate(path, path.stat().st_size - 1),
    ],
    ids=["header", "empty", "foreign", "cut"],
)
def test_a_damaged_table_is_made_anew(folder: Path, spoil: Callable[[Path], object]) -> None:
    expected = digests(folder)
    path = path_of(folder, "LvRT")
    spoil(path)
    events: list[Event] = []
    summary = generate(folder, materials=FEW, progress=events.append)
    told = [(event.table, event.path) for event in events if event.kind == "damaged"]
    assert told == [(table_of("LvRT"), path)]
    assert [one.table for one in summary.made] == [table_of("LvRT")]
    assert digests(folder) == expected


def test_damage_that_shows_only_when_values_are_read_is_mended(folder: Path) -> None:
    expected = digests(folder)
    spoil_values(path_of(folder, "LvR"))
    path_of(folder, "LvRT").unlink()
    events: list[Event] = []
    summary = generate(folder, materials=FEW, progress=events.append)
    assert [one.table for one in summary.made] == [table_of("LvR"), table_of("LvRT")]
    told = [(event.table, event.path) for event in events if event.kind == "damaged"]
    assert told == [(table_of("LvR"), path_of(folder, "LvR"))]
    assert digests(folder) == expected
    read_all(path_of(folder, "LvR"))


@pytest.mark.parametrize("late", [False, True])
def test_a_damaged_table_met_by_two_classes_is_made_anew_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Both have begun when the first says so; the second at once, or when it is made anew."""
    spoil_values(path_of(folder, "LvR"))
    both = {table_of("LvRT"), table_of("LvRP")}
    path_of(folder, "LvRT").unlink()
    expected = digests(folder)
    begun = threading.Barrier(2, timeout=60)
    mended = threading.Event()
    complaints: list[Table] = []
    prepare = ClassWork.prepare

    def begin(work: ClassWork) -> None:
        first_time = work.table in both
        if first_time:
            both.remove(work.table)
            begun.wait()
        try:
            prepare(work)
        except BadSmallerTable:
            complaints.append(work.table)
            if late and len(complaints) == 2:
                assert mended.wait(60)
            raise

    def hear(event: Event) -> None:
        if event.kind == "made" and event.table == table_of("LvR"):
            mended.set()
        events.append(event)

    events: list[Event] = []
    monkeypatch.setattr(ClassWork, "prepare", begin)
    # Of three threads one is free to make anew what the two are held up by.
    summary = generate(folder, materials=["LvRT", "LvRP"], jobs=3, progress=hear)
    assert sorted(table.name for table in complaints) == ["PRvL", "TRvL"]
    made = [one.table for one in summary.made]
    assert made[0] == table_of("LvR")
    assert sorted(table.name for table in made[1:]) == ["PRvL", "TRvL"]
    assert [event.table for event in events if event.kind == "damaged"] == [table_of("LvR")]
    assert expected.items() <= digests(folder).items()
    for name in ("LvR", "LvRT", "LvRP"):
        read_all(path_of(folder, name))


def test_a_table_that_is_damaged_again_ends_the_run(folder: Path) -> None:
    path = path_of(folder, "LvR")
    spoil_values(path)
    path_of(folder, "LvRT").unlink()
    times = 0

    def hear(event: Event) -> None:
        nonlocal times
        if event.kind == "made" and event.table == table_of("LvR"):
            times += 1
            spoil_values(path)

    with pytest.raises(CorruptTableError) as caught:
        generate(folder, materials=FEW, progress=hear)
    assert (caught.value.path, times) == (path, 1)
    assert not path_of(folder, "LvRT").exists()


def test_a_table_that_vanishes_during_the_run_is_made_again(folder: Path) -> None:
    expected = digests(folder)
    path_of(folder, "LvRT").unlink()
    plan = make_plan(folder, materials=FEW)
    path_of(folder, "LvR").unlink()
    events: list[Event] = []
    run_plan(plan, events.append)
    told = [(event.kind, event.table) for event in events if event.kind in ("damaged", "vanished")]
    assert told == [("vanished", table_of("LvR"))]
    assert digests(folder) == expected


def test_a_table_that_vanishes_again_ends_the_run(folder: Path) -> None:
    path_of(folder, "LvRT").unlink()
    plan = make_plan(folder, materials=FEW)
    path_of(folder, "LvR").unlink()

    def hear(event: Event) -> None:
        if event.kind == "made":
            path_of(folder, "LvR").unlink()

    with pytest.raises(MissingTableError) as caught:
        run_plan(plan, hear)
    assert caught.value.materials == (table_of("LvR").name,)
