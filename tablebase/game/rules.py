"""The rules of Jungle: every switch, the named rule sets, and the moves and captures they allow.

This is the one home of the rules. Everything else asks two questions here: along which edges an
animal moves (:meth:`Rules.edges`), and whom it may capture along one (:meth:`Rules.may_capture`).
Nobody governs the game, so a table is exact only for a stated rule set; the named ones and their
sources are in ``docs/rules.md``.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args, get_type_hints

from tablebase.errors import RulesError
from tablebase.game.board import DENS, FILES, LAND, RANKS, TRAPS, WATER, Color

__all__ = ["RULE_SETS", "Animal", "Edge", "Rules", "load_rules"]


class Animal(IntEnum):
    """An animal, by its strength under the standard order (the order may swap wolf and dog)."""

    RAT = 1
    CAT = 2
    DOG = 3
    WOLF = 4
    LEOPARD = 5
    TIGER = 6
    LION = 7
    ELEPHANT = 8

    @property
    def letter(self) -> str:
        """The upper-case letter of FEN and of material names."""
        return " RCDWPTLE"[self]


class Edge(NamedTuple):
    """One way to go: a step to a neighbour, or a jump over the water squares it crosses."""

    origin: int
    target: int
    water: tuple[int, ...] = ()


Axes = Literal["both", "vertical", "horizontal", "none"]

_LARGEST_FILE: Final = 1 << 13
"""Bytes of a rules file: all switches with long comments take a fifth of that, and with keys of
thousands of parts, which take a time that grows with the square, no file takes seconds."""
_LONG_NUMBER: Final = 10**18
_KINDS: Final[dict[type, str]] = {dict: "table", list: "list"}
"""What people call values of these types."""

_STEPS: Final = ((0, -1), (-1, 0), (1, 0), (0, 1))


@dataclass(frozen=True, slots=True)
class Rules:
    """A complete set of switches; the defaults are the ``standard`` rule set.

    ``no_capture_limit`` is in plies. ``repetition`` and ``history`` depend on the record of a
    game, so they matter for play and not for tables.
    """

    elephant_captures_rat: Literal["in_trap", "never", "always"] = "in_trap"
    rat_leaving_water_captures: Literal["none", "rat", "any"] = "none"
    rat_entering_water_captures: bool = False
    lion_jumps: Axes = "both"
    tiger_jumps: Axes = "both"
    leopard_jumps: Axes = "none"
    jump_blocked_by: Literal["any", "enemy"] = "any"
    swimmers: Literal["rat", "rat and dog"] = "rat"
    traps_weaken: Literal["enemy", "all"] = "enemy"
    trapped_attack: Literal["full", "zero"] = "full"
    order: Literal["wolf over dog", "dog over wolf"] = "wolf over dog"
    no_moves: Literal["loss", "draw"] = "loss"
    no_capture_limit: int | None = None
    repetition: Literal[3] | None = None
    history: Literal["none", "baike"] = "none"

    def __post_init__(self) -> None:
        for switch, kind in _switch_types().items():
            value = getattr(self, switch)
            if switch == "no_capture_limit":
                if value is not None and (type(value) is not int or not 1 <= value <= 10_000):
                    raise RulesError(
                        f"no_capture_limit is a number of plies from 1 to 10000, or none;"
                        f" {_shown(value)} is not",
                        switch=switch,
                    )
            elif kind is bool:
                if type(value) is not bool:
                    raise RulesError(
                        f"{switch} is yes or no; {_shown(value)} is neither", switch=switch
                    )
            elif not any(type(value) is type(c) and value == c for c in _choices(kind)):
                allowed = ", ".join("none" if c is None else str(c) for c in _choices(kind))
                raise RulesError(
                    f"{switch} is one of: {allowed}; {_shown(value)} is not", switch=switch
                )

    # -- the two questions ---------------------------------------------------------------------

    def edges(self, animal: Animal, color: Color) -> tuple[Edge, ...]:
        """Every way ``animal`` of ``color`` can go on an empty board, by origin, then target.

        Origins are the squares of an unfinished game; the enemy den is a target, one's own is not.
        """
        return _edges(self, animal, color)

    def may_capture(self, attacker: Animal, color: Color, defender: Animal, edge: Edge) -> bool:
        """Whether ``attacker`` of ``color``, going along ``edge``, may take ``defender`` there."""
        origin, target = edge.origin, edge.target
        if origin in WATER and target not in WATER:
            allowed = self.rat_leaving_water_captures
            if allowed == "none" or (allowed == "rat" and defender is not Animal.RAT):
                return False
        if origin not in WATER and target in WATER and not self.rat_entering_water_captures:
            return False
        attack = self.strength(attacker)
        defence = self.strength(defender)
        if self.trapped_attack == "zero" and self._weakened(color, origin):
            attack = 0
        if self._weakened(color.other, target):
            defence = 0
        if attacker is Animal.ELEPHANT and defender is Animal.RAT:
            if self.elephant_captures_rat == "never":
                return False
            if self.elephant_captures_rat == "in_trap" and target not in TRAPS[color]:
                return False
        if attacker is Animal.RAT and defender is Animal.ELEPHANT and attack > 0:
            return True
        return attack >= defence

    # -- what they rest on ---------------------------------------------------------------------

    def strength(self, animal: Animal) -> int:
        """The strength of ``animal`` outside traps, 1 to 8."""
        if self.order == "dog over wolf":
            if animal is Animal.DOG:
                return int(Animal.WOLF)
            if animal is Animal.WOLF:
                return int(Animal.DOG)
        return int(animal)

    def swims(self, animal: Animal) -> bool:
        """Whether ``animal`` may enter water."""
        return animal is Animal.RAT or (animal is Animal.DOG and self.swimmers == "rat and dog")

    def jumps(self, animal: Animal) -> Axes:
        """Along which axes ``animal`` jumps over water."""
        jumpers: dict[Animal, Axes] = {
            Animal.LION: self.lion_jumps,
            Animal.TIGER: self.tiger_jumps,
            Animal.LEOPARD: self.leopard_jumps,
        }
        return jumpers.get(animal, "none")

    def squares(self, animal: Animal) -> frozenset[int]:
        """Where ``animal`` can stand in an unfinished game: not in a den, nor in water if it
        does not swim.
        """
        return LAND | WATER if self.swims(animal) else LAND

    def blocks_jump(self, swimmer: Color, jumper: Color) -> bool:
        """Whether a swimmer of the one side, in the water on the line, stops the other's jump."""
        return self.jump_blocked_by == "any" or swimmer is not jumper

    def _weakened(self, color: Color, square: int) -> bool:
        """Whether an animal of ``color`` on ``square`` stands on a trap that weakens it."""
        return square in TRAPS[color.other] or (
            self.traps_weaken == "all" and square in TRAPS[color]
        )

    # -- names and files -----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of this rule set, or ``"custom"`` where it has none."""
        return next((name for name, rules in RULE_SETS.items() if rules == self), "custom")

    def switches(self) -> dict[str, Any]:
        """All switches and their values, as JSON and TOML can hold them (``None`` for none)."""
        return asdict(self)

    def without_history(self) -> Rules:
        """These rules less what only matters with a game record, which tables cannot know."""
        return replace(self, repetition=None, history="none")

    def without_limit(self) -> Rules:
        """These rules less the ``no_capture_limit`` and what needs a game record."""
        return replace(self.without_history(), no_capture_limit=None)

    @classmethod
    def from_switches(cls, switches: dict[str, Any], base: Rules | None = None) -> Rules:
        """``base`` (``standard`` if none) with some switches set; "none", "yes", "no" as words."""
        kinds = _switch_types()
        values: dict[str, Any] = {}
        for switch, value in switches.items():
            if switch not in kinds:
                raise RulesError(
                    f"no switch is called {_shown(switch)}; these are: {', '.join(kinds)}",
                    switch=switch,
                )
            if kinds[switch] is bool and value in ("yes", "no"):
                values[switch] = value == "yes"
            elif value == "none" and None in _choices(kinds[switch]):
                values[switch] = None
            else:
                values[switch] = value
        return replace(base or cls(), **values)

    @classmethod
    def from_toml(cls, path: str | Path) -> Rules:
        """The rule set in a TOML file: switches, and optionally ``base = "NAME"`` to start from.

        ``RulesError`` for whatever is wrong with the file.
        """
        path = Path(path)
        try:
            with path.open("rb") as file:
                data = file.read(_LARGEST_FILE + 1)
        except (OSError, ValueError) as error:  # ValueError: a path with a zero character
            reason = getattr(error, "strerror", None) or str(error)
            raise RulesError(f"cannot read the rules file {path}: {reason}", path=path) from None
        if len(data) > _LARGEST_FILE:
            raise RulesError(
                f"the rules file {path} is too large: {_LARGEST_FILE} bytes are enough", path=path
            )
        try:
            content = tomllib.loads(data.decode("utf-8-sig"))
        except RecursionError:
            raise RulesError(f"the rules file {path} is nested too deeply", path=path) from None
        except ValueError as error:  # no TOML, no UTF-8, or a number of too many digits
            raise RulesError(
                f"the rules file {path} is not TOML: {_cut(str(error))}", path=path
            ) from None
        base = content.pop("base", "standard")
        try:
            if not isinstance(base, str):
                raise RulesError(
                    f"base is the name of a rule set, in quotes; {_shown(base)} is not"
                )
            return cls.from_switches(content, load_rules(base, names_only=True))
        except RulesError as error:
            raise RulesError(
                f"the rules file {path}: {error}", switch=error.switch, path=path
            ) from None


