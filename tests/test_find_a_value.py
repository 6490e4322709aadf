"""docs/file-format.md is enough to find a value: its own program, with HDF5 and nothing of ours."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import hdf5plugin  # noqa: F401 - zstd for HDF5
import pytest

from tablebase import Tablebase, open_tablebase
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Animal, Edge, Rules
from tablebase.materials.material import Material, materials
from tablebase.materials.table import Table
from tests.test_docs import blocks

ANIMALS = {animal.letter: animal for animal in Animal}


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the page defines."""
    names: dict[str, Any] = {}
    code = next(c for c in blocks("docs/file-format.md", "python") if "def class_of" in c)
    exec(compile(code, "docs/file-format.md", "exec"), names)
    return names


def two_questions(rules: Rules) -> SimpleNamespace:
    """The rules as a program in another language would have them."""
    return SimpleNamespace(
        edges=cache(lambda a: [tuple(edge) for edge in rules.edges(ANIMALS[a], Color.WHITE)]),
        may_capture=lambda attacker, defender, edge: rules.may_capture(
            ANIMALS[attacker], Color.WHITE, ANIMALS[defender], Edge(*edge)
        ),
    )


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_page_finds_the_class(page: dict[str, Any], name: str) -> None:
    rules = RULE_SETS[name]
    some = random.Random(name).sample(materials(3), 6)
    for material in [*random.Random(name).sample(materials(2), 20), *some]:
        white, black = str(material).split("v")
        found, _, who = page["class_of"](two_questions(rules), white, black)
        assert found == Table.of(rules, material).name
        assert len(who) == len(material)


def test_a_thousand_values_by_the_page_alone(page: dict[str, Any], tables: Path) -> None:
    chosen = random.Random(7)
    served = [str(material) for material in materials(2)]
    served += ["ELvT", "TvLE", "LTvP", "TRvR", "RvLR", "LRvE", "TvRL", "EDvC", "WvLT"]
    checked = 0
    with open_tablebase(tables) as tb:
        for name in served:
            table = Table.of(tb.rules, name)
            path = tables / "standard" / f"{table.name}.dtw.h5"
            if not path.exists():
                continue
            white, black = name.split("v")
            found, swapped, who = page["class_of"](two_questions(tb.rules), white, black)
            assert found == table.name
            with h5py.File(path) as file:
                axes = json.loads(file.attrs["header"])["axes"]
                for _ in range(20):
                    position = random_position(tb, Material.parse(name), chosen)
                    standing = {
                        (int(color), animal.letter): square
                        for square, (color, animal) in position.pieces.items()
                    }
                    cell = page["cell_of"](axes, swapped, who, standing)
                    side = "white" if position.turn ^ swapped == 0 else "black"
                    code = int(file[side][cell])
                    expected = tb.probe(position)
                    assert (code - 1 if code else None) == expected.dtw
                    checked += 1
    assert checked >= 1000


def random_position(tb: Tablebase, material: Material, chosen: random.Random) -> Position:
    while True:
        squares = [chosen.choice(sorted(tb.rules.squares(p.animal))) for p in material.pieces]
        if len(set(squares)) == len(squares):
            pieces = dict(zip(squares, material.pieces, strict=True))
            return Position.from_pieces(pieces, Color(chosen.randrange(2)))
