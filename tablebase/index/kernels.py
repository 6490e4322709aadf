"""Compiled twins of ``TableIndex.number`` and ``TableIndex.placement``, for arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba

__all__ = ["number_all", "place_all"]


def _kernel(function: Callable[..., Any]) -> Callable[..., None]:
    # Constants come as arguments: numba's cache does not notice when another module changes.
    compiled: Any = numba.njit(cache=True, nogil=True)(function)
    return cast("Callable[..., None]", compiled)


@_kernel
def number_all(squares, addends, mirrors, numbers):  # type: ignore[no-untyped-def]
    """Fill ``numbers``, shape ``(n,)``, from ``squares``, shape ``(n, k)``; -1 if not legal.

    ``addends`` has the shape ``(2, k, 63)``, -1 where an animal cannot stand; ``mirrors`` has the
    shape ``(63,)``.
    """
    n, k = squares.shape
    beyond = addends.shape[2]
    for row in range(n):
        first = squares[row, 0]
        number = -1
        if first < beyond:
            mirrored = 1 if mirrors[first] else 0
            number = 0
            occupied = 0
            for axis in range(k):
                square = squares[row, axis]
                if square >= beyond or occupied >> square & 1:
                    number = -1
                    break
                occupied |= 1 << square
                addend = addends[mirrored, axis, square]
                if addend < 0:
                    number = -1
                    break
                number += addend
        numbers[row] = number


@_kernel
def place_all(numbers, shape, axes, squares, legal):  # type: ignore[no-untyped-def]
    """Fill ``squares``, shape ``(n, k)``, and ``legal``, shape ``(n,)``, from ``numbers``.

    ``axes`` has the shape ``(k, 63)``: the squares of each axis, filled up.
    """
    n, k = squares.shape
    for row in range(n):
        rest = numbers[row]
        occupied = 0
        for back in range(k):
            axis = k - 1 - back
            rest, position = divmod(rest, shape[axis])
            square = axes[axis, position]
            squares[row, axis] = square
            occupied |= 1 << square
        count = 0
        while occupied:
            occupied &= occupied - 1
            count += 1
        legal[row] = count == k
