"""Where compiled kernels are kept, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablebase.jit import KernelCacheState

__all__ = ["kernel_note", "versions_text"]


def kernel_note(state: KernelCacheState) -> str | None:
    """What is to be said after a command that compiled kernels and could not keep them."""
    if state.reason is None or not state.compiled:
        return None
    return (
        f"{state.compiled} kernels were compiled, and will be again in the next run, since they"
        f" cannot be kept: {state.reason} (JTB_CACHE names another folder)"
    )


def versions_text(state: KernelCacheState) -> str:
    """What the command runs on, and its cache."""
    import platform
    from importlib.metadata import version

    kept = f"{state.directory} ({state.size / 2**20:.1f} MiB)" if state.directory else "not kept"
    if state.reason is not None:
        kept += f": {state.reason}"
    return (
        f"Python {platform.python_version()}, numba {version('numba')},"
        f" llvmlite {version('llvmlite')}, numpy {version('numpy')}\n"
        f"compiled kernels: {kept}"
    )
