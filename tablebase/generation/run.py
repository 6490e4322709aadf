"""The run: does with an executor what the schedule has ready, and tells what happens."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError, ResourceError
from tablebase.generation.classwork import BadSmallerTable, Stamp, TableTask, stamp_of
from tablebase.generation.events import Event, EventKind, Made, RunSummary, State
from tablebase.generation.executor import Executor, Outcome
from tablebase.generation.plan import Plan
from tablebase.generation.schedule import Item, Schedule
from tablebase.materials.table import Table

__all__ = ["Run"]

_TICK: Final = 0.5
"""Seconds after which the run looks around, and at the tables that others are making."""


class Run:
    """One run of a plan; see :func:`~tablebase.generation.run_plan`."""

    def __init__(
        self, plan: Plan, catalog: Catalog, progress: Callable[[Event], None] | None
    ) -> None:
        self._plan = plan
        self._catalog = catalog
        self._progress = progress
        to_make = {planned.table for planned in plan.to_make}
        self._codes = {planned.table: planned.codes for planned in plan.tables}
        self._schedule = Schedule(
            (
                Item(
                    planned.table,
                    planned.table.needs,
                    planned.memory,
                    done=planned.table not in to_make,
                    damaged=planned.status == "damaged",
                )
                for planned in plan.tables
            ),
            plan.work_memory,
        )
        self._present = len(self._schedule.done)
        self._distrusted: dict[Table, Stamp | None] = {}
        """The files that are to be replaced although they look all right."""
        if plan.force:
            self._distrusted = {table: stamp_of(catalog.path(table)) for table in to_make}
        self._made: list[Made] = []
        self._elsewhere = 0
        self._told: set[EventKind] = set()
        """What is told once."""
        self._began: float | None = None
        """When the first table was begun."""

    def run(self, executor: Executor[TableTask, Made]) -> RunSummary:
        """Make with ``executor`` every table of the plan that is to be made."""
        started = time.monotonic()
        for planned in self._plan.to_make:
            if planned.status == "damaged":
                self._tell("damaged", planned.table)
        try:
            with executor:
                self._loop(executor)
        except MemoryError as error:
            raise ResourceError("the memory did not suffice", "memory") from error
        return RunSummary(
            tuple(self._made), self._elsewhere, self._present, time.monotonic() - started
        )

    def _loop(self, executor: Executor[TableTask, Made]) -> None:
        tick = time.monotonic() + _TICK
        while not self._schedule.is_done:
            self._begin_tables(executor)
            outcome = executor.next(_TICK)
            if outcome is not None:
                self._take(outcome)
            if time.monotonic() >= tick:
                self._look_around(executor, idle=outcome is None)
                tick = time.monotonic() + _TICK

    def _begin_tables(self, executor: Executor[TableTask, Made]) -> None:
        while executor.is_hungry and (table := self._schedule.next()) is not None:
            self._began = self._began or time.monotonic()
            self._schedule.begin(table)
            executor.begin(TableTask(table, self._distrusted.get(table)))

    def _take(self, outcome: Outcome[TableTask, Made]) -> None:
        """Note what came of a table."""
        table = outcome.task.table
        if isinstance(outcome.error, BadSmallerTable):
            self._complain(table, outcome.error)
        elif outcome.error is not None:
            raise outcome.error
        elif outcome.obstacle == "busy":
            self._schedule.put_off(table)
        elif outcome.obstacle == "elsewhere":
            self._schedule.finish(table)
            self._elsewhere += 1
            self._tell("elsewhere", table)
        else:
            assert outcome.result is not None
            made = outcome.result._replace(seconds=outcome.seconds)
            self._schedule.finish(table)
            self._made.append(made)
            self._tell("made", table, made)

    def _complain(self, table: Table, error: BadSmallerTable) -> None:
        """The checksum of a smaller table's header was right, that of a chunk is not; or it went
        away: make both anew."""
        complaint = self._schedule.complain(table, error.table)
        if complaint == "again":
            raise error.reason
        if complaint == "new":
            self._distrusted[error.table] = stamp_of(self._catalog.path(error.table))
            is_damaged = isinstance(error.reason, CorruptTableError)
            self._tell("damaged" if is_damaged else "vanished", error.table)

    def _look_around(self, executor: Executor[TableTask, Made], *, idle: bool) -> None:
        """Tell that time goes by, and what it goes by with; ``idle`` if nothing came of it."""
        kind: EventKind = "working"
        if executor.is_compiling:
            kind = "compiling"
        elif idle and self._schedule.is_waiting:
            kind = "waiting"
        if kind in self._told:
            kind = "working"
        elif kind != "working":
            self._told.add(kind)
        self._tell(kind)
        self._schedule.look_again()

    def _tell(self, kind: EventKind, table: Table | None = None, made: Made | None = None) -> None:
        if self._progress is not None:
            path = None if table is None else self._catalog.path(table)
            self._progress(Event(kind, self._state(), table, path, made))

    def _state(self) -> State:
        codes = sum(self._codes.values())
        done = sum(self._codes[table] for table in self._schedule.done)
        mine = sum(made.codes for made in self._made)
        seconds = 0.0 if self._began is None else time.monotonic() - self._began
        rate = mine / seconds if mine and seconds > 0 else None
        return State(
            classes=len(self._codes),
            classes_done=len(self._schedule.done),
            codes=codes,
            codes_done=done,
            rate=rate,
            seconds_left=(codes - done) / rate if rate else None,
        )
