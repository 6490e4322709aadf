"""Counts, longest wins and zugzwangs, from the headers of the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.game.board import TURN_SQUARE, Color
from tablebase.game.position import Position
from tablebase.game.rules import Rules
from tablebase.materials.classes import Location, Material, TableClass, classes, locate, materials
from tablebase.probe import Tablebase
from tablebase.tablefile import Histogram, LongestWin, TableHeader, Zugzwangs, pieces_command
from tablebase.values import Metric

__all__ = [
    "COLUMNS",
    "MaterialStats",
    "material_stats",
    "metric_for",
    "summary",
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


def summary(tb: Tablebase, material: Material | str) -> dict[str, Any]:
    """The JSON of ``jtb stats``: :func:`material_stats` as numbers and strings only.

    The longest win has a ``dtw`` and a ``dtc``, as :meth:`Tablebase.probe
    <tablebase.probe.Tablebase.probe>` knows them; it is the longest of ``metric``, in which the
    histogram is too. The errors are those of :func:`material_stats`.
    """
    stats = material_stats(tb, material)
    sides = [(color.name.lower(), stats.histogram[color]) for color in Color]
    return {
        "material": str(stats.material),
        "rules": stats.rules.name,
        "class": stats.class_name,
        "metric": stats.metric,
        **{
            side: {"win": counts.wins, "loss": counts.losses, "draw": counts.draw}
            for side, counts in sides
        },
        "longest_win": {
            color.name.lower(): _longest_record(tb, stats.longest_win[color]) for color in Color
        },
        "histogram": {
            side: {
                "win": {str(d): n for d, n in sorted(counts.win.items())},
                "loss": {str(d): n for d, n in sorted(counts.loss.items())},
            }
            for side, counts in sides
        },
        "zugzwangs": stats.zugzwangs._asdict(),
    }


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


def table_row(tb: Tablebase, table: TableClass) -> dict[str, int | str | None]:
    """What is to be said of a class, with :data:`COLUMNS` as keys.

    Counts are of its representative, for one side to move. ``materials`` is the number of materials
    it serves and ``names`` their names with spaces between. The longest win of a side to move is
    ``None`` where it never wins; lengths are plies. ``MissingTableError`` if it is not there.
    """
    names = _names_by_class(tb.rules, len(table.material))[table.name]
    return _row(Catalog(tb.directories), metric_for(tb.rules), table, names)


def table_rows(tb: Tablebase, animals: int) -> Iterator[dict[str, int | str | None]]:
    """The :func:`table_row` of every class of 2 to ``animals`` animals, the smaller ones first."""
    catalog, metric = Catalog(tb.directories), metric_for(tb.rules)
    needed = (table for count in range(2, animals + 1) for table in classes(tb.rules, count))
    command = pieces_command(animals, tb.rules, metric)
    catalog.require_all(((table, metric) for table in needed), command)
    for count in range(2, animals + 1):
        names = _names_by_class(tb.rules, count)
        for table in classes(tb.rules, count):
            yield _row(catalog, metric, table, names[table.name])


def _row(
    catalog: Catalog, metric: Metric, table: TableClass, names: list[str]
) -> dict[str, int | str | None]:
    header = _header(catalog, table, metric)
    white, black = header.summary.histogram
    longest = [(None, None) if win is None else win for win in header.summary.longest_win]
    values = (
        table.name,
        len(table.material),
        len(names),
        " ".join(names),
        table.placements,
        *(white.wins, white.losses, white.draw),
        *(black.wins, black.losses, black.draw),
        *longest[0],
        *longest[1],
        *header.summary.zugzwangs,
        header.digest,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _names_by_class(rules: Rules, animals: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for material in materials(animals):
        found[locate(rules, material).table.name].append(str(material))
    return found


def _header(catalog: Catalog, table: TableClass, metric: Metric) -> TableHeader:
    with catalog.open(table, metric) as file:
        return file.header


def _material_stats(catalog: Catalog, rules: Rules, material: Material) -> MaterialStats:
    metric = metric_for(rules)
    location = locate(rules, material)
    found = _header(catalog, location.table, metric).summary
    histogram = found.histogram
    wins = tuple(_translated(win, location, material) for win in found.longest_win)
    longest = wins[0], wins[1]
    if location.swapped:
        histogram, longest = histogram[::-1], longest[::-1]
    name = location.table.name
    return MaterialStats(material, rules, name, metric, histogram, longest, found.zugzwangs)


def _translated(
    win: LongestWin | None, location: Location, material: Material
) -> LongestWin | None:
    """The position of a longest win with the animals of ``material``, in its colours."""
    if win is None:
        return None
    position = Position.from_fen(win.fen)
    pieces = {}
    for square, there in position.pieces.items():
        piece = material.pieces[location.order[location.table.axes.index(there)]]
        pieces[TURN_SQUARE[square] if location.swapped else square] = piece
    turn = position.turn.other if location.swapped else position.turn
    return LongestWin(win.distance, Position.from_pieces(pieces, turn).fen())


def _longest_record(tb: Tablebase, win: LongestWin | None) -> dict[str, int | str | None]:
    if win is None:
        return {"dtw": None, "dtc": None, "fen": None}
    value = tb.probe(win.fen)
    return {"dtw": value.dtw, "dtc": value.dtc, "fen": win.fen}
