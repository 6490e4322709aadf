"""Our own FEN, as :mod:`tablebase.game.fen` has it."""

from __future__ import annotations

from tablebase.errors import FenError
from tablebase.game.fen import parse_fen
from tablebase.game.formats.format import Format
from tablebase.game.formats.records import Reading, Written
from tablebase.game.position import Position

__all__ = ["FORMAT", "READING", "fits"]


def _parse(text: str) -> tuple[Position, tuple[str, ...]]:
    return Position.from_fen(text), ()


def fits(text: str) -> bool:
    """Whether ``text`` is a FEN of ours."""
    try:
        parse_fen(text)
    except FenError:
        return False
    return True


def _print(position: Position) -> Written:
    return Written(f"{position.fen()}\n")


FORMAT = Format(
    name="jtb",
    title="our own FEN",
    source="tablebase/game/fen.py",
    fits=fits,
    parse=_parse,
    print=_print,
)

READING = Reading(FORMAT.name, FORMAT.title)
