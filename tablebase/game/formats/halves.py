"""Moves that come in two halves, the square left and the square entered, as KataGo plays them."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablebase.game.board import SQUARE_NAMES, Color
from tablebase.game.formats.format import Place
from tablebase.game.formats.records import Ending
from tablebase.game.position import Move

__all__ = ["Halves"]


@dataclass
class Halves:
    """The halves of a game as they come."""

    place: Place
    turn: Color
    """The side whose half is next."""
    moves: list[Move] = field(default_factory=list)
    origin: int | None = None
    """The first half of the move that is being made."""
    passed: bool = False

    @property
    def ply(self) -> int:
        """The number of the move that is being made."""
        return len(self.moves) + 1

    def take(self, color: Color | None, square: int | None, name: str) -> None:
        """The next half, of ``color`` if the record says; no square is a pass."""
        if self.passed:
            raise self.place.error("a move after a pass, which ends the game", ply=self.ply)
        if color is not None and color is not self.turn:
            side = "the same side" if self.origin is not None else "the other side"
            raise self.place.error(f"it is {side}'s half of a move", ply=self.ply, field=name)
        if square is None:
            self.passed = True
        elif self.origin is None:
            self.origin = square
        else:
            self.moves.append(Move(self.origin, square))
            self.origin = None
            self.turn = self.turn.other

    def undo(self) -> None:
        """Take the last half back."""
        if self.passed:
            self.passed = False
        elif self.origin is not None:
            self.origin = None
        elif self.moves:
            self.origin = self.moves.pop().origin
            self.turn = self.turn.other
        else:
            raise self.place.error("there is nothing to take back")

    def finish(self, result: Ending | None) -> tuple[tuple[str, ...], Ending | None]:
        """What a reader should know, and the result where a pass ended the game."""
        notes: tuple[str, ...] = ()
        if self.origin is not None:
            notes = (f"the last half of a move, from {SQUARE_NAMES[self.origin]}, is left out",)
        if not self.passed:
            return notes, result
        by_pass = Ending(self.turn.other, "pass")
        if result is None:
            return notes, by_pass
        if result.winner is not by_pass.winner:
            notes += (
                f"{self.turn.name.capitalize()} passed, which loses; the record says otherwise",
            )
            return notes, result
        return notes, result if result.reason is not None else by_pass
