"""What a format is: its name, what it can hold, whose rules it goes with, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tablebase.errors import FormatError
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.records import Reading, ReadPosition, Record, Written
from tablebase.game.position import Position
from tablebase.game.rules import Rules

__all__ = ["Format", "Games", "Place", "Positions", "Wanted"]


class Wanted(NamedTuple):
    """What the caller asks of a reader."""

    rules: Rules | None = None
    """The rules to read by, whatever the record says."""


class Place(NamedTuple):
    """Where in a text of which format something is; errors are made of it."""

    format: str
    line: int | None = None

    def error(
        self, reason: str, *, ply: int | None = None, field: str | None = None
    ) -> FormatError:
        """The error that something is wrong here."""
        return FormatError(reason, self.format, line=self.line, ply=ply, field=field)


Games = Iterator[Record | FormatError]
"""Games as they are read; an error stands in the place of a game that cannot be."""
Positions = Iterator[ReadPosition | FormatError]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of positions, of games, or of both.

    A reader or writer that is ``None`` does not exist. Readers of games give errors in the place of
    what they cannot read and raise none; the other functions raise ``FormatError``.
    """

    name: str
    title: str
    """What it is called in a sentence."""
    source: str
    """Where it was read up: repository and file."""
    mirrored: bool = False
    """Whether its files a to g are those from g to a here."""
    rules: Rules = field(default=Rules(), repr=False)
    unheld: tuple[str, ...] = field(default=(), repr=False)
    sniff: Callable[[Sequence[str]], bool] | None = field(default=None, repr=False)
    """Whether a text that begins with these lines is of this format."""
    parse: Callable[[str], tuple[Position, tuple[str, ...]]] | None = field(
        default=None, repr=False
    )
    """A text of one line to a position, and what a reader should know of it."""
    print: Callable[[Position], Written] | None = field(default=None, repr=False)
    read_games: Callable[[Lines, Wanted], Games] | None = field(default=None, repr=False)
    write_game: Callable[[Record], Written] | None = field(default=None, repr=False)
    fits: Callable[[str], bool] | None = field(default=None, repr=False)
    """Whether such a line is written by its program, or for it; a reader may let more pass."""

    def read_position(self, text: str, line: int | None = None) -> ReadPosition:
        """The position in a line of this format."""
        if self.parse is None:
            raise FormatError(f"{self.title} holds no positions", self.name, line=line)
        try:
            position, notes = self.parse(text)
        except FormatError as error:
            error.format, error.line = self.name, line
            raise
        except ValueError as error:  # FenError, IllegalPositionError
            raise FormatError(str(error), self.name, line=line) from None
        reading = Reading(
            self.name, self.title, self.mirrored, notes, self.rules, self.unheld, line
        )
        return ReadPosition(position, reading)
