"""The solver equals the slow reference, under every rule set and odd combinations of switches."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tablebase.board import Color
from tablebase.material import Material, TableClass, classes, locate, materials
from tablebase.rules import RULE_SETS, Animal, Rules
from tablebase.values import code_of
from tests.in_memory import InMemory
from tests.reference import solve as reference
from tests.strategies import SWITCHES

TABLES = {name: InMemory(rules) for name, rules in RULE_SETS.items()}

THREE = (
    "ELvT",  # jumpers on both sides
    "TRvR",  # own and enemy swimmers below one jumper
    "LRvE",  # rat takes elephant
    "ERvR",  # elephant and rat
    "TvRD",  # dog over wolf, or a second swimmer
    "LTvL",
    "RvEC",
    "WRvD",
    "DvWP",
    "CRvT",
    "ERvE",
    "PRvL",
)
"""At least ten, of as many kinds as can be."""


def differences(tables: InMemory, material: Material) -> list[str]:
    """What the solver says otherwise than the reference, of all placements and both sides."""
    truth = reference(material.white, material.black, tables.rules)
    states = np.array(list(truth))
    expected = np.array([code_of("dtw", *value) for value in truth.values()])
    found = tables.lookup(material, states)
    bad = np.flatnonzero(found != expected)
    return [f"{material} {states[i]}: code {found[i]}, not {expected[i]}" for i in bad[:5]]


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_two_animal_material_equals_the_reference(name: str) -> None:
    for material in materials(2):
        assert not differences(TABLES[name], material)


@pytest.mark.parametrize(
    ("name", "material"), [*zip(RULE_SETS, ("TRvR", "RvEL", "LvER", "DvWR", "LRvR", "ERvR"))]
)
def test_a_three_animal_material_equals_the_reference(name: str, material: str) -> None:
    assert not differences(TABLES[name], Material.parse(material))


@pytest.mark.slow
@pytest.mark.parametrize("material", THREE)
@pytest.mark.parametrize("name", RULE_SETS)
def test_three_animal_materials_equal_the_reference(name: str, material: str) -> None:
    assert not differences(TABLES[name], Material.parse(material))


def random_rules(seed: int) -> Rules:
    """Any combination of the switches that matter for tables."""
    choose = random.Random(seed).choice
    rules = Rules(**{switch: choose(values) for switch, values in SWITCHES.items()})
    return rules.without_limit()


@pytest.mark.parametrize("seed", range(12))
def test_any_switches_two_animals(seed: int) -> None:
    tables = InMemory(random_rules(seed))
    for material in random.Random(seed).sample(materials(2), 12):
        assert not differences(tables, material), tables.rules


ODD_RULES = {
    "two swimmers": Rules(swimmers="rat and dog", jump_blocked_by="enemy"),
    "two swimmers, jumps blocked by any": Rules(
        swimmers="rat and dog", leopard_jumps="both", rat_leaving_water_captures="any"
    ),
    "rats take everywhere": Rules(
        rat_leaving_water_captures="any", rat_entering_water_captures=True, swimmers="rat and dog"
    ),
    "three jumpers, stuck is a draw": Rules(
        leopard_jumps="horizontal",
        tiger_jumps="vertical",
        no_moves="draw",
        jump_blocked_by="enemy",
    ),
    "all traps weaken": Rules(traps_weaken="all", trapped_attack="zero", no_moves="draw"),
    "elephants fear no rat": Rules(
        elephant_captures_rat="always", traps_weaken="all", lion_jumps="none"
    ),
}
ODD = ("TRvR", "LvRD", "RDvT", "RDvD", "DRvR", "DRvP", "PRvR", "EvRD", "TDvL", "WvDC")


@pytest.mark.slow
@pytest.mark.parametrize("material", ODD)
@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules_three_animals(name: str, material: str) -> None:
    assert not differences(InMemory(ODD_RULES[name]), Material.parse(material))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_any_switches_three_animals(seed: int) -> None:
    tables = InMemory(random_rules(seed))
    for material in random.Random(seed).sample(materials(3), 2):
        assert not differences(tables, material), tables.rules
