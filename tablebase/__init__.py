"""Exact endgame tables for Jungle (Dou Shou Qi).

    import tablebase

    with tablebase.open_tablebase("tables") as tb:
        print(tb.probe("7/7/4l2/7/7/7/7/2E4/7 w"))

Names are loaded when they are first used, so that ``import tablebase`` costs nothing.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from tablebase.version import __version__

if TYPE_CHECKING:
    from tablebase.board import Color
    from tablebase.errors import (
        CorruptTableError,
        FenError,
        IllegalPositionError,
        MaterialError,
        MissingTableError,
        ResourceError,
        RulesError,
        TablebaseError,
    )
    from tablebase.game import Game
    from tablebase.generate import generate
    from tablebase.material import Material
    from tablebase.position import Move, Position
    from tablebase.probe import MoveValue, Probe, Probes, Tablebase, open_tablebase
    from tablebase.rules import RULE_SETS, Animal, Rules
    from tablebase.verify import verify

__all__ = [
    "RULE_SETS",
    "Animal",
    "Color",
    "CorruptTableError",
    "FenError",
    "Game",
    "IllegalPositionError",
    "Material",
    "MaterialError",
    "MissingTableError",
    "Move",
    "MoveValue",
    "Position",
    "Probe",
    "Probes",
    "ResourceError",
    "Rules",
    "RulesError",
    "Tablebase",
    "TablebaseError",
    "__version__",
    "generate",
    "open_tablebase",
    "verify",
]

_HOMES: Final = {
    "board": ("Color",),
    "errors": (
        "CorruptTableError",
        "FenError",
        "IllegalPositionError",
        "MaterialError",
        "MissingTableError",
        "ResourceError",
        "RulesError",
        "TablebaseError",
    ),
    "game": ("Game",),
    "generate": ("generate",),
    "material": ("Material",),
    "position": ("Move", "Position"),
    "probe": ("MoveValue", "Probe", "Probes", "Tablebase", "open_tablebase"),
    "rules": ("RULE_SETS", "Animal", "Rules"),
    "verify": ("verify",),
}
"""The public names, by the module in which they are."""
_HOME_OF: Final = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_HOME_OF[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """This package. Where a public name is that of a module too, it means the function in it,
    also after the module was imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _HOME_OF and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
