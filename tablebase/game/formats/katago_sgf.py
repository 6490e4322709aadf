"""Games as KataGo for Jungle prints them: SGF, in which a move is two nodes, from and to.

Read in hzyhhzy/KataGomo, branch AnimalChess2025 (6e9729f): ``cpp/dataio/sgf.cpp``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tablebase.errors import FormatError
from tablebase.game.board import FILES, RANKS, SQUARES, Color
from tablebase.game.fen import shown
from tablebase.game.formats import katago
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.halves import Halves
from tablebase.game.formats.lines import LONGEST, MOST_LINES, Lines, too_long
from tablebase.game.formats.losses import losses
from tablebase.game.formats.records import Ending, Record, Written
from tablebase.game.formats.replay import START, replayed

__all__ = ["FORMAT"]

_NAME: Final = "katago-sgf"
_COLUMNS, _ROWS = "abcdefg", "abcdefghi"
_SQUARE_NAMES: Final = tuple(
    _COLUMNS[square % FILES] + _ROWS[RANKS - 1 - square // FILES] for square in range(SQUARES)
)
_SQUARES: Final = {name: square for square, name in enumerate(_SQUARE_NAMES)}
_COLORS: Final = {"B": Color.WHITE, "W": Color.BLACK}
_SIDES: Final = "BW"
_RESULTS: Final[dict[str, Ending | None]] = {
    "B+": Ending(Color.WHITE),
    "W+": Ending(Color.BLACK),
    "B+R": Ending(Color.WHITE, "resignation"),
    "W+R": Ending(Color.BLACK, "resignation"),
    "0": Ending(None),
    "Void": None,
    "": None,
}
_SIZE: Final = f"{FILES}:{RANKS}"
_SETUP: Final = ("AB", "AW", "AE", "PL")

_PROPERTY: Final = re.compile(r"\s*([A-Z]+)\s*(?=\[)")
_VALUE: Final = re.compile(r"\s*\[([^\\\]]*(?:\\.[^\\\]]*)*)\]", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_OUTSIDE: Final = re.compile(r"[^\[\]()\\]*")
_INSIDE: Final = re.compile(r"[^\]\\]*")

_Node = list[tuple[str, list[str]]]


def _sniff(head: Sequence[str]) -> bool:
    return "".join(line.strip() for line in head[:40]).startswith("(;")


def _read(lines: Lines, wanted: Wanted) -> Games:
    for number, text in _trees(lines):
        place = Place(_NAME, number)
        try:
            if isinstance(text, FormatError):
                raise text
            yield _game(list(_nodes(text, place)), place, wanted)
        except FormatError as error:
            error.format, error.line = _NAME, error.line or number
            yield error


def _trees(lines: Lines) -> Iterator[tuple[int, str | FormatError]]:
    """The text of each game with the number of its first line; brackets may hold anything."""
    parts: list[str] = []
    begun = size = depth = 0
    inside = False
    for line in lines:
        if isinstance(line, FormatError):
            yield lines.number, line
            return
        if not parts and not line.strip():
            continue
        begun = begun if parts else lines.number
        start = at = 0
        while at < len(line):
            match = (_INSIDE if inside else _OUTSIDE).match(line, at)
            assert match is not None
            at = match.end() + 1
            symbol = line[at - 1 : at]
            if symbol == "\\":
                at += inside
            elif inside or symbol == "[":
                inside = symbol == "[" or (inside and symbol != "]")
            elif symbol in ("(", ")"):
                depth += 1 if symbol == "(" else -1
                if depth <= 0:
                    yield begun, "\n".join([*parts, line[start:at]])
                    parts, size, depth, start, begun = [], 0, 0, at, lines.number
        if line[start:].strip() or parts:
            parts.append(line[start:])
            size += len(line) - start + 1
        if size > LONGEST or len(parts) > MOST_LINES:
            yield begun, FormatError(too_long("the game"))
            return
    if "".join(parts).strip():
        yield begun, FormatError("the game is cut off: it has no end ')'", line=lines.number)


def _nodes(text: str, place: Place) -> Iterator[_Node]:
    """The nodes of the one line of play in ``text``."""
    body = text.strip()
    if not (body.startswith("(") and body.endswith(")")):
        raise place.error(f"a game is written in parentheses; {shown(body)} is not")
    body = body[1:-1].strip()
    if not body.startswith(";"):
        raise place.error("a game begins with (;")
    at = 0
    while at < len(body):
        if body[at] == "(":
            raise place.error("it has variations, which KataGo does not write")
        if body[at] != ";":
            raise place.error(f"a node begins with ';', not with {shown(body[at : at + 10])}")
        at += 1
        node: _Node = []
        while match := _PROPERTY.match(body, at):
            at = match.end()
            values = []
            while value := _VALUE.match(body, at):
                values.append(_ESCAPED.sub(lambda m: m[1].strip("\n"), value[1]))
                at = value.end()
            if not values:
                raise place.error(f"the property {shown(match[1])} has no value ]")
            node.append((match[1], values))
        yield node
        while at < len(body) and body[at].isspace():
            at += 1


def _game(nodes: list[_Node], place: Place, wanted: Wanted) -> Record:
    root = {name: values[0] for name, values in nodes[0] if name not in _COLORS}
    if root.get("SZ") != _SIZE:
        raise place.error(
            f"the board of Jungle is {_SIZE}, not {shown(root.get('SZ', ''))}", field="SZ"
        )
    said = katago.KataRules.parse(root["RU"]) if "RU" in root else katago.KataRules()
    word = root.get("RE", "").strip()
    if word not in _RESULTS:
        choices = ", ".join(word for word in _RESULTS if word)
        raise place.error(f"{shown(word)} is none of {choices}", field="RE")
    halves = Halves(place, START.turn)
    for node in nodes:
        for name, values in node:
            if name in _SETUP:
                raise place.error(
                    "a start set up square by square is no start of Jungle", field=name
                )
            if name not in _COLORS:
                continue
            for value in values:
                if value and value not in _SQUARES:
                    raise place.error(f"{shown(value)} is no square", ply=halves.ply, field=name)
                halves.take(_COLORS[name], _SQUARES[value] if value else None, name)
    notes, result = halves.finish(_RESULTS[word])
    if word == "Void":
        notes += ("the record says that the game does not count",)
    return replayed(
        FORMAT,
        place,
        wanted,
        START,
        halves.moves,
        recorded=said.rules() if "RU" in root else None,
        unheld=said.unheld(),
        result=result,
        notes=notes,
        white=root.get("PB") or None,
        black=root.get("PW") or None,
    )


def _write(record: Record) -> Written:
    if record.start != START:
        raise FormatError("KataGo's SGF begins at the start of the game, and this does not", _NAME)
    rules, lost = katago.rules_text(record.rules)
    result = "" if record.result is None else _word(record.result)
    root = (
        f";FF[4]GM[1]SZ[{_SIZE}]PB[{_escape(record.white)}]PW[{_escape(record.black)}]RU[{rules}]"
    )
    moves = "".join(
        f";{_SIDES[ply & 1]}[{_SQUARE_NAMES[move.origin]}]"
        f";{_SIDES[ply & 1]}[{_SQUARE_NAMES[move.target]}]"
        for ply, move in enumerate(record.moves)
    )
    held = ["white", "black", "winner"]
    if record.result is not None and record.result.reason == "resignation":
        held.append("reason")
    end = f"RE[{result}]" if result else ""
    return Written(f"({root}{end}{moves})\n", (*losses(record, *held), *lost))


def _word(ending: Ending) -> str:
    exact = Ending(ending.winner, "resignation" if ending.reason == "resignation" else None)
    return next((word for word, known in _RESULTS.items() if known == exact), "0")


def _escape(name: str | None) -> str:
    return re.sub(r"([\\\]])", r"\\\1", (name or "").replace("\n", " "))


FORMAT = Format(
    name=_NAME,
    title="KataGo's SGF",
    source="hzyhhzy/KataGomo, branch AnimalChess2025, cpp/dataio/sgf.cpp",
    rules=katago.FORMAT.rules,
    unheld=katago.UNHELD,
    sniff=_sniff,
    read_games=_read,
    write_game=_write,
)
