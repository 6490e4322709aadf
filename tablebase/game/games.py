"""A game with its record: what may be played by the rules that need one, and how it ended.

A position knows the plies since the last capture, and no more. What depends on the moves before it
is here: the threefold repetition, and the two rules of ``baike`` against moving to and fro. Tables
know nothing of either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from tablebase.game.board import TRAPS, Color
from tablebase.game.moves import drawn_by_limit, finished, legal_moves, play, why_finished
from tablebase.game.position import Move, Position
from tablebase.game.rules import Animal, Rules, load_rules

__all__ = ["Breach", "Game", "HistoryRule", "Reason", "Result", "first_breach"]

HistoryRule = Literal["7-3", "17-5"]
Reason = Literal["den", "no animals", "no moves", "limit", "repetition"]
"""``den``: one was entered. ``no animals``, ``no moves``: a side has none left. ``limit``: as many
plies as the ``no_capture_limit`` took nothing. ``repetition``: a position came up three times."""

_TRAPS: Final = TRAPS[0] | TRAPS[1]
_REPEATED, _REPEATED_SPAN = 3, 7
_ROOM, _ROOM_SPAN = 5, 17


class Result(NamedTuple):
    """How a game ended."""

    winner: Color | None
    """``None``: nobody, it is a draw."""
    reason: Reason


class Breach(NamedTuple):
    """Where a series of moves breaks a rule that needs a record."""

    ply: int
    """Its number in the series, from 1."""
    move: Move
    rule: HistoryRule | Literal["repetition"]
    """The rule that forbids the move, or that ended the game before it."""


class _Made(NamedTuple):
    """A move of the record, and who made it."""

    animal: Animal
    move: Move


class Game:
    """A game from ``position`` (a position or a FEN; default: the start of the game) on.

    What was played before ``position`` is not known and plays no part, but for its counter.
    ``moves`` are played at once; see :meth:`play` for the errors.
    """

    def __init__(
        self,
        position: Position | str | None = None,
        rules: Rules | str = "standard",
        moves: Iterable[Move | str] = (),
    ) -> None:
        self.rules = load_rules(rules) if isinstance(rules, str) else rules
        if position is None:
            position = Position.start()
        elif isinstance(position, str):
            position = Position.from_fen(position)
        position.validate(self.rules)
        self._positions = [position]
        self._moves: list[Move] = []
        for move in moves:
            self.play(move)

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """The position before each move, and the one now."""
        return tuple(self._positions)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played."""
        return tuple(self._moves)

    def __repr__(self) -> str:
        moves = " ".join(map(str, self._moves))
        return f"<Game {self._positions[0].fen()!r} rules={self.rules.name!r} {moves}>"

    def legal_moves(self) -> list[Move]:
        """The moves that may be played, by origin, then target; none if the game is over."""
        if self.result() is not None:
            return []
        forbidden = self.forbidden()
        return [move for move in legal_moves(self.position, self.rules) if move not in forbidden]

    def forbidden(self) -> dict[Move, HistoryRule]:
        """The moves that would be legal but for the moves before them, each with the rule.

        Under ``history`` ``baike``, where a span is the last so many moves of the side to move:

        * ``7-3``: an animal may not enter a square that it entered 3 times in a span of 7, so that
          this would be more than 3; unless an enemy could capture it where it stands now.
        * ``17-5``: if only one animal moved in a span of 17 and entered no more than 5 squares, it
          may enter none of them.

        Neither holds if the side entered a trap, its own or the enemy's, in the span.
        """
        if self.rules.history != "baike":
            return {}
        last = self._moves_of_mover(_ROOM_SPAN)
        lately = last[-_REPEATED_SPAN:]
        room = {made.move.target for made in last}
        kept_in = (
            len(last) == _ROOM_SPAN
            and len({made.animal for made in last}) == 1
            and len(room) <= _ROOM
            and room.isdisjoint(_TRAPS)
        )
        to_and_fro = not any(made.move.target in _TRAPS for made in lately)
        found: dict[Move, HistoryRule] = {}
        for move in legal_moves(self.position, self.rules):
            animal = _animal_on(self.position, move.origin)
            entered = sum((m.animal, m.move.target) == (animal, move.target) for m in lately)
            if to_and_fro and entered >= _REPEATED and not self._is_chased(move.origin):
                found[move] = "7-3"
            elif kept_in and animal is last[0].animal and move.target in room:
                found[move] = "17-5"
        return found

    def result(self) -> Result | None:
        """How the game ended, ``None`` if it goes on.

        What the last move did comes before the ``no_capture_limit``, and that before the third time
        that a position (who stands where, and who is to move) comes up. A side all of whose moves
        are forbidden has none, and loses or draws as ``no_moves`` says.
        """
        position, rules = self.position, self.rules
        outcome = finished(position, rules)
        if outcome is not None:
            return Result(_winner(position.turn, outcome), why_finished(position))
        if drawn_by_limit(position, rules):
            return Result(None, "limit")
        if rules.repetition is not None and self._times() >= rules.repetition:
            return Result(None, "repetition")
        forbidden = self.forbidden()
        if forbidden and len(forbidden) == len(legal_moves(position, rules)):
            lost = -1 if rules.no_moves == "loss" else 0
            return Result(_winner(position.turn, lost), "no moves")
        return None

    def play(self, move: Move | str) -> Result | None:
        """Play ``move``; the result if that ends the game. ``ValueError`` if it is no legal one."""
        move = Move.parse(move) if isinstance(move, str) else move
        result = self.result()
        if result is not None:
            raise ValueError(f"{move} cannot be played: the game is over ({result.reason})")
        if move not in legal_moves(self.position, self.rules):
            raise ValueError(f"{move} is no legal move in {self.position.fen()}")
        rule = self.forbidden().get(move)
        if rule is not None:
            raise ValueError(f"{move} is forbidden by the {rule} rule after the moves before it")
        self._positions.append(play(self.position, move))
        self._moves.append(move)
        return self.result()

    def undo(self) -> Move:
        """Take the last move back, and return it; ``ValueError`` if none was played."""
        if not self._moves:
            raise ValueError("there is no move to take back")
        self._positions.pop()
        return self._moves.pop()

    def _times(self) -> int:
        """How often the position came up, now included."""
        now = self.position
        times = 0
        for before in reversed(self._positions):
            same = (before.white, before.black, before.turn) == (now.white, now.black, now.turn)
            times += same
            if before.counter == 0:  # a capture led to it: nothing before it comes back
                break
        return times

    def _moves_of_mover(self, most: int) -> list[_Made]:
        """The last moves of the side to move, up to ``most``, in the order of play."""
        own = range(len(self._moves) - 2, -1, -2)[:most]
        return [
            _Made(_animal_on(self._positions[ply], self._moves[ply].origin), self._moves[ply])
            for ply in reversed(own)
        ]

    def _is_chased(self, square: int) -> bool:
        """Whether the opponent, if it were to move, could capture what stands on ``square``."""
        now = self.position
        passed = Position.unchecked(now.white, now.black, now.turn.other, now.counter)
        return any(move.target == square for move in legal_moves(passed, self.rules))


def first_breach(position: Position, rules: Rules, moves: Iterable[Move]) -> Breach | None:
    """The first of ``moves``, legal by the positions they lead to, that a game from ``position`` on
    without any record could not have under ``rules``; ``None`` if it could have them all."""
    game = Game(position, rules)
    for ply, move in enumerate(moves, 1):
        rule = game.forbidden().get(move)
        if rule is not None:
            return Breach(ply, move, rule)
        result = game.result()
        if result is not None and result.reason == "repetition":
            return Breach(ply, move, "repetition")
        game.play(move)
    return None


def _animal_on(position: Position, square: int) -> Animal:
    piece = position.piece_at(square)
    assert piece is not None
    return piece[1]


def _winner(mover: Color, outcome: int) -> Color | None:
    if outcome == 0:
        return None
    return mover if outcome > 0 else mover.other
