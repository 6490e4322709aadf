"""A match between engines as Mistboard's scripts write it: a game a line of JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.jsontext import Fields, dump, parse_json
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.losses import losses
from tablebase.game.formats.mistboard import REASONS, RULES, WINNERS
from tablebase.game.formats.records import Ending, EndingReason, Record, Written
from tablebase.game.formats.replay import START, replayed
from tablebase.game.formats.squares import move_table, text_of

__all__ = ["FORMAT"]

_NAME: Final = "mistboard-match"
_MOVES: Final = move_table(mirrored=True)
_RESULTS: Final = {winner: word for word, winner in WINNERS.items()}
_WORDS: Final[dict[EndingReason | None, str]] = {reason: word for word, reason in REASONS.items()}
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,15}")


def _sniff(head: Sequence[str]) -> bool:
    begin = next((line for line in head if line.strip()), "").lstrip()[:4000]
    return begin.startswith("{") and '"moves"' in begin and '"game"' in begin


def _read(lines: Lines, wanted: Wanted) -> Games:
    for line in lines:
        place = Place(_NAME, lines.number)
        if isinstance(line, FormatError):
            yield line
        elif line.strip():
            try:
                yield _game(Fields(parse_json(line, place), place), wanted)
            except FormatError as error:
                yield error


def _game(game: Fields, wanted: Wanted) -> Record:
    moves = []
    for index, word in enumerate(game.texts("moves")):
        if word not in _MOVES:
            reason = f"{word[:20]!r} is no move such as a1b1"
            raise game.error(reason, f"moves[{index}]", ply=index + 1)
        moves.append(_MOVES[word])
    if game.number("plies") != len(moves):
        raise game.error(f"it is not {len(moves)}, the number of moves", "plies")
    number = game.number_or_none("game")
    return replayed(
        FORMAT,
        game.place,
        wanted,
        START,
        moves,
        field="moves[{}]".format,
        result=_result(game),
        id=None if number is None else str(number),
        white=game.text_or_none("red"),
        black=game.text_or_none("black"),
    )


def _result(game: Fields) -> Ending | None:
    if game.values.get("result") is None:
        return None
    winner = game.choice("result", WINNERS)
    reason = None if game.values.get("reason") is None else game.choice("reason", REASONS)
    return Ending(winner, reason)


def _write(record: Record) -> Written:
    if record.start != START:
        raise FormatError(
            "a game of a match begins at the start of the game, and this one does not", _NAME
        )
    number = _NUMBER.fullmatch(record.id or "")
    ending = record.result
    game: dict[str, Any] = {"game": int(number[0])} if number else {}
    game["red"], game["black"] = record.white, record.black
    game["moves"] = [text_of(move, mirrored=True) for move in record.moves]
    game["plies"] = len(record.moves)
    game["result"] = None if ending is None else _RESULTS[ending.winner]
    game["reason"] = None if ending is None else _WORDS.get(ending.reason)
    players = {Color.WHITE: record.white, Color.BLACK: record.black}
    game["winner"] = players.get(ending.winner) if ending and ending.winner is not None else None
    held = ["white", "black", "winner", *(["id"] if number else [])]
    if ending is None or ending.reason in _WORDS:
        held.append("reason")
    return Written(f"{dump(game)}\n", losses(record, *held, rules=RULES))


FORMAT = Format(
    name=_NAME,
    title="a match of Mistboard",
    source="brianhliou/mistboard, scripts/variant-lab/jungle-katago-match.ts",
    mirrored=True,
    rules=RULES,
    sniff=_sniff,
    read_games=_read,
    write_game=_write,
)
