"""What tables say as a whole: counts, longest wins, zugzwangs, maps, and attributes to learn from.

Counts come from the headers of the tables and cost nothing. For all other questions there are the
values themselves: :class:`Slices` has them part by part in constant memory, :func:`map_slices` asks
a question of every part, :class:`MovesOf` has the values of all moves, and :func:`value_arrays` has
every placement of a small material at once. What works on them is plain numpy.

Outcomes are from the view of the side to move, in the order won, lost, drawn, unless said
otherwise; distances are plies. Under rules with a ``no_capture_limit``, all is as the limit makes
it at counter 0, and distances are plies to the next capture or den entry.
"""

from __future__ import annotations

from tablebase.statistics.counts import (
    COLUMNS,
    HISTOGRAM_COLUMNS,
    MaterialStats,
    histogram_rows,
    material_stats,
    table_row,
    table_rows,
    tallies,
)
from tablebase.statistics.describe import (
    Situation,
    attributes,
    faster_to_den,
    side_moves_to_den,
    situation,
)
from tablebase.statistics.distances import (
    UNREACHABLE,
    advance,
    in_trap,
    in_water,
    manhattan,
    move_distances,
    moves_between,
    moves_to_den,
)
from tablebase.statistics.maps import (
    by_parity,
    by_square,
    histogram,
    outcome_section,
    tally,
    tally_by,
    value_of_the_move,
    zugzwang_rows,
)
from tablebase.statistics.move_values import MovesOf, MoveValues
from tablebase.statistics.placements import ValueArrays, value_arrays
from tablebase.statistics.reducing import ReduceProgress, map_slices
from tablebase.statistics.selecting import Rows, Selection
from tablebase.statistics.slices import Slice, Slices

__all__ = [
    "COLUMNS",
    "HISTOGRAM_COLUMNS",
    "UNREACHABLE",
    "MaterialStats",
    "MoveValues",
    "MovesOf",
    "ReduceProgress",
    "Rows",
    "Selection",
    "Situation",
    "Slice",
    "Slices",
    "ValueArrays",
    "advance",
    "attributes",
    "by_parity",
    "by_square",
    "faster_to_den",
    "histogram",
    "histogram_rows",
    "in_trap",
    "in_water",
    "manhattan",
    "map_slices",
    "material_stats",
    "move_distances",
    "moves_between",
    "moves_to_den",
    "outcome_section",
    "side_moves_to_den",
    "situation",
    "table_row",
    "table_rows",
    "tallies",
    "tally",
    "tally_by",
    "value_arrays",
    "value_of_the_move",
    "zugzwang_rows",
]
