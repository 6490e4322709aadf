"""A line of moves as an address of Mistboard, ``/embed/line/jungle?fen=…&moves=…``; one a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast
from urllib.parse import parse_qsl, urlencode

from tablebase.errors import FormatError
from tablebase.game.fen import shown
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.losses import losses
from tablebase.game.formats.mistboard import OUTCOMES, RULES, VARIANT, parse, write_fen
from tablebase.game.formats.records import Ending, Record, Written
from tablebase.game.formats.replay import START, replayed
from tablebase.game.formats.squares import move_table, text_of
from tablebase.game.position import Move, Position

__all__ = ["FORMAT"]

_NAME: Final = "mistboard-line"
_ADDRESS: Final = re.compile(r"(?:https?://[^/\s]+)?/embed/line/([a-z0-9-]+)/?\?(\S*)")
_MOVES: Final = move_table(mirrored=True)
_WORDS: Final = {winner: word for word, winner in OUTCOMES.items()}
_KEYS: Final = ("fen", "moves", "red", "black", "event", "result")
_MOST_FIELDS: Final = 100


def _sniff(head: Sequence[str]) -> bool:
    first = next((line.strip() for line in head if _has_content(line)), "")
    return _ADDRESS.match(first) is not None


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _read(lines: Lines, wanted: Wanted) -> Games:
    for line in lines:
        if isinstance(line, FormatError):
            yield line
        elif _has_content(line):
            try:
                record = _address(line.strip(), Place(_NAME, lines.number), wanted)
            except FormatError as error:
                yield error
            else:
                if record is not None:
                    yield record


def _address(text: str, place: Place, wanted: Wanted) -> Record | None:
    """The line of moves; ``None`` if it is of another variant."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise place.error(f"{shown(text)} is no address /embed/line/{VARIANT}?fen=…&moves=…")
    if match[1] != VARIANT:
        return None
    fields = _query(match[2], place)
    start, notes = START, cast("tuple[str, ...]", ())
    if fen := fields.get("fen"):
        try:
            start, notes = parse(fen)
        except ValueError as error:
            raise place.error(str(error), field="fen") from None
    moves: list[Move] = []
    if "moves" not in fields:
        raise place.error("it is missing, perhaps cut off", field="moves")
    for word in fields["moves"].replace(",", " ").split():
        if word not in _MOVES:
            ply = len(moves) + 1
            raise place.error(f"{shown(word)} is no move such as a1b1", ply=ply, field="moves")
        moves.append(_MOVES[word])
    result = fields.get("result") or None
    if result is not None and result not in OUTCOMES:
        raise place.error(f"{shown(result)} is none of {', '.join(OUTCOMES)}", field="result")
    return replayed(
        FORMAT,
        place,
        wanted,
        start,
        moves,
        field=lambda _: "moves",
        result=None if result is None else Ending(OUTCOMES[result]),
        notes=notes,
        white=fields.get("red") or None,
        black=fields.get("black") or None,
        metadata={"event": fields["event"]} if fields.get("event") else {},
    )


def _query(text: str, place: Place) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError as error:  # not UTF-8, or too many fields
        raise place.error(f"the address cannot be decoded: {error}") from None
    fields = dict(pairs)
    for key in _KEYS:
        if sum(name == key for name, _ in pairs) > 1:
            raise place.error("it stands there more than once", field=key)
    return fields


def _write(record: Record) -> Written:
    query = {}
    if record.start != START:
        query["fen"] = write_fen(record.start)
    query["moves"] = ",".join(text_of(move, mirrored=True) for move in record.moves)
    event = record.metadata.get("event")
    said = {"red": record.white, "black": record.black, "event": event}
    query |= {key: value for key, value in said.items() if isinstance(value, str) and value}
    if record.result is not None:
        query["result"] = _WORDS[record.result.winner]
    lost = losses(record, "white", "black", "event", "winner", rules=RULES)
    return Written(f"/embed/line/{VARIANT}?{urlencode(query, errors='replace')}\n", lost)


def _print(position: Position) -> Written:
    return _write(Record(_NAME, position, (), RULES))


FORMAT = Format(
    name=_NAME,
    title="a line of moves as an address of Mistboard",
    source="brianhliou/mistboard, packages/game/src/embed-contract.ts",
    mirrored=True,
    rules=RULES,
    sniff=_sniff,
    read_games=_read,
    write_game=_write,
)
