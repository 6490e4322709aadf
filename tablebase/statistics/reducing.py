"""A question to every slice of one table or of many, by threads, and the answers put together."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, TypeVar

from tablebase.materials.material import Material
from tablebase.probe import Tablebase
from tablebase.resources import usable_cores
from tablebase.statistics.slices import Slice, Slices

__all__ = ["ReduceProgress", "map_slices"]

T = TypeVar("T")


class ReduceProgress(NamedTuple):
    """How far :func:`map_slices` is."""

    material: str
    """The one that its threads are at."""
    materials: int
    materials_done: int
    slices: int
    """How many slices it has of which the question is asked."""
    slices_done: int


def map_slices(
    tb: Tablebase,
    materials: Iterable[Material | str] | Material | str,
    question: Callable[[Slice], T],
    combine: Callable[[T, T], T] = operator.add,
    *,
    sample: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[ReduceProgress], None] | None = None,
) -> dict[str, T]:
    """``question`` of every slice of each material, put together by ``combine``, by material.

    ``combine`` is given two answers, in the order of the slices; it may change and return the
    first. With ``sample``, only so many slices of each are asked, chosen by ``seed``; those without
    a legal placement are never. ``jobs`` threads (default: as many as there are cores) ask at the
    same time: NumPy and unpacking leave the interpreter to the others meanwhile. ``progress`` is
    called in the calling thread; what it or ``question`` raises ends the work.

    Slices hold some hundred thousand placements, so memory does not grow with the table. The errors
    are those of :class:`~tablebase.statistics.Slices`.
    """
    names = [materials] if isinstance(materials, Material | str) else list(materials)
    answers: dict[str, T] = {}
    with ThreadPoolExecutor(jobs or usable_cores()) as pool:
        for done, name in enumerate(names):
            with Slices(tb, name) as slices:
                numbers = slices.numbers()
                if sample is not None and sample < len(numbers):
                    numbers = sorted(random.Random(f"{seed} {name}").sample(numbers, sample))

                def tell(finished: int, at: str, total: int, done: int = done) -> None:
                    if progress is not None:
                        progress(ReduceProgress(at, len(names), done, total, finished))

                answer = _ask(pool, slices, numbers, question, combine, tell)
            answers[str(name)] = answer
    return answers


def _ask(
    pool: ThreadPoolExecutor,
    slices: Slices,
    numbers: list[int],
    question: Callable[[Slice], T],
    combine: Callable[[T, T], T],
    tell: Callable[[int, str, int], None],
) -> T:
    """The answers of these slices put together, in their order."""
    waiting: dict[Future[T], int] = {}
    ready: dict[int, T] = {}
    left = iter(enumerate(numbers))
    together: Any = None
    taken = 0
    at_once = 4 * pool._max_workers  # noqa: SLF001
    try:
        while taken < len(numbers):
            # Few at a time, so that answers that wait for their turn do not pile up.
            while len(waiting) + len(ready) < at_once and (following := next(left, None)):
                place, number = following
                waiting[pool.submit(_one, slices, number, question)] = place
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                ready[waiting.pop(future)] = future.result()
            while taken in ready:
                answer = ready.pop(taken)
                together = answer if taken == 0 else combine(together, answer)
                taken += 1
            tell(taken, str(slices.material), len(numbers))
    except BaseException:
        for future in waiting:
            future.cancel()
        wait(waiting)
        raise
    answer_of_all: T = together
    return answer_of_all


def _one(slices: Slices, number: int, question: Callable[[Slice], T]) -> T:
    return question(slices[number])
