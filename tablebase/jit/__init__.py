"""How kernels are compiled, and how what was compiled is kept for the next process.

A *kernel* is a function that numba compiles for the machine at hand; a *part* is compiled into each
kernel that calls it. This is the only package that knows numba, and it knows nothing of Jungle.
"""

from __future__ import annotations

from tablebase.jit.decorators import allocating_kernel, kernel, part
from tablebase.jit.intrinsics import copy_eight, fetch, popcount
from tablebase.jit.kernel_cache import kernel_cache_state
from tablebase.jit.kernel_folder import KernelCacheState

__all__ = [
    "KernelCacheState",
    "allocating_kernel",
    "copy_eight",
    "fetch",
    "kernel",
    "kernel_cache_state",
    "part",
    "popcount",
]
