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
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tablebase.generation.resources import available_memory, default_memory, usable_cores

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError, MaterialError, ResourceError, RulesError
from tablebase.game.board import Color
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.generation import Event, estimate_seconds, generate, make_plan, run_plan
from tablebase.generation import run as run_module
from tablebase.generation.classwork import ClassWork
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import Material
from tablebase.tablefile import TableFile
from tests.in_memory import InMemory
from tests.small_disk import lines_on_small_disk
from tests.tablefile.damage import ROOT, flip, read_all, unprivileged

STANDARD = RULE_SETS["standard"]
FEW = ("LvRT", "ERvE")
"""Materials of three animals that together need most classes of two."""


def table_of(name: str, rules: Rules = STANDARD) -> TableClass:
    return locate(rules.without_limit(), Material.parse(name)).table


def path_of(folder: Path, name: str) -> Path:
    return Catalog([folder]).path(table_of(name), "dtw")


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
    seen: set[TableClass] = set()
    for planned in plan.tables:
        assert seen.issuperset(planned.needs)
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
    with pytest.raises(ResourceError, match=r"^\w+ needs 1\.\d\d GiB of memory") as caught:
        generate(tmp_path / "none", pieces=5, memory=1 << 30)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "none").exists()


def test_too_little_disk_is_refused_before_anything_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Catalog, "free_space", lambda _: 100 << 20)
    with pytest.raises(ResourceError, match=r"about 6\.\d\d GiB .* has 0\.10 GiB free"):
        generate(tmp_path / "none", pieces=5, memory=6 << 30)
    assert not (tmp_path / "none").exists()


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
    for table in (*classes(STANDARD, 2), *map(table_of, FEW)):
        with Catalog([made]).open(table, "dtw") as file:
            for turn in Color:
                assert (file.read(turn) == tables.codes(table, turn)).all()
            file.check()


@pytest.mark.parametrize("jobs", [1, 3, 7])
def test_digests_do_not_depend_on_the_number_of_threads(
    made: Path, tmp_path: Path, jobs: int
) -> None:
    summary = generate(tmp_path, pieces=2, materials=FEW, jobs=jobs)
    assert digests(tmp_path) == digests(made)
    assert {f"standard/{table.name}.dtw.h5": table.digest for table in summary.made} == digests(
        tmp_path
    )


def test_a_rule_set_with_a_limit_shares_the_tables_of_that_without(made: Path) -> None:
    plan = make_plan(made, pieces=2, rules="plyyard")
    count = len(classes(STANDARD, 2))
    assert {planned.metric for planned in plan.to_make} == {"dtc"}
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
    for table in summary.made:
        assert f"{table.name}: {table.plies} plies" in " ".join(event.text for event in made)
        assert table.bytes == (tmp_path / f"standard/{table.name}.dtw.h5").stat().st_size


def test_slow_loading_of_kernels_is_said_to_be_compilation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = threading.Event()

    def hear(event: Event) -> None:
        kinds.append(event.kind)
        if event.kind == "compiling":
            told.set()

    kinds: list[str] = []
    monkeypatch.setattr(run_module, "_PATIENCE", 0.0)
    monkeypatch.setattr(run_module, "warm_up", lambda: told.wait(60))
    generate(tmp_path, materials=["EvP"], progress=hear)
    assert kinds.count("compiling") == 1
    assert kinds.index("compiling") < kinds.index("made")


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
    assert {made.name for made in summary.made} == {table_of("RvR").name, table_of("LvRT").name}
    assert digests(folder) == expected


def test_force_makes_everything_anew(folder: Path) -> None:
    expected = digests(folder)
    before = {path: path.stat().st_ino for path in folder.glob("*/*.h5")}
    summary = generate(folder, materials=["LvT"], force=True)
    assert [made.name for made in summary.made] == [table_of("LvT").name]
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
    texts = []
    summary = generate(
        folder,
        materials=FEW,
        progress=lambda event: texts.append(event.text) if event.kind == "damaged" else None,
    )
    assert texts == [f"{path} is damaged and is made anew"]
    assert [made.name for made in summary.made] == [table_of("LvRT").name]
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
    kinds: list[tuple[str, str | None]] = []
    summary = generate(
        folder, materials=FEW, progress=lambda event: kinds.append((event.kind, event.name))
    )
    names = [made.name for made in summary.made]
    assert names == [table_of("LvR").name, table_of("LvRT").name]
    assert ("damaged", table_of("LvR").name) in kinds
    assert digests(folder) == expected
    read_all(path_of(folder, "LvR"))


