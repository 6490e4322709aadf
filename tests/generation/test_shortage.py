"""Running out of things: disk, memory, the permission to write."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tablebase.errors import ResourceError
from tablebase.generation import generate, make_plan, run_plan
from tablebase.generation.classwork import ClassWork
from tests.generation.runs import FEW, digests, path_of, tables_of_two, unfinished
from tests.small_disk import lines_on_small_disk
from tests.tablefile.damage import ROOT, unprivileged

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
