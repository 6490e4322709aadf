"""The run: steps of many classes shared out to threads, within the memory that is allowed.

The calling thread decides and waits: it alone takes and gives up the tables' locks, keeps the
accounts and tells what happens. Worker threads do the steps; the kernels release the GIL.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final, NamedTuple

from tablebase.catalog import Catalog
from tablebase.errors import ResourceError
from tablebase.game.board import Color
from tablebase.generation.classwork import BadSmallerTable, ClassWork, warm_up
from tablebase.generation.events import Event, EventKind, Made, RunSummary, State
from tablebase.generation.plan import Plan, PlannedTable, status_of
from tablebase.values import Metric

__all__ = ["Run"]

_TICK: Final = 0.5
"""Seconds after which the run looks around, and at the tables that others are making."""
_PATIENCE: Final = 3.0
"""Seconds that loading the kernels may take before they are said to be compiled."""

# Storing frees memory, and chains end what was begun: so the first comes first.
_STORE, _CHAIN, _START = range(3)


_Key = tuple[str, Metric]
"""A table, by its class and metric."""


class _Stopped(Exception):
    """The run ends early, so a step did."""


class _Task(NamedTuple):
    priority: int
    number: int
    """Among equals, what was asked for first is done first."""
    step: Callable[[], Any]
    job: _Job | None


class _Job:
    """A class in work, its lock, and the memory set aside for it."""

    def __init__(self, planned: PlannedTable, work: ClassWork, lock: ExitStack) -> None:
        self.planned = planned
        self.work = work
        self.lock = lock
        self.open_chains = len(Color)
        self.seconds = 0.0


class Run:
    """One run of a plan; see :func:`~tablebase.generation.generate`."""

    def __init__(
        self, plan: Plan, catalog: Catalog, progress: Callable[[Event], None] | None
    ) -> None:
        self._plan = plan
        self._catalog = catalog
        self._progress = progress
        self._started = time.monotonic()
        self._stop = threading.Event()
        self._tasks: queue.PriorityQueue[tuple[int, int, _Task | None]] = queue.PriorityQueue()
        self._results: queue.SimpleQueue[tuple[_Task, float, Any]] = queue.SimpleQueue()
        self._numbers = itertools.count()
        self._outstanding = 0
        self._memory = plan.work_memory
        self._jobs: dict[_Key, _Job] = {}
        to_make = {_key(planned) for planned in plan.to_make}
        self._planned = {_key(planned): planned for planned in plan.tables}
        self._todo = [key for key in self._planned if key in to_make]
        self._busy: dict[_Key, float] = {}
        """Tables that another process is making, and when to look at them again."""
        self._done = {key for key in self._planned if key not in to_make}
        self._present = len(self._done)
        self._remade: set[_Key] = set()
        self._made: list[Made] = []
        self._elsewhere = 0
        self._warm = False

    def run(self) -> RunSummary:
        """Make every table of the plan that is to be made."""
        for planned in self._plan.to_make:
            if planned.status == "damaged":
                self._tell_damaged(planned)
        workers = [
            threading.Thread(target=self._serve, name=f"tablebase-{number}", daemon=True)
            for number in range(self._plan.jobs if self._todo else 0)
        ]
        try:
            for worker in workers:
                worker.start()
            self._loop()
        except BaseException:
            self._stop.set()
            raise
        finally:
            for _ in workers:
                self._put(_Task(_START + 1, 0, _nothing, None), last=True)
            for worker in workers:
                worker.join()
            for job in self._jobs.values():
                job.lock.close()
        return RunSummary(
            tuple(self._made), self._elsewhere, self._present, time.monotonic() - self._started
        )

    # -- the calling thread --------------------------------------------------------------------

    def _loop(self) -> None:
        from tablebase.solve import Buffers

        self._buffers = Buffers()
        if self._todo:
            self._put(_Task(_START, next(self._numbers), warm_up, None))
        while self._todo or self._jobs:
            if self._warm:
                self._start_classes()
            if not self._todo and not self._jobs:
                break
            try:
                task, seconds, result = self._results.get(timeout=_TICK)
            except queue.Empty:
                self._look_around()
                continue
            self._outstanding -= 1
            if task.job is not None:
                task.job.seconds += seconds
            if isinstance(result, BaseException):
                self._failed(task, result)
            else:
                self._finished(task, result)
            del task, result

    def _start_classes(self) -> None:
        """Begin classes as long as workers would else run out of work, and memory is left."""
        now = time.monotonic()
        for key in list(self._todo):
            if self._outstanding > self._plan.jobs:
                return
            planned = self._planned[key]
            if self._busy.get(key, now) > now:
                continue
            if any((needed.name, planned.metric) not in self._done for needed in planned.needs):
                continue
            if planned.memory > self._memory:
                continue
            self._start(key, planned)

    def _start(self, key: _Key, planned: PlannedTable) -> None:
        table, metric = planned.table, planned.metric
        with ExitStack() as stack:
            held = stack.enter_context(self._catalog.lock(table, metric, timeout=0))
            if not held:
                self._busy[key] = time.monotonic() + _TICK
                return
            waited = self._busy.pop(key, None) is not None
            # What was found damaged looks all right from outside.
            trusted = waited or not (self._plan.force or key in self._remade)
            if trusted and status_of(self._catalog, table, metric) == "present":
                self._todo.remove(key)
                self._done.add(key)
                self._elsewhere += 1
                text = f"{planned.label} was made by another process"
                self._tell("elsewhere", text, table.name)
                return
            work = ClassWork(table, metric, self._catalog, self._checkpoint, self._buffers)
            job = _Job(planned, work, stack.pop_all())
        self._todo.remove(key)
        self._jobs[key] = job
        self._memory -= planned.memory
        self._put(_Task(_START, next(self._numbers), work.prepare, job))

    def _finished(self, task: _Task, result: Any) -> None:
        job = task.job
        if job is None:
            self._warm = True
        elif task.priority == _START:
            for loser in Color:
                step = _bind(job.work.solve, loser)
                self._put(_Task(_CHAIN, next(self._numbers), step, job))
        elif task.priority == _CHAIN:
            job.open_chains -= 1
            if not job.open_chains:
                self._put(_Task(_STORE, next(self._numbers), job.work.store, job))
        else:
            self._give_up(job)
            made: Made = result._replace(seconds=job.seconds)
            self._done.add((made.name, made.metric))
            self._made.append(made)
            text = (
                f"{job.planned.label}: {made.plies} plies, {made.seconds:.2f} s,"
                f" {made.bytes:,} bytes"
            )
            self._tell("made", text, made.name, made)

    def _failed(self, task: _Task, error: BaseException) -> None:
        if isinstance(error, BadSmallerTable) and task.job is not None:
            # The checksum of its header was right, that of a chunk is not: make both anew.
            key = error.table.name, task.job.planned.metric
            if key in self._remade:
                raise error.reason
            self._give_up(task.job)
            self._todo.insert(0, _key(task.job.planned))
            if key in self._done:
                self._done.remove(key)
                self._remade.add(key)
                self._todo.insert(0, key)
                self._planned[key] = self._planned[key]._replace(status="damaged")
                self._tell_damaged(self._planned[key])
            return
        if isinstance(error, MemoryError):
            raise ResourceError(
                "the memory did not suffice: allow less memory, use fewer jobs, or make tables of"
                " fewer animals"
            ) from error
        raise error

    def _give_up(self, job: _Job) -> None:
        del self._jobs[_key(job.planned)]
        self._memory += job.planned.memory
        job.lock.close()

    def _look_around(self) -> None:
        if not self._warm:
            if time.monotonic() - self._started > _PATIENCE and not self._told_compiling:
                self._told_compiling = True
                self._tell(
                    "compiling", "compiling the kernels; this is done once and takes half a minute"
                )
            return
        if self._todo and not self._jobs and not self._told_waiting:
            self._told_waiting = True
            self._tell("waiting", "another process is making the tables that are left")
            return
        self._tell("working", "")

    _told_compiling = False
    _told_waiting = False

    def _tell_damaged(self, planned: PlannedTable) -> None:
        path = self._catalog.path(planned.table, planned.metric)
        self._tell("damaged", f"{path} is damaged and is made anew", planned.table.name)

    def _tell(
        self, kind: EventKind, text: str, name: str | None = None, made: Made | None = None
    ) -> None:
        if self._progress is not None:
            self._progress(Event(kind, text, self._state(), name, made))

    def _state(self) -> State:
        codes = sum(planned.codes for planned in self._planned.values())
        done = sum(self._planned[key].codes for key in self._done)
        mine = sum(made.codes for made in self._made)
        seconds = time.monotonic() - self._started
        rate = mine / seconds if mine and seconds > 0 else None
        return State(
            classes=len(self._planned),
            classes_done=len(self._done),
            codes=codes,
            codes_done=done,
            rate=rate,
            seconds_left=(codes - done) / rate if rate else None,
        )

    # -- the workers ---------------------------------------------------------------------------

    def _put(self, task: _Task, last: bool = False) -> None:
        self._outstanding += not last
        self._tasks.put((task.priority, task.number, None if last else task))

    def _serve(self) -> None:
        while True:
            _, _, task = self._tasks.get()
            if task is None:
                return
            result: Any
            started = time.perf_counter()
            try:
                self._checkpoint()
                result = task.step()
            except BaseException as error:
                result = error
            self._results.put((task, time.perf_counter() - started, result))
            del task, result

    def _checkpoint(self) -> None:
        if self._stop.is_set():
            raise _Stopped


def _key(planned: PlannedTable) -> _Key:
    return planned.table.name, planned.metric


def _nothing() -> None:
    pass


def _bind(step: Callable[[Color], None], loser: Color) -> Callable[[], None]:
    return lambda: step(loser)
