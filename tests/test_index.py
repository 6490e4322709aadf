"""Placements and their numbers: the theorem in the package's docstring, and the compiled twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import perm

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.errors import IllegalPositionError
from tablebase.game.board import (
    DENS,
    FILES,
    LAND,
    MIRROR_SQUARE,
    SQUARES,
    TURN_SQUARE,
    WATER,
    parse_square,
)
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.index import ILLEGAL, Route, TableIndex
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import Material, materials

STANDARD = RULE_SETS["standard"]
SWIMMING_DOG = Rules(swimmers="rat and dog")
SMALL = [
    TableIndex(locate(rules, Material.parse(name)).table)
    for rules, names in (
        (STANDARD, ("EvP", "EvR", "RvR", "ELvR")),
        (SWIMMING_DOG, ("RvE", "RvD", "RDvE")),
    )
    for name in names
]
"""Of two and three animals, with none to two swimmers among them."""
LARGE = [
    TableIndex(locate(rules, Material.parse(name)).table)
    for rules in (STANDARD, SWIMMING_DOG)
    for name in ("ELvTP", "ERvLR", "ELTPvW", "ERvLDR", "RDvRDC")
]


B5 = parse_square("b5")
"""In the water."""


def name(index: TableIndex) -> str:
    return f"{index.table.name}-{index.table.rules.swimmers}"


def placements(index: TableIndex) -> Iterator[tuple[int, ...]]:
    """Every legal placement, mirror images included."""
    axes = [sorted(index.table.rules.squares(piece.animal)) for piece in index.table.axes]
    return (squares for squares in product(*axes) if len(set(squares)) == len(squares))


def stored(table: TableClass) -> int:
    """How many legal placements have their first animal on files a to d, in closed form."""
    land, everywhere = len(LAND), len(LAND) + len(WATER)
    swim = [table.rules.swims(piece.animal) for piece in table.axes]
    walkers, swimmers = swim.count(False), swim.count(True)
    all_of_them = perm(land, walkers) * perm(everywhere - walkers, swimmers)
    # The middle file is land but for the dens, and the first animal on it leaves one square less.
    middle = 9 - len(DENS)
    if swim[0]:
        on_middle = middle * perm(land - 1, walkers)
        on_middle *= perm(everywhere - 1 - walkers, swimmers - 1)
    else:
        on_middle = middle * perm(land - 1, walkers - 1)
        on_middle *= perm(everywhere - walkers, swimmers)
    assert all_of_them == table.placements
    return (all_of_them + on_middle) // 2


@pytest.mark.parametrize("index", SMALL, ids=name)
def test_numbers_and_placements_are_each_others(index: TableIndex) -> None:
    legal = 0
    for number in range(index.table.cells):
        squares = index.placement(number)
        assert squares[0] % FILES <= FILES // 2
        if len(set(squares)) == len(squares):
            assert index.number(squares) == number
            legal += 1
        else:
            with pytest.raises(IllegalPositionError):
                index.number(squares)
    assert legal == stored(index.table)


@pytest.mark.parametrize("index", SMALL, ids=name)
def test_a_placement_has_the_number_of_its_mirror_image(index: TableIndex) -> None:
    seen: dict[int, set[tuple[int, ...]]] = {}
    for squares in placements(index):
        seen.setdefault(index.number(squares), set()).add(squares)
    for number, group in seen.items():
        squares = index.placement(number)
        mirrored = tuple(MIRROR_SQUARE[square] for square in squares)
        assert group == ({squares} if squares[0] % FILES == FILES // 2 else {squares, mirrored})
    assert len(seen) == stored(index.table)


@pytest.mark.parametrize("animals", [2, 3, 4, 5])
def test_cells_hold_every_stored_placement(animals: int) -> None:
    for table in classes(STANDARD, animals):
        assert stored(table) <= table.cells < 1.3 * stored(table)


@pytest.mark.parametrize("index", [*SMALL, *LARGE], ids=name)
def test_compiled_twins(index: TableIndex) -> None:
    cells = index.table.cells
    if cells < 200_000:
        numbers = np.arange(cells)
    else:
        numbers = np.random.default_rng(1).integers(0, cells, 20_000)
        numbers[:2] = 0, cells - 1
    squares, legal = index.placements(numbers)
    assert squares.dtype == np.uint8
    assert squares.shape == (len(numbers), len(index.table.axes))
    assert legal.any()
    assert not legal.all()
    for number, row, is_legal in zip(
        numbers.tolist(), squares.tolist(), legal.tolist(), strict=True
    ):
        assert index.placement(number) == tuple(row)
        assert is_legal == (len(set(row)) == len(row))
    assert np.array_equal(index.numbers(squares), np.where(legal, numbers, -1))
    mirrored = np.array(MIRROR_SQUARE, np.uint8)[squares[legal]]
    expected = [index.number(row) for row in mirrored.tolist()]
    assert index.numbers(mirrored).tolist() == expected


@pytest.mark.parametrize("squares", [(DENS[0], 9), (9, DENS[1]), (B5, 9), (9, B5), (9, 9)], ids=str)
def test_what_is_no_placement_has_no_number(squares: tuple[int, int]) -> None:
    index = TableIndex(locate(STANDARD, Material.parse("EvP")).table)
    with pytest.raises(IllegalPositionError, match=index.table.name):
        index.number(squares)
    numbers = index.numbers(np.array([squares, (9, 10)], np.uint8))
    assert numbers.tolist() == [-1, index.number((9, 10))]


def test_squares_beyond_the_board_have_no_number() -> None:
    index = TableIndex(locate(STANDARD, Material.parse("RvR")).table)
    rows = np.array([(63, 5), (5, 63), (255, 5), (5, 255), (5, 6)], np.uint8)
    assert (index.numbers(rows) < 0).tolist() == [True] * 4 + [False]


@pytest.mark.parametrize("number", [-1, 1708])
def test_there_is_no_such_cell(number: int) -> None:
    index = TableIndex(locate(STANDARD, Material.parse("EvR")).table)
    assert index.table.cells == 1708
    with pytest.raises(IndexError, match="EvR"):
        index.placement(number)
    with pytest.raises(IndexError, match="EvR"):
        index.placements(np.array([0, number]))


def test_arrays_of_another_shape_are_refused() -> None:
    index = TableIndex(locate(STANDARD, Material.parse("EvR")).table)
    with pytest.raises(ValueError, match=r"\(n, 2\)"):
        index.numbers(np.zeros((4, 3), np.uint8))
    with pytest.raises(ValueError, match=r"\(n, 2\)"):
        index.numbers(np.zeros(4, np.uint8))
    assert index.numbers(np.zeros((0, 2), np.uint8)).shape == (0,)


# -- from a material to its table ------------------------------------------------------------------

ALL = [material for animals in (2, 3, 4, 5) for material in materials(animals)]


def axis_squares(rules: Rules, material: Material, squares: Sequence[int]) -> list[int]:
    """What ``Location`` says, word by word."""
    _, swapped, order = locate(rules, material)
    seen = [TURN_SQUARE[square] if swapped else square for square in squares]
    return [seen[piece] for piece in order]


@given(st.sampled_from(list(RULE_SETS.values())), st.sampled_from(ALL), st.data())
def test_route(rules: Rules, material: Material, data: st.DataObject) -> None:
    route = Route(rules, material)
    location = locate(rules, material)
    assert route.table == location.table
    assert route.sides == ((1, 0) if location.swapped else (0, 1))
    rows = []
    for _ in range(5):
        squares: list[int] = []
        for _, animal in material.pieces:
            free = sorted(rules.squares(animal) - set(squares))
            squares.append(data.draw(st.sampled_from(free)))
        rows.append(squares)
    index = TableIndex(route.table)
    expected = [index.number(axis_squares(rules, material, squares)) for squares in rows]
    assert [route.number(squares) for squares in rows] == expected
    assert route.numbers(np.array(rows)).tolist() == expected
    mirrored = [[MIRROR_SQUARE[square] for square in squares] for squares in rows]
    again = [route.number(squares) for squares in mirrored]
    assert again == [index.number(axis_squares(rules, material, squares)) for squares in mirrored]


def test_route_sees_what_is_illegal() -> None:
    route = Route(STANDARD, Material.parse("EvR"))
    rows = np.array([(9, 9), (B5, 9), (DENS[1], 9), (-1, 9), (9, 63), (256 + 9, 10), (9, 10)])
    legal = route.numbers(rows) < route.table.cells
    assert legal.tolist() == [False] * 6 + [True]
    assert (route.numbers(rows)[:6] >= ILLEGAL).all()
    for square in range(SQUARES):
        assert (route.number((square, 9)) < route.table.cells) == (square in LAND)


@pytest.mark.parametrize("squares", [np.zeros((2, 3), int), np.zeros(2, int), np.zeros((2, 2))])
def test_route_refuses_arrays_of_another_kind(squares: npt.NDArray[np.int64]) -> None:
    with pytest.raises(ValueError, match=r"integers of the shape \(n, 2\)"):
        Route(STANDARD, Material.parse("EvR")).numbers(squares)
