"""The folder of compiled kernels on disk: where it is, whose it is, whole files or none.

What is in it is executed, so a folder that belongs to somebody else is not used, nor one that
others may write to, and a file counts only if it is exactly what was written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs

__all__ = ["KernelCacheState", "KernelFolder"]

_SUFFIX: Final = ".kernel"
_PART: Final = ".part"
_DIGEST_SIZE: Final = 32
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_FORGOTTEN: Final = 90 * 24 * 3600.0
"""Seconds after which a folder that nobody uses any more is removed."""


class KernelCacheState(NamedTuple):
    """Where compiled kernels are kept, and what the process has had from there."""

    directory: Path | None
    """``None`` if nothing is kept, for the ``reason``."""
    reason: str | None
    """Why kernels are not kept, or not all of them; ``None`` if all is well."""
    size: int
    """Bytes in the folder."""
    loaded: int
    """How many kernels came from it."""
    compiled: int
    """How many had to be compiled."""
    damaged: int
    """How many of its files were no good, and were removed."""


class KernelFolder:
    """The kernels of one version on one machine. No method raises an ``OSError``."""

    def __init__(self, directory: Path | None, reason: str | None = None) -> None:
        self.directory = directory
        self.reason = reason
        self.loaded = self.compiled = self.damaged = 0

    @classmethod
    def open(cls, name: Callable[[], str]) -> KernelFolder:
        """The folder of that name at the place for caches, made if need be."""
        above: Path | None = None
        try:
            above = _place() / "kernels"
            above.parent.mkdir(parents=True, exist_ok=True)
            above.mkdir(mode=0o700, exist_ok=True)
            if reason := _distrust(above):
                return cls(None, reason)
            directory = above / name()
            if not directory.is_dir():
                directory.mkdir(mode=0o700, exist_ok=True)
                _clear_away(above)
            with suppress(OSError):
                os.utime(directory)
        except OSError as error:
            return cls(None, _sentence(error, above))
        return cls(directory)

    def read(self, name: str) -> bytes | None:
        """What was written under ``name``; ``None`` if nothing was, or it is damaged."""
        if self.directory is None:
            return None
        try:
            content = (self.directory / f"{name}{_SUFFIX}").read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            self.discard(name)
            return None
        payload = content[_DIGEST_SIZE:]
        if content[:_DIGEST_SIZE] != _digest(payload):
            self.discard(name)
            return None
        return payload

    def write(self, name: str, payload: bytes) -> None:
        """Keep ``payload`` under ``name``; after a failure nothing more is tried."""
        if self.directory is None or self.reason is not None:
            return
        part: Path | None = None
        try:
            handle, created = tempfile.mkstemp(_PART, f"{name}.", self.directory)
            part = Path(created)
            with os.fdopen(handle, "wb") as file:
                file.write(_digest(payload) + payload)
            part.replace(self.directory / f"{name}{_SUFFIX}")
        except OSError as error:
            self.give_up(_sentence(error, self.directory))
        finally:
            # After a failure or an interruption; else it has its name by now.
            if part is not None:
                with suppress(OSError):
                    part.unlink()

    def discard(self, name: str) -> None:
        """Remove what is no good, whatever it is."""
        assert self.directory is not None
        self.damaged += 1
        path = self.directory / f"{name}{_SUFFIX}"
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            self.give_up(_sentence(error, path))

    def give_up(self, reason: str) -> None:
        """Keep no more kernels in this process."""
        self.reason = self.reason or reason

    def state(self) -> KernelCacheState:
        """What :class:`KernelCacheState` says."""
        size = 0
        if self.directory is not None:
            with suppress(OSError):
                size = sum(entry.stat().st_size for entry in os.scandir(self.directory))
        return KernelCacheState(
            self.directory, self.reason, size, self.loaded, self.compiled, self.damaged
        )


def _place() -> Path:
    """The user's folder for what jtb can make again; ``OSError`` if there is none."""
    if chosen := os.environ.get("JTB_CACHE"):
        return Path(chosen).absolute()
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen).absolute() / "jtb"
    no_home = FileNotFoundError("there is no home folder, and so no place for a cache")
    try:
        place = platformdirs.user_cache_path("jtb", appauthor=False)
    except RuntimeError:
        raise no_home from None
    # Older versions of platformdirs leave the ~ where it is.
    if not place.is_absolute():
        raise no_home
    return place


def _distrust(folder: Path) -> str | None:
    """Why code from ``folder`` may not be executed; ``None`` if it may."""
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is a link, not a folder"
    if os.name == "posix":
        if status.st_uid != os.geteuid():
            return f"{folder} belongs to another user"
        if status.st_mode & _OTHERS_WRITE:
            return f"others may write to {folder}"
    return None


def _clear_away(above: Path) -> None:
    """Remove folders, of other versions or machines, that were not used for long."""
    with suppress(OSError):
        for entry in os.scandir(above):
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > _FORGOTTEN:
                shutil.rmtree(entry.path, ignore_errors=True)


def _sentence(error: OSError, path: Path | None) -> str:
    if error.errno is None:
        return str(error)
    return f"{error.filename or path}: {error.strerror}"


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=_DIGEST_SIZE).digest()
