"""Memory that is used again from class to class, since fresh pages cost as much as the work."""

from __future__ import annotations

from bisect import bisect_left, insort
from math import prod
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["SLACK", "Buffers"]

SLACK: Final = 32
"""An array stands in for one that is smaller by this part of it."""


class Buffers:
    """A stock of word arrays that many threads may share.

    It holds no more than was in use at one time: an array that has to be made takes the place of
    free ones of other sizes.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._free: list[npt.NDArray[np.uint64]] = []
        """From the smallest to the largest."""
        self._used = 0
        self._most = 0
        """The number of words in use, now and at most."""

    @property
    def most_bytes(self) -> int:
        """The most bytes that were in use at one time."""
        return 8 * self._most

    @property
    def free(self) -> tuple[npt.NDArray[np.uint64], ...]:
        """What is held for later, from the smallest to the largest."""
        return tuple(self._free)

    def take(self, *shape: int) -> npt.NDArray[np.uint64]:
        """An array of that shape with anything in it: a free one that is hardly larger, or a new
        one."""
        size = prod(shape)
        with self._lock:
            at = bisect_left(self._free, size, key=_size)
            if at < len(self._free) and _size(self._free[at]) <= size + size // SLACK:
                array = self._free.pop(at)
                self._count(array.size)
                return array[:size].reshape(shape)
            self._count(size)
            kept = sum(map(_size, self._free))
            while self._free and self._used + kept > self._most:
                # In a run the large classes of as many animals come first.
                kept -= self._free.pop().size
        return np.empty(size, np.uint64).reshape(shape)

    def _count(self, size: int) -> None:
        self._used += size
        self._most = max(self._most, self._used)

    def give(self, *arrays: npt.NDArray[Any]) -> None:
        """Take arrays back; nobody may use them any more."""
        with self._lock:
            for array in arrays:
                while array.base is not None:
                    array = array.base
                assert all(array is not free for free in self._free)
                self._used -= array.size
                insort(self._free, array, key=_size)


def _size(array: npt.NDArray[np.uint64]) -> int:
    return array.size
