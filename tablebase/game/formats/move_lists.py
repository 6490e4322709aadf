"""Moves as people write them: ``1. a3-a4 g7g6 2. A4XA5``, after a FEN or from the start.

A move is two squares, in either case, with ``-`` or ``x`` between them or nothing, and perhaps
the letter of the captured animal behind it, as our own answers print it (``d4d3xL``). An ``x`` and
a letter must be right. An empty line parts games; a FEN or the number ``1.`` begins one too. From
which of the two arrays of the animals a game began, moves do not say: a format for each does.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple

from tablebase.errors import FormatError
from tablebase.game.fen import shown
from tablebase.game.formats.fens import looks_like_fen
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.losses import losses
from tablebase.game.formats.mistboard import OUTCOMES
from tablebase.game.formats.positions import read_position
from tablebase.game.formats.records import Ending, ReadPosition, Record, Written
from tablebase.game.formats.replay import START, replayed
from tablebase.game.formats.squares import move_table
from tablebase.game.moves import captured
from tablebase.game.position import Move
from tablebase.game.rules import Animal, Rules

__all__ = ["FORMAT", "JUNGLECHESS", "MIRRORED", "holds_moves"]

_LONGEST_GAME: Final = 10_000
_COMMENT: Final = re.compile(r"\{[^{}]*\}|#.*")
_TOKEN: Final = re.compile(r"(?P<number>[0-9]{1,6})(?:\.+|\)|(?=\s|$))|[^\s,;]+")
_MOVE: Final = re.compile(
    r"([a-g][1-9])[-–—:>→]?(x?)([a-g][1-9])(?:x?([eltpwdcrj]))?[!?]{0,2}", re.IGNORECASE
)
_RESULTS: Final[dict[str, Ending | None]] = {
    **{word: Ending(winner) for word, winner in OUTCOMES.items()},
    "½-½": Ending(None),
    "*": None,
}
_WORDS: Final = {winner: word for word, winner in OUTCOMES.items()}
_ANIMALS: Final = {animal.letter: animal for animal in Animal} | {"J": Animal.LEOPARD}


def holds_moves(line: str) -> bool:
    """Whether a move stands in ``line``."""
    words = (token[0] for token in _TOKEN.finditer(_COMMENT.sub(" ", line)))
    return any(_MOVE.fullmatch(word) for word in words)


class _Token(NamedTuple):
    """A move as it was written, and where."""

    text: str
    move: Move
    takes: bool
    animal: Animal | None
    line: int


class _Game:
    """The words of a game as they come; the first that is wrong makes an error of it."""

    def __init__(self, kind: Format, line: int) -> None:
        self.kind = kind
        self.place = Place(kind.name, line)
        self.start: ReadPosition | None = None
        self.tokens: list[_Token] = []
        self.result: Ending | None = None
        self.ended = False
        self.error: FormatError | None = None

    @property
    def has_content(self) -> bool:
        """Whether there is a game at all."""
        return bool(self.tokens or self.start or self.error or self.ended)

    def is_under_way(self, number: str) -> bool:
        """Whether a move with that ``number``, a 1, begins another game; ``1...`` does not."""
        if number.endswith("..") and len(self.tokens) == 1:
            return False
        return bool(self.tokens or self.ended)

    def begin(self, fen: str) -> None:
        """The game begins in a position: its dialect says which way round the moves are."""
        try:
            self.start = read_position(fen, "mistboard" if self.kind.mirrored else None)
        except FormatError as error:
            self.error, error.line = error, self.place.line
        except ValueError as error:
            self.error = self.place.error(str(error))
        else:
            self.kind = replace(self.kind, mirrored=self.start.reading.mirrored)

    def take(self, text: str, line: int) -> None:
        """The next word that is no number."""
        if self.error is not None:
            return
        if not self.has_content:
            self.place = self.place._replace(line=line)
        if self.ended:
            self._fail(f"{shown(text)} comes after the result", line)
        elif text in _RESULTS:
            self.result, self.ended = _RESULTS[text], True
        elif (token := self._token(text, line)) is None:
            self._fail(f"{shown(text)} is no move such as a3-a4 or d4d3xL", line)
        elif len(self.tokens) == _LONGEST_GAME:
            self._fail(f"a game of more than {_LONGEST_GAME} plies is none", line)
        else:
            self.tokens.append(token)

    def refuse(self, line: int) -> None:
        """The game has no FEN, and one before it was of the other array."""
        self._fail("without a FEN, as others here have, it is not clear which array it is", line)

    def _fail(self, reason: str, line: int) -> None:
        self.error = self.place._replace(line=line).error(reason, ply=len(self.tokens) + 1)

    def _token(self, text: str, line: int) -> _Token | None:
        match = _MOVE.fullmatch(text)
        if match is None:
            return None
        origin, takes, target, letter = match.groups()
        move = move_table(self.kind.mirrored).get(f"{origin}{target}".lower())
        if move is None:
            return None
        animal = _ANIMALS[letter.upper()] if letter else None
        return _Token(text, move, bool(takes or letter), animal, line)

    def record(self, wanted: Wanted) -> Record | FormatError:
        """The game, or what is wrong with it."""
        if self.error is not None:
            return self.error
        position, reading = (START, None) if self.start is None else self.start
        theirs = reading is not None and reading.format != "jtb"
        try:
            record = replayed(
                self.kind,
                self.place,
                wanted,
                position,
                [token.move for token in self.tokens],
                recorded=reading.rules if reading is not None and theirs else None,
                unheld=reading.unheld if reading is not None and theirs else (),
                result=self.result,
                notes=() if reading is None else reading.notes,
            )
            self._check_captures(record)
        except FormatError as error:
            if error.ply is not None and error.ply <= len(self.tokens):
                error.line = self.tokens[error.ply - 1].line
            return error
        return record

    def _check_captures(self, record: Record) -> None:
        if not any(token.takes for token in self.tokens):
            return
        for ply, (token, position) in enumerate(
            zip(self.tokens, record.positions(), strict=False), start=1
        ):
            taken = captured(position, token.move)
            if token.takes and (taken is None or token.animal not in (None, taken)):
                what = "nothing" if taken is None else f"the {taken.name.lower()}"
                raise self.place.error(f"{shown(token.text)} takes {what}", ply=ply)


def _read_text(kind: Format, lines: Lines, wanted: Wanted) -> Games:
    """The games of free text."""
    game = _Game(kind, 1)
    unclear = False
    for line in lines:
        if isinstance(line, FormatError):
            yield line
            return
        text = _COMMENT.sub(" ", line)
        is_fen = looks_like_fen(text)
        if is_fen or not line.strip():
            if game.has_content:
                yield game.record(wanted)
            game = _Game(kind, lines.number)
        if is_fen:
            game.begin(text)
            unclear = unclear or game.kind.mirrored is not kind.mirrored
            continue
        for token in _TOKEN.finditer(text):
            if unclear and not game.has_content:
                game.refuse(lines.number)
            if token["number"] is None:
                game.take(token[0], lines.number)
            elif int(token["number"]) == 1 and game.is_under_way(token[0]):
                yield game.record(wanted)
                game = _Game(kind, lines.number)
    if game.has_content:
        yield game.record(wanted)


def _read_book(kind: Format, lines: Lines, wanted: Wanted) -> Games:
    """The games of a file with one a line."""
    for line in lines:
        if isinstance(line, FormatError):
            yield line
        elif line.strip() and not line.startswith("#"):
            game = _Game(kind, lines.number)
            for word in line.split():
                game.take(word, lines.number)
            yield game.record(wanted)


def _write(record: Record) -> Written:
    begin = [record.start.fen()] if record.start != START or not record.moves else []
    words = [str(move) for move in record.moves]
    if record.result is not None:
        words.append(_WORDS[record.result.winner])
    line = [" ".join(words)] if words else []
    return Written("\n".join([*begin, *line]) + "\n\n", losses(record, "winner", rules=Rules()))


def _text(lines: Lines, wanted: Wanted) -> Games:
    return _read_text(FORMAT, lines, wanted)


def _mirrored_text(lines: Lines, wanted: Wanted) -> Games:
    return _read_text(MIRRORED, lines, wanted)


def _book(lines: Lines, wanted: Wanted) -> Games:
    return _read_book(JUNGLECHESS, lines, wanted)


FORMAT: Final = Format(
    name="moves",
    title="a list of moves",
    source="tablebase/game/formats/move_lists.py",
    read_games=_text,
    write_game=_write,
)
MIRRORED: Final = Format(
    name="moves-mirrored",
    title="a list of moves from the other array",
    source="tablebase/game/formats/move_lists.py",
    mirrored=True,
    read_games=_mirrored_text,
)
JUNGLECHESS: Final = Format(
    name="junglechess",
    title="JungleChess's opening book",
    source="JSettler/JungleChess, src/Book.cpp, src/GameState.cpp",
    mirrored=True,
    unheld=("an animal that ever entered an enemy trap stays weak, wherever it goes",),
    read_games=_book,
)
