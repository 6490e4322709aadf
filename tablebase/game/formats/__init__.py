"""Positions and games in the formats of other Jungle programs: read, told apart, and written.

    from tablebase.game.formats import read_games, read_position

    position, reading = read_position("2l4/4c2/7/3W3/7/1R5/2D4/7/7 b 9 1")
    print(reading)  # read as Mistboard's FEN; its files a to g are our g to a
    with open("jungle.jsonl.gz", "rb") as file:
        for game in read_games(file):
            print(game.id, game.result, len(game.moves))

A module a format; what each reads and loses is in ``docs/formats.md``.
"""

from __future__ import annotations

from tablebase.game.formats.format import Format
from tablebase.game.formats.lines import LONGEST, Source
from tablebase.game.formats.positions import read_position
from tablebase.game.formats.reading import (
    WRITABLE,
    read,
    read_games,
    read_positions,
    write_game,
    write_position,
)
from tablebase.game.formats.records import (
    Annotation,
    Branch,
    Ending,
    Reading,
    ReadPosition,
    Record,
    Shape,
    Written,
)
from tablebase.game.formats.register import FORMATS

__all__ = [
    "FORMATS",
    "LONGEST",
    "WRITABLE",
    "Annotation",
    "Branch",
    "Ending",
    "Format",
    "ReadPosition",
    "Reading",
    "Record",
    "Shape",
    "Source",
    "Written",
    "read",
    "read_games",
    "read_position",
    "read_positions",
    "write_game",
    "write_position",
]
