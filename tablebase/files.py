"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tablebase.errors import ResourceError
from tablebase.resources import free_space, resource_error

__all__ = ["require_space", "whole_file"]


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to be written, which gets its name at the end of the ``with`` block.

    Until then, and if anything is raised, nothing is at ``path`` but what was there before.
    :class:`~tablebase.errors.ResourceError` if the disk or the folder does not allow it.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        try:
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        if error.errno is None:  # not of the system: it has a text of its own
            raise
        raise resource_error(f"cannot write {path}", error, path, writing=True) from error


def require_space(folder: Path, size: int) -> None:
    """:class:`~tablebase.errors.ResourceError` if fewer than ``size`` bytes are free in ``folder``.

    Better now than after an hour; others may still use it up meanwhile.
    """
    free = free_space(folder)
    if size > free:
        raise ResourceError(
            f"about {size:,} bytes are to be written to {folder}, where {free:,} are free",
            "disk",
            path=folder,
            needed=size,
            available=free,
        )
