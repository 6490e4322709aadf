"""What this machine has to offer, cores, memory and disk, and what it says where it has no more."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from tablebase.errors import ResourceError, Shortage

__all__ = [
    "available_memory",
    "default_memory",
    "free_space",
    "resource_error",
    "usable_cores",
]

_DEFAULT_MEMORY: Final = 6 << 30

_MEANINGS: Final[dict[int, tuple[str, Shortage]]] = {
    errno.ENOSPC: ("the disk is full", "disk"),
    getattr(errno, "EDQUOT", -1): ("the disk quota is used up", "disk"),
    errno.EFBIG: ("the system does not allow so large a file (see `ulimit -f`)", "system"),
    errno.EACCES: ("permission is denied", "permission"),
    errno.EPERM: ("permission is denied", "permission"),
    errno.EROFS: ("it is on a read-only file system", "permission"),
    errno.ENOTDIR: ("a part of the path is no folder", "folder"),
    errno.EEXIST: ("a part of the path is no folder", "folder"),
    errno.EISDIR: ("a folder has that name", "folder"),
    errno.EMFILE: ("too many files are open (see `ulimit -n`)", "files"),
    errno.ENFILE: ("too many files are open on this machine", "files"),
    errno.ENOMEM: ("the memory does not suffice", "memory"),
}


def resource_error(
    what: str, error: OSError, path: Path | None = None, *, writing: bool = False
) -> ResourceError:
    """``error`` as one sentence that begins with ``what``; ``path`` is what it is about.

    Where one may not write, another ``folder`` is what is wanted.
    """
    reason, shortage = _MEANINGS.get(
        error.errno or 0, (error.strerror or str(error) or type(error).__name__, "system")
    )
    if writing and shortage == "permission":
        shortage = "folder"
    return ResourceError(f"{what}: {reason}", shortage, path=path)


def usable_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


def available_memory() -> int:
    """The bytes of memory that can still be had without swapping, as far as the system tells.

    Within a container, what its limit leaves: memory in use less file cache that can be dropped.
    """
    import psutil  # only making and checking tables needs it

    found = [psutil.virtual_memory().available]
    if os.name == "posix":
        from tablebase.cgroups import container_memory

        found += container_memory()
    return max(min(found), 0)


def default_memory() -> int:
    """The memory, in bytes, that a run takes if not told otherwise: 6 GiB, or three quarters of
    what is available if that is less."""
    return min(_DEFAULT_MEMORY, available_memory() * 3 // 4)


def free_space(directory: Path) -> int:
    """The bytes that are free for ``directory``, which need not exist yet; :class:`ResourceError`
    if that cannot be known."""
    import shutil

    directory = directory.absolute()
    for place in (directory, *directory.parents):
        try:
            return shutil.disk_usage(place).free
        except FileNotFoundError:
            continue
        except OSError as error:
            what = f"cannot use the folder {directory}"
            raise resource_error(what, error, directory) from error
    raise ResourceError(
        f"cannot use the folder {directory}: nothing of its path exists", "folder", path=directory
    )
