"""The FEN of KataGo for Jungle, and what its SGF and GTP share: squares and rules.

Read in hzyhhzy/KataGomo, branch AnimalChess2025 (6e9729f): ``cpp/game/rules.cpp``,
``gamelogic.cpp``, ``boardhistory.cpp``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final, NamedTuple

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.fen import MAX_COUNTER, shown
from tablebase.game.formats.fens import board_of, fields_of, has_letter, parse_board
from tablebase.game.formats.format import Format
from tablebase.game.formats.records import Written
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Rules

__all__ = ["FORMAT", "UNHELD", "KataRules", "print_position", "rules_text"]

UNHELD: Final[tuple[str, ...]] = (
    "7-3: a side loses that enters a square the 4th time in 8 moves, all by one animal, no trap",
)
_PREFIX: Final = re.compile(r"\s*(?:\d+\s+)?(?:setfen\s+|=\d*\s+)?")
_TURNS: Final = {"w": Color.WHITE, "b": Color.BLACK}
_SCORINGS: Final[dict[str, dict[str, Any]]] = {
    "0": {},
    "1": {"rat_leaving_water_captures": "rat", "rat_entering_water_captures": True},
    "2": {"jump_blocked_by": "enemy"},
    "3": {
        "rat_leaving_water_captures": "rat",
        "rat_entering_water_captures": True,
        "jump_blocked_by": "enemy",
    },
}
_JUDGES: Final = ("DRAW", "COUNT", "WEIGHT")
_DEFAULT: Final = "tromptaylor"
_RULES: Final = re.compile(r"score([0-3])drawjudge([A-Z]+)mm([0-9]{1,9})mc([0-9]{1,9})")


class KataRules(NamedTuple):
    """The rules that a record of KataGo names, in its own four parts."""

    scoring: str = "0"
    judge: str = "DRAW"
    mm: int = 0
    """Drawn after so many plies in all; 0: never."""
    mc: int = 200
    """Drawn after so many plies without a capture; 0: never."""

    @classmethod
    def parse(cls, text: str) -> KataRules:
        """Those of an RU property."""
        if re.sub(r"[-_ ]", "", text.strip().lower()) == _DEFAULT:
            return cls()
        match = _RULES.fullmatch(text.strip())
        if match is None:
            raise FormatError(f"{shown(text)} names no rules of this program", field="RU")
        return cls(match[1], match[2], int(match[3]), int(match[4])).checked("RU")

    def changed(self, key: str, value: object, field: str) -> KataRules:
        """These rules with one of them set, as by ``kata-set-rules``."""
        word = str(value).strip()
        names = {"score": "scoring", "scoring": "scoring", "drawjudge": "judge"}
        names |= {"mm": "mm", "maxmoves": "mm", "mc": "mc", "maxmovesnocapture": "mc"}
        name = names.get(key.strip().lower())
        if name is None:
            raise FormatError(f"no rule is called {shown(key)}", field=field)
        if name == "scoring":
            return self._replace(scoring=word).checked(field)
        if name == "judge":
            return self._replace(judge=word.upper()).checked(field)
        if not (word.isascii() and word.isdigit() and len(word) <= 9):
            raise FormatError(f"{key} is a number of plies; {shown(word)} is not", field=field)
        if name == "mm":
            return self._replace(mm=int(word)).checked(field)
        return self._replace(mc=int(word)).checked(field)

    def checked(self, field: str) -> KataRules:
        """These, or a ``FormatError`` if there are no such rules."""
        if self.scoring not in _SCORINGS:
            raise FormatError(f"scoring is 0 to 3; {shown(self.scoring)} is not", field=field)
        if self.judge not in _JUDGES:
            raise FormatError(f"{shown(self.judge)} is none of {', '.join(_JUDGES)}", field=field)
        if self.mc > MAX_COUNTER:
            raise FormatError(f"mc is 0 to {MAX_COUNTER} plies; {self.mc} is not", field=field)
        return self

    def rules(self) -> Rules:
        """The switches."""
        return Rules(no_capture_limit=self.mc or None, **_SCORINGS[self.scoring])

    def unheld(self) -> tuple[str, ...]:
        """What no switch holds."""
        found = UNHELD
        if self.mm:
            found += (f"mm: a game is drawn after {self.mm} plies in all",)
        if self.judge != "DRAW":
            found += (f"drawjudge: a draw is scored by {self.judge.lower()} of the animals",)
        return found


def rules_text(rules: Rules) -> tuple[str, tuple[str, ...]]:
    """The RU property for ``rules``, and what of them it does not say."""
    limit = Rules(no_capture_limit=rules.no_capture_limit)
    # The later scorings say all that the earlier do, so the last that fits says most.
    scoring = [
        number
        for number, switches in _SCORINGS.items()
        if all(getattr(rules, switch) == value for switch, value in switches.items())
    ][-1]
    kept = replace(limit, **_SCORINGS[scoring])
    mine, theirs = rules.switches(), kept.switches()
    lost = tuple(
        f"the rule {switch}: {_word(value)}"
        for switch, value in mine.items()
        if value != theirs[switch]
    )
    if kept == RULE_SETS["katago"]:
        return "TrompTaylor", lost
    return f"score{scoring}drawjudgeDRAWmm0mc{rules.no_capture_limit or 0}", lost


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def parse(text: str) -> tuple[Position, tuple[str, ...]]:
    """The position of ``<board> <w|b>``, also as a command ``setfen`` or an answer ``=``."""
    board, *rest = fields_of(_PREFIX.sub("", text, count=1))
    if not rest:
        raise FormatError("the side to move is missing after the board: add w or b")
    if rest[0] not in _TURNS:
        raise FormatError(f"the side to move is w or b; {shown(rest[0])} is neither")
    if len(rest) > 1:
        raise FormatError(f"a FEN ends after the side to move: {shown(rest[1])} is too much")
    return parse_board(board, _TURNS[rest[0]], letters="J"), ()


def fits(text: str) -> bool:
    """Whether ``text`` is a FEN there by its words."""
    board, *rest = fields_of(_PREFIX.sub("", text, count=1))
    return rest in (["w"], ["b"]) and not has_letter(board, "P")


def print_position(position: Position) -> Written:
    """The FEN as a line."""
    lost = ("the plies since the last capture",) if position.counter else ()
    return Written(f"{board_of(position, letters='J')} {'wb'[position.turn]}\n", lost)


FORMAT = Format(
    name="katago",
    title="KataGo's FEN",
    source="hzyhhzy/KataGomo, branch AnimalChess2025, cpp/game",
    rules=RULE_SETS["katago"],
    unheld=UNHELD,
    fits=fits,
    parse=parse,
    print=print_position,
)
