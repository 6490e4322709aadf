"""Hypothesis strategies: any rules, any position that is legal under them."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from tablebase.game.board import DENS, Color
from tablebase.game.position import Position
from tablebase.game.rules import Animal, Rules

__all__ = ["SWITCHES", "positions", "rules_and_position", "some_rules"]

AXES: Final = ("both", "vertical", "horizontal", "none")
SWITCHES: Final[dict[str, tuple[Any, ...]]] = {
    "elephant_captures_rat": ("in_trap", "never", "always"),
    "rat_leaving_water_captures": ("none", "rat", "any"),
    "rat_entering_water_captures": (False, True),
    "lion_jumps": AXES,
    "tiger_jumps": AXES,
    "leopard_jumps": ("none", "both", "vertical", "horizontal"),
    "jump_blocked_by": ("any", "enemy"),
    "swimmers": ("rat", "rat and dog"),
    "traps_weaken": ("enemy", "all"),
    "trapped_attack": ("full", "zero"),
    "order": ("wolf over dog", "dog over wolf"),
    "no_moves": ("loss", "draw"),
    "no_capture_limit": (None, 60, 100, 200),
    "repetition": (None, 3),
    "history": ("none", "baike"),
}
"""Every switch and its values, the standard one first."""


@st.composite
def some_rules(draw: st.DrawFn) -> Rules:
    return Rules(**{name: draw(st.sampled_from(values)) for name, values in SWITCHES.items()})


@st.composite
def positions(draw: st.DrawFn, rules: Rules, most: int = 16) -> Position:
    """A position of up to ``most`` animals, of either side or both, perhaps with a den entered."""
    kinds = [(color, animal) for color in Color for animal in Animal]
    chosen = draw(st.lists(st.sampled_from(kinds), unique=True, min_size=1, max_size=most))
    pieces: dict[int, tuple[Color, Animal]] = {}
    entered = draw(st.sampled_from([None, None, None, *Color]))
    for color, animal in chosen:
        squares = set(rules.squares(animal))
        if color is entered:
            squares.add(DENS[color.other])
        pieces[draw(st.sampled_from(sorted(squares - set(pieces))))] = (color, animal)
    turn = draw(st.sampled_from(Color))
    return Position.from_pieces(pieces, turn, draw(st.integers(0, 250)))


@st.composite
def rules_and_position(draw: st.DrawFn, most: int = 16) -> tuple[Rules, Position]:
    rules = draw(some_rules())
    return rules, draw(positions(rules, most))
