"""Memory that is used again from class to class, since fresh pages cost as much as the work."""

from __future__ import annotations

from math import prod
from threading import Lock

import numpy as np
import numpy.typing as npt

__all__ = ["Buffers"]


class Buffers:
    """A stock of word arrays that many threads may share."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._free: list[npt.NDArray[np.uint64]] = []

    def take(self, *shape: int) -> npt.NDArray[np.uint64]:
        """An array of that shape with anything in it; the smallest free one that is large enough,
        or a new one."""
        size = prod(shape)
        with self._lock:
            fits = [i for i, array in enumerate(self._free) if array.size >= size]
            best = min(fits, key=lambda i: self._free[i].size, default=None)
            array = None if best is None else self._free.pop(best)
        if array is None:
            array = np.empty(size, np.uint64)
        return array[:size].reshape(shape)

    def give(self, *arrays: npt.NDArray[np.uint64]) -> None:
        """Take arrays back; nobody may use them any more."""
        with self._lock:
            for array in arrays:
                while array.base is not None:
                    array = array.base
                self._free.append(array)
