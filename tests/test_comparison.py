"""Comparing rule sets: counted against the slow reference, and moves against the move graph."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from tablebase.comparison import Answer, Comparison, Difference, MovesDiffer, compare
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.generation import generate
from tablebase.materials.classes import TableClass
from tablebase.materials.material import Material, materials
from tablebase.materials.table import Table
from tablebase.movegraph import compile_graph
from tests.reference import Endgame, State, Value, solve
from tests.test_solve import ODD_RULES

STANDARD = RULE_SETS["standard"]
PAIRS = [
    (RULE_SETS[first], RULE_SETS[second])
    for first, second in (
        ("standard", "leiden"),
        ("jade", "blinky"),
        ("standard", "jade"),
        ("baike", "leiden"),
        ("plyyard", "standard"),
    )
]
PAIRS += [(STANDARD, rules) for rules in ODD_RULES.values()]


def graph_of(rules: Rules, material: Material, like: TableClass) -> list[bytes]:
    """The move graph of a material as bytes, with the axes of another table of it."""
    table = TableClass(rules.without_limit(), material)
    table.__dict__["axes"] = like.axes
    graph = compile_graph(table)
    return [
        b"".join(part.tobytes() for part in value)
        if isinstance(value, tuple)
        else np.asarray(value).tobytes()
        for value in (getattr(graph, field.name) for field in fields(graph))
    ]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_moves_differ_where_the_move_graphs_do(pair: tuple[Rules, Rules]) -> None:
    differ = MovesDiffer(*pair)
    chosen = random.Random(1).sample(materials(3), 60) + random.Random(1).sample(materials(4), 20)
    for material in (*materials(2), *chosen):
        axes = TableClass(pair[0].without_limit(), material)
        first, second = (graph_of(rules, material, axes) for rules in pair)
        assert differ.in_material(material) == (first != second), str(material)


@lru_cache(maxsize=4)
def values_of(rules: Rules, material: Material) -> dict[State, tuple[int, Value]]:
    """The outcome, with a limit at counter 0, and the value without one."""
    without = solve(material.white, material.black, rules)
    if rules.no_capture_limit is None:
        return {state: (value[0], value) for state, value in without.items()}
    limited = Endgame(material.white, material.black, rules).dtc()
    return {state: (limited[state][0], value) for state, value in without.items()}


def assert_counts(first: Rules, second: Rules, difference: Difference) -> None:
    for material in {difference.materials[0], difference.materials[-1]}:
        one, two = values_of(first, material), values_of(second, material)
        both = one.keys() & two.keys()
        assert difference.placements == len(both)
        assert difference.outcomes == sum(one[state][0] != two[state][0] for state in both)
        assert difference.distances == sum(
            one[state][0] == two[state][0] and one[state][1] != two[state][1] for state in both
        )
    assert difference.example is not None
    fen, *answers = difference.example
    material = difference.materials[0]
    position = Position.from_fen(fen)
    assert Material.of(position) == material
    squares = [square for side in (position.white, position.black) for _, square in side]
    for values, answer in zip(
        (values_of(first, material), values_of(second, material)), answers, strict=True
    ):
        outcome, (_, dtw) = values[(*squares, int(position.turn))]
        assert answer == Answer(outcome, dtw)
    assert answers[0] != answers[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (STANDARD, RULE_SETS["leiden"]),
        (STANDARD, RULE_SETS["baike"]),
        (replace(STANDARD, no_capture_limit=9), replace(STANDARD, no_capture_limit=12)),
        (STANDARD, replace(STANDARD, swimmers="rat and dog", no_moves="draw")),
    ],
    ids=["leiden", "baike", "limits", "swimmers"],
)
def test_two_animals_are_counted_as_the_reference_counts_them(first: Rules, second: Rules) -> None:
    found = compare(first, second, 2)
    assert found.materials == len(materials(2))
    differing = {material: d for d in found.differences for material in d.materials}
    assert found.same_values == found.materials - len(differing)
    assert found.same_moves <= found.same_values or first.no_capture_limit is not None
    for difference in found.differences[:4]:
        assert_counts(first, second, difference)
    for material in random.Random(2).sample(materials(2), 8):
        same = values_of(first, material) == values_of(second, material)
        assert same == (material not in differing), str(material)


@pytest.mark.slow
def test_three_animals_are_counted_as_the_reference_counts_them() -> None:
    second = RULE_SETS["baike"].without_limit()
    found = compare(STANDARD, second, 3)
    difference = next(d for d in found.differences if str(d.materials[0]) == "LRvL")
    assert_counts(STANDARD, second, difference._replace(materials=difference.materials[:1]))


def test_tables_that_are_said_to_be_equal_are_equal(tmp_path: Path) -> None:
    leiden = RULE_SETS["leiden"]
    differ = MovesDiffer(STANDARD, leiden)
    digests = [
        {
            made.table.name: made.digest
            for made in generate(tmp_path, pieces=2, rules=rules, jobs=1).made
        }
        for rules in (STANDARD, leiden)
    ]
    equal = set()
    for material in materials(2):
        one, two = (Table.of(rules, material).name for rules in (STANDARD, leiden))
        if not differ.in_material(material):
            assert one == two
            assert digests[0][one] == digests[1][two]
            equal.add(one)
    assert {name for name in digests[0] if digests[0][name] == digests[1][name]} == equal
    assert 0 < len(equal) < len(digests[0])


def test_a_limit_can_be_all_the_difference() -> None:
    found = compare(STANDARD, replace(STANDARD, no_capture_limit=12), 2)
    assert found.same_moves == found.materials
    assert found.differences
    for difference in found.differences:
        assert difference.same_moves
        assert difference.outcomes
        assert difference.distances == 0
        assert difference.example is not None
        assert difference.example.second == (0, difference.example.first.dtw)


@pytest.mark.parametrize("animals", [4, 5])
def test_of_many_animals_only_moves_are_compared(animals: int) -> None:
    found = compare(STANDARD, RULE_SETS["leiden"], animals)
    assert found.same_values is None
    others = [material for difference in found.differences for material in difference.materials]
    assert len(others) == len(set(others)) == found.materials - found.same_moves
    # Leiden's rules differ where a rat meets an elephant or another rat.
    for material in others:
        names = str(material).split("v")
        assert any("R" in a and ("E" in b or "R" in b) for a, b in (names, names[::-1]))
    assert compare(STANDARD, RULE_SETS["plyyard"], animals) == Comparison(
        animals, found.materials, found.materials, None, ()
    )


@pytest.mark.parametrize("animals", [1, 6])
def test_other_numbers_of_animals_are_refused(animals: int) -> None:
    with pytest.raises(ValueError, match="2 to 5"):
        compare(STANDARD, STANDARD, animals)
