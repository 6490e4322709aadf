"""Which dialect a FEN is of: ours first, others where only one thing can be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tablebase.errors import AmbiguousError, FenError, FormatError
from tablebase.game.formats import dandelion, jtb, katago, mistboard, misty_jungle, netcan
from tablebase.game.formats.fens import fields_of, has_letter, looks_like_fen
from tablebase.game.formats.format import Format, Positions
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.records import ReadPosition
from tablebase.game.position import START_FEN, Position
from tablebase.game.rules import Rules

__all__ = ["DIALECTS", "dialect_of", "holds_position", "read_lines", "read_position"]

DIALECTS: Final[dict[str, Format]] = {
    dialect.FORMAT.name: dialect.FORMAT
    for dialect in (jtb, mistboard, misty_jungle, katago, dandelion, netcan)
}
"""The formats of positions by name; of several that mean the same, the first gives its name."""


_BOARD: Final = START_FEN.split()[0]


def read_position(
    text: str, format_name: str | None = None, rules: Rules | None = None
) -> ReadPosition:
    """The position that a FEN of any program says, and what it was taken for.

    Without ``format_name`` a FEN of our own dialect is one; another is read where all programs for
    which it can be written mean the same position by it. ``AmbiguousError`` has the readings where
    they do not. ``FenError``, ``FormatError`` and ``IllegalPositionError``, all of them
    ``ValueError``, say what is wrong with the text. With ``rules``, it must be legal there.
    """
    if format_name is None:
        read = _told_from_the_text(text)
    elif format_name in DIALECTS:
        read = DIALECTS[format_name].read_position(text)
    else:
        raise FormatError(
            f"no format of positions is called {format_name!r}; these are: {', '.join(DIALECTS)}"
        )
    if rules is not None:
        read.position.validate(rules)
    return read


def _told_from_the_text(text: str) -> ReadPosition:
    try:
        return ReadPosition(Position.from_fen(text), jtb.READING)
    except FenError as error:
        if not text.replace("_", " ").strip():
            raise
        own = error
    misty_jungle.refuse_moves(text)
    board, *rest = fields_of(text)
    if not rest and has_letter(board, "P"):
        raise own  # ours without a side to move, more likely than Mistboard's without one
    if rest[:1] == ["r"] and "-" in rest:
        _refuse_red(text)
    readings, failures = [], []
    for dialect in DIALECTS.values():
        if dialect is not jtb.FORMAT and _fits(dialect, text):
            try:
                readings.append(dialect.read_position(text))
            except FormatError as error:
                failures.append(error)
    meanings: dict[Position, ReadPosition] = {}
    for read in readings:
        meanings.setdefault(read.position, read)
    if len(meanings) > 1:
        said = tuple((name, position.fen()) for position, (name, *_) in meanings.values())
        raise AmbiguousError(str(own), said)
    if readings:
        return readings[0]
    # Where the words are ours, ours is the better error.
    raise failures[0] if failures and not jtb.fits(" ".join([_BOARD, *rest])) else own


def _refuse_red(text: str) -> None:
    position = netcan.FORMAT.read_position(text).position
    red = Position.unchecked(position.white, position.black, position.turn.other, 0)
    readings = ((netcan.FORMAT.name, position.fen()), (jtb.FORMAT.name, red.fen()))
    raise AmbiguousError("r is black in netcan's FEN, and red, our White, in others", readings)


def _fits(dialect: Format, text: str) -> bool:
    assert dialect.fits is not None
    return dialect.fits(text)


def holds_position(line: str) -> bool:
    """Whether a line of a file of positions holds one, or what should be one."""
    text = line.strip()
    return bool(text) and not text.startswith("#")


def dialect_of(head: Sequence[str]) -> Format:
    """The dialect of a file that begins with these lines: the one that most of them fit.

    A line may fit several, so a file tells more than its lines: one move number makes all of it
    Mistboard's. ``AmbiguousError`` where dialects that fit alike mean different positions.
    """
    lines = [line for line in head if holds_position(line) and looks_like_fen(line)]
    counts = {
        name: sum(_fits(dialect, line) for line in lines) for name, dialect in DIALECTS.items()
    }
    most = max(counts.values())
    fitting = [DIALECTS[name] for name, count in counts.items() if count == most]
    if most and len({dialect.mirrored for dialect in fitting}) > 1 and jtb.FORMAT not in fitting:
        unlike = {dialect.mirrored: dialect for dialect in reversed(fitting)}
        said = tuple((dialect.name, _first_meaning(dialect, lines)) for dialect in unlike.values())
        raise AmbiguousError("the lines are no FENs of ours, and other dialects fit alike", said)
    return fitting[0]


def _first_meaning(dialect: Format, lines: Sequence[str]) -> str:
    """What the dialect makes of the first line that fits it."""
    line = next(line for line in lines if _fits(dialect, line))
    try:
        return dialect.read_position(line).position.fen()
    except FormatError as error:
        return error.reason


def read_lines(lines: Lines, dialect: Format, *, given: bool) -> Positions:
    """The position on each line, or what is wrong with it; empty lines and comments hold none.

    Of what is said to misty-jungle only the positions are read. ``given`` says that the caller
    named the dialect, so that nothing in it is ambiguous.
    """
    is_dialogue = dialect is misty_jungle.FORMAT
    for line in lines:
        if isinstance(line, FormatError):
            yield line
        elif holds_position(line) and not (is_dialogue and "/" not in line):
            try:
                if is_dialogue and not given:
                    misty_jungle.refuse_moves(line)
                yield dialect.read_position(line, lines.number)
            except FormatError as error:
                error.line = lines.number
                yield error