def test_a_table_that_vanishes_during_the_run_is_made_again(folder: Path) -> None:
    expected = digests(folder)
    path_of(folder, "LvRT").unlink()
    plan = make_plan(folder, materials=FEW)
    path_of(folder, "LvR").unlink()
    run_plan(plan)
    assert digests(folder) == expected


# Sharing


@pytest.fixture
def held(folder: Path) -> Iterator[ExitStack]:
    """The lock of LvRT, which is not there, held as another process would."""
    path_of(folder, "LvRT").unlink()
    with ExitStack() as stack:
        assert stack.enter_context(Catalog([folder]).lock(table_of("LvRT"), "dtw", timeout=0))
        yield stack


def test_a_table_that_another_process_makes_is_waited_for(
    made: Path, folder: Path, held: ExitStack
) -> None:
    kinds = []

    def hear(event: Event) -> None:
        kinds.append(event.kind)
        if event.kind == "waiting":
            shutil.copy(path_of(made, "LvRT"), path_of(folder, "LvRT"))
            held.close()

    summary = generate(folder, materials=FEW, progress=hear)
    assert not summary.made
    assert summary.elsewhere == 1
    assert [kind for kind in kinds if kind != "working"] == ["waiting", "elsewhere"]


def test_a_table_that_another_process_gave_up_is_made(folder: Path, held: ExitStack) -> None:
    summary = generate(
        folder,
        materials=FEW,
        progress=lambda event: held.close() if event.kind == "waiting" else None,
    )
    assert [made.name for made in summary.made] == [table_of("LvRT").name]
    assert summary.elsewhere == 0


SCRIPT = """
import signal
import sys
from tablebase.generation import generate

# Whoever starts the tests in the background may have SIGINT ignored in them.
signal.signal(signal.SIGINT, signal.default_int_handler)

def hear(event):
    print(event.kind, event.name, flush=True)

try:
    summary = generate(sys.argv[1], pieces=2, materials=["LvRT", "ERvE", "TRvR"], jobs=2,
                       progress=hear)
except KeyboardInterrupt:
    sys.exit(130)
print("summary", *(made.name for made in summary.made), flush=True)
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
    assert not {f"standard/{table.name}.dtw.h5" for table in summary.made} & set(whole)
    assert digests(made).items() <= digests(tmp_path).items()


class Halt(Exception):
    pass


def test_what_the_listener_raises_ends_the_run_at_once(tmp_path: Path) -> None:
    seen = []

    def hear(event: Event) -> None:
        if event.kind == "made":
            seen.append(event.name)
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
    for table in classes(STANDARD, 2):
        with Catalog([tmp_path]).lock(table, "dtw", timeout=0) as held:
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
    print(error)
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
    assert "h5: the disk is full: free some space" in message
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
        with pytest.raises(ResourceError, match=r"^cannot write .*h5: .*free some space"):
            generate(folder, pieces=2, materials=FEW, jobs=2)
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
    assert {table.name for table in classes(STANDARD, 2)} > {
        name.removeprefix("standard/").removesuffix(".dtw.h5")
        for name in digests(tmp_path / "data")
    }


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    with unprivileged() as folder, pytest.raises(ResourceError, match=r"choose another folder$"):
        generate(folder / "data", materials=["EvP"])


def test_running_out_of_memory_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(_: ClassWork) -> None:
        raise MemoryError

    monkeypatch.setattr(ClassWork, "prepare", prepare)
    with pytest.raises(ResourceError, match="use fewer jobs"):
        generate(tmp_path, materials=["EvP"])


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
