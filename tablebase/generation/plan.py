"""What a run has to make, in which order, and what that takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError, MaterialError, ResourceError
from tablebase.game.rules import Rules, load_rules
from tablebase.generation.resources import available_memory, default_memory, usable_cores
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import MAX_ANIMALS, Material, captured_materials
from tablebase.tablefile import TableFile, table_rules
from tablebase.values import Metric

__all__ = [
    "Plan",
    "PlannedTable",
    "Status",
    "make_plan",
    "metrics_of",
    "named",
    "status_of",
    "wanted",
]

Status = Literal["present", "missing", "damaged"]

_BASE_MEMORY: Final = 400 << 20
"""The program itself, its libraries and compiled kernels, in bytes."""
_FILE_BYTES: Final = 40_000
_BITS_PER_CODE: Final = {2: 1.5, 3: 1.2, 4: 0.6, 5: 0.45}
"""How tables of so many animals pack, with a little room."""
_RESERVE: Final = 64 << 20
"""Disk space, in bytes, that a run leaves alone."""


class PlannedTable(NamedTuple):
    """A table of a plan. ``memory`` and ``disk`` are estimates in bytes."""

    table: TableClass
    metric: Metric
    status: Status
    needs: tuple[TableClass, ...]
    """The smaller tables that it is made from."""
    memory: int
    disk: int

    @property
    def codes(self) -> int:
        """How many values it stores, for both sides to move."""
        return 2 * self.table.cells

    @property
    def label(self) -> str:
        """What messages call it: the name of the class, with the metric if that is not ``dtw``."""
        return self.table.name if self.metric == "dtw" else f"{self.table.name} ({self.metric})"


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
                f"{largest.label} needs {_gib(self.least_memory)} of memory and the run may"
                f" use {_gib(self.memory)}: "
                + (
                    "allow more memory, or make tables of fewer animals"
                    if self.least_memory <= available_memory()
                    else "make tables of fewer animals, or use a machine with more memory"
                )
            )
        if self.disk + _RESERVE > free_disk:
            raise ResourceError(
                f"the tables will take about {_gib(self.disk)} and {self.directory} has"
                f" {_gib(free_disk)} free: free some space, or choose another folder"
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

    Without a ``metric``, all that probing under ``rules`` needs: see :func:`metrics_of`. ``jobs``
    is the number of threads (default: as many as there are cores), ``memory`` the budget in bytes
    (default: 6 GiB, or three quarters of what is available if that is less). ``force`` makes tables
    anew that are there. Nothing is written. :class:`MaterialError` for materials of too many
    animals, :class:`RulesError` for unknown rules.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"at least one job is needed, not {jobs}")
    rules = load_rules(rules) if isinstance(rules, str) else rules
    metrics = metrics_of(rules, metric)
    names = None if materials is None else named(materials)
    catalog = Catalog([directory])
    tables = [
        _planned(table, needs, catalog, each)
        for each in metrics
        for table, needs in wanted(table_rules(rules, each), pieces, names).items()
    ]
    tables.sort(key=lambda planned: len(planned.table.material))  # each metric keeps its order
    return Plan(
        directory=Path(directory),
        rules=rules,
        metrics=metrics,
        jobs=jobs or usable_cores(),
        memory=default_memory() if memory is None else memory,
        force=force,
        tables=tuple(tables),
    )


def metrics_of(rules: Rules, metric: Metric | None = None) -> tuple[Metric, ...]:
    """``metric`` alone if there is one, else all that probing under ``rules`` needs: ``dtw``, and
    ``dtc`` if there is a ``no_capture_limit``, which decides who wins by it."""
    if metric is not None:
        return (metric,)
    return ("dtw",) if rules.no_capture_limit is None else ("dtw", "dtc")


def named(materials: Iterable[Material | str] | Material | str) -> list[Material | str]:
    """``materials`` as a list; one alone need not be in one."""
    return [materials] if isinstance(materials, Material | str) else list(materials)


def wanted(
    rules: Rules, pieces: int | None, materials: Iterable[Material | str] | None
) -> dict[TableClass, tuple[TableClass, ...]]:
    """The classes of 2 to ``pieces`` animals and of ``materials``, and all that they depend on,
    each with what it depends on at once; small ones first, of equal ones the larger tables."""
    if pieces is None and materials is None:
        raise ValueError("say which tables: the number of pieces, or materials")
    open_tables: list[TableClass] = []
    if pieces is not None:
        if not 2 <= pieces <= MAX_ANIMALS:
            raise MaterialError(f"tables are made for 2 to {MAX_ANIMALS} animals, not {pieces}")
        for animals in range(2, pieces + 1):
            open_tables += classes(rules, animals)
    for name in materials or ():
        material = Material.parse(name) if isinstance(name, str) else name
        if len(material) > MAX_ANIMALS:
            raise MaterialError(
                f"{material} has {len(material)} animals: tables are made for up to {MAX_ANIMALS}"
            )
        open_tables.append(locate(rules, material).table)
    found: dict[TableClass, tuple[TableClass, ...]] = {}
    while open_tables:
        table = open_tables.pop()
        if table not in found:
            lefts = captured_materials(rules, table.material).values()
            # Two captures may lead to one class.
            found[table] = tuple(dict.fromkeys(locate(rules, left).table for left in lefts))
            open_tables += found[table]
    order = sorted(found, key=lambda table: (len(table.material), -table.cells, table.name))
    return {table: found[table] for table in order}


def status_of(catalog: Catalog, table: TableClass, metric: Metric) -> Status:
    """Whether the first folder of ``catalog`` has the table, by its header."""
    try:
        with TableFile(catalog.path(table, metric)) as file:
            file.require(table, metric)
    except FileNotFoundError:
        return "missing"
    except CorruptTableError:
        return "damaged"
    return "present"


def _planned(
    table: TableClass, needs: Sequence[TableClass], catalog: Catalog, metric: Metric
) -> PlannedTable:
    from tablebase.solve.memory import memory_needed

    bits = _BITS_PER_CODE[len(table.material)] * 2 * table.cells
    return PlannedTable(
        table,
        metric,
        status_of(catalog, table, metric),
        tuple(needs),
        memory_needed(table, metric),
        _FILE_BYTES + int(bits / 8),
    )


def _gib(count: int) -> str:
    return f"{count / 2**30:.2f} GiB" if count >= 1 << 20 else f"{count / 1024:.0f} KiB"
