"""Attributes of placements: against plain Python moves on real boards."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tablebase import open_tablebase, statistics
from tablebase.game.board import DENS, SQUARES, TRAPS, WATER, Color, parse_square
from tablebase.game.moves import captured, legal_moves, play
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Animal, Rules
from tablebase.materials.material import Material, Piece

WHITE, BLACK = Color.WHITE, Color.BLACK
RULES = [
    RULE_SETS["standard"],
    RULE_SETS["baike"],
    RULE_SETS["blinky"],
    Rules(swimmers="rat and dog", traps_weaken="all", trapped_attack="zero"),
]
MATERIALS = ["LRvPR", "TRvLR", "DvRE", "EvR"]


def some_placements(material: Material, rules: Rules, count: int = 150) -> npt.NDArray[np.int64]:
    """Placements chosen by chance, animals often close together."""
    random = np.random.default_rng(len(material))
    rows: list[list[int]] = []
    while len(rows) < count:
        row = [int(random.choice(sorted(rules.squares(p.animal)))) for p in material.pieces]
        if len(rows) % 2:  # two next to each other, so that there is something to capture
            row[-1] = row[0] + int(random.choice([-7, -1, 1, 7]))
        if len(set(row)) == len(row) and row[-1] in rules.squares(material.pieces[-1].animal):
            rows.append(row)
    return np.array(rows)


def position_of(material: Material, row: npt.NDArray[np.int64], turn: Color) -> Position:
    return Position.from_pieces(dict(zip(row.tolist(), material.pieces, strict=True)), turn)


def lone_distances(rules: Rules, piece: Piece, origin: int) -> dict[int, int]:
    """The moves of a piece that is alone on the board to every square it can reach."""
    found = {origin: 0}
    queue = deque([origin])
    while queue:
        square = queue.popleft()
        if square == DENS[piece.color.other]:
            continue
        position = Position.from_pieces({square: piece}, piece.color)
        for move in legal_moves(position, rules):
            if move.target not in found:
                found[move.target] = found[square] + 1
                queue.append(move.target)
    return found


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("animal", [Animal.RAT, Animal.DOG, Animal.TIGER, Animal.LION])
@pytest.mark.parametrize("color", Color)
def test_move_distances_are_those_of_a_lone_animal(
    rules: Rules, animal: Animal, color: Color
) -> None:
    distances = statistics.move_distances(rules, animal, color)
    assert distances.shape == (SQUARES, SQUARES)
    for origin in range(SQUARES):
        if origin in rules.squares(animal):
            expected = lone_distances(rules, Piece(color, animal), origin)
        else:
            expected = {origin: 0}
        row = [expected.get(square, statistics.UNREACHABLE) for square in range(SQUARES)]
        assert distances[origin].tolist() == row


def test_distances_and_kinds_of_squares() -> None:
    a1, d1, d9, b4, c3, g9 = map(parse_square, ("a1", "d1", "d9", "b4", "c3", "g9"))
    assert int(statistics.manhattan(a1, g9)) == 14
    assert statistics.manhattan(np.array([[a1, d1]], np.uint8), d9).tolist() == [[11, 8]]
    assert int(statistics.moves_between(Rules(), Animal.LION, WHITE, c3, parse_square("c7"))) == 1
    assert (
        int(statistics.moves_between(Rules(), Animal.CAT, WHITE, c3, b4)) == statistics.UNREACHABLE
    )
    assert statistics.moves_to_den(Rules(), Animal.CAT, BLACK, [a1, c3]).tolist() == [3, 3]
    assert statistics.advance(WHITE, np.array([a1, b4, g9])).tolist() == [0, 3, 8]
    assert statistics.advance(BLACK, np.array([a1, b4, g9])).tolist() == [8, 5, 0]
    squares = np.arange(SQUARES)
    assert set(np.flatnonzero(statistics.in_water(squares))) == WATER
    for color in Color:
        assert set(np.flatnonzero(statistics.in_trap(color, squares))) == TRAPS[color]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", MATERIALS)
def test_a_situation_is_what_legal_moves_say(name: str, rules: Rules) -> None:
    material = Material.parse(name)
    rows = some_placements(material, rules)
    found = statistics.situation(rules, material, rows)
    moves = np.zeros(rows.shape, np.int16)
    blocked = np.ones(rows.shape, np.bool_)
    attacked = np.zeros(rows.shape, np.bool_)
    for number, row in enumerate(rows):
        on = {int(square): column for column, square in enumerate(row)}
        for turn in Color:
            position = position_of(material, row, turn)
            for move in legal_moves(position, rules):
                column = on[move.origin]
                moves[number, column] += 1
                to_den = statistics.move_distances(rules, material.pieces[column].animal, turn)
                goal = DENS[turn.other]
                if to_den[move.target, goal] < to_den[move.origin, goal]:
                    blocked[number, column] = False
                if captured(position, move) is not None:
                    attacked[number, on[move.target]] = True
                    assert len(play(position, move).pieces) == len(on) - 1
    assert np.array_equal(found.moves, moves)
    assert np.array_equal(found.blocked, blocked)
    assert np.array_equal(found.attacked, attacked)
    assert attacked.any()
    assert not attacked.all()
    assert blocked.any()


@pytest.mark.parametrize("turn", Color)
def test_attributes_have_names_and_fit_together(turn: Color) -> None:
    rules, material = Rules(), Material.parse("LRvP")
    rows = some_placements(material, rules, 80)
    found = statistics.attributes(rules, material, rows.astype(np.uint8), turn)
    assert {values.shape for values in found.values()} == {(80,)}
    assert {values.dtype for values in found.values()} == {np.dtype(bool), np.dtype(np.int16)}
    assert [name for name in found if name.endswith("in water")] == ["R in water"]
    lion, rat, leopard = rows.T
    assert np.array_equal(found["p advance"], 8 - leopard // 7)
    assert np.array_equal(found["L off centre"], abs(lion % 7 - 3))
    assert np.array_equal(found["p to den"], abs(leopard // 7) + abs(leopard % 7 - 3))
    assert np.array_equal(found["L to own den"], abs(lion // 7) + abs(lion % 7 - 3))
    assert np.array_equal(found["L in trap"], np.isin(lion, list(TRAPS[BLACK])))
    assert np.array_equal(found["p in own trap"], np.isin(leopard, list(TRAPS[BLACK])))
    assert np.array_equal(found["R in water"], np.isin(rat, list(WATER)))
    assert np.array_equal(found["L-R odd"], (lion + rat) % 2 == 1)
    assert np.array_equal(found["R-p distance"], statistics.manhattan(leopard, rat))
    assert "L moves to R" not in found
    distances = statistics.move_distances(rules, Animal.LEOPARD, BLACK)
    assert np.array_equal(found["p moves to R"], distances[leopard, rat])
    own, enemy = found["white moves to den"], found["black moves to den"]
    assert np.array_equal(own, np.minimum(found["L moves to den"], found["R moves to den"]))
    assert np.array_equal(enemy, found["p moves to den"])
    race = enemy - own if turn is WHITE else own - enemy
    assert np.array_equal(found["den race"], race)
    assert np.array_equal(found["faster"], race >= 0)
    assert np.array_equal(found["faster"], statistics.faster_to_den(rules, material, rows, turn))
    assert np.array_equal(
        found["L blocked"], statistics.situation(rules, material, rows).blocked[:, 0]
    )


def test_attributes_are_the_same_in_the_mirror() -> None:
    rules, material = Rules(), Material.parse("TRvE")
    rows = some_placements(material, rules, 60)
    mirrored = rows - rows % 7 + 6 - rows % 7
    one, other = (statistics.attributes(rules, material, r, BLACK) for r in (rows, mirrored))
    assert list(one) == list(other)
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_faster_to_the_den_decides_leopard_against_lion(tables: Path) -> None:
    right = total = 0
    with open_tablebase(tables, "leiden") as tb:
        for name in ("PvL", "LvP"):  # every row of both is in the published data
            values = statistics.value_arrays(tb, name)
            faster = statistics.faster_to_den(tb.rules, values.material, values.squares, WHITE)
            right += int((np.where(faster, 1, -1) == values.outcome[WHITE]).sum())
            total += len(values)
    assert total == 4704
    assert f"{right / total:.1%}" == "89.6%"


def test_squares_of_another_shape_are_refused() -> None:
    material = Material.parse("EvR")
    wrong: list[Any] = [np.zeros((3, 3), np.int64), np.zeros((3, 2)), np.zeros(2, np.int64)]
    for squares in wrong:
        with pytest.raises(ValueError, match=r"\(n, 2\) are wanted"):
            statistics.situation(Rules(), material, squares)
        with pytest.raises(ValueError, match=r"\(n, 2\) are wanted"):
            statistics.side_moves_to_den(Rules(), material, squares)
