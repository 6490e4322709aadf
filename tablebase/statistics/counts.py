"""Counts, longest wins and zugzwangs, from the headers of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import Rules
from tablebase.index import Placing
from tablebase.materials.classes import TableClass, classes, served_materials
from tablebase.materials.material import Material
from tablebase.materials.table import Table, table_rules
from tablebase.probe import Tablebase
from tablebase.tablefile import Histogram, LongestWin, TableHeader, Zugzwangs
from tablebase.values import Metric

__all__ = [
    "COLUMNS",
    "HISTOGRAM_COLUMNS",
    "MaterialStats",
    "histogram_rows",
    "material_stats",
    "metric_for",
    "table_row",
    "table_rows",
    "tallies",
]

COLUMNS: Final = (
    "class",
    "animals",
    "materials",
    "names",
    "placements",
    "white_won",
    "white_lost",
    "white_drawn",
    "black_won",
    "black_lost",
    "black_drawn",
    "white_longest",
    "white_longest_fen",
    "black_longest",
    "black_longest_fen",
    "full_zugzwangs",
    "half_zugzwangs",
    "digest",
)
"""What :func:`table_row` tells of a class, in this order."""

HISTOGRAM_COLUMNS: Final = ("class", "side_to_move", "outcome", "plies", "placements")
"""What :func:`histogram_rows` tells."""


def metric_for(rules: Rules) -> Metric:
    """The metric of the tables that decide who wins: ``dtc`` where a limit does."""
    return "dtw" if rules.no_capture_limit is None else "dtc"


@dataclass(frozen=True, slots=True)
class MaterialStats:
    """What there is to count in a material; pairs are by side to move, White first.

    Counts are of legal placements, mirror images included. Distances are plies of ``metric``.
    """

    material: Material
    rules: Rules
    class_name: str
    metric: Metric
    histogram: tuple[Histogram, Histogram]
    longest_win: tuple[LongestWin | None, LongestWin | None]
    zugzwangs: Zugzwangs


def material_stats(tb: Tablebase, material: Material | str) -> MaterialStats:
    """The counts of ``material``, in its own colours and with its own animals.

    ``MaterialError`` if the name is none; ``MissingTableError`` if there is no table of it;
    ``CorruptTableError`` if its file is damaged.
    """
    material = Material.parse(material) if isinstance(material, str) else material
    return _material_stats(Catalog(tb.directories), tb.rules, material)


def tallies(tb: Tablebase, wanted: Iterable[Material | str]) -> npt.NDArray[np.int64]:
    """Placements won, lost and drawn for the side to move, shape ``(m, 2, 3)``: by material, in
    the order given, and by side to move. The errors are those of :func:`material_stats`."""
    catalog = Catalog(tb.directories)
    rows = []
    for name in wanted:
        material = Material.parse(name) if isinstance(name, str) else name
        stats = _material_stats(catalog, tb.rules, material)
        rows.append([(h.wins, h.losses, h.draw) for h in stats.histogram])
    return np.array(rows, np.int64).reshape(-1, 2, 3)


def table_row(tb: Tablebase, table_class: TableClass) -> dict[str, int | str | None]:
    """What is to be said of a class, with :data:`COLUMNS` as keys.

    Counts are of its representative, for one side to move. ``materials`` is the number of materials
    it serves and ``names`` their names with spaces between. The longest win of a side to move is
    ``None`` where it never wins; lengths are plies. ``MissingTableError`` if it is not there.
    """
    table = Table(table_class, metric_for(tb.rules))
    served = served_materials(table.rules, len(table.material))[table.table_class]
    return _row(Catalog(tb.directories), table, served)


def table_rows(tb: Tablebase, animals: int) -> Iterator[dict[str, int | str | None]]:
    """The :func:`table_row` of every class of 2 to ``animals`` animals, the smaller ones first."""
    catalog, metric = Catalog(tb.directories), metric_for(tb.rules)
    served = {
        each: materials
        for count in range(2, animals + 1)
        for each, materials in served_materials(table_rules(tb.rules, metric), count).items()
    }
    catalog.require_all((Table(each, metric) for each in served), animals)
    for each, materials in served.items():
        yield _row(catalog, Table(each, metric), materials)


def histogram_rows(tb: Tablebase, animals: int) -> Iterator[tuple[str, str, str, int | None, int]]:
    """The histogram of every class of 2 to ``animals`` animals, the smaller ones first, as rows of
    :data:`HISTOGRAM_COLUMNS`: legal placements of its representative, mirror images included, by
    side to move, outcome for it, and plies; a draw has none. ``MissingTableError`` if a table is
    not there."""
    catalog, metric = Catalog(tb.directories), metric_for(tb.rules)
    tables = [
        Table(each, metric)
        for count in range(2, animals + 1)
        for each in classes(table_rules(tb.rules, metric), count)
    ]
    catalog.require_all(tables, animals)
    for table in tables:
        for side, counts in zip(Color, _header(catalog, table).summary.histogram, strict=True):
            to_move = side.name.lower()
            for outcome, by_plies in (("win", counts.win), ("loss", counts.loss)):
                for plies, count in sorted(by_plies.items()):
                    yield table.name, to_move, outcome, plies, count
            if counts.draw:
                yield table.name, to_move, "draw", None, counts.draw


def _row(
    catalog: Catalog, table: Table, served: tuple[Material, ...]
) -> dict[str, int | str | None]:
    header = _header(catalog, table)
    white, black = header.summary.histogram
    longest = [(None, None) if win is None else win for win in header.summary.longest_win]
    values = (
        table.name,
        len(table.material),
        len(served),
        " ".join(map(str, served)),
        table.placements,
        *(white.wins, white.losses, white.draw),
        *(black.wins, black.losses, black.draw),
        *longest[0],
        *longest[1],
        *header.summary.zugzwangs,
        header.digest,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _header(catalog: Catalog, table: Table) -> TableHeader:
    with catalog.open(table) as file:
        return file.header


def _material_stats(catalog: Catalog, rules: Rules, material: Material) -> MaterialStats:
    metric = metric_for(rules)
    placing = Placing.of(rules, material)
    table = Table(placing.table_class, metric)
    found = _header(catalog, table).summary
    white, black = placing.sides
    wins = [
        _translated(found.longest_win[side], table, placing, material) for side in (white, black)
    ]
    return MaterialStats(
        material=material,
        rules=rules,
        class_name=table.name,
        metric=metric,
        histogram=(found.histogram[white], found.histogram[black]),
        longest_win=(wins[0], wins[1]),
        zugzwangs=found.zugzwangs,
    )


def _translated(
    win: LongestWin | None, table: Table, placing: Placing, material: Material
) -> LongestWin | None:
    """The position of a longest win with the animals of ``material``, in its colours."""
    if win is None:
        return None
    position = Position.from_fen(win.fen)
    square_of = {piece: square for square, piece in position.pieces.items()}
    squares = placing.from_axes([square_of[piece] for piece in table.axes])
    pieces = dict(zip(squares, material.pieces, strict=True))
    turn = Color(placing.sides.index(position.turn))
    return LongestWin(win.distance, Position.from_pieces(pieces, turn).fen())
