"""The board against the words of the rules."""

from __future__ import annotations

import pytest

from tablebase.game.board import (
    DENS,
    LAND,
    MIRROR_SQUARE,
    SQUARE_NAMES,
    SQUARES,
    TRAPS,
    TURN_SQUARE,
    WATER,
    Color,
    parse_square,
)


def names(squares: frozenset[int]) -> set[str]:
    return {SQUARE_NAMES[square] for square in squares}


def test_squares_are_numbered_by_rank_then_file() -> None:
    assert SQUARES == len(SQUARE_NAMES) == 63
    numbered = {"a1": 0, "b1": 1, "g1": 6, "a2": 7, "d5": 31, "g9": 62}
    assert {name: parse_square(name) for name in numbered} == numbered
    assert [parse_square(name) for name in SQUARE_NAMES] == list(range(63))


@pytest.mark.parametrize("name", ["", "a", "a0", "a10", "h1", "A1", "1a", "aa", "a1 ", "\uff411"])
def test_what_is_no_square(name: str) -> None:
    with pytest.raises(ValueError, match="no square is called"):
        parse_square(name)


def test_terrain() -> None:
    assert names(WATER) == {f + r for f in "bcef" for r in "456"}
    assert [SQUARE_NAMES[den] for den in DENS] == ["d1", "d9"]
    assert names(TRAPS[Color.WHITE]) == {"c1", "e1", "d2"}
    assert names(TRAPS[Color.BLACK]) == {"c9", "e9", "d8"}
    assert len(LAND) == 63 - 12 - 2
    assert not LAND & WATER
    assert not LAND & set(DENS)


def test_colors() -> None:
    assert Color.WHITE.other is Color.BLACK
    assert Color.BLACK.other is Color.WHITE


@pytest.mark.parametrize(
    ("image", "of_b3", "dens", "traps"),
    [(MIRROR_SQUARE, "f3", DENS, TRAPS), (TURN_SQUARE, "b7", DENS[::-1], TRAPS[::-1])],
)
def test_symmetries(
    image: tuple[int, ...],
    of_b3: str,
    dens: tuple[int, ...],
    traps: tuple[frozenset[int], ...],
) -> None:
    assert SQUARE_NAMES[image[parse_square("b3")]] == of_b3
    assert [image[image[square]] for square in range(SQUARES)] == list(range(SQUARES))
    assert {image[square] for square in WATER} == WATER
    assert tuple(image[den] for den in DENS) == dens
    assert tuple({image[square] for square in side} for side in TRAPS) == traps
