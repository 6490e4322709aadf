"""What identifies a table: a class of materials, a metric, and the switches that matter to both.

Everything that tells tables apart comes from here: the rules they depend on, the names of their
files and folders, and which smaller tables they are made from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final
from zlib import crc32

from tablebase.errors import MaterialError
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import MAX_ANIMALS, Material, Piece, captured_materials
from tablebase.values import Metric

__all__ = [
    "FILENAME",
    "Table",
    "metrics_of",
    "rules_key",
    "selected_tables",
    "table_rules",
]

FILENAME: Final = re.compile(r"(?P<name>[A-Z]+v[A-Z]+)\.(?P<metric>dtw|dtc)\.h5")
"""What the name of a table file looks like: class, metric, ``.h5``."""


@dataclass(frozen=True)
class Table:
    """The identity of a table: equal ones hold the same values and have the same file.

    Of the rules of ``table_class`` only what the values depend on is kept (:func:`table_rules`).
    """

    table_class: TableClass
    metric: Metric = "dtw"

    def __post_init__(self) -> None:
        reduced = table_rules(self.table_class.rules, self.metric)
        if reduced != self.table_class.rules:
            kept = TableClass(reduced, self.table_class.material)
            object.__setattr__(self, "table_class", kept)

    @classmethod
    def of(cls, rules: Rules, material: Material | str, metric: Metric = "dtw") -> Table:
        """The table that serves ``material``; ``MaterialError`` if that is the name of none."""
        material = Material.parse(material) if isinstance(material, str) else material
        return cls(locate(rules, material).table_class, metric)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Rules have many switches, and tables are looked up often.
        return hash(self.file)

    def __reduce__(self) -> tuple[type[Table], tuple[TableClass, Metric]]:
        # Without what is kept: the hash of a text is another one in another process.
        return Table, (self.table_class, self.metric)

    # -- the class and its shape -----------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules, reduced to what the values depend on."""
        return self.table_class.rules

    @property
    def limit(self) -> int | None:
        """The ``no_capture_limit`` that counts in the values, in plies."""
        return self.rules.no_capture_limit

    @property
    def material(self) -> Material:
        """The representative of the class."""
        return self.table_class.material

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.table_class.name

    @property
    def axes(self) -> tuple[Piece, ...]:
        """The animal of each axis."""
        return self.table_class.axes

    @property
    def squares(self) -> tuple[tuple[int, ...], ...]:
        """The squares of each axis, as in :class:`~tablebase.materials.classes.TableClass`."""
        return self.table_class.squares

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of squares on each axis."""
        return self.table_class.shape

    @property
    def cells(self) -> int:
        """The number of codes that are stored for one side to move."""
        return self.table_class.cells

    @property
    def placements(self) -> int:
        """Legal placements for one side to move, mirror images included."""
        return self.table_class.placements

    # -- names -----------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        """What people call it: the name of the class, with the metric if that is not ``dtw``."""
        return self.name if self.metric == "dtw" else f"{self.name} ({self.metric})"

    @cached_property
    def folder(self) -> str:
        """The name of the folder of its rule set."""
        return rules_key(self.rules, self.metric)

    @property
    def filename(self) -> str:
        """The name of its file."""
        return f"{self.name}.{self.metric}.h5"

    @cached_property
    def file(self) -> str:
        """Where it is in a data folder, such as ``standard/ELvT.dtw.h5``."""
        return f"{self.folder}/{self.filename}"

    # -- what it depends on ----------------------------------------------------------------------

    @cached_property
    def smaller(self) -> dict[Piece, Material]:
        """What is left after each capture that does not end the game, by the captured piece."""
        return captured_materials(self.rules, self.material)

    @cached_property
    def needs(self) -> tuple[Table, ...]:
        """The smaller tables that it is made from, each once."""
        found = (Table.of(self.rules, left, self.metric) for left in self.smaller.values())
        return tuple(dict.fromkeys(found))


def table_rules(rules: Rules, metric: Metric) -> Rules:
    """What a table depends on of ``rules``: never the history of the game, the limit only where
    the metric is the distance to the next capture or den entry."""
    return rules.without_limit() if metric == "dtw" else rules.without_history()


@lru_cache(maxsize=64)
def rules_key(rules: Rules, metric: Metric) -> str:
    """The folder name for tables of ``metric`` under ``rules``.

    Rule sets that differ in what such a table depends on (:func:`table_rules`) have different
    keys, the others share one: that of the first named rule set among them, or ``custom-`` and
    eight hexadecimal digits. ``dtw`` knows no limit, so ``plyyard`` finds ``standard``'s.
    """
    wanted = table_rules(rules, metric)
    for name, named in RULE_SETS.items():
        if table_rules(named, metric) == wanted:
            return name
    # Only what differs from the defaults counts, so that a switch to come changes no name.
    default = Rules().switches()
    special = {key: value for key, value in wanted.switches().items() if value != default[key]}
    return f"custom-{crc32(json.dumps(special, sort_keys=True).encode()):08x}"


def metrics_of(rules: Rules, metric: Metric | None = None) -> tuple[Metric, ...]:
    """``metric`` alone if there is one, else all that probing under ``rules`` needs: ``dtw``, and
    ``dtc`` if there is a ``no_capture_limit``, which decides who wins by it."""
    if metric is not None:
        return (metric,)
    return ("dtw",) if rules.no_capture_limit is None else ("dtw", "dtc")


def selected_tables(
    rules: Rules,
    metric: Metric,
    pieces: int | None = None,
    materials: Iterable[Material | str] | Material | str = (),
    *,
    closed: bool = True,
) -> tuple[Table, ...]:
    """The tables of ``metric`` of 2 to ``pieces`` animals and of ``materials``, of which one alone
    need not be in a list; small ones first, of equal ones the larger tables.

    Unless ``closed`` is false, with all that they depend on. :class:`MaterialError` for a number of
    pieces, or materials, of which no tables are made.
    """
    if pieces is not None and not 2 <= pieces <= MAX_ANIMALS:
        raise MaterialError(f"tables are made for 2 to {MAX_ANIMALS} animals, not {pieces}")
    open_tables = [
        Table(each, metric)
        for animals in range(2, (pieces or 1) + 1)
        for each in classes(table_rules(rules, metric), animals)
    ]
    for name in [materials] if isinstance(materials, Material | str) else materials:
        material = Material.parse(name) if isinstance(name, str) else name
        if len(material) > MAX_ANIMALS:
            raise MaterialError(
                f"tables are made for up to {MAX_ANIMALS} animals, and {material} has"
                f" {len(material)}"
            )
        open_tables.append(Table.of(rules, material, metric))
    found: dict[Table, None] = {}
    while open_tables:
        table = open_tables.pop()
        if table not in found:
            found[table] = None
            if closed:
                open_tables += table.needs
    return tuple(sorted(found, key=lambda t: (len(t.material), -t.cells, t.name)))
