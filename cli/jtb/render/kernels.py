"""Where compiled kernels are kept, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jtb.render.text import size

if TYPE_CHECKING:
    from tablebase.jit import KernelCacheState

__all__ = ["kernel_note", "kernels_text"]


def kernel_note(state: KernelCacheState) -> str | None:
    """What is to be said after a command that compiled kernels and could not keep them."""
    if state.reason is None or not state.compiled:
        return None
    return (
        f"{state.compiled} kernels were compiled, and will be again in the next run, since they"
        f" cannot be kept: {state.reason} (JTB_CACHE names another folder)"
    )


def kernels_text(state: KernelCacheState) -> str:
    """Where compiled kernels are kept, and how much that is."""
    kept = f"{state.directory} ({size(state.size)})" if state.directory else "not kept"
    return kept if state.reason is None else f"{kept}: {state.reason}"
