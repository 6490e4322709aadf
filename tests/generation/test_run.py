"""Making tables: plans, resuming, sharing, interruptions, and running out of things."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from tablebase.catalog import Catalog
from tablebase.errors import (
    CorruptTableError,
    MaterialError,
    MissingTableError,
    ResourceError,
    RulesError,
)
from tablebase.game.board import Color
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.generation import (
    Event,
    Made,
    estimate_seconds,
    generate,
    local,
    make_plan,
    run,
    run_plan,
)
from tablebase.generation.classwork import BadSmallerTable, ClassWork, TableTask
from tablebase.generation.executor import Executor, Outcome
from tablebase.generation.run import Run
from tablebase.materials.classes import classes
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.resources import available_memory, default_memory, usable_cores
from tablebase.solve import Buffers
from tablebase.tablefile import TableFile
from tests.in_memory import InMemory
from tests.small_disk import lines_on_small_disk
from tests.tablefile.damage import ROOT, flip, read_all, unprivileged

STANDARD = RULE_SETS["standard"]
FEW = ("LvRT", "ERvE")
"""Materials of three animals that together need most classes of two."""


def table_of(name: str, rules: Rules = STANDARD) -> Table:
    return Table.of(rules, name)


def tables_of_two(rules: Rules = STANDARD) -> list[Table]:
    return [Table(found) for found in classes(rules, 2)]


def path_of(folder: Path, name: str) -> Path:
    return folder / table_of(name).file


def digests(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.glob("*/*.h5"):
        with TableFile(path) as file:
            found[f"{path.parent.name}/{path.name}"] = file.header.digest
    return found


def unfinished(folder: Path) -> list[Path]:
    return list(folder.rglob("*.part"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of two animals and :data:`FEW` of three."""
    folder = tmp_path_factory.mktemp("made")
    generate(folder, pieces=2, materials=FEW, jobs=2)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of ``made`` to do harm to."""
    return Path(shutil.copytree(made, tmp_path / "data"))


# Plans


def test_a_plan_has_each_table_after_those_it_is_made_from(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, pieces=4)
    seen: set[Table] = set()
    for planned in plan.tables:
        assert seen.issuperset(planned.table.needs)
        seen.add(planned.table)
    assert [len(classes(STANDARD, n)) for n in (2, 3, 4)] == [10, 42, 134]
    assert len(plan.to_make) == len(seen) == 186
    assert plan.codes == sum(2 * table.cells for table in seen)


def test_named_materials_bring_what_they_depend_on(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, materials=["TvLE", "PvD"])
    names = {planned.table for planned in plan.tables}
    assert names == {table_of(name) for name in ("ELvT", "EvT", "LvT", "PvD")}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, ValueError),
        ({"pieces": 1}, MaterialError),
        ({"pieces": 6}, MaterialError),
        ({"materials": ["ELTvPWD"]}, MaterialError),
        ({"materials": ["EvX"]}, MaterialError),
        ({"pieces": 2, "rules": "chess"}, RulesError),
        ({"pieces": 2, "jobs": 0}, ValueError),
    ],
)
def test_nonsense_is_refused(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        make_plan(tmp_path / "none", **arguments)
    assert not (tmp_path / "none").exists()


def test_one_material_need_not_be_in_a_list(tmp_path: Path) -> None:
    for material in ("TvE", Material.parse("EvT")):
        (planned,) = make_plan(tmp_path, materials=material).tables
        assert planned.table == table_of("EvT")


def test_a_table_that_may_not_be_read_is_not_taken_for_damaged(made: Path) -> None:
    stored = path_of(made, "EvP").read_bytes()
    with unprivileged() as folder:
        user = os.geteuid()
        os.seteuid(os.getuid())
        path = path_of(folder, "EvP")
        path.parent.mkdir()
        path.write_bytes(stored)
        path.chmod(0)
        os.seteuid(user)
        with pytest.raises(ResourceError, match="permission is denied"):
            make_plan(folder, materials=["EvP"])


def test_too_little_memory_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    with pytest.raises(
        ResourceError, match=r"^\w+ needs 1\.\d\d GiB of memory, and the run may use 1.00 GiB$"
    ) as caught:
        generate(tmp_path / "none", pieces=5, memory=1 << 30)
    error = caught.value
    assert (error.shortage, error.available) == ("memory", 1 << 30)
    assert error.needed == make_plan(tmp_path, pieces=5).least_memory > 1 << 30
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("pieces", "free", "sentence"),
    [
        (4, 120 << 20, "about 81 MiB, and of the 120 MiB free in {} 64 MiB are left alone"),
        (3, 1 << 20, "about 2.91 MiB, and of the 1.00 MiB free in {} 64 MiB are left alone"),
        (2, 5000, "about 396 KiB, and of the 5 KiB free in {} 64 MiB are left alone"),
        (5, 3 << 30, "about 6.76 GiB, and of the 3.00 GiB free in {} 64 MiB are left alone"),
    ],
)
def test_too_little_disk_is_refused_before_anything_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int, free: int, sentence: str
) -> None:
    folder = tmp_path / "none"
    monkeypatch.setattr(Catalog, "free_space", lambda _: free)
    with pytest.raises(ResourceError) as caught:
        generate(folder, pieces=pieces, memory=6 << 30)
    error = caught.value
    assert str(error) == f"the tables will take {sentence.format(folder)}"
    assert (error.shortage, error.path, error.available) == ("disk", folder, free)
    assert error.needed == make_plan(folder, pieces=pieces).disk + (64 << 20) > free
    assert not folder.exists()


def test_there_are_never_more_jobs_than_can_have_work(made: Path, tmp_path: Path) -> None:
    for jobs, bounded in ((1, 1), (3, 3), (10**20, 20)):
        assert make_plan(tmp_path, pieces=2, jobs=jobs).jobs == bounded
    assert make_plan(made, pieces=2, jobs=10**20).jobs == 1
    assert len(generate(tmp_path, materials=["LvT"], jobs=10**20).made) == 1


def test_peak_memory_is_within_the_budget(tmp_path: Path) -> None:
    for memory in (2 << 30, 3 << 30, 6 << 30):
        plan = make_plan(tmp_path, pieces=5, memory=memory, jobs=8)
        assert plan.least_memory <= plan.peak_memory <= memory


def test_the_machine_has_something_to_offer() -> None:
    assert usable_cores() >= 1
    assert 0 < default_memory() <= 6 << 30
    assert default_memory() <= available_memory()


def test_a_calibration_gives_an_estimate(made: Path, tmp_path: Path) -> None:
    assert estimate_seconds(make_plan(made, pieces=2)) == 0
    small, large = (make_plan(tmp_path, pieces=n, jobs=1) for n in (2, 4))
    seconds = estimate_seconds(small)
    assert 0 < seconds < estimate_seconds(large) < 10_000
    assert not list(tmp_path.iterdir())


# Results


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


class InTurn(Executor[TableTask, Made]):
    """The simplest executor: each table when the outcome is asked for, one after the other."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._tasks: deque[TableTask] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tasks.clear()

    @property
    def is_hungry(self) -> bool:
        return len(self._tasks) < 2

    def begin(self, task: TableTask) -> None:
        self._tasks.append(task)

    def next(self, timeout: float) -> Outcome[TableTask, Made] | None:  # noqa: ARG002
        task = self._tasks.popleft()
        work = ClassWork(task, self._catalog, Buffers(), lambda: None)
        obstacle = work.claim()
        if obstacle is not None:
            return Outcome(task, obstacle=obstacle)
        try:
            results = [step() for stage in work.stages() for step in stage]
        except BadSmallerTable as error:
            return Outcome(task, error=error)
        finally:
            work.release()
        return Outcome(task, results[-1])


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


