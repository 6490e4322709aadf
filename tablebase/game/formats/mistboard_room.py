"""The log of a room of Mistboard, or of several in turn: events, a line of JSON each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.fen import shown
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.jsontext import Fields, parse_json
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.mistboard import COLORS, RULES, SIDES, VARIANT, replayed_by_date
from tablebase.game.formats.records import Ending, Record
from tablebase.game.formats.squares import square_table
from tablebase.game.position import Move

__all__ = ["FORMAT"]

_NAME: Final = "mistboard-room"
_SQUARES: Final = square_table(mirrored=True)


@dataclass
class _Room:
    """What the log has said of a room so far."""

    place: Place
    id: str
    day: str
    is_jungle: bool
    moves: list[Move] = field(default_factory=list)
    resigned: Color | None = None
    error: FormatError | None = None

    def take(self, event: Fields) -> None:
        """Note what an event says."""
        kind = event.text("type")
        if kind not in ("seat-resigned", "move-played"):
            return
        if event.text("roomId") != self.id:
            raise event.error(f"this is the log of {shown(self.id)}", "roomId")
        if kind == "seat-resigned":
            self.resigned = event.choice("color", COLORS)
        else:
            self.moves.append(self._move(event))

    def _move(self, event: Fields) -> Move:
        ply = len(self.moves) + 1
        mover = SIDES[Color((ply - 1) & 1)]
        if self.resigned is not None:
            raise event.error("a move after a player resigned", "type", ply=ply)
        if event.text("color") != mover:
            raise event.error(f"it is {mover}'s turn", "color", ply=ply)
        move = event.fields("move")
        origin, target = (move.choice(key, _SQUARES) for key in ("from", "to"))
        return Move(origin, target)

    def record(self, wanted: Wanted) -> Record | FormatError | None:
        """The game, when all events of the room are read; ``None`` for another variant."""
        if self.error is not None or not self.is_jungle:
            return self.error
        loser = self.resigned
        try:
            return replayed_by_date(
                FORMAT,
                self.place,
                wanted,
                self.day,
                self.moves,
                result=None if loser is None else Ending(loser.other, "resignation"),
                id=self.id,
                metadata={"created_at": self.day},
            )
        except FormatError as error:
            return error


def _sniff(head: Sequence[str]) -> bool:
    begin = next((line for line in head if line.strip()), "")[:1000]
    return begin.lstrip().startswith("{") and '"roomId"' in begin and '"type"' in begin


def _read(lines: Lines, wanted: Wanted) -> Games:
    room: _Room | None = None
    for line in lines:
        place = Place(_NAME, lines.number)
        try:
            if isinstance(line, FormatError):
                raise line
            if not line.strip():
                continue
            event = Fields(parse_json(line, place), place)
            if event.text("type") == "room-created":
                if room is not None and (found := room.record(wanted)) is not None:
                    yield found
                room = _created(event)
            elif room is None:
                raise event.error("a log begins with room-created", "type")
            elif room.error is None and room.is_jungle:
                room.take(event)
        except FormatError as error:
            if room is None:
                yield error
                return
            room.error = room.error or error
    if room is not None and (found := room.record(wanted)) is not None:
        yield found


def _created(event: Fields) -> _Room:
    at = event.number("at")
    try:
        day = datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        raise event.error("it is no time in milliseconds since 1970", "at") from None
    is_jungle = event.text("gameSpecId") == VARIANT
    return _Room(event.place, event.text("roomId"), day, is_jungle)


FORMAT = Format(
    name=_NAME,
    title="the log of a room of Mistboard",
    source="brianhliou/mistboard, apps/server/src/variant-tenant/tenant.ts",
    mirrored=True,
    rules=RULES,
    sniff=_sniff,
    read_games=_read,
)
