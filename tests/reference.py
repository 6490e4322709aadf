"""A slow and obvious solver in plain Python: the truth for materials of two and three animals.

It shares nothing with the fast path but ``tablebase.game.board`` and ``tablebase.game.rules``: it
has its own placements, move generator and bookkeeping, and knows no classes, mirror, bit boards or
files.

A *state* is a tuple: the squares of White's animals, then of Black's, in the order in which the
material was given, then the side to move. Outcomes are 1, 0, -1 (won, drawn, lost), for the side to
move; distances are plies. What the rules leave to interpretation is decided so:

* Entering the enemy den and taking the last enemy animal win with that ply. To have no legal move
  is to have lost (or drawn, as ``no_moves`` says) with 0 plies to go.
* With a ``no_capture_limit`` of N the game is drawn once N plies in a row took nothing. A game that
  ended *with* the Nth ply has ended as it did: by a den entry, by a capture (which also sets the
  counter back to 0), and by leaving the opponent without a move.
* DTC counts the plies to the next capture, den entry or end of the game, where whoever wins hurries
  to it, whoever loses delays it, and both look only at whether what comes after it is won.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product

from tablebase.game.board import DENS, Color
from tablebase.game.rules import Animal, Rules

__all__ = ["Animals", "Endgame", "State", "Value", "solve"]

Animals = tuple[Animal, ...]
State = tuple[int, ...]
Value = tuple[int, int | None]
"""The outcome and the distance, which a draw does not have."""

DRAW: Value = (0, None)


def solve(white: Animals, black: Animals, rules: Rules) -> dict[State, Value]:
    """Outcome and DTW of every state of a material; ``no_capture_limit`` plays no part."""
    return Endgame(white, black, rules).dtw()


class Endgame:
    """All states of a material and the moves between them.

    ``quiet`` holds the states that a state's moves without a capture lead to; ``captures`` the
    smaller materials, and their states, that its captures lead to; ``ending`` the states with a
    move that wins at once. Each move is in one of the three, and a state without any has none.
    """

    def __init__(self, white: Animals, black: Animals, rules: Rules) -> None:
        self.rules = rules.without_history()
        self.pieces = [(Color.WHITE, a) for a in white] + [(Color.BLACK, a) for a in black]
        self.quiet: dict[State, list[State]] = {}
        self.captures: dict[State, list[tuple[Animals, Animals, State]]] = {}
        self.ending: set[State] = set()
        self._ways = [self._ways_of(piece) for piece in range(len(self.pieces))]
        for squares in product(*(sorted(rules.squares(animal)) for _, animal in self.pieces)):
            if len(set(squares)) == len(squares):
                for color in Color:
                    self.quiet[(*squares, int(color))] = []
        # One object for each state, however many moves lead to it: memory, not meaning.
        self._own = {state: state for state in self.quiet}
        for state in self.quiet:
            self._generate(state)

    def _ways_of(self, piece: int) -> dict[int, list[tuple[int, tuple[int, ...], set[int]]]]:
        """By square: the target, the water crossed, and which pieces may be taken there."""
        color, animal = self.pieces[piece]
        ways: dict[int, list[tuple[int, tuple[int, ...], set[int]]]] = defaultdict(list)
        for edge in self.rules.edges(animal, color):
            takes = {
                other
                for other, (side, defender) in enumerate(self.pieces)
                if side != color and self.rules.may_capture(animal, color, defender, edge)
            }
            ways[edge.origin].append((edge.target, edge.water, takes))
        return ways

    def _generate(self, state: State) -> None:
        squares, turn = state[:-1], state[-1]
        opponent = 1 - turn
        for piece, (color, _) in enumerate(self.pieces):
            if color != turn:
                continue
            for target, water, takes in self._ways[piece].get(squares[piece], ()):
                if any(
                    squares[other] in water and self.rules.blocks_jump(side, color)
                    for other, (side, _) in enumerate(self.pieces)
                    if water
                ):
                    continue
                after = (*squares[:piece], target, *squares[piece + 1 :])
                if target == DENS[opponent]:
                    self.ending.add(state)
                elif target not in squares:
                    self.quiet[state].append(self._own[(*after, opponent)])
                elif (taken := squares.index(target)) in takes:
                    left = [p for other, p in enumerate(self.pieces) if other != taken]
                    white = tuple(a for side, a in left if side == Color.WHITE)
                    black = tuple(a for side, a in left if side == Color.BLACK)
                    if white and black:
                        reached = (*after[:taken], *after[taken + 1 :], opponent)
                        self.captures.setdefault(state, []).append((white, black, reached))
                    else:
                        self.ending.add(state)

    def dtw(self) -> dict[State, Value]:
        """Outcome and DTW of every state; ``no_capture_limit`` plays no part."""
        rules = self.rules.without_limit()
        return self._by_layers(lambda white, black, after: _dtw(white, black, rules)[after], None)

    def dtc(self) -> dict[State, Value]:
        """Outcome and DTC of every state at counter 0.

        With a ``no_capture_limit`` of N, what is decided in more than N plies is a draw, in the
        smaller materials too; at counter c, what is decided here in more than N - c plies.
        """

        def after_capture(white: Animals, black: Animals, after: State) -> Value:
            outcome, _ = _dtc(white, black, self.rules)[after]
            return (outcome, 0) if outcome else DRAW

        return self._by_layers(after_capture, self.rules.no_capture_limit)

    def _by_layers(
        self, after_capture: Callable[[Animals, Animals, State], Value], limit: int | None
    ) -> dict[State, Value]:
        """Decide states ply by ply, backwards from the ends of the game.

        A state is won one ply after the first of its moves is known to lose for the opponent, and
        lost one ply after the last of its moves is known to win for the opponent.
        """
        values: dict[State, Value] = {}
        came_from: dict[State, list[State]] = defaultdict(list)
        # By ply: a state and the outcome, to the opponent, of one of its moves.
        news: dict[int, list[tuple[State, int]]] = defaultdict(list)
        open_moves: dict[State, int] = {}

        def decide(state: State, outcome: int, ply: int) -> None:
            values[state] = (outcome, ply)
            news[ply].extend((before, outcome) for before in came_from[state])

        for state, reached in self.quiet.items():
            for after in reached:
                came_from[after].append(state)
        for state, reached in self.quiet.items():
            captures = self.captures.get(state, [])
            open_moves[state] = len(reached) + len(captures) + (state in self.ending)
            if not open_moves[state] and self.rules.no_moves == "loss":
                decide(state, -1, 0)
            if state in self.ending:
                news[0].append((state, -1))
            for white, black, after in captures:
                outcome, ply = after_capture(white, black, after)
                if ply is not None:
                    news[ply].append((state, outcome))
        ply = 0
        while news:
            for state, outcome in news.pop(ply, ()):
                open_moves[state] -= 1
                if state in values:
                    continue
                if outcome == -1:
                    decide(state, 1, ply + 1)
                elif open_moves[state] == 0:
                    decide(state, -1, ply + 1)
            ply += 1
            if limit is not None and ply == limit:
                break
        return {state: values.get(state, DRAW) for state in self.quiet}

    def by_counter(self) -> Iterator[tuple[int, dict[State, int]]]:
        """The counter and every state's outcome at it, from the ``no_capture_limit`` down to 0.

        The counter is part of the state here, so that this is no retrograde analysis: the outcome
        at a counter is the best of the moves, each with its outcome at the counter after it.
        """
        limit = self.rules.no_capture_limit
        if limit is None:
            raise ValueError("without a no_capture_limit there is no counter")
        over = {}
        afterwards = {}
        for state, reached in self.quiet.items():
            captures = self.captures.get(state, [])
            if not reached and not captures and state not in self.ending:
                over[state] = -1 if self.rules.no_moves == "loss" else 0
            outcomes = [-_at_counter_0(w, b, self.rules)[after] for w, b, after in captures]
            afterwards[state] = max(outcomes + [1] * (state in self.ending), default=-1)
        values = {state: over.get(state, 0) for state in self.quiet}
        yield limit, values
        for counter in reversed(range(limit)):
            values = {
                state: over[state]
                if state in over
                else max([afterwards[state], *(-values[after] for after in reached)])
                for state, reached in self.quiet.items()
            }
            yield counter, values


# Every smaller material is solved once, when a capture first leads to it.


@lru_cache(maxsize=256)
def _dtw(white: Animals, black: Animals, rules: Rules) -> dict[State, Value]:
    return Endgame(white, black, rules).dtw()


@lru_cache(maxsize=256)
def _dtc(white: Animals, black: Animals, rules: Rules) -> dict[State, Value]:
    return Endgame(white, black, rules).dtc()


@lru_cache(maxsize=256)
def _at_counter_0(white: Animals, black: Animals, rules: Rules) -> dict[State, int]:
    *_, (_, outcomes) = Endgame(white, black, rules).by_counter()
    return outcomes