def test_a_rule_set_with_a_limit_shares_the_tables_of_that_without(made: Path) -> None:
    plan = make_plan(made, pieces=2, rules="plyyard")
    count = len(classes(STANDARD, 2))
    assert {planned.table.metric for planned in plan.to_make} == {"dtc"}
    assert (len(plan.tables), len(plan.to_make)) == (2 * count, count)
    assert not make_plan(made, pieces=2, rules="plyyard", metric="dtw").to_make
    assert len(make_plan(made, pieces=2, rules="jade", metric="dtw").to_make) == len(
        classes(RULE_SETS["jade"], 2)
    )


# Events


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


def events_of(folder: Path, *names: str) -> list[Event]:
    """What a run that makes the tables of ``names`` tells."""
    heard: list[Event] = []
    generate(folder, materials=names, progress=heard.append)
    return heard


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
    kinds = [event.kind for event in events_of(tmp_path, "EvP")]
    assert kinds.count("compiling") == told
    assert "made" in kinds


# Resuming


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


def spoil_values(path: Path) -> None:
    """Flip a bit in the values of either side to move, which opening the file does not notice."""
    with TableFile(path) as file:
        offsets = file._index["offset"][:, 0].tolist()
    for offset in offsets:
        flip(path, 8 * offset + 300)
    with TableFile(path) as file, pytest.raises(CorruptTableError):
        file.check_stored()


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


