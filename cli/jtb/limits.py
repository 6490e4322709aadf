"""Memory that the libraries need to be loaded: where they lack it they end the process, with an
exit code of their own and no word that helps."""

from __future__ import annotations

import mmap
from typing import Final

__all__ = ["KERNELS", "TABLES", "require_memory"]

TABLES: Final = 96 << 20
"""Bytes that it takes to read tables: numpy."""
KERNELS: Final = 512 << 20
"""Bytes that it takes to make and check them: numba, and LLVM with what it compiles."""


def require_memory(size: int) -> None:
    """``MemoryError`` if the process may not have ``size`` more bytes. It takes none of them."""
    if size == 0:
        return
    try:
        mmap.mmap(-1, size).close()
    except OSError as error:
        raise MemoryError from error
