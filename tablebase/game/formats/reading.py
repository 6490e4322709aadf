"""Reading positions and games from a text, and writing them, by the name of a format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeVar, overload

from tablebase.errors import FormatError, IllegalPositionError
from tablebase.game.formats.format import Format, Wanted
from tablebase.game.formats.lines import Lines, Source
from tablebase.game.formats.losses import losses
from tablebase.game.formats.positions import DIALECTS, read_lines
from tablebase.game.formats.records import ReadPosition, Record, Written
from tablebase.game.formats.register import FORMATS, find, tell
from tablebase.game.position import Position
from tablebase.game.rules import Rules, load_rules

__all__ = [
    "WRITABLE",
    "read",
    "read_games",
    "read_positions",
    "writable",
    "write_game",
    "write_position",
]

WRITABLE: Final = tuple(
    name for name, kind in FORMATS.items() if kind.print is not None or kind.write_game is not None
)
"""The names of the formats that can be written."""

Errors = Literal["raise", "give"]
_T = TypeVar("_T")


@overload
def read(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Literal["raise"] = "raise",
) -> Iterator[Record | ReadPosition]: ...
@overload
def read(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Literal["give"],
) -> Iterator[Record | ReadPosition | FormatError]: ...
def read(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Errors = "raise",
) -> Iterator[Record | ReadPosition | FormatError]:
    """The games or the positions in ``source``: a text, or a stream, which may be gzipped.

    ``format_name`` is that of a format, or of a program that has several; without it the text has
    to tell. ``rules`` are used whatever the text says. One item after another is read, so that a
    stream may be longer than memory; what cannot be read raises ``FormatError``, or with ``errors``
    ``"give"`` gives one in its place and goes on with the next.
    """
    wanted = Wanted(load_rules(rules) if isinstance(rules, str) else rules)
    for item in _items(source, format_name, wanted):
        if isinstance(item, FormatError) and errors == "raise":
            raise item
        yield item


def _items(
    source: Source, name: str | None, wanted: Wanted
) -> Iterator[Record | ReadPosition | FormatError]:
    lines = Lines(source)
    try:
        kind = tell(lines, name, wanted)
    except FormatError as error:
        error.format = error.format or name
        yield error
        return
    if kind.name not in DIALECTS:
        assert kind.read_games is not None
        yield from kind.read_games(lines, wanted)
        return
    for item in read_lines(lines, kind, given=name is not None):
        if isinstance(item, ReadPosition) and wanted.rules is not None:
            try:
                item.position.validate(wanted.rules)
            except IllegalPositionError as error:
                yield FormatError(str(error), kind.name, line=item.reading.line)
                continue
        yield item


@overload
def read_games(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Literal["raise"] = "raise",
) -> Iterator[Record]: ...
@overload
def read_games(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Literal["give"],
) -> Iterator[Record | FormatError]: ...
def read_games(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Errors = "raise",
) -> Iterator[Record | FormatError]:
    """The same as :func:`read` of a text with games; a text with positions is a ``FormatError``."""
    found = read(source, format_name, rules=rules, errors="give")
    return _only(found, Record, "games", errors)


@overload
def read_positions(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Literal["raise"] = "raise",
) -> Iterator[ReadPosition]: ...
@overload
def read_positions(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Literal["give"],
) -> Iterator[ReadPosition | FormatError]: ...
def read_positions(
    source: Source,
    format_name: str | None = None,
    *,
    rules: Rules | str | None = None,
    errors: Errors = "raise",
) -> Iterator[ReadPosition | FormatError]:
    """The same as :func:`read` of a text with a position a line; games are a ``FormatError``."""
    found = read(source, format_name, rules=rules, errors="give")
    return _only(found, ReadPosition, "positions", errors)


def _only(
    found: Iterator[Record | ReadPosition | FormatError], kind: type[_T], what: str, errors: Errors
) -> Iterator[_T | FormatError]:
    for item in found:
        if isinstance(item, FormatError):
            if errors == "raise":
                raise item
            yield item
        elif isinstance(item, kind):
            yield item
        else:
            name = item.format if isinstance(item, Record) else item.reading.format
            error = FormatError(f"there are no {what} in this text", name)
            if errors == "raise":
                raise error
            yield error
            return


def write_position(position: Position, format_name: str) -> Written:
    """``position`` in the format of that name; ``FormatError`` if that cannot hold it."""
    kind = writable(format_name)
    try:
        if kind.print is not None:
            return kind.print(position)
        assert kind.write_game is not None
        return kind.write_game(Record(kind.name, position, (), kind.rules))
    except FormatError as error:
        error.format = kind.name
        raise


def write_game(record: Record, format_name: str) -> Written:
    """``record`` in the format of that name, and what that cannot hold.

    A format of positions gets every position of the game, a line each. ``FormatError`` if the
    format cannot hold the game at all.
    """
    kind = writable(format_name)
    try:
        if kind.write_game is not None:
            return kind.write_game(record)
        assert kind.print is not None
        written = [kind.print(position) for position in record.positions()]
    except FormatError as error:
        error.format = kind.name
        raise
    lost = dict.fromkeys([*losses(record), *(lost for line in written for lost in line.lost)])
    return Written("".join(line.text for line in written), ("the moves", *lost))


def writable(name: str) -> Format:
    """The format of that name; ``FormatError`` if there is none, or if it can only be read."""
    kind = find(name)
    if name not in WRITABLE:
        raise FormatError(
            f"{kind.title} can be read and not written; these can: {', '.join(WRITABLE)}", name
        )
    return kind