# Sharing


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


# Interruptions


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


# Running out of things


FULL_DISK = """
import subprocess, sys
from pathlib import Path
from tablebase.catalog import Catalog
from tablebase.errors import ResourceError
from tablebase.generation import generate
from tests.tablefile.damage import read_all

folder = Path(sys.argv[1])
wanted = {"pieces": 2, "materials": ["LvRT", "ERvE"], "jobs": 2}
Catalog.free_space = lambda _: 1 << 40  # so that it only turns out later
try:
    generate(folder, **wanted)
except ResourceError as error:
    print(error, error.shortage)
print(*folder.rglob("*.part"))
whole = list(folder.rglob("*.h5"))
for path in whole:
    read_all(path)
subprocess.run(["mount", "-o", "remount,size=4m", str(folder)], check=True)
summary = generate(folder, **wanted)
print(summary.present == len(whole) > 0, len(summary.made) > 0)
"""


def test_a_disk_that_fills_up_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    message, parts, resumed = lines_on_small_disk(FULL_DISK, tmp_path, kibibytes=80)
    assert message.startswith("cannot ")
    assert message.endswith("h5: the disk is full disk")
    assert parts == ""
    assert resumed == "True True"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_turns_out_full_when_synced_ends_the_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    expected = digests(folder)
    for name in FEW:
        path_of(folder, name).unlink()

    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ResourceError, match=r"^cannot write .*h5: the disk") as caught:
            generate(folder, pieces=2, materials=FEW, jobs=2)
    assert caught.value.shortage == "disk"
    assert not unfinished(folder)
    assert digests(folder).items() < expected.items()
    generate(folder, pieces=2, materials=FEW, jobs=2)
    assert digests(folder) == expected


LIMITED = """
import resource, signal, sys
from tablebase.errors import ResourceError
from tablebase.generation import generate

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, resource.RLIM_INFINITY))
try:
    generate(sys.argv[1], materials=["LvRT"], jobs=2)
except ResourceError as error:
    print(error)
"""


def test_a_file_that_may_not_grow_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    # Without numba's cache, which would be limited too, if it were cold.
    generate(tmp_path / "warm", materials=["EvP"])
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "data")],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("\n") == 1
    path = path_of(tmp_path / "data", "LvRT")
    assert f"cannot write {path}: the system does not allow so large a file" in done.stdout
    assert not unfinished(tmp_path)
    assert {table.file for table in tables_of_two()} > set(digests(tmp_path / "data"))


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    with unprivileged() as folder, pytest.raises(ResourceError, match="cannot write") as caught:
        generate(folder / "data", materials=["EvP"])
    assert (caught.value.shortage, caught.value.path) == ("folder", folder / "data")


def test_running_out_of_memory_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(_: ClassWork) -> None:
        raise MemoryError

    monkeypatch.setattr(ClassWork, "prepare", prepare)
    with pytest.raises(ResourceError, match=r"^the memory did not suffice$") as caught:
        generate(tmp_path, materials=["EvP"])
    assert caught.value.shortage == "memory"


def test_classes_in_work_stay_within_the_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for one class at a time, there is one at a time, whatever the jobs."""
    for name in FEW:
        path_of(folder, name).unlink()
    lock = threading.Lock()
    in_work = most = 0
    prepare, store = ClassWork.prepare, ClassWork.store

    def begin(work: ClassWork) -> None:
        nonlocal in_work, most
        with lock:
            in_work += 1
            most = max(most, in_work)
        time.sleep(0.05)
        prepare(work)

    def end(work: ClassWork) -> Any:
        nonlocal in_work
        made = store(work)
        with lock:
            in_work -= 1
        return made

    monkeypatch.setattr(ClassWork, "prepare", begin)
    monkeypatch.setattr(ClassWork, "store", end)
    plan = make_plan(folder, materials=FEW, jobs=4)
    run_plan(replace(plan, memory=plan.least_memory))
    assert most == 1
    for name in FEW:
        path_of(folder, name).unlink()
    run_plan(make_plan(folder, materials=FEW, jobs=4))
    assert most == 2
