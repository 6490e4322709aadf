"""Where tasks are done: what a run asks of threads now, and may ask of a cluster's workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Generic, Literal, NamedTuple, Self, TypeVar

__all__ = ["Checkpoint", "Executor", "Obstacle", "Outcome", "Work"]

T = TypeVar("T")
R = TypeVar("R")

Checkpoint = Callable[[], None]
"""To be called often by whoever works; what it raises ends the work early."""

Obstacle = Literal["busy", "elsewhere"]
"""Why a task need not be done: another process has it in hand, or has done it."""


class Outcome(NamedTuple, Generic[T, R]):
    """What came of a task: a ``result``, an ``obstacle`` or an ``error``."""

    task: T
    result: R | None = None
    obstacle: Obstacle | None = None
    error: BaseException | None = None
    seconds: float = 0.0
    """The time that its steps took, added up."""


class Executor(ABC, Generic[T, R]):
    """Does tasks, several at a time; what is begun within ``with`` ends with it at the latest.

    One thread calls it. What a task takes and whether it may be begun is for that thread to know.
    """

    @abstractmethod
    def __enter__(self) -> Self: ...

    @abstractmethod
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    @property
    @abstractmethod
    def is_hungry(self) -> bool:
        """Whether another task should be begun, lest there be nothing to do soon."""

    @property
    def is_compiling(self) -> bool:
        """Whether tasks have to wait since kernels are being compiled."""
        return False

    @abstractmethod
    def begin(self, task: T) -> None:
        """Begin a task, or find out what is in its way; :meth:`next` tells the outcome."""

    @abstractmethod
    def next(self, timeout: float) -> Outcome[T, R] | None:
        """The outcome of a task, each once. ``None`` if there is none within ``timeout`` seconds,
        or something else has changed meanwhile, so that the executor may be hungry."""


class Work(ABC, Generic[R]):
    """A task in the hands of the process that does it: stages of steps, and what they share.

    The steps of a stage may run at the same time, in any threads, after those of the stage before.
    """

    @abstractmethod
    def claim(self) -> Obstacle | None:
        """Have the task to oneself among all processes, unless something is in the way."""

    @abstractmethod
    def release(self) -> None:
        """Give up what :meth:`claim` got, in the same thread."""

    @abstractmethod
    def stages(self) -> Sequence[Sequence[Callable[[], Any]]]:
        """The steps. The last stage has one, which returns the result."""
