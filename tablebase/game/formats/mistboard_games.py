"""Games exported by Mistboard: one, or a file of a month with a game a line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from tablebase.errors import FormatError
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.jsontext import Fields, parse_json
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.mistboard import (
    RULES,
    TERMINATIONS,
    VARIANT,
    WINNERS,
    replayed_by_date,
)
from tablebase.game.formats.records import Ending, Record
from tablebase.game.formats.squares import move_table
from tablebase.game.position import Move

__all__ = ["FORMAT"]

_VERSION: Final = "1.0"
_MOVERS: Final = ("red", "black")
_MOVES: Final = move_table(mirrored=True)
_NAME: Final = "mistboard-games"


def _sniff(head: Sequence[str]) -> bool:
    begin = "".join(head[:40])[:2000]
    return begin.lstrip().startswith("{") and '"schema_version"' in begin


def _read(lines: Lines, wanted: Wanted) -> Games:
    for line in lines:
        if isinstance(line, FormatError):
            yield line
            continue
        place = Place(_NAME, lines.number)
        text = line.strip()
        if not text:
            continue
        try:
            if text == "{":  # one game, printed over many lines
                text += lines.document(_NAME)
            game = _game(Fields(parse_json(text, place), place), wanted)
        except FormatError as error:
            yield error
        else:
            if game is not None:
                yield game


def _game(game: Fields, wanted: Wanted) -> Record | None:
    """The game; ``None`` if it is of another variant."""
    if game.text("variant") != VARIANT:
        return None
    if game.text("schema_version") != _VERSION:
        raise game.error(f"only version {_VERSION} is known", "schema_version")
    moves = _moves(game)
    if game.number("ply_count") != len(moves):
        raise game.error(f"it is not {len(moves)}, the number of plies", "ply_count")
    players = game.fields("players")
    result = Ending(game.choice("result", WINNERS), game.choice("termination", TERMINATIONS))
    started = game.text_or_none("started_at")
    return replayed_by_date(
        FORMAT,
        game.place,
        wanted,
        _day(started),
        moves,
        field="plies[{}].uci".format,
        result=result,
        id=game.text("game_id"),
        white=players.fields("red").text_or_none("handle"),
        black=players.fields("black").text_or_none("handle"),
        metadata=_metadata(game, started),
    )


def _moves(game: Fields) -> list[Move]:
    moves = []
    for index, ply in enumerate(game.array("plies")):
        try:
            if ply["ply"] == index + 1 and ply["mover"] == _MOVERS[index & 1]:
                moves.append(_MOVES[ply["uci"]])
                continue
        except (TypeError, KeyError, IndexError):
            pass
        raise _wrong_ply(game.item("plies", index, ply), index)
    return moves


def _wrong_ply(ply: Fields, index: int) -> FormatError:
    """What is wrong with a ply that could not be read."""
    try:
        number, mover, move = ply.number("ply"), ply.text("mover"), ply.text("uci")
    except FormatError as error:
        error.ply = index + 1
        return error
    if number != index + 1:
        return ply.error(f"it is {number}, but the plies are numbered from 1", "ply", ply=index + 1)
    if mover != _MOVERS[index & 1]:
        wanted = "red begins, and the sides take turns"
        return ply.error(f"it is {mover[:20]!r}, but {wanted}", "mover", ply=index + 1)
    return ply.error(f"{move[:20]!r} is no move such as a1b1", "uci", ply=index + 1)


def _day(started: str | None) -> str | None:
    """The day of a time such as ``2026-09-21T14:13:20.000Z``."""
    try:
        return date.fromisoformat((started or "")[:10]).isoformat()
    except ValueError:
        return None


def _metadata(game: Fields, started: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"started_at": started}
    for key in ("ended_at", "mode", "license"):
        found[key] = game.text_or_none(key)
    clock, source = game.fields_or_none("time_control"), game.fields_or_none("source")
    found["time_control"] = clock and clock.text_or_none("label")
    found["url"] = source and source.text_or_none("game_url")
    return {key: value for key, value in found.items() if value is not None}


FORMAT = Format(
    name=_NAME,
    title="games exported by Mistboard",
    source="brianhliou/mistboard, apps/server/src/game-export-tenant.ts, game-data-files.ts",
    mirrored=True,
    rules=RULES,
    sniff=_sniff,
    read_games=_read,
)
