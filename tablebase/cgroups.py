"""The memory limits of Linux containers: control groups, version 1 and 2, nested ones too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

__all__ = ["container_memory"]

_ROOT = Path("/")
_NO_LIMIT = 1 << 60
"""Version 1 says "no limit" by a number near 2^63."""


def container_memory(root: Path = _ROOT) -> list[int]:
    """What each memory limit that this process is under leaves of it, in bytes.

    In use counts without the file cache that is inactive, which the kernel drops when it is short
    of memory. ``root`` is where the file systems ``proc`` and ``sys`` are found.
    """
    found = []
    for folder, limit_file, usage_file, inactive in _groups(root):
        with suppress(OSError, ValueError):
            limit = int((folder / limit_file).read_text("ascii"))
            if limit >= _NO_LIMIT:
                continue
            used = int((folder / usage_file).read_text("ascii"))
            found.append(max(limit - max(used - _inactive_file(folder, inactive), 0), 0))
    return found


def _groups(root: Path) -> Iterator[tuple[Path, str, str, str]]:
    """The groups of this process, each with all that it is nested in: their folder, the names of
    the files of limit and usage, and of the line of the cache that can be dropped."""
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        lines = ["0::/"]
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if number == "0" and not controllers:
            base = root / "sys/fs/cgroup"
            names = "memory.max", "memory.current", "inactive_file"
            if not (base / "cgroup.controllers").exists():
                base /= "unified"
        elif "memory" in controllers.split(","):
            base = root / "sys/fs/cgroup/memory"
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        # Within a container the root may be mounted at the group itself: then the path is not there
        # and the limit is at the root, which is looked at in any case.
        path = PurePosixPath("/", name)
        if ".." in path.parts:  # of another namespace: its place is not to be seen from here
            path = PurePosixPath("/")
        for place in (path, *path.parents):
            folder = base.joinpath(*place.parts[1:])
            if folder.is_dir():
                yield folder, *names


def _inactive_file(folder: Path, key: str) -> int:
    """The bytes of file cache in a group that can be dropped."""
    with suppress(OSError, ValueError):
        for line in (folder / "memory.stat").read_text("ascii").splitlines():
            name, _, value = line.partition(" ")
            if name == key:
                return int(value)
    return 0
