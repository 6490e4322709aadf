"""What ``jtb --version`` says, and with ``-v`` what a report of a fault should have with it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tablebase.version import __version__

__all__ = ["about"]

_LIBRARIES: Final = ("numpy", "numba", "llvmlite", "h5py", "click")


def about(data_dir: Path | None) -> str:
    """The version; with ``data_dir`` also what it runs on and where things are, a line each."""
    head = f"jtb {__version__}"
    if data_dir is None:
        return head
    import platform
    import sys

    import tablebase
    from jtb.render.kernels import kernels_text
    from tablebase.jit import kernel_cache_state

    facts = {
        "installed in": Path(tablebase.__file__).parents[1],
        "Python": f"{platform.python_version()}, {sys.executable}",
        **{name: _version_of(name) for name in _LIBRARIES},
        "platform": f"{platform.platform()}, {platform.machine()}",
        "tables": f"{data_dir}{'' if data_dir.is_dir() else ' (not there yet)'}",
        "compiled kernels": kernels_text(kernel_cache_state()),
    }
    return "\n".join((head, *(f"{name}: {value}" for name, value in facts.items())))


def _version_of(library: str) -> str:
    """The version that is installed; nothing is imported for it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
