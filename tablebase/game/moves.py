"""Legal moves, playing them, and counting them, in plain Python from the rules' two questions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from tablebase.game.board import DENS, SQUARES, Color
from tablebase.game.fen import MAX_COUNTER
from tablebase.game.position import Move, Position
from tablebase.game.rules import Animal, Edge, Rules

__all__ = [
    "captured",
    "divide",
    "drawn_by_limit",
    "finished",
    "follow",
    "legal_moves",
    "perft",
    "play",
    "why_finished",
]

_OTHER: Final = (Color.BLACK, Color.WHITE)


class _Way(NamedTuple):
    """An edge, with everything about it that the rules decide before the pieces are known."""

    move: Move
    target: int
    captures: tuple[bool, ...]
    """Whether it may take the animal of that number (the number 0 is no animal)."""
    stopped_by_own: tuple[int, ...]
    stopped_by_enemy: tuple[int, ...]
    """Squares on which a swimmer of the one or the other side stops it."""


def legal_moves(position: Position, rules: Rules) -> list[Move]:
    """The legal moves of the side to move, by origin, then target, in board order (a1, b1 … g9).

    Empty once a den was entered, or if the side to move has no animals. A *winner* to move, whose
    opponent has no animals left, can arise only by setting up such a board; it gets the moves its
    animals would have, so that a board with one animal shows how it goes. :func:`finished` tells.
    A ``no_capture_limit`` ends a game but makes no move illegal: see :func:`drawn_by_limit`.
    """
    color = position.turn
    if color:
        side, opponents = position.black, position.white
    else:
        side, opponents = position.white, position.black
    own = {square for _, square in side}
    enemy = {square: animal for animal, square in opponents}
    if DENS[1 - color] in own or DENS[color] in enemy:
        return []
    ways = _ways(rules)[color]
    moves = []
    for animal, origin in side:
        for move, target, captures, stopped_by_own, stopped_by_enemy in ways[animal][origin]:
            if target in own or (target in enemy and not captures[enemy[target]]):
                continue
            if stopped_by_own and not own.isdisjoint(stopped_by_own):
                continue
            if stopped_by_enemy and any(square in enemy for square in stopped_by_enemy):
                continue
            moves.append(move)
    moves.sort()
    return moves


def captured(position: Position, move: Move) -> Animal | None:
    """The enemy animal on the square that ``move`` enters, or ``None``."""
    opponents = position.white if position.turn else position.black
    return next((animal for animal, square in opponents if square == move.target), None)


def play(position: Position, move: Move) -> Position:
    """The position after ``move``; its counter is one more, or 0 after a capture.

    Whether the move is legal is for :func:`legal_moves` to say; ``ValueError`` only where the side
    to move has no animal on the square left, or has one on the square entered.
    """
    origin, target = move
    color = position.turn
    if color:
        side, opponents = position.black, position.white
    else:
        side, opponents = position.white, position.black
    moved = tuple([(a, target if square == origin else square) for a, square in side])
    if moved == side or any(square == target for _, square in side):
        raise ValueError(f"{move} is no move in {position.fen()}")
    left = tuple([piece for piece in opponents if piece[1] != target])
    counter = 0 if len(left) < len(opponents) else min(position.counter + 1, MAX_COUNTER)
    if color:
        return Position.unchecked(left, moved, Color.WHITE, counter)
    return Position.unchecked(moved, left, Color.BLACK, counter)


def follow(position: Position, moves: Iterable[Move], rules: Rules) -> tuple[Position, int]:
    """Play ``moves`` up to the first that is not legal: the position then, and how many they were.

    The same as :func:`legal_moves` and :func:`play` in turn, but it looks at no other move: records
    of games are read with it.
    """
    color = position.turn
    roads = [ways.by_move for ways in _ways(rules)]
    white = {square: animal for animal, square in position.white}
    black = {square: animal for animal, square in position.black}
    own, enemy = (black, white) if color else (white, black)
    over = DENS[1] in white or DENS[0] in black
    played, since_capture = 0, position.counter
    for move in moves:
        origin, target = move
        animal = own.get(origin)
        if over or animal is None or target in own:
            break
        way = roads[color][animal].get(move)
        if way is None or (target in enemy and not way.captures[enemy[target]]):
            break
        if way.stopped_by_own and not own.keys().isdisjoint(way.stopped_by_own):
            break
        if way.stopped_by_enemy and not enemy.keys().isdisjoint(way.stopped_by_enemy):
            break
        del own[origin]
        own[target] = animal
        since_capture = 0 if enemy.pop(target, None) else since_capture + 1
        played += 1
        color = _OTHER[color]
        own, enemy = enemy, own
        over = target in DENS
    last = Position.unchecked(
        tuple(sorted([(animal, square) for square, animal in white.items()], reverse=True)),
        tuple(sorted([(animal, square) for square, animal in black.items()], reverse=True)),
        color,
        min(since_capture, MAX_COUNTER),
    )
    return last, played


def finished(position: Position, rules: Rules) -> int | None:
    """The result for the side to move if the game is over: 1 won, 0 drawn, -1 lost; else ``None``.

    It is over when a den was entered, a side has no animals, or there is no legal move; the
    ``no_capture_limit``, which looks at the counter only, is left to :func:`drawn_by_limit`.
    """
    color = position.turn
    side, opponents = position.white, position.black
    if color:
        side, opponents = opponents, side
    if not opponents or any(square == DENS[1 - color] for _, square in side):
        return 1
    if not side or any(square == DENS[color] for _, square in opponents):
        return -1
    if not legal_moves(position, rules):
        return 0 if rules.no_moves == "draw" else -1
    return None


def why_finished(position: Position) -> Literal["den", "no animals", "no moves"]:
    """What ended the game in ``position``, where it is over by :func:`finished`: an animal in the
    enemy den, a side without animals, or a side to move without moves."""
    if not position.white or not position.black:
        return "no animals"
    sides = zip(Color, (position.white, position.black), strict=True)
    if any(square == DENS[color.other] for color, side in sides for _, square in side):
        return "den"
    return "no moves"


def drawn_by_limit(position: Position, rules: Rules) -> bool:
    """Whether the ``no_capture_limit`` has ended the game: as many plies passed without a capture.

    A game that the last of them finished (:func:`finished`) is not drawn by the limit.
    """
    limit = rules.no_capture_limit
    return limit is not None and position.counter >= limit and finished(position, rules) is None


def perft(position: Position, depth: int, rules: Rules) -> int:
    """The number of lines of exactly ``depth`` plies; a game that ends earlier counts as none."""
    if depth < 0:
        raise ValueError(f"a depth is 0 or more plies; {depth} is not")
    if depth == 0:
        return 1
    limit = rules.no_capture_limit
    if limit is not None and position.counter >= limit:
        return 0
    moves = legal_moves(position, rules)
    if depth == 1:
        return len(moves)
    return sum(perft(play(position, move), depth - 1, rules) for move in moves)


def divide(position: Position, depth: int, rules: Rules) -> dict[Move, int]:
    """:func:`perft` of ``depth``, 1 ply or more, split by the first move."""
    if depth < 1:
        raise ValueError(f"a depth to divide is 1 or more plies; {depth} is not")
    if drawn_by_limit(position, rules):
        return {}
    return {
        move: perft(play(position, move), depth - 1, rules) for move in legal_moves(position, rules)
    }


class _Ways(dict[Animal, tuple[tuple[_Way, ...], ...]]):
    """By animal, every way to go from each square; made when an animal is first asked for."""

    def __init__(self, rules: Rules, color: Color) -> None:
        self._rules = rules
        self._color = color
        self.by_move = _ByMove(self)

    def __missing__(self, animal: Animal) -> tuple[tuple[_Way, ...], ...]:
        ways: list[list[_Way]] = [[] for _ in range(SQUARES)]
        for edge in self._rules.edges(animal, self._color):
            ways[edge.origin].append(_way(self._rules, animal, self._color, edge))
        self[animal] = found = tuple(tuple(from_here) for from_here in ways)
        return found


class _ByMove(dict[Animal, dict[Move, _Way]]):
    """By animal, its ways by the move that each is."""

    def __init__(self, ways: _Ways) -> None:
        self._ways = ways

    def __missing__(self, animal: Animal) -> dict[Move, _Way]:
        self[animal] = found = {way.move: way for ways in self._ways[animal] for way in ways}
        return found


@lru_cache(maxsize=32)
def _ways(rules: Rules) -> tuple[_Ways, _Ways]:
    return _Ways(rules, Color.WHITE), _Ways(rules, Color.BLACK)


def _way(rules: Rules, animal: Animal, color: Color, edge: Edge) -> _Way:
    other = _OTHER[color]
    return _Way(
        Move(edge.origin, edge.target),
        edge.target,
        (False, *(rules.may_capture(animal, color, defender, edge) for defender in Animal)),
        edge.water if rules.blocks_jump(color, color) else (),
        edge.water if rules.blocks_jump(other, color) else (),
    )
