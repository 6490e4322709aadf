"""What a run has to make, in which order, and what that takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError, ResourceError
from tablebase.game.rules import Rules, load_rules
from tablebase.materials.material import Material
from tablebase.materials.table import Table, metrics_of, selected_tables
from tablebase.resources import default_memory, usable_cores
from tablebase.tablefile import TableFile
from tablebase.values import Metric

__all__ = ["Plan", "PlannedTable", "Status", "make_plan", "status_of"]

Status = Literal["present", "missing", "damaged"]

_BASE_MEMORY: Final = 400 << 20
"""The program itself, its libraries and compiled kernels, in bytes."""
_FILE_BYTES: Final = 40_000
_BITS_PER_CODE: Final = {2: 1.5, 3: 1.2, 4: 0.6, 5: 0.45}
"""How tables of so many animals pack, with a little room."""
_RESERVE: Final = 64 << 20
"""Disk space, in bytes, that a run leaves alone."""
_STEPS: Final = 2
"""How many threads can work on a table at a time."""


class PlannedTable(NamedTuple):
    """A table of a plan. ``memory`` and ``disk`` are estimates in bytes."""

    table: Table
    status: Status
    memory: int
    disk: int

    @property
    def codes(self) -> int:
        """How many values it stores, for both sides to move."""
        return 2 * self.table.cells


@dataclass(frozen=True)
class Plan:
    """Tables to make, each after those it is made from; ``memory`` is the budget in bytes."""

    directory: Path
    rules: Rules
    metrics: tuple[Metric, ...]
    jobs: int
    memory: int
    force: bool
    tables: tuple[PlannedTable, ...]

    @cached_property
    def to_make(self) -> tuple[PlannedTable, ...]:
        """Those that are not there yet, or all if the run is forced."""
        return tuple(t for t in self.tables if self.force or t.status != "present")

    @property
    def codes(self) -> int:
        """How many values are to be made."""
        return sum(planned.codes for planned in self.to_make)

    @property
    def disk(self) -> int:
        """The disk space, in bytes, that the tables to make are expected to take."""
        return sum(planned.disk for planned in self.to_make)

    @property
    def least_memory(self) -> int:
        """The smallest budget, in bytes, that will do: that of the largest class."""
        return _BASE_MEMORY + max((planned.memory for planned in self.to_make), default=0)

    @property
    def peak_memory(self) -> int:
        """The memory, in bytes, that the run may take, with as many classes at a time as the
        budget and the number of jobs allow."""
        largest = sorted((planned.memory for planned in self.to_make), reverse=True)
        total = _BASE_MEMORY
        for memory in largest[: self.jobs + 1]:
            if total + memory > self.memory and total > _BASE_MEMORY:
                break
            total += memory
        return total

    @property
    def work_memory(self) -> int:
        """The bytes of the budget that the classes in work may take together."""
        return self.memory - _BASE_MEMORY

    def check(self, free_disk: int) -> None:
        """:class:`ResourceError` if the budget or the ``free_disk`` bytes do not suffice."""
        if not self.to_make:
            return
        if self.least_memory > self.memory:
            largest = max(self.to_make, key=lambda planned: planned.memory)
            raise ResourceError(
                f"{largest.table.label} needs {_amount(self.least_memory)} of memory, and the run"
                f" may use {_amount(self.memory)}",
                "memory",
                needed=self.least_memory,
                available=self.memory,
            )
        if self.disk + _RESERVE > free_disk:
            raise ResourceError(
                f"the tables will take about {_amount(self.disk)}, and of the"
                f" {_amount(free_disk)} free in {self.directory} {_amount(_RESERVE)} are left"
                " alone",
                "disk",
                path=self.directory,
                needed=self.disk + _RESERVE,
                available=free_disk,
            )


def make_plan(
    directory: str | Path,
    *,
    pieces: int | None = None,
    materials: Iterable[Material | str] | Material | str | None = None,
    rules: Rules | str = "standard",
    metric: Metric | None = None,
    jobs: int | None = None,
    memory: int | None = None,
    force: bool = False,
) -> Plan:
    """The plan for the tables of 2 to ``pieces`` animals, of ``materials``, or both, and of all
    that they depend on. One material need not be in a list.

    Without a ``metric``, all that probing under ``rules`` needs: see
    :func:`~tablebase.materials.table.metrics_of`. ``jobs`` is the number of threads (default: as
    many as there are cores; never more than can have work), ``memory`` the budget in bytes
    (default: 6 GiB, or three quarters of what is available if that is less). ``force`` makes tables
    anew that are there. Nothing is written. :class:`MaterialError` for materials of too many
    animals, :class:`RulesError` for unknown rules.
    """
    if pieces is None and materials is None:
        raise ValueError("say which tables: the number of pieces, or materials")
    if jobs is not None and jobs < 1:
        raise ValueError(f"at least one job is needed, not {jobs}")
    rules = load_rules(rules) if isinstance(rules, str) else rules
    metrics = metrics_of(rules, metric)
    if not isinstance(materials, Material | str):
        materials = tuple(materials or ())
    catalog = Catalog([directory])
    tables = [
        _planned(table, catalog)
        for each in metrics
        for table in selected_tables(rules, each, pieces, materials)
    ]
    tables.sort(key=lambda planned: len(planned.table.material))  # each metric keeps its order
    plan = Plan(
        directory=Path(directory),
        rules=rules,
        metrics=metrics,
        jobs=jobs or usable_cores(),
        memory=default_memory() if memory is None else memory,
        force=force,
        tables=tuple(tables),
    )
    return replace(plan, jobs=min(plan.jobs, max(_STEPS * len(plan.to_make), 1)))


def status_of(catalog: Catalog, table: Table) -> Status:
    """Whether the first folder of ``catalog`` has ``table``, by its header."""
    try:
        with TableFile(catalog.path(table)) as file:
            file.require(table)
    except FileNotFoundError:
        return "missing"
    except CorruptTableError:
        return "damaged"
    return "present"


def _planned(table: Table, catalog: Catalog) -> PlannedTable:
    from tablebase.solve.memory import memory_needed

    bits = _BITS_PER_CODE[len(table.material)] * 2 * table.cells
    return PlannedTable(
        table, status_of(catalog, table), memory_needed(table), _FILE_BYTES + int(bits / 8)
    )


def _amount(count: int) -> str:
    """``count`` bytes, in the unit that people would use."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if count >= size:
            return (
                f"{count / size:.2f} {unit}" if count < 10 * size else f"{count / size:.0f} {unit}"
            )
    return f"{count / 1024:.0f} KiB"