def load_rules(name: str, *, names_only: bool = False) -> Rules:
    """The rule set called ``name``, or the one in the file ``name`` if that ends in ``.toml``."""
    if name in RULE_SETS:
        return RULE_SETS[name]
    if name.endswith(".toml") and not names_only:
        return Rules.from_toml(name)
    raise RulesError(
        f"no rule set is called {_shown(name)}; these are: {', '.join(RULE_SETS)}"
        + ("" if names_only else ", or give a file NAME.toml")
    )


def _shown(value: object) -> str:
    """``value`` in a message."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LONG_NUMBER:
        return "a number of that size"  # of 5 000 digits, say: not even repr() takes it
    if isinstance(value, str | int | float):
        return _cut(repr(value))
    return f"a {_KINDS.get(type(value), type(value).__name__)}"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


@lru_cache(maxsize=1)
def _switch_types() -> dict[str, Any]:
    hints = get_type_hints(Rules)
    return {field.name: hints[field.name] for field in fields(Rules)}


def _choices(kind: Any) -> tuple[Any, ...]:
    """The values of a ``Literal``, or of a union of one with ``None``."""
    choices: list[Any] = []
    for part in get_args(kind):
        if part is type(None):
            choices.append(None)
        else:
            choices.extend(get_args(part) or [part])
    return tuple(choices)


@lru_cache(maxsize=1024)
def _edges(rules: Rules, animal: Animal, color: Color) -> tuple[Edge, ...]:
    standing = rules.squares(animal)
    targets = (standing | {DENS[color.other]}) - {DENS[color]}
    axes = rules.jumps(animal)
    found = []
    for origin in sorted(standing):
        for rank_step, file_step in _STEPS:
            line = _line(origin, rank_step, file_step)
            if not line:
                continue
            if line[0] in targets:
                found.append(Edge(origin, line[0]))
            elif line[0] in WATER and axes in ("both", "vertical" if rank_step else "horizontal"):
                crossed = tuple(square for square in line if square in WATER)
                # Each lake is one unbroken stretch on every line through it, but a sideways line
                # meets both lakes: keep the stretch at the shore.
                stretch = crossed[: next(i for i, s in enumerate(line) if s not in WATER)]
                landing = line[len(stretch)]
                if landing in targets:
                    found.append(Edge(origin, landing, stretch))
    return tuple(sorted(found))


def _line(origin: int, rank_step: int, file_step: int) -> list[int]:
    rank, file = divmod(origin, FILES)
    line = []
    while 0 <= (rank := rank + rank_step) < RANKS and 0 <= (file := file + file_step) < FILES:
        line.append(rank * FILES + file)
    return line


RULE_SETS: Final[dict[str, Rules]] = {
    "standard": Rules(),
    "plyyard": Rules(no_capture_limit=60),
    "jade": Rules(trapped_attack="zero", no_capture_limit=100),
    "blinky": Rules(
        tiger_jumps="vertical", trapped_attack="zero", repetition=3, no_capture_limit=100
    ),
    "baike": Rules(
        order="dog over wolf",
        jump_blocked_by="enemy",
        rat_leaving_water_captures="rat",
        rat_entering_water_captures=True,
        trapped_attack="zero",
        no_capture_limit=200,
        history="baike",
    ),
    "leiden": Rules(
        elephant_captures_rat="always",
        rat_leaving_water_captures="rat",
        rat_entering_water_captures=True,
    ),
    "mistboard": Rules(repetition=3, no_capture_limit=200),
    "katago": Rules(no_capture_limit=200),
    "netcan": Rules(
        elephant_captures_rat="never",
        rat_leaving_water_captures="rat",
        rat_entering_water_captures=True,
    ),
}
"""The rule sets that have a name. ``docs/rules.md`` gives where each comes from."""
