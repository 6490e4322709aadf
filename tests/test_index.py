"""Placements and their numbers: the theorem in the package's docstring, against a slow look-up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import perm, prod

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from tablebase.index import ILLEGAL, Placing, is_mirrored
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import Material, materials
from tests.strategies import some_rules

STANDARD = RULE_SETS["standard"]
SWIMMING_DOG = Rules(swimmers="rat and dog")
SMALL = [
    locate(rules, Material.parse(name)).table_class
    for rules, names in (
        (STANDARD, ("EvP", "EvR", "RvR", "ELvR")),
        (SWIMMING_DOG, ("RvE", "RvD", "RDvE")),
    )
    for name in names
]
"""Of two and three animals, with none to two swimmers among them."""
LARGE = [
    locate(rules, Material.parse(name)).table_class
    for rules in (STANDARD, SWIMMING_DOG)
    for name in ("ELvTP", "ERvLR", "ELTPvW", "ERvLDR", "RDvRDC")
]
B5 = parse_square("b5")
"""In the water."""


def named(table_class: TableClass) -> str:
    return f"{table_class.name}-{table_class.rules.swimmers}"


def legal_placements(table_class: TableClass) -> Iterator[tuple[int, ...]]:
    """Every legal placement in the order of the axes, mirror images included."""
    axes = [sorted(table_class.rules.squares(piece.animal)) for piece in table_class.axes]
    return (squares for squares in product(*axes) if len(set(squares)) == len(squares))


def stored(table_class: TableClass) -> int:
    """How many legal placements have their first animal on files a to d, in closed form."""
    land, everywhere = len(LAND), len(LAND) + len(WATER)
    swim = [table_class.rules.swims(piece.animal) for piece in table_class.axes]
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
    assert all_of_them == table_class.placements
    return (all_of_them + on_middle) // 2


def some_numbers(table_class: TableClass) -> npt.NDArray[np.int64]:
    """All numbers of cells, or many of them with the first and the last."""
    if table_class.cells < 200_000:
        return np.arange(table_class.cells)
    numbers = np.random.default_rng(1).integers(0, table_class.cells, 20_000)
    numbers[:2] = 0, table_class.cells - 1
    return numbers


# -- the theorem, in the order of the axes ---------------------------------------------------------


@pytest.mark.parametrize("table_class", SMALL, ids=named)
def test_numbers_and_placements_are_each_others(table_class: TableClass) -> None:
    placing = Placing.of_axes(table_class)
    legal = 0
    for number in range(table_class.cells):
        squares = placing.placement(number)
        assert all(type(square) is int for square in squares)
        assert squares[0] % FILES <= FILES // 2
        if len(set(squares)) == len(squares):
            assert placing.number(squares) == number
            legal += 1
    assert legal == stored(table_class)


@pytest.mark.parametrize("table_class", SMALL, ids=named)
def test_a_placement_has_the_number_of_its_mirror_image(table_class: TableClass) -> None:
    placing = Placing.of_axes(table_class)
    seen: dict[int, set[tuple[int, ...]]] = {}
    for squares in legal_placements(table_class):
        seen.setdefault(placing.number(squares), set()).add(squares)
    for number, group in seen.items():
        squares = placing.placement(number)
        mirrored = tuple(MIRROR_SQUARE[square] for square in squares)
        assert group == ({squares} if squares[0] % FILES == FILES // 2 else {squares, mirrored})
    assert len(seen) == stored(table_class)


@pytest.mark.parametrize("animals", [2, 3, 4, 5])
def test_cells_hold_every_stored_placement(animals: int) -> None:
    for table_class in classes(STANDARD, animals):
        assert stored(table_class) <= table_class.cells < 1.3 * stored(table_class)


def test_who_is_looked_up_by_its_mirror_image() -> None:
    assert [is_mirrored(square) for square in range(SQUARES)] == [
        square % FILES in (4, 5, 6) for square in range(SQUARES)
    ]


@pytest.mark.parametrize("table_class", [*SMALL, *LARGE], ids=named)
def test_arrays_of_placements_are_those_one_by_one(table_class: TableClass) -> None:
    placing = Placing.of_axes(table_class)
    numbers = some_numbers(table_class)
    squares, legal = placing.placements(numbers)
    assert squares.dtype == np.uint8
    assert squares.shape == (len(numbers), len(table_class.axes))
    assert legal.any()
    assert not legal.all()
    for number, row, is_legal in zip(
        numbers.tolist(), squares.tolist(), legal.tolist(), strict=True
    ):
        assert placing.placement(number) == tuple(row)
        assert is_legal == (len(set(row)) == len(row))
    assert np.array_equal(placing.numbers(squares)[legal], numbers[legal])
    assert (placing.numbers(squares)[~legal] >= ILLEGAL).all()
    mirrored = np.array(MIRROR_SQUARE, np.uint8)[squares[legal]]
    expected = [placing.number(row) for row in mirrored.tolist()]
    assert placing.numbers(mirrored).tolist() == expected


@pytest.mark.parametrize("table_class", SMALL, ids=named)
def test_as_many_rows_are_legal_as_there_are_placements(table_class: TableClass) -> None:
    everywhere = np.array(list(product(range(-1, SQUARES + 1), repeat=len(table_class.axes))))
    numbers = Placing.of_axes(table_class).numbers(everywhere)
    legal = numbers < table_class.cells
    assert legal.sum() == table_class.placements
    assert (numbers[~legal] >= ILLEGAL).all()
    assert {tuple(row) for row in everywhere[legal].tolist()} == set(legal_placements(table_class))


# -- what is no placement --------------------------------------------------------------------------


@pytest.mark.parametrize("squares", [(DENS[0], 9), (9, DENS[1]), (B5, 9), (9, B5), (9, 9)], ids=str)
def test_what_is_no_placement_has_no_number(squares: tuple[int, int]) -> None:
    placing = Placing.of_axes(locate(STANDARD, Material.parse("EvP")).table_class)
    if squares != (9, 9):  # one by one, animals are known to stand on different squares
        assert placing.number(squares) >= ILLEGAL
    numbers = placing.numbers(np.array([squares, (9, 10)], np.uint8))
    assert numbers[0] >= ILLEGAL
    assert numbers[1] == placing.number((9, 10))


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64, np.uint64])
def test_squares_beyond_the_board_have_no_number(kind: type[np.integer]) -> None:
    placing = Placing.of(STANDARD, Material.parse("RvR"))
    rows = [(63, 5), (5, 63), (255, 5), (5, 255), (5, 6)]
    numbers = placing.numbers(np.array(rows, kind))
    assert (numbers >= ILLEGAL).tolist() == [True] * 4 + [False]
    if kind is not np.uint8:
        far = np.array([(256 + 9, 10), (10, 256 + 9), (1 << 14, 10)], kind)
        assert (placing.numbers(far) >= ILLEGAL).all()
    if np.issubdtype(kind, np.signedinteger):
        assert (placing.numbers(np.array([(-1, 9), (9, -1), (-54, 9)], kind)) >= ILLEGAL).all()


def test_animals_stand_where_the_rules_let_them() -> None:
    placing = Placing.of(STANDARD, Material.parse("EvR"))
    for square in range(SQUARES):
        assert (placing.number((square, 9)) < placing.table_class.cells) == (square in LAND)
        both = square in LAND or square in WATER
        assert (placing.number((9, square)) < placing.table_class.cells) == both


@pytest.mark.parametrize("number", [-1, 1708])
def test_there_is_no_such_cell(number: int) -> None:
    placing = Placing.of(STANDARD, Material.parse("EvR"))
    assert placing.table_class.cells == 1708
    message = f"^EvR has no cell {number}: 0 to 1707$"
    with pytest.raises(IndexError, match=message):
        placing.placement(number)
    with pytest.raises(IndexError, match=message):
        placing.placements(np.array([0, number, 7]))


@pytest.mark.parametrize(
    "squares",
    [np.zeros((4, 3), np.uint8), np.zeros(4, int), np.zeros((2, 2)), np.zeros((2, 2), bool)],
)
def test_arrays_of_another_kind_are_refused(squares: npt.NDArray[np.int64]) -> None:
    with pytest.raises(ValueError, match=r"integers of the shape \(n, 2\)"):
        Placing.of(STANDARD, Material.parse("EvR")).numbers(squares)


def test_of_nothing_there_is_nothing() -> None:
    placing = Placing.of(STANDARD, Material.parse("EvR"))
    assert placing.numbers(np.zeros((0, 2), np.uint8)).shape == (0,)
    squares, legal = placing.placements(np.zeros(0, np.int64))
    assert squares.shape == (0, 2)
    assert legal.shape == (0,)


# -- from a material to its table ------------------------------------------------------------------

ALL = [material for animals in (2, 3, 4, 5) for material in materials(animals)]


@st.composite
def rules_and_rows(draw: st.DrawFn) -> tuple[Rules, Material, list[list[int]]]:
    """A rule set, a material, and some of its placements."""
    rules = draw(st.sampled_from(list(RULE_SETS.values())) | some_rules())
    material = draw(st.sampled_from(ALL))
    rows = []
    for _ in range(4):
        squares: list[int] = []
        for _, animal in material.pieces:
            free = sorted(rules.squares(animal) - set(squares))
            squares.append(draw(st.sampled_from(free)))
        rows.append(squares)
    return rules, material, rows


def slow_number(rules: Rules, material: Material, squares: Sequence[int]) -> int:
    """What ``Location`` and the docstring of the index say, word by word."""
    table_class, swapped, order = locate(rules, material)
    seen = [TURN_SQUARE[square] if swapped else square for square in squares]
    on_axes = [seen[piece] for piece in order]
    if on_axes[0] % FILES in (4, 5, 6):
        on_axes = [MIRROR_SQUARE[square] for square in on_axes]
    return sum(
        sum(other < square for other in standing) * prod(table_class.shape[axis + 1 :])
        for axis, (square, standing) in enumerate(zip(on_axes, table_class.squares, strict=True))
    )


@given(rules_and_rows())
def test_numbers_are_those_of_a_slow_look_up(case: tuple[Rules, Material, list[list[int]]]) -> None:
    rules, material, rows = case
    placing, location = Placing.of(rules, material), locate(rules, material)
    assert placing.location == location
    assert placing.table_class == location.table_class
    assert placing.sides == ((1, 0) if location.swapped else (0, 1))
    expected = [slow_number(rules, material, squares) for squares in rows]
    assert [placing.number(squares) for squares in rows] == expected
    assert placing.numbers(np.array(rows)).tolist() == expected
    mirrored = [[MIRROR_SQUARE[square] for square in squares] for squares in rows]
    expected = [slow_number(rules, material, squares) for squares in mirrored]
    assert [placing.number(squares) for squares in mirrored] == expected


@given(rules_and_rows())
def test_swapped_sides_on_a_turned_board_have_the_same_number(
    case: tuple[Rules, Material, list[list[int]]],
) -> None:
    rules, material, rows = case
    one, other = Placing.of(rules, material), Placing.of(rules, material.swapped())
    assert one.table_class == other.table_class
    if material == material.swapped():
        return
    assert one.sides == other.sides[::-1]
    own = len(material.white)
    for squares in rows:
        turned = [TURN_SQUARE[square] for square in squares]
        assert other.number(turned[own:] + turned[:own]) == one.number(squares)


@given(rules_and_rows())
def test_a_number_is_the_sum_of_the_offsets(case: tuple[Rules, Material, list[list[int]]]) -> None:
    rules, material, rows = case
    placing = Placing.of(rules, material)
    assert placing.offsets.shape == (2, len(material), SQUARES)
    assert not placing.offsets.flags.writeable
    for squares in rows:
        way = placing.offsets[int(is_mirrored(squares[placing.first]))]
        assert sum(way[range(len(material)), squares]) == placing.number(squares)


@given(rules_and_rows())
def test_offsets_say_where_an_animal_can_stand(case: tuple[Rules, Material, object]) -> None:
    rules, material, _ = case
    placing = Placing.of(rules, material)
    for piece, (_, animal) in enumerate(material.pieces):
        for image, files in enumerate(((0, 1, 2, 3), (3, 4, 5, 6))):
            standing = rules.squares(animal)
            if piece == placing.first:
                standing = frozenset(s for s in standing if s % FILES in files)
            found = placing.offsets[image, piece]
            assert set(np.flatnonzero(found < ILLEGAL).tolist()) == standing
            assert set(found[found >= ILLEGAL].tolist()) <= {ILLEGAL}


@given(rules_and_rows(), st.data())
def test_placements_are_the_inverse_of_numbers(
    case: tuple[Rules, Material, list[list[int]]], data: st.DataObject
) -> None:
    rules, material, rows = case
    placing = Placing.of(rules, material)
    drawn = data.draw(st.lists(st.integers(0, placing.table_class.cells - 1), max_size=4))
    numbers = np.concatenate([placing.numbers(np.array(rows)), np.array(drawn, np.int64)])
    squares, legal = placing.placements(numbers)
    assert legal[: len(rows)].all()
    assert np.array_equal(placing.numbers(squares)[legal], numbers[legal])
    assert (placing.numbers(squares)[~legal] >= ILLEGAL).all()
    for number, row in zip(numbers.tolist(), squares.tolist(), strict=True):
        assert placing.placement(number) == tuple(row)
        assert not is_mirrored(row[placing.first])
    for given_squares, row in zip(rows, squares.tolist(), strict=False):
        mirrored = [MIRROR_SQUARE[square] for square in given_squares]
        assert row in (given_squares, mirrored)


@given(rules_and_rows())
def test_squares_of_axes_become_those_of_the_material(
    case: tuple[Rules, Material, list[list[int]]],
) -> None:
    rules, material, rows = case
    placing = Placing.of(rules, material)
    swapped, order = placing.location.swapped, placing.location.order
    of_axes = Placing.of_axes(placing.table_class)
    for squares in rows:
        seen = [TURN_SQUARE[square] if swapped else square for square in squares]
        on_axes = [seen[piece] for piece in order]
        assert placing.from_axes(on_axes) == tuple(squares)
        assert of_axes.from_axes(on_axes) == tuple(on_axes)
        assert of_axes.number(on_axes) == placing.number(squares)
