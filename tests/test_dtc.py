"""DTC and the no-capture limit: the solver equals references that know nothing of it."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import numpy.typing as npt
import pytest

from tablebase.game.board import Color
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import Material, materials
from tablebase.materials.table import Table
from tablebase.values import code_of, distance_of, outcome_of
from tests.in_memory import InMemory
from tests.reference import Endgame

NO_LIMIT = {name: rules.without_limit() for name, rules in RULE_SETS.items()}


def differences(tables: InMemory, material: Material) -> list[str]:
    """Where the solver's DTC differs from the reference's, over all states."""
    truth = Endgame(material.white, material.black, tables.rules).dtc()
    states = np.array(list(truth))
    expected = np.array([code_of("dtc", *value) for value in truth.values()])
    found = tables.lookup(material, states)
    bad = np.flatnonzero(found != expected)
    return [f"{material} {states[i]}: code {found[i]}, not {expected[i]}" for i in bad[:5]]


@pytest.mark.parametrize("limit", [None, 4, 7, 60])
@pytest.mark.parametrize("name", ["standard", "baike", "leiden"])
def test_every_two_animal_material_equals_the_reference(name: str, limit: int | None) -> None:
    tables = InMemory(replace(NO_LIMIT[name], no_capture_limit=limit), metric="dtc")
    for material in materials(2):
        assert not differences(tables, material)


@pytest.mark.parametrize("limit", [None, 7])
def test_where_to_have_no_move_is_a_draw(limit: int | None) -> None:
    rules = replace(NO_LIMIT["standard"], no_capture_limit=limit, no_moves="draw")
    tables = InMemory(rules, metric="dtc")
    for material in ("PvC", "DvW", "RvE", "EvP"):
        assert not differences(tables, Material.parse(material))


@pytest.mark.slow
@pytest.mark.parametrize("material", ["CvDW", "RvER"])
def test_three_animals_where_to_have_no_move_is_a_draw(material: str) -> None:
    rules = replace(NO_LIMIT["standard"], no_moves="draw")
    assert not differences(InMemory(rules, metric="dtc"), Material.parse(material))


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 5, 8, 12])
@pytest.mark.parametrize(
    ("name", "material"),
    [
        ("standard", "LRvT"),
        ("standard", "TRvR"),
        ("standard", "EPvL"),
        ("leiden", "ERvE"),
        ("baike", "DvWR"),
        ("blinky", "TDvL"),
    ],
)
def test_three_animal_materials_equal_the_reference(
    name: str, material: str, limit: int | None
) -> None:
    tables = InMemory(replace(NO_LIMIT[name], no_capture_limit=limit), metric="dtc")
    assert not differences(tables, Material.parse(material))


def codes(tables: InMemory, table_class: TableClass) -> npt.NDArray[np.unsignedinteger]:
    """All codes of a class, both sides to move, less the cells that are no placements."""
    table = Table(table_class, tables.metric)
    squares = np.meshgrid(*map(np.array, table.squares), indexing="ij")
    legal = np.ones(table.shape, np.bool_)
    for i, first in enumerate(squares):
        for second in squares[:i]:
            legal &= first != second
    return np.stack([tables.codes(table, turn)[legal] for turn in Color])


def pairs(
    first: npt.NDArray[np.unsignedinteger], second: npt.NDArray[np.unsignedinteger]
) -> list[tuple[int, int]]:
    """Every pair of codes that stand in the same place."""
    seen = np.bincount(first.ravel().astype(np.int64) << 16 | second.ravel())
    return [(pair >> 16, pair & 0xFFFF) for pair in np.flatnonzero(seen).tolist()]


@pytest.mark.parametrize("name", ["standard", "baike"])
def test_without_a_limit_both_metrics_have_the_same_outcomes(name: str) -> None:
    rules = NO_LIMIT[name]
    dtw, dtc = InMemory(rules), InMemory(rules, metric="dtc")
    four = [locate(rules, Material.parse(m)).table_class for m in ("ELvTR", "TRvRD")]
    for each in (*classes(rules, 2), *classes(rules, 3), *four):
        for by_distance, by_capture in pairs(codes(dtw, each), codes(dtc, each)):
            assert outcome_of(by_distance) == outcome_of(by_capture), each.name


@pytest.mark.parametrize("name", ["standard", "leiden"])
def test_dtc_is_at_most_dtw(name: str) -> None:
    dtw, dtc = InMemory(NO_LIMIT[name]), InMemory(NO_LIMIT[name], metric="dtc")
    for each in classes(NO_LIMIT[name], 3)[::6]:
        for by_distance, by_capture in pairs(codes(dtw, each), codes(dtc, each)):
            if by_distance:
                distance, capture = distance_of("dtw", by_distance), distance_of("dtc", by_capture)
                assert distance is not None
                assert capture is not None
                assert capture <= distance


@pytest.mark.parametrize("limit", [1, 2, 9])
def test_no_distance_is_beyond_the_limit(limit: int) -> None:
    rules = replace(Rules(), no_capture_limit=limit)
    tables = InMemory(rules, metric="dtc")
    for table in (Table(each, "dtc") for each in classes(rules, 3)[::5]):
        solution = tables.solution(table)
        assert solution.max_code <= code_of("dtc", 1, limit)
        assert prod(table.shape) == tables.codes(table, Color.WHITE).size
