"""Moves of the game on CodinGame: a line ``x1 y1 x2 y2`` each, squares counted from the top left.

Read in acatai/CG_AnimalChess (585d209): ``Referee.java``, ``engine/GameState.java``. What a player
writes after a move is a comment. An empty line parts games.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tablebase.errors import FormatError
from tablebase.game.board import FILES, RANKS
from tablebase.game.fen import shown
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.records import Annotation, Record
from tablebase.game.formats.replay import START, replayed
from tablebase.game.position import Move
from tablebase.game.rules import Rules

__all__ = ["FORMAT"]

_NAME: Final = "codingame"
_LINE: Final = re.compile(r"([0-6]) ([0-8]) ([0-6]) ([0-8])(?: (.*))?")
_NONE: Final = "-1 -1 -1 -1"
"""What the first player is told of the move before his."""
_LONGEST_GAME: Final = 10_000


def _sniff(head: Sequence[str]) -> bool:
    first = next((line.strip() for line in head if line.strip()), "")
    return first == _NONE or _LINE.fullmatch(first) is not None


def _read(lines: Lines, wanted: Wanted) -> Games:
    game = _Game(1)
    for line in lines:
        if isinstance(line, FormatError):
            yield line
            return
        text = line.strip()
        if text:
            game.take(text, Place(_NAME, lines.number))
            continue
        if game.moves or game.error:
            yield game.record(wanted)
        game = _Game(lines.number + 1)
    if game.moves or game.error:
        yield game.record(wanted)


class _Game:
    """The moves of a game as they come."""

    def __init__(self, line: int) -> None:
        self.place = Place(_NAME, line)
        self.first: int | None = None
        self.moves: list[Move] = []
        self.comments: dict[int, Annotation] = {}
        self.error: FormatError | None = None

    def take(self, text: str, place: Place) -> None:
        match = _LINE.fullmatch(text)
        if self.error is not None or (text == _NONE and not self.moves):
            return
        ply = len(self.moves) + 1
        if match is None:
            self.error = place.error(f"{shown(text)} is no move such as 0 6 0 5", ply=ply)
        elif ply > _LONGEST_GAME:
            self.error = place.error(f"a game of more than {_LONGEST_GAME} plies is none", ply=ply)
        else:
            self.first = self.first or place.line
            x1, y1, x2, y2 = map(int, match.groups()[:4])
            origin, target = (RANKS - 1 - y1) * FILES + x1, (RANKS - 1 - y2) * FILES + x2
            self.moves.append(Move(origin, target))
            if match[5]:
                self.comments[ply] = Annotation((match[5],))

    def record(self, wanted: Wanted) -> Record | FormatError:
        if self.error is not None:
            return self.error
        try:
            return replayed(
                FORMAT, self.place, wanted, START, self.moves, annotations=self.comments
            )
        except FormatError as error:
            if error.ply is not None and self.first is not None:
                error.line = self.first + error.ply - 1
            return error


FORMAT = Format(
    name=_NAME,
    title="moves of the game on CodinGame",
    source="acatai/CG_AnimalChess, Referee.java, engine/GameState.java",
    rules=Rules(order="dog over wolf", traps_weaken="all", rat_entering_water_captures=True),
    unheld=(
        "the elephant takes the rat on any trap",
        "only entering the den wins; a side without animals has not lost",
        "a game is drawn after 150 plies in all",
    ),
    sniff=_sniff,
    read_games=_read,
)
