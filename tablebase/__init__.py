"""Exact endgame tables for Jungle (Dou Shou Qi).

    import tablebase

    with tablebase.open_tablebase("tables") as tb:
        print(tb.probe("7/7/4l2/7/7/7/7/2E4/7 w"))

Names are loaded when they are first used, so that ``import tablebase`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from tablebase.version import __version__

if TYPE_CHECKING:
    from tablebase.errors import (
        AmbiguousError,
        CorruptTableError,
        FenError,
        FormatError,
        IllegalPositionError,
        MaterialError,
        MissingTableError,
        ResourceError,
        RulesError,
        TablebaseError,
    )
    from tablebase.game.board import Color
    from tablebase.game.games import Game
    from tablebase.game.position import Move, Position
    from tablebase.game.rules import RULE_SETS, Animal, Rules
    from tablebase.generation import generate
    from tablebase.materials.material import Material
    from tablebase.probe import MoveValue, Probe, Probes, Tablebase, open_tablebase
    from tablebase.verification import verify

__all__ = [
    "RULE_SETS",
    "AmbiguousError",
    "Animal",
    "Color",
    "CorruptTableError",
    "FenError",
    "FormatError",
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
    "game.board": ("Color",),
    "errors": (
        "AmbiguousError",
        "CorruptTableError",
        "FenError",
        "FormatError",
        "IllegalPositionError",
        "MaterialError",
        "MissingTableError",
        "ResourceError",
        "RulesError",
        "TablebaseError",
    ),
    "game.games": ("Game",),
    "generation": ("generate",),
    "materials.material": ("Material",),
    "game.position": ("Move", "Position"),
    "probe": ("MoveValue", "Probe", "Probes", "Tablebase", "open_tablebase"),
    "game.rules": ("RULE_SETS", "Animal", "Rules"),
    "verification": ("verify",),
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
