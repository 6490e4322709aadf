"""The decorators of whatever is compiled: the one place that sets numba's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numba

from tablebase.jit.kernel_cache import KernelCache

__all__ = ["allocating_kernel", "kernel", "part"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
}
"""``NUMBA_BOUNDSCHECK=1`` in the environment has the last word on bounds."""
_NO_COUNTS: Final[dict[str, Any]] = {"_nrt": False}


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, keep the result on disk, and run it without the GIL.

    Kernels get every table as an argument: a constant of another module that changes is not
    noticed. They allocate nothing: without numba's reference counts, whose atomic operations cost
    as much as the work on a row of words, they cannot.
    """
    return _kept(function, _OPTIONS | _NO_COUNTS)


def allocating_kernel(function: F) -> F:
    """The same for a kernel that makes arrays of its own."""
    return _kept(function, _OPTIONS)


def part(function: F) -> F:
    """Compile ``function`` into each kernel that calls it.

    Handing tuples of arrays to a function of its own costs as much as the work on a row.
    """
    compiled: F = numba.njit(inline="always", **_OPTIONS, **_NO_COUNTS)(function)
    return compiled


def _kept(function: F, options: dict[str, Any]) -> F:
    compiled: Any = numba.njit(**options)(function)
    # In place of what cache=True would put there.
    compiled._cache = KernelCache(function)  # noqa: SLF001
    kept: F = compiled
    return kept
