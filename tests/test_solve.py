"""The solver equals the slow reference, under every rule set and odd combinations of switches."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

from tablebase.game.board import Color
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.materials.classes import classes
from tablebase.materials.material import Material, materials
from tablebase.materials.table import Table
from tablebase.movegraph import compile_graph
from tablebase.solve import (
    Buffers,
    Solution,
    chain,
    release,
    release_layers,
    solve_chain,
    sort_smaller,
)
from tablebase.solve.memory import memory_needed
from tablebase.solve.smaller import smaller_sets
from tablebase.values import Metric, code_of
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


@lru_cache(maxsize=1)  # rule sets that differ in the limit alone follow each other
def truth_of(
    material: Material, rules: Rules
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All states of ``material``, as :meth:`InMemory.lookup` takes them, and their codes."""
    truth = reference(material.white, material.black, rules)
    return np.array(list(truth)), np.array([code_of("dtw", *value) for value in truth.values()])


def differences(tables: InMemory, material: Material) -> list[str]:
    """What the solver says otherwise than the reference, of all placements and both sides."""
    states, expected = truth_of(material, tables.rules)
    found = tables.lookup(material, states)
    bad = np.flatnonzero(found != expected)
    return [f"{material} {states[i]}: code {found[i]}, not {expected[i]}" for i in bad[:5]]


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_two_animal_material_equals_the_reference(name: str) -> None:
    for material in materials(2):
        assert not differences(TABLES[name], material)


@pytest.mark.parametrize(
    ("name", "material"), [("standard", "TRvR"), ("leiden", "ERvE"), ("baike", "DvWR")]
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
ODD = ("TRvR", "LvRD", "RDvD", "DRvP", "PRvR", "EvRD")


@pytest.mark.slow
@pytest.mark.parametrize("material", ODD)
@pytest.mark.parametrize("name", ODD_RULES)
def test_odd_rules_three_animals(name: str, material: str) -> None:
    assert not differences(InMemory(ODD_RULES[name]), Material.parse(material))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 108))
def test_any_switches_three_animals(seed: int) -> None:
    tables = InMemory(random_rules(seed))
    for material in random.Random(seed).sample(materials(3), 2):
        assert not differences(tables, material), tables.rules


def test_codes_that_do_not_fit_a_byte_take_two() -> None:
    rules = RULE_SETS["standard"]
    narrow, wide = InMemory(rules), InMemory(rules, byte_codes=20)
    for name in ("EvR", "LvRT", "TRvLR"):
        table = Table.of(narrow.rules, name)
        assert wide.solution(table).max_code >= 20
        for turn in Color:
            codes = wide.codes(table, turn)
            assert codes.dtype == np.uint16
            assert narrow.codes(table, turn).dtype == np.uint8
            assert (codes == narrow.codes(table, turn)).all()


@pytest.mark.parametrize("name", RULE_SETS)
def test_what_is_counted_is_what_the_reference_has(name: str) -> None:
    tables = TABLES[name]
    for table in map(Table, classes(tables.rules, 2)):
        truth = reference(table.material.white, table.material.black, tables.rules)
        solution = tables.solution(table)
        assert len(truth) == 2 * table.placements
        for turn in Color:
            found = Counter(value for state, value in truth.items() if state[-1] == turn)
            wins, losses = solution.histogram(turn)
            assert {(1, n): count for n, count in wins.items()} | {
                (-1, n): count for n, count in losses.items()
            } == {value: count for value, count in found.items() if value[0]}
            longest = solution.longest_win(turn)
            assert (longest is None) == (not wins)
            if longest is not None:
                distance, squares = longest
                by_piece = dict(zip(table.axes, squares, strict=True))
                state = (*(by_piece[piece] for piece in table.material.pieces), turn)
                assert truth[state] == (1, distance)
                assert distance == max(wins)
        outcomes = [
            (truth[(*state[:-1], 0)][0], truth[(*state[:-1], 1)][0])
            for state in truth
            if state[-1] == 0
        ]
        assert solution.zugzwangs() == (
            outcomes.count((-1, -1)),
            outcomes.count((-1, 0)) + outcomes.count((0, -1)),
        )


def test_cells_that_are_no_placements_repeat_a_neighbour() -> None:
    tables = TABLES["standard"]
    table = Table.of(tables.rules, "LvRT")
    squares = np.stack(np.meshgrid(*table.squares, indexing="ij"), -1)
    along_the_last = squares[..., -1] == squares[..., 0]
    codes = tables.codes(table, Color.WHITE)
    for *leading, place in np.argwhere(along_the_last):
        row = codes[tuple(leading)]
        assert row[place] in row[max(place - 1, 0) : place + 2][[0, -1]]


class Stopped(Exception):
    pass


