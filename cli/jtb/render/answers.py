"""What the tables answer about a position: the verdict, the moves, the line of best play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import click

from jtb.render.text import columns, plies, wrapped
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import Animal, Rules

if TYPE_CHECKING:
    from tablebase.game.games import Breach
    from tablebase.probe import MoveValue, Probe
    from tablebase.probe.answers import Reason

__all__ = [
    "board",
    "line_record",
    "line_text",
    "probe_line",
    "probe_record",
    "probe_text",
    "verdict",
]

OUTCOMES: Final = {1: "win", 0: "draw", -1: "loss"}
_SIDES: Final = ("white", "black")
_LETTERS: Final = {animal: animal.letter for animal in Animal}


# -- JSON ------------------------------------------------------------------------------------------


def probe_record(
    position: Position, rules: Rules, value: Probe, moves: Iterable[MoveValue] | None
) -> dict[str, Any]:
    """The JSON of ``jtb probe``; its moves are null where they were not asked for."""
    return {
        **_head(position, rules, value),
        "moves": None if moves is None else [_move_record(move) for move in moves],
    }


def line_record(
    position: Position,
    rules: Rules,
    value: Probe,
    line: Sequence[MoveValue],
    breach: Breach | None,
) -> dict[str, Any]:
    """The JSON of ``jtb line``: as that of ``probe``, with the moves of the line one by one.

    ``breach`` is where it breaks a rule that tables do not know, or null.
    """
    return {
        **_head(position, rules, value),
        "line": [_move_record(valued) for valued in line],
        "breach": breach and {**breach._asdict(), "move": str(breach.move)},
    }


def _head(position: Position, rules: Rules, value: Probe) -> dict[str, Any]:
    white = "".join([_LETTERS[animal] for animal, _ in position.white])
    black = "".join([_LETTERS[animal] for animal, _ in position.black])
    return {
        "fen": position.fen(),
        "rules": _name(rules),
        "material": f"{white}v{black}",
        "side_to_move": _SIDES[position.turn],
        "outcome": OUTCOMES[value.outcome],
        "dtw": value.dtw,
        "dtc": value.dtc,
    }


@lru_cache(maxsize=8)
def _name(rules: Rules) -> str:
    return rules.name


def _move_record(valued: MoveValue) -> dict[str, Any]:
    return {
        "move": str(valued.move),
        "capture": valued.capture,
        "outcome": OUTCOMES[valued.outcome],
        "dtw": valued.dtw,
        "dtc": valued.dtc,
        "fen": valued.position.fen(),
    }


# -- text ------------------------------------------------------------------------------------------


def probe_text(position: Position, rules: Rules, value: Probe, moves: Sequence[MoveValue]) -> str:
    """The board, the verdict, and the moves in groups of winning, drawing and losing ones."""
    parts = [board(position), click.style(verdict(position, rules, value), bold=True)]
    for outcome, title, color in (
        (1, "Winning", "green"),
        (0, "Drawing", "yellow"),
        (-1, "Losing", "red"),
    ):
        group = [valued for valued in moves if valued.outcome == outcome]
        if group:
            known = any(valued.dtw is not None for valued in group)
            limited = " without the limit" if rules.no_capture_limit else ""
            unit = f" (plies to the end{limited})" if known and outcome else ""
            heading = f"{click.style(title, fg=color, bold=True)} moves{unit}:"
            cells = [_move_cell(valued, rules) for valued in group]
            parts.append(f"{heading}\n{columns(cells)}")
    return "\n\n".join(parts)


def probe_line(
    position: Position, rules: Rules, value: Probe, moves: Sequence[MoveValue] | None
) -> str:
    """The verdict and, where moves were asked for, the best one, on one line."""
    text = verdict(position, rules, value)
    return f"{text} Best is {_written(moves[0])}." if moves else text


def line_text(
    position: Position,
    rules: Rules,
    value: Probe,
    line: Sequence[MoveValue],
    breach: Breach | None,
) -> str:
    """The verdict, then the line, with a board at the start, at each capture and at the end."""
    parts = [board(position), click.style(verdict(position, rules, value), bold=True)]
    words: list[str] = []
    for ply, valued in enumerate(line):
        number, black_moves = divmod(ply + position.turn, 2)
        if not black_moves:
            words.append(f"{number + 1}.")
        elif not words:
            words.append(f"{number + 1}...")
        words.append(_written(valued))
        if valued.capture is not None or ply == len(line) - 1:
            parts += [wrapped(words), board(valued.position)]
            words = []
    if line:
        parts.append(_why_it_ends(line[-1], rules))
    if breach is not None:
        parts.append(_breach_text(position, breach))
    return "\n\n".join(parts)


def _why_it_ends(last: MoveValue, rules: Rules) -> str:
    """Why the line of best play ends with ``last``."""
    if last.reason == "repetition":
        return "From here on the positions repeat themselves: a draw."
    if last.reason == "limit":
        return f"The game is drawn: {rules.no_capture_limit} plies without a capture."
    return _result(last.position, -last.outcome, last.reason)


def _breach_text(position: Position, breach: Breach) -> str:
    """What a line breaks that tables do not know."""
    number, black_moves = divmod(breach.ply - 1 + position.turn, 2)
    move = f"{number + 1}.{'..' if black_moves else ''} {breach.move}"
    if breach.rule == "repetition":
        return f"Before {move} the game is drawn by repetition, of which tables know nothing."
    return (
        f"{move} is forbidden by the {breach.rule} rule, of which tables know nothing:\n"
        "from there on the game may take another course."
    )


def verdict(position: Position, rules: Rules, value: Probe) -> str:
    """Who wins, and in how many plies, in a sentence."""
    mover = position.turn.name.capitalize()
    if value.is_over:
        return _result(position, value.outcome, value.reason)
    if value.outcome == 0:
        limit, taken = rules.no_capture_limit, _taken_away(value, rules)
        if limit is not None and position.counter >= limit:
            instead = f" (a {taken} for {mover} without the limit)" if taken else ""
            return f"The game is drawn: {limit} plies without a capture{instead}."
        if taken:
            return f"{mover} to move: a {taken}, but drawn by the {limit}-ply limit."
        return f"{mover} to move draws."
    verb = "wins" if value.outcome > 0 else "loses"
    return f"{mover} to move {verb}{_how_soon(position, rules, value)}."


def _result(position: Position, outcome: int, reason: Reason) -> str:
    """Who has won a game that is over; ``outcome`` is that of the side to move."""
    winner = position.turn if outcome > 0 else position.turn.other
    result = f"{winner.name.capitalize()} has won" if outcome else "The game is drawn"
    return f"{result}: {_ended(position, winner, reason)}."


def _how_soon(position: Position, rules: Rules, value: Probe) -> str:
    """In how many plies the game ends, as far as that is known."""
    limit = rules.no_capture_limit
    if value.dtw is None:
        return ""
    if limit is None or value.dtw <= limit - position.counter:  # it ends before the limit can
        return f" in {plies(value.dtw)}"
    return f" under the {limit}-ply limit, without it in {plies(value.dtw)}"


def board(position: Position) -> str:
    """The text board of ``position``, coloured, without the line that says whose turn it is."""
    *ranks, files, _ = str(position).splitlines()
    return "\n".join([*(_SYMBOL.sub(_colored, rank) for rank in ranks), files])


_SYMBOL: Final = re.compile(r"(?<= )\S")
_TERRAIN: Final[dict[str, dict[str, Any]]] = {
    "~": {"fg": "blue"},
    "x": {"fg": "yellow"},
    "#": {"fg": "magenta"},
    ".": {"dim": True},
}


def _colored(match: re.Match[str]) -> str:
    symbol = match.group()
    if symbol in _TERRAIN:
        return click.style(symbol, **_TERRAIN[symbol])
    return click.style(symbol, fg="red" if symbol.isupper() else "cyan", bold=True)


def _written(valued: MoveValue) -> str:
    return f"{valued.move}x{valued.capture}" if valued.capture else str(valued.move)


def _move_cell(valued: MoveValue, rules: Rules) -> str:
    cell = _written(valued)
    if valued.outcome == 0:
        taken = _taken_away(valued, rules)
        return f"{cell} ({taken} without the limit)" if taken else cell
    return cell if valued.dtw is None else f"{cell} {valued.dtw}"


def _taken_away(value: Probe | MoveValue, rules: Rules) -> str:
    """The win or loss that the ``no_capture_limit`` turns into the draw ``value``, if it does."""
    if rules.no_capture_limit is None or value.dtw is None:
        return ""
    # A win takes an odd number of plies, a loss an even one.
    return f"{'win' if value.dtw % 2 else 'loss'} in {plies(value.dtw)}"


def _ended(position: Position, winner: Color, reason: Reason) -> str:
    """What ended the game in ``position``."""
    won, lost = winner.name.capitalize(), winner.other.name.capitalize()
    if reason == "no animals":
        return f"{lost} has no animals left"
    if reason == "den":
        return f"{won} is in {lost}'s den"
    return f"{position.turn.name.capitalize()} has no legal move"
