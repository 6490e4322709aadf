"""What is read from another program's text: a position with how it was read, or a game's record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tablebase.game.board import Color
from tablebase.game.moves import play
from tablebase.game.position import Move, Position
from tablebase.game.rules import Rules

__all__ = [
    "Annotation",
    "Branch",
    "Ending",
    "EndingReason",
    "ReadPosition",
    "Reading",
    "Record",
    "RulesFrom",
    "Shape",
    "Written",
]

EndingReason = Literal[
    "den",
    "no animals",
    "no moves",
    "limit",
    "repetition",
    "timeout",
    "resignation",
    "abandonment",
    "pass",
]
"""The reasons of :class:`tablebase.game.games.Result`, and those that are not on the board."""

RulesFrom = Literal["caller", "record", "format"]
"""Who said which rules a game was played by."""


class Ending(NamedTuple):
    """How a game ended, as its record says."""

    winner: Color | None
    """``None``: nobody, it is a draw."""
    reason: EndingReason | None = None
    """``None``: the record does not say."""


class Shape(NamedTuple):
    """An arrow from a square to another, or a circle around one (``target`` is ``None``)."""

    brush: str
    square: int
    target: int | None = None


class Annotation(NamedTuple):
    """What somebody wrote about a position: comments, glyphs (the numbers of NAGs), shapes."""

    comments: tuple[str, ...] = ()
    glyphs: tuple[int, ...] = ()
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """Other moves than those played, from the ply numbered ``ply`` on."""

    ply: int
    moves: tuple[Move, ...]
    annotations: Mapping[int, Annotation] = field(default_factory=dict, hash=False)
    """By the number of the ply that led to the position."""
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """A game as it was recorded, in this library's squares and colours.

    Every move is legal under ``rules``, as the board stands; what needs the moves before it
    (repetition, limits, ``history``) was not looked at. ``start`` has the counter of the record if
    that has one, else 0.
    """

    format: str
    """The name of the format it was read from."""
    start: Position
    moves: tuple[Move, ...]
    rules: Rules
    rules_from: RulesFrom = "format"
    unheld: tuple[str, ...] = ()
    """Rules of the game that no switch of ``rules`` holds, a sentence each."""
    result: Ending | None = None
    """``None``: the record does not say, or the game was not finished."""
    id: str | None = None
    white: str | None = None
    """The name of the player of White."""
    black: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What else the record says, by its own names: strings, numbers and lists of strings."""
    annotations: Mapping[int, Annotation] = field(default_factory=dict, hash=False)
    """By the number of plies played before the position, so 0 is the start."""
    branches: tuple[Branch, ...] = field(default=(), hash=False)
    notes: tuple[str, ...] = ()
    """What a reader should know: what was left out, or does not fit together."""
    mirrored: bool = False
    """Whether its files a to g were those from g to a here."""
    line: int | None = field(default=None, compare=False)
    """The line on which it begins, from 1."""

    def positions(self) -> Iterator[Position]:
        """The position before each move, and the last one."""
        position = self.start
        yield position
        for move in self.moves:
            position = play(position, move)
            yield position


class Reading(NamedTuple):
    """What a text was taken for."""

    format: str
    """The name of the format."""
    title: str
    """The same for people."""
    mirrored: bool = False
    """Whether its files a to g are those from g to a here."""
    notes: tuple[str, ...] = ()
    """What was left out, or read as something else."""
    rules: Rules = Rules()
    """Those of the program that has this format."""
    unheld: tuple[str, ...] = ()
    """Rules of that program that no switch of ``rules`` holds."""
    line: int | None = None
    """The line it was on, from 1."""

    def __str__(self) -> str:
        mirror = ("its files a to g are our g to a",) if self.mirrored else ()
        return "; ".join((f"read as {self.title}", *mirror, *self.notes))


class ReadPosition(NamedTuple):
    """A position and how it was read."""

    position: Position
    reading: Reading


class Written(NamedTuple):
    """A text in another program's format, and what that could not hold."""

    text: str
    """With its line ends."""
    lost: tuple[str, ...] = ()
