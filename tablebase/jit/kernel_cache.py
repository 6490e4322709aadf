"""What numba compiled, kept for the next process: the key of a kernel and its content.

Numba's own cache lies beside the source or in a folder of numba's, fails where it cannot write,
notices no edit of another module, and takes a damaged file for its own. This one stands in its
place. It keeps one file for each kernel and signature, in a folder that is used for one state of
everything that a kernel is made of; see :func:`fingerprint`.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

import llvmlite
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from tablebase.jit.kernel_folder import KernelCacheState, KernelFolder
from tablebase.version import __version__

__all__ = ["KernelCache", "fingerprint", "kernel_cache_state"]

_PACKAGE, _HERE, _ = __name__.split(".")
_MARK: Final = f"{_PACKAGE}.{_HERE}".encode()
"""In the text of whoever imports this package, as all that have kernels or parts do."""
_NO_MATTER: Final = frozenset(("NUMBA_CACHE_DIR", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS"))
"""Settings of numba that change no code."""


class KernelCache(NullCache):
    """The results of compiling one function; numba asks for them and hands them over.

    Nothing that goes wrong here ends a program: what cannot be read is compiled anew, and what
    cannot be kept is said in :func:`kernel_cache_state`.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

    @property
    def cache_path(self) -> str | None:
        """The folder, if there is one."""
        directory = _folder().directory
        return None if directory is None else str(directory)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The kernel for the types ``sig``, or ``None`` if it has to be compiled."""
        folder, name = _folder(), self._file_name(sig)
        content = folder.read(name)
        if content is None:
            return None
        target_context.refresh()
        try:
            kept, state = pickle.loads(content)
            if kept != sig:
                return None
            result: CompileResult = CompileResult._rebuild(target_context, *state)  # noqa: SLF001
        except Exception:
            # The bytes are those that were written, and still they are no kernel.
            folder.discard(name)
            return None
        folder.loaded += 1
        return result

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep a kernel that was compiled just now."""
        folder = _folder()
        folder.compiled += 1
        try:
            content = dumps((sig, data._reduce()))  # noqa: SLF001
        except Exception as error:
            folder.give_up(f"numba cannot write down {self._name} ({type(error).__name__})")
            return
        folder.write(self._file_name(sig), content)

    def _file_name(self, sig: Any) -> str:
        return f"{self._name}-{_digest(str(sig))[:16]}"


def kernel_cache_state() -> KernelCacheState:
    """Where compiled kernels are kept, and what this process has had from there so far."""
    return _folder().state()


def fingerprint() -> str:
    """A name for the state of everything that a compiled kernel is made of.

    That is the version, the text of every module with kernels or parts, numba and what is below
    it, numba's settings, Python, and the processor with its features.
    """
    settings = {k: v for k, v in os.environ.items() if k.startswith("NUMBA_")}
    facts = (
        sys.implementation.cache_tag,
        sys.abiflags if hasattr(sys, "abiflags") else "",
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        cpu_target.target_context.codegen().magic_tuple(),
        sorted((k, v) for k, v in settings.items() if k not in _NO_MATTER),
        [(name, _digest(text)) for name, text in sorted(_sources(files(_PACKAGE), ""))],
    )
    return f"{__version__}-{_digest(repr(facts))[:24]}"


@functools.cache
def _folder() -> KernelFolder:
    """The folder of this process, opened when the first kernel is called."""
    return KernelFolder.open(fingerprint)


def _sources(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    """Name and text of the modules in ``folder`` that may have kernels or parts of them."""
    for entry in folder.iterdir():
        name = f"{above}{entry.name}"
        if entry.name.endswith(".py"):
            text = entry.read_bytes()
            if _MARK in text or above == f"{_HERE}/":
                yield name, text
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry, f"{name}/")


def _digest(content: str | bytes) -> str:
    if isinstance(content, str):
        content = content.encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()
