"""What is said to the engine misty-jungle: lines ``position fen <FEN> reps <FEN>;<FEN>``.

Read in misty-jungle, ``jungle_rust/src/engine.rs`` and ``jungle-engine/src/main.rs`` (4108f20).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tablebase.errors import AmbiguousError, FormatError
from tablebase.game.formats import mistboard
from tablebase.game.formats.fens import fields_of
from tablebase.game.formats.format import Format
from tablebase.game.position import Position

__all__ = ["FORMAT", "refuse_moves"]

_NAME: Final = "misty-jungle"
_POSITION: Final = re.compile(r"\s*position\s+fen\s+")
_COMMAND: Final = re.compile(r"\s*(?:uci|isready|ucinewgame|position|go|quit)\b")
_PARTS: Final = re.compile(r"\s(reps|moves)(?=\s|$)")


def _parse(text: str) -> tuple[Position, tuple[str, ...]]:
    """The position of a command ``position fen``, or of the FEN alone."""
    fen, *parts = _PARTS.split(_POSITION.sub("", text, count=1))
    words = parts[::2]
    board, *rest = fields_of(fen)
    if len(rest) > 3:
        raise FormatError("after the FEN only reps can follow")
    notes: tuple[str, ...] = ()
    if rest and rest[0] not in ("r", "w", "b"):
        notes = (f"any turn but b is red there: {rest[0][:20]!r} is our White",)
        rest[0] = "r"
    position, more = mistboard.parse(" ".join([board, *rest]))
    if "moves" in words:
        more += ("the moves are left out, as that engine ignores them",)
    if "reps" in words:
        seen = sum(bool(fen.strip()) for fen in parts[parts.index("reps") + 1].split(";"))
        more += (f"{seen} positions seen twice before are left out",)
    return position, notes + more


def refuse_moves(text: str) -> None:
    """``AmbiguousError`` if moves follow the FEN: this engine ignores them, others play them."""
    if "moves" in _PARTS.split(text)[1::2]:
        raise AmbiguousError(
            "moves follow the FEN",
            ((_NAME, "the position before them"), ("UCI of others", "the position after them")),
        )


def _fits(text: str) -> bool:
    return mistboard.fits(_PARTS.split(_POSITION.sub("", text, count=1))[0])


def _sniff(head: Sequence[str]) -> bool:
    lines = [line for line in head if line.strip()]
    return any(_POSITION.match(line) for line in lines) and all(map(_COMMAND.match, lines))


FORMAT = Format(
    name=_NAME,
    title="a position for misty-jungle",
    source="misty-jungle, jungle_rust/src/engine.rs, jungle-engine/src/main.rs",
    mirrored=True,
    rules=mistboard.RULES,
    sniff=_sniff,
    fits=_fits,
    parse=_parse,
    print=mistboard.print_position,
)