def test_a_chain_can_be_stopped_before_any_ply() -> None:
    tables = TABLES["standard"]
    table = Table.of(tables.rules, "LvRT")
    graph = compile_graph(table.table_class)
    layers = sort_smaller(table, graph, tables.codes)
    plies = 0

    def count() -> None:
        nonlocal plies
        plies += 1

    def stop() -> None:
        nonlocal plies
        plies -= 1
        if not plies:
            raise Stopped

    chain = solve_chain(graph, layers, Color.WHITE, count)
    assert plies > chain.wins[-1].number
    with pytest.raises(Stopped):
        solve_chain(graph, layers, Color.WHITE, stop)


class DirtyBuffers(Buffers):
    """Every array comes full of bits, as it may after other use."""

    def take(self, *shape: int) -> npt.NDArray[np.uint64]:
        array = super().take(*shape)
        array[...] = 0xAAAA_AAAA_AAAA_AAAA
        return array


@pytest.mark.parametrize("metric", ["dtw", "dtc"])
@pytest.mark.parametrize("no_moves", ["loss", "draw"])
def test_what_memory_held_before_leaves_no_traces(
    metric: Metric, no_moves: Literal["loss", "draw"]
) -> None:
    tables = InMemory(replace(Rules(), no_moves=no_moves), metric=metric)
    buffers = DirtyBuffers()
    for material in ("LvRT", "EvP", "LRvR", "PvC"):
        table = Table.of(tables.rules, material, metric)
        graph = compile_graph(table.table_class)
        layers = sort_smaller(table, graph, tables.codes, buffers)
        first, second = (
            solve_chain(graph, layers, loser, buffers=buffers, metric=metric) for loser in Color
        )
        solution = Solution(table, graph, first, second)
        for turn in Color:
            assert np.array_equal(solution.chunk(turn, 0), tables.codes(table, turn))
        release_layers(layers, buffers)
        for solved in (first, second):
            release(solved, buffers)


@pytest.mark.parametrize("metric", ["dtw", "dtc"])
def test_more_bit_planes_than_were_set_aside(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = InMemory(Rules(), metric=metric)
    table = Table.of(tables.rules, "LvRT", metric)
    expected = [tables.codes(table, turn) for turn in Color]
    monkeypatch.setattr(chain, "planes_reserved", lambda *_: 2)
    again = InMemory(Rules(), metric=metric)
    assert again.solution(table).black_loses.win_planes.words.shape[0] > 2
    for turn in Color:
        assert np.array_equal(again.codes(table, turn), expected[turn])


@pytest.mark.parametrize("metric", ["dtw", "dtc"])
@pytest.mark.parametrize("material", ["LvRT", "ELvTR", "ELTvP", "EvP"])
def test_memory_is_bounded_beforehand(metric: Metric, material: str) -> None:
    tables = InMemory(Rules(), metric=metric)
    table = Table.of(tables.rules, material, metric)
    graph = compile_graph(table.table_class)
    buffers = Buffers()
    layers = sort_smaller(table, graph, tables.codes, buffers)
    sets = smaller_sets(layers)
    for loser in Color:
        solve_chain(graph, layers, loser, buffers=buffers, metric=metric)
    used = buffers.most_bytes + 2 * (sets.words.nbytes + sets.held.nbytes + sets.fresh.nbytes)
    assert used <= memory_needed(table) < 2 * used + (1 << 20)


def test_a_smaller_table_that_cannot_be_read_costs_no_memory() -> None:
    tables = TABLES["standard"]
    table = Table.of(tables.rules, "LvRT")
    buffers = Buffers()
    calls = 0

    def read(small: Table, turn: Color) -> npt.NDArray[np.unsignedinteger]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError
        return tables.codes(small, turn)

    with pytest.raises(OSError):  # noqa: PT011  (the one above)
        sort_smaller(table, compile_graph(table.table_class), read, buffers)
    held = sum(array.nbytes for array in buffers.free)
    assert held == buffers.most_bytes > 0


def test_no_more_memory_is_held_than_was_in_use_at_one_time() -> None:
    buffers = Buffers()
    first = buffers.take(3, 1000)
    assert first.shape == (3, 1000)
    assert first.dtype == np.uint64
    address = first.ctypes.data
    buffers.give(first.view(np.uint8)[:10])  # any view will do
    second = buffers.take(2950)
    assert second.ctypes.data == address
    buffers.give(second)
    small = [buffers.take(10) for _ in range(3)]
    assert all(array.ctypes.data != address for array in small), "too large to stand in for it"
    assert not buffers.free, "the large one had to go"
    buffers.give(*small)
    assert [array.size for array in buffers.free] == [10, 10, 10]
    again = buffers.take(2980)
    assert len(buffers.free) == 2
    buffers.give(again)
    assert [array.size for array in buffers.free] == [10, 10, 2980]
