"""Threads as an executor: the steps of many tasks, shared out by urgency.

The calling thread decides and waits, and claims and releases the tasks. Worker threads do the
steps; the kernels release the GIL.
"""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

from tablebase.errors import ResourceError
from tablebase.generation.executor import Checkpoint, Executor, Outcome, Work

__all__ = ["ThreadExecutor"]

T = TypeVar("T")
R = TypeVar("R")

_LAST: Final = 1
"""The urgency of the end of a worker. Steps have 0 and less."""


class _Stopped(Exception):
    """The task has ended, so a step of it did."""


class ThreadExecutor(Executor[T, R]):
    """Up to ``jobs`` threads, no more than there were steps to do at one time.

    ``work(task, checkpoint)`` is called in the calling thread, and its checkpoint by the steps.
    ``warm_up`` is done first, in a worker, and ``is_compiling`` says meanwhile what it is about.
    """

    def __init__(
        self,
        jobs: int,
        work: Callable[[T, Checkpoint], Work[R]],
        warm_up: Callable[[], None],
        is_compiling: Callable[[], bool],
    ) -> None:
        self._jobs = jobs
        self._work = work
        self._warm_up = warm_up
        self._compiles = is_compiling
        self._is_warm = False
        self._stop = threading.Event()
        self._workers: list[threading.Thread] = []
        # The later the stage the more urgent: storing frees memory, and chains end what was begun.
        # Among equals, what was asked for first is done first.
        self._steps: queue.PriorityQueue[tuple[int, int, _Step[T, R] | None]] = (
            queue.PriorityQueue()
        )
        self._numbers = itertools.count()
        self._outstanding = 0
        self._answers: queue.SimpleQueue[_Answer[T, R]] = queue.SimpleQueue()
        self._outcomes: deque[Outcome[T, R]] = deque()
        self._in_hand: list[_InHand[T, R]] = []

    def __enter__(self) -> Self:
        self._put(_Step(self._warm_up, None), 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        for _ in self._workers:
            self._steps.put((_LAST, next(self._numbers), None))
        for worker in self._workers:
            worker.join()
        for task in self._in_hand:
            task.work.release()

    @property
    def is_hungry(self) -> bool:
        """Whether workers would soon run out of steps."""
        return self._is_warm and self._outstanding <= self._jobs

    @property
    def is_compiling(self) -> bool:
        """Whether tasks have to wait since kernels are being compiled."""
        return not self._is_warm and self._compiles()

    def begin(self, task: T) -> None:
        """Claim a task and begin it; :meth:`next` tells the outcome."""
        in_hand: _InHand[T, R] = _InHand(task, self._stop)
        work = self._work(task, in_hand.checkpoint)
        obstacle = work.claim()
        if obstacle is not None:
            self._outcomes.append(Outcome(task, obstacle=obstacle))
            return
        in_hand.work = work
        self._in_hand.append(in_hand)
        in_hand.stages = iter(enumerate(work.stages()))
        self._next_stage(in_hand)

    def next(self, timeout: float) -> Outcome[T, R] | None:
        """The outcome of a task, each once, or ``None`` after each step and ``timeout`` seconds."""
        if self._outcomes:
            return self._outcomes.popleft()
        try:
            in_hand, seconds, result, error = self._answers.get(timeout=timeout)
        except queue.Empty:
            return None
        self._outstanding -= 1
        if in_hand is None:
            if error is not None:
                raise error
            self._is_warm = True
            return None
        in_hand.open_steps -= 1
        in_hand.seconds += seconds
        if in_hand.error is None:
            in_hand.error = error
        if in_hand.open_steps or (in_hand.error is None and self._next_stage(in_hand)):
            return None
        self._in_hand.remove(in_hand)
        in_hand.work.release()
        if in_hand.error is not None:
            return Outcome(in_hand.task, error=in_hand.error, seconds=in_hand.seconds)
        return Outcome(in_hand.task, result, seconds=in_hand.seconds)

    def _next_stage(self, in_hand: _InHand[T, R]) -> bool:
        """Have the steps of the next stage done, if there is one."""
        for number, steps in in_hand.stages:
            in_hand.open_steps = len(steps)
            for step in steps:
                self._put(_Step(step, in_hand), -number)
            return True
        return False

    def _put(self, step: _Step[T, R], urgency: int) -> None:
        self._outstanding += 1
        self._steps.put((urgency, next(self._numbers), step))
        if len(self._workers) < min(self._outstanding, self._jobs):
            name = f"tablebase-{len(self._workers)}"
            worker = threading.Thread(target=self._serve, name=name, daemon=True)
            try:
                worker.start()
            except RuntimeError as error:
                if not self._workers:
                    raise ResourceError(f"no thread can be started: {error}", "system") from error
                self._jobs = len(self._workers)
            else:
                self._workers.append(worker)

    def _serve(self) -> None:
        """What a worker does."""
        while (step := self._steps.get()[2]) is not None:
            result: R | None = None
            failure: BaseException | None = None
            started = time.perf_counter()
            try:
                if self._stop.is_set():
                    raise _Stopped
                if step.in_hand is not None:
                    step.in_hand.checkpoint()
                result = step.call()
            except BaseException as error:
                failure = error
            seconds = time.perf_counter() - started
            self._answers.put(_Answer(step.in_hand, seconds, result, failure))
            del step, result, failure


class _InHand(Generic[T, R]):
    """A task that was begun, and how far it is."""

    work: Work[R]
    stages: Iterator[tuple[int, Sequence[Callable[[], Any]]]]
    """Those that are still to be begun, numbered."""

    def __init__(self, task: T, stop: threading.Event) -> None:
        self.task = task
        self._stop = stop
        self.open_steps = 0
        """How many steps of the stage have not ended."""
        self.seconds = 0.0
        self.error: BaseException | None = None
        """The first error of a step."""

    def checkpoint(self) -> None:
        """End the step that calls it, if the task or everything has ended."""
        if self.error is not None or self._stop.is_set():
            raise _Stopped


class _Step(NamedTuple, Generic[T, R]):
    call: Callable[[], Any]
    in_hand: _InHand[T, R] | None
    """``None`` for the warm-up."""


class _Answer(NamedTuple, Generic[T, R]):
    """What came of a step."""

    in_hand: _InHand[T, R] | None
    seconds: float
    result: R | None
    error: BaseException | None
