"""Every format by name, and telling from a text of which it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tablebase.errors import AmbiguousError, FormatError
from tablebase.game.fen import shown
from tablebase.game.formats import (
    bbdsq,
    codingame,
    katago_gtp,
    katago_sgf,
    mistboard_games,
    mistboard_line,
    mistboard_match,
    mistboard_puzzles,
    mistboard_room,
    mistboard_study,
    misty_jungle,
    move_lists,
)
from tablebase.game.formats.fens import looks_like_fen
from tablebase.game.formats.format import Format, Wanted
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.positions import DIALECTS, dialect_of, holds_position
from tablebase.game.formats.records import Record
from tablebase.game.formats.squares import text_of

__all__ = ["FORMATS", "find", "tell"]

_LISTS: Final = (move_lists.FORMAT, move_lists.MIRRORED, move_lists.JUNGLECHESS)
_SNIFFED: Final = (
    mistboard_games.FORMAT,
    mistboard_room.FORMAT,
    mistboard_study.FORMAT,
    mistboard_puzzles.FORMAT,
    mistboard_match.FORMAT,
    mistboard_line.FORMAT,
    katago_sgf.FORMAT,
    katago_gtp.FORMAT,
    misty_jungle.FORMAT,
    bbdsq.FORMAT,
    codingame.FORMAT,
)
FORMATS: Final[dict[str, Format]] = {
    kind.name: kind for kind in (*DIALECTS.values(), *_SNIFFED, *_LISTS)
}
"""Every format by its name."""


def find(name: str) -> Format:
    """The format of that name; ``FormatError`` if there is none."""
    if name not in FORMATS:
        raise FormatError(f"no format is called {shown(name)}; these are: {', '.join(FORMATS)}")
    return FORMATS[name]


def tell(lines: Lines, name: str | None, wanted: Wanted) -> Format:
    """The format of what ``lines`` begin with.

    ``name`` is that of the format, or of a program that has several, such as ``mistboard``.
    ``FormatError`` if it is none, ``AmbiguousError`` if it could be several that differ.
    """
    if name is not None:
        named = find(name)
        family = [kind for kind in _SNIFFED if kind.name.startswith(f"{name}-")]
        head = lines.head() if family else []
        return next((kind for kind in family if _sniffs(kind, head)), named)
    head = lines.head()
    filled = [line for line in head if holds_position(line)]
    if not filled:
        raise FormatError("there is nothing in the text")
    found = [kind for kind in _SNIFFED if _sniffs(kind, head)]
    if len(found) > 1:
        readings = tuple((kind.name, kind.title) for kind in found)
        raise AmbiguousError("the format is not clear", readings)
    if found:
        return found[0]
    has_fens = any(map(looks_like_fen, filled))
    if not any(map(move_lists.holds_moves, filled)):
        if has_fens:
            return dialect_of(filled)
        raise FormatError("the text is in none of the formats that are known")
    # Each FEN says which way round the moves after it are.
    return move_lists.FORMAT if has_fens else _list_of_moves(head, wanted)


def _sniffs(kind: Format, head: Sequence[str]) -> bool:
    return kind.sniff is not None and kind.sniff(head)


def _list_of_moves(head: Sequence[str], wanted: Wanted) -> Format:
    """Which list of moves can be played so, the other way round, or a line each."""
    tried = {kind: _tried(kind, head, wanted) for kind in _LISTS}
    fewest = min(len(errors) for _, errors in tried.values())
    fitting = {kind: records for kind, (records, errors) in tried.items() if len(errors) == fewest}
    if not any(fitting.values()):  # no game at all: the one that came farthest says what is wrong
        return max(fitting, key=lambda kind: _reached(tried[kind][1]))
    meanings: dict[object, Format] = {}
    for kind, records in fitting.items():
        if records:
            meanings.setdefault(tuple((game.start, game.moves) for game in records), kind)
    if len(meanings) > 1:
        readings = tuple((kind.name, _said(fitting[kind])) for kind in meanings.values())
        raise AmbiguousError("these moves can be played in more than one way", readings)
    return next(iter(meanings.values()))


def _tried(
    kind: Format, head: Sequence[str], wanted: Wanted
) -> tuple[list[Record], list[FormatError]]:
    assert kind.read_games is not None
    found = list(kind.read_games(Lines("\n".join(head)), wanted))
    return (
        [game for game in found if isinstance(game, Record)],
        [game for game in found if isinstance(game, FormatError)],
    )


def _reached(errors: Sequence[FormatError]) -> tuple[int, int]:
    return max(((error.line or 0, error.ply or 0) for error in errors), default=(0, 0))


def _said(records: Sequence[Record]) -> str:
    count = f"{len(records)} games" if len(records) > 1 else "a game"
    first = next((record for record in records if record.moves), None)
    if first is None:
        return count
    move = first.moves[0]
    piece = first.start.piece_at(move.origin)
    assert piece is not None
    written = text_of(move, mirrored=first.mirrored)
    return f"{count}, {written} moves the {piece[1].name.lower()}"
