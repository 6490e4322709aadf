"""How hard results are to hold: of the moves of won and drawn placements, how many keep the result.

Makes ``holding.csv`` from a folder of tables:

    python data/results/holding.py FOLDER > data/results/holding.csv

A row for each class of 2 to 5 animals, side to move, and result that there is, ``win`` or ``draw``:

* ``placements``: how many with that result were looked at, mirror images included: all of them in
  classes of up to four animals, else those of some slices of the table, chosen at random.
* ``moves``: how many legal moves they have together, and ``keeping``: how many keep the result.
* ``single``: in how many of them only one move does, and ``forced``: in how many of those it is the
  only legal one.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tablebase
from tablebase import Color, Tablebase
from tablebase.materials.classes import TableClass, classes
from tablebase.statistics import MovesOf, Slice, map_slices

COLUMNS = (
    "class", "animals", "side_to_move", "result", "placements", "moves", "keeping", "single",
    "forced",
)  # fmt: skip
RESULTS = (("win", 1), ("draw", 0))
WHOLE = 4
"""The most animals of classes that are looked at as a whole."""

Counts = npt.NDArray[np.int64]


def main() -> None:
    """Print the rows of all classes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("--pieces", type=int, default=5)
    parser.add_argument("--slices", type=int, default=8, help="of a class of five animals")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tablebase.open_tablebase(arguments.tables) as tb:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(tb, arguments.pieces, slices=arguments.slices, seed=arguments.seed))


def rows(
    tb: Tablebase, animals: int, *, slices: int, seed: int = 1
) -> Iterator[tuple[str | int, ...]]:
    """The rows of all classes of 2 to ``animals`` animals."""
    every = [each for count in range(2, animals + 1) for each in classes(tb.rules, count)]

    def of_class(each: TableClass) -> list[tuple[str | int, ...]]:
        sample = None if len(each.material) <= WHOLE else slices
        return [
            (each.name, len(each.material), turn.name.lower(), result, *counts.tolist())
            for turn in Color
            for (result, _), counts in zip(
                RESULTS, holding(tb, each.name, turn, sample, seed), strict=True
            )
            if counts[0]
        ]

    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(of_class, every):
            yield from found


def holding(tb: Tablebase, name: str, turn: Color, sample: int | None, seed: int) -> Counts:
    """``(results, 5)``: for wins and draws of ``turn`` to move, the last five columns."""
    moves = MovesOf(tb, name, turn)

    def of_slice(part: Slice) -> Counts:
        return np.array([_count(moves, part.where(part.outcome[turn] == o)) for _, o in RESULTS])

    return map_slices(tb, name, of_slice, sample=sample, seed=seed, jobs=1)[name]


def _count(moves: MovesOf, part: Slice) -> list[int]:
    values = moves.values(part.squares)
    legal = values.legal.sum(axis=1)
    single = values.keeping == 1
    weight = part.weight.astype(np.int64)
    columns = (np.ones(len(part), np.int64), legal, values.keeping, single, single & (legal == 1))
    return [int((weight * column).sum()) for column in columns]


if __name__ == "__main__":
    main()
