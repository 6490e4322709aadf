"""Memory limits of containers, as file systems of several kinds tell them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
import pytest

from tablebase import cgroups, resources
from tablebase.cgroups import container_memory

GIB = 1 << 30
V1 = "sys/fs/cgroup/memory"
V2 = "sys/fs/cgroup"
ROOT_OF_V2 = {f"{V2}/cgroup.controllers": "cpuset cpu io memory pids\n"}

Machine = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Call it with files and what is in them to have a root with these in its proc and sys."""

    def put(files: Mapping[str, str]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path

    return put


def v1(group: str, limit: int | str, usage: int, inactive: int = 0) -> dict[str, str]:
    folder = f"{V1}/{group}".rstrip("/")
    return {
        f"{folder}/memory.limit_in_bytes": f"{limit}\n",
        f"{folder}/memory.usage_in_bytes": f"{usage}\n",
        f"{folder}/memory.stat": f"cache 9\ninactive_file 5\ntotal_inactive_file {inactive}\n",
    }


def v2(
    group: str, limit: int | str, usage: int, inactive: int = 0, base: str = V2
) -> dict[str, str]:
    folder = f"{base}/{group}".rstrip("/")
    return {
        f"{folder}/memory.max": f"{limit}\n",
        f"{folder}/memory.current": f"{usage}\n",
        f"{folder}/memory.stat": f"anon 9\ninactive_file {inactive}\ntotal_inactive_file 5\n",
    }


def of(*lines: str) -> dict[str, str]:
    """The groups that a process is in."""
    return {"proc/self/cgroup": "".join(f"{line}\n" for line in lines)}


def test_nothing_limits_where_there_are_no_groups(tmp_path: Path) -> None:
    assert container_memory(tmp_path) == []


# -- version 2 -------------------------------------------------------------------------------------


def test_v2_at_the_root_of_a_container(machine: Machine) -> None:
    root = machine(ROOT_OF_V2 | of("0::/") | v2("", 4 * GIB, GIB))
    assert container_memory(root) == [3 * GIB]


def test_v2_without_a_list_of_groups(machine: Machine) -> None:
    root = machine(ROOT_OF_V2 | v2("", 4 * GIB, GIB))
    assert container_memory(root) == [3 * GIB]


def test_v2_counts_every_group_that_a_process_is_nested_in(machine: Machine) -> None:
    root = machine(
        ROOT_OF_V2
        | of("0::/user.slice/user-1000.slice/job.scope")
        | v2("user.slice/user-1000.slice/job.scope", "max", 10)
        | v2("user.slice/user-1000.slice", 2 * GIB, GIB)
        | v2("user.slice", 8 * GIB, 3 * GIB)
        | v2("other.slice", 1, 1)
    )
    assert container_memory(root) == [GIB, 5 * GIB]


def test_no_limit_is_none(machine: Machine) -> None:
    root = machine(ROOT_OF_V2 | of("0::/job") | v2("job", "max", GIB))
    assert container_memory(root) == []


def test_file_cache_that_can_be_dropped_is_not_in_use(machine: Machine) -> None:
    root = machine(ROOT_OF_V2 | of("0::/job") | v2("job", 4 * GIB, 3 * GIB, inactive=2 * GIB))
    assert container_memory(root) == [3 * GIB]
    (root / V2 / "job" / "memory.stat").unlink()
    assert container_memory(root) == [GIB]
    (root / V2 / "job" / "memory.stat").write_text("inactive_file many\n")
    assert container_memory(root) == [GIB]


def test_never_less_than_nothing_nor_more_than_all(machine: Machine) -> None:
    root = machine(
        ROOT_OF_V2
        | of("0::/over/cache")
        | v2("over/cache", GIB, 10, inactive=20)
        | v2("over", GIB, 2 * GIB)
    )
    assert container_memory(root) == [GIB, 0]


def test_a_group_of_another_name_space_is_not_looked_for(machine: Machine) -> None:
    # What is above is not to be seen from here, and ".." must not lead there.
    root = machine(
        ROOT_OF_V2
        | of("0::/../../elsewhere/job")
        | v2("", 4 * GIB, GIB)
        | {"sys/elsewhere/job/memory.max": "1\n", "sys/elsewhere/job/memory.current": "0\n"}
        | {"elsewhere/job/memory.max": "1\n", "elsewhere/job/memory.current": "0\n"}
    )
    assert container_memory(root) == [3 * GIB]


def test_a_group_that_is_mounted_as_the_root_is_found_there(machine: Machine) -> None:
    root = machine(ROOT_OF_V2 | of("0::/docker/0123abcd") | v2("", 4 * GIB, GIB))
    assert container_memory(root) == [3 * GIB]


@pytest.mark.parametrize("content", ["", "many\n", "-\n", "9.5\n", "\xff\n"])
def test_what_makes_no_sense_is_no_limit(machine: Machine, content: str) -> None:
    root = machine(ROOT_OF_V2 | of("0::/job", "nonsense", "") | v2("job", content, 1))
    assert container_memory(root) == []
    machine(v2("job", GIB, 1) | {f"{V2}/job/memory.current": content})
    assert container_memory(root) == []


def test_names_of_groups_may_be_any_bytes(machine: Machine) -> None:
    root = machine(ROOT_OF_V2 | v2("", GIB, 0))
    (root / "proc" / "self").mkdir(parents=True)
    (root / "proc" / "self" / "cgroup").write_bytes(b"0::/caf\xe9:1\n")
    folder = root / V2 / os.fsdecode(b"caf\xe9:1")
    folder.mkdir()
    (folder / "memory.max").write_text("500\n")
    (folder / "memory.current").write_text("100\n")
    assert container_memory(root) == [400, GIB]


# -- version 1 -------------------------------------------------------------------------------------


def test_v1(machine: Machine) -> None:
    root = machine(
        of("12:pids:/job", "5:cpu,cpuacct:/", "4:memory:/job/step", "1:name=systemd:/job")
        | v1("job/step", 3 * GIB, 2 * GIB, inactive=GIB)
        | v1("job", 8 * GIB, 3 * GIB)
        | v1("", (1 << 63) - 4096, 9 * GIB)
    )
    assert container_memory(root) == [2 * GIB, 5 * GIB]


def test_v1_where_the_group_is_mounted_as_the_root(machine: Machine) -> None:
    root = machine(of("4:memory,hugetlb:/docker/0123abcd") | v1("", GIB, 1))
    assert container_memory(root) == [GIB - 1]


def test_without_a_controller_of_memory_there_is_no_limit(machine: Machine) -> None:
    root = machine(of("4:memoryless:/", "1:name=memory:/") | v1("", GIB, 1))
    assert container_memory(root) == []


# -- both at once ----------------------------------------------------------------------------------


def test_hybrid(machine: Machine) -> None:
    # Version 2 is there for other purposes, below a folder of its own.
    root = machine(
        of("4:memory:/job", "0::/job")
        | v1("job", GIB, 1)
        | v2("job", 2 * GIB, 5, base=f"{V2}/unified")
    )
    assert container_memory(root) == [GIB - 1, 2 * GIB - 5]


# -- what it comes to ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "expected"),
    [([], 16 * GIB), ([4 * GIB, 5 * GIB], 4 * GIB), ([17 * GIB], 16 * GIB), ([0], 0)],
)
def test_available_is_what_the_strictest_limit_leaves(
    limits: list[int], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Memory:
        available = 16 * GIB

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    monkeypatch.setattr(cgroups, "container_memory", lambda: limits)
    assert resources.available_memory() == expected
    assert resources.default_memory() == min(6 * GIB, expected * 3 // 4)


def test_this_machine_has_cores_and_memory() -> None:
    assert resources.usable_cores() >= 1
    assert 0 < resources.available_memory() <= psutil.virtual_memory().total
    assert min(container_memory(), default=0) >= 0
