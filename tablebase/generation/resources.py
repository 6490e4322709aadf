"""What this machine has to offer: cores and memory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["available_memory", "default_memory", "usable_cores"]

_DEFAULT_MEMORY: Final = 6 << 30
_CGROUP: Final = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


def available_memory() -> int:
    """The bytes of memory that can still be had without swapping, as far as the system tells."""
    found = []
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        found.append(int(line.split()[1]) << 10)
    with suppress(OSError, ValueError):  # the limit of a container, if there is one
        limit = int((_CGROUP / "memory.max").read_text("ascii"))
        used = int((_CGROUP / "memory.current").read_text("ascii"))
        found.append(max(limit - used, 0))
    if not found:
        with suppress(OSError, ValueError, AttributeError):
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=_DEFAULT_MEMORY)


def default_memory() -> int:
    """The memory, in bytes, that a run takes if not told otherwise: 6 GiB, or three quarters of
    what is available if that is less."""
    return min(_DEFAULT_MEMORY, available_memory() * 3 // 4)
