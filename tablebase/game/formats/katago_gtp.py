"""What was said to KataGo for Jungle by GTP, with or without its answers.

Read in hzyhhzy/KataGomo, branch AnimalChess2025 (6e9729f): ``cpp/command/gtp.cpp``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tablebase.errors import FormatError
from tablebase.game.board import SQUARE_NAMES, Color
from tablebase.game.fen import shown
from tablebase.game.formats import katago
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.halves import Halves
from tablebase.game.formats.jsontext import Fields, parse_json
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.losses import losses
from tablebase.game.formats.records import Ending, Record, Written
from tablebase.game.formats.replay import START, replayed
from tablebase.game.position import Position

__all__ = ["FORMAT"]

_NAME: Final = "katago-gtp"
_SQUARES: Final = {name.upper(): square for square, name in enumerate(SQUARE_NAMES)}
_COMMAND: Final = re.compile(r"(?:\d+\s+)?([a-z][a-z0-9_-]*)\s*(.*)")
_ANSWER: Final = re.compile(r"([=?])(\d*)(?:\s+(.*)|\s*)$")
_BEGINS: Final = ("clear_board", "setfen")
_MOVES: Final = ("play", "genmove", "undo")
_UNREAD: Final = ("loadsgf", "set_position", "set_free_handicap", "place_free_handicap")
_KNOWN: Final = (*_BEGINS, *_MOVES, "kata-set-rules", "kata-set-rule", "getfen", "showboard")


class _Said(NamedTuple):
    """A command, and the answer to it if the log has one."""

    place: Place
    command: str
    words: str
    answer: str | None
    failed: bool


def _sniff(head: Sequence[str]) -> bool:
    commands = [match for line in head if (match := _COMMAND.fullmatch(line.strip()))]
    return any(match[1] in _KNOWN for match in commands)


def _said(lines: Lines) -> Iterator[_Said | FormatError]:
    """The commands in turn, each with the answer that follows it."""
    last: _Said | None = None
    for line in lines:
        if isinstance(line, FormatError):
            yield line
            return
        text = line.partition("#")[0].strip()
        answer = _ANSWER.match(text)
        if answer is not None:
            if last is not None and last.answer is None:
                last = last._replace(answer=answer[3] or "", failed=answer[1] == "?")
            continue
        command = _COMMAND.fullmatch(text)
        if command is None:  # the later lines of an answer, or an empty one
            continue
        known = command[1] in _KNOWN or command[1] in _UNREAD
        if last is not None and last.answer is not None and not known:
            continue  # a later line of an answer, or a command that tells nothing
        if last is not None:
            yield last
        last = _Said(Place(_NAME, lines.number), command[1], command[2].strip(), None, False)
    if last is not None:
        yield last


class _Log:
    """The game that is being played in a log, and the rules, which outlast it."""

    def __init__(self) -> None:
        self.rules = katago.KataRules()
        self.stated = False
        self.begin(Place(_NAME, 1), START)

    def begin(self, place: Place, start: Position) -> None:
        self.place = place
        self.start = start
        self.halves = Halves(place, start.turn)
        self.resigned: Color | None = None

    def obey(self, said: _Said) -> None:
        """Follow a command that moves, or sets the rules."""
        self.halves.place = said.place
        if said.command == "kata-set-rules":
            self._set_rules(said)
        elif said.command == "kata-set-rule":
            key, _, value = said.words.partition(" ")
            self.rules = self.rules.changed(key, value, said.command)
            self.stated = True
        elif said.command == "undo":
            self.halves.undo()
        elif said.command == "play":
            words = said.words.split()
            if len(words) != 2:
                raise self._error("play takes a colour and a square", said)
            self._move(words[1], said)
        elif said.command == "genmove":
            if said.answer is None:
                raise self._error("the answer to genmove is not in the log", said)
            self._move(said.answer, said)
        elif said.command in _UNREAD:
            raise self._error("what this sets up is not in the log", said)

    def _error(self, reason: str, said: _Said) -> FormatError:
        return said.place.error(reason, ply=self.halves.ply, field=said.command)

    def _move(self, word: str, said: _Said) -> None:
        if self.resigned is not None:
            raise self._error("a move after a player resigned", said)
        word = word.strip().upper()
        if word == "RESIGN":
            self.resigned = self.halves.turn
        elif word == "PASS":
            self.halves.take(None, None, said.command)
        elif word in _SQUARES:
            self.halves.take(None, _SQUARES[word], said.command)
        else:
            raise self._error(f"{shown(word)} is no square", said)

    def _set_rules(self, said: _Said) -> None:
        self.stated = True
        if not said.words.startswith("{"):
            self.rules = katago.KataRules.parse(said.words)
            return
        rules = katago.KataRules()
        for key, value in Fields(parse_json(said.words, said.place), said.place).values.items():
            rules = rules.changed(key, value, said.command)
        self.rules = rules

    def record(self, wanted: Wanted) -> Record | None:
        """The game so far; ``None`` if nothing was played."""
        if not self.halves.moves and self.start == START:
            return None
        resigned = self.resigned
        result = None if resigned is None else Ending(resigned.other, "resignation")
        notes, result = self.halves.finish(result)
        return replayed(
            FORMAT,
            self.place,
            wanted,
            self.start,
            self.halves.moves,
            recorded=self.rules.rules() if self.stated else None,
            unheld=self.rules.unheld(),
            result=result,
            notes=notes,
        )


def _read(lines: Lines, wanted: Wanted) -> Games:
    log = _Log()
    broken: FormatError | None = None
    for said in _said(lines):
        try:
            if isinstance(said, FormatError):
                raise said
            if said.failed:
                continue
            if said.command in _BEGINS:
                if broken is None and (record := log.record(wanted)) is not None:
                    yield record
                broken = None
                start = START if said.command == "clear_board" else katago.parse(said.words)[0]
                log.begin(said.place, start)
            elif broken is None:
                log.obey(said)
        except ValueError as error:
            place = lines.number if isinstance(said, FormatError) else said.place.line
            broken = _placed(error, place)
            yield broken
    if broken is None:
        try:
            if (record := log.record(wanted)) is not None:
                yield record
        except FormatError as error:
            yield error


def _placed(error: ValueError, line: int | None) -> FormatError:
    """``error`` as one of this format, with its line."""
    if not isinstance(error, FormatError):  # of a FEN
        return FormatError(str(error), _NAME, line=line, field="setfen")
    error.format, error.line = _NAME, error.line or line
    return error


def _write(record: Record) -> Written:
    rules, lost = katago.rules_text(record.rules)
    said = katago.KataRules.parse(rules)
    text = (
        f'{{"scoring":"{said.scoring}","drawjudge":"{said.judge}","mm":{said.mm},"mc":{said.mc}}}'
    )
    fen = katago.print_position(record.start)
    lines = [
        f"kata-set-rules {text}",
        "clear_board" if record.start == START else f"setfen {fen.text.strip()}",
    ]
    for ply, move in enumerate(record.moves):
        side = "bw"[(ply + record.start.turn) & 1]
        lines += [f"play {side} {SQUARE_NAMES[square].upper()}" for square in move]
    lost = (*losses(record), *fen.lost, *lost)
    return Written("\n".join(lines) + "\n", lost)


FORMAT = Format(
    name=_NAME,
    title="a GTP log of KataGo",
    source="hzyhhzy/KataGomo, branch AnimalChess2025, cpp/command/gtp.cpp",
    rules=katago.FORMAT.rules,
    unheld=katago.UNHELD,
    sniff=_sniff,
    read_games=_read,
    write_game=_write,
)
