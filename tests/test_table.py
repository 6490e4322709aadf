"""The identity of a table: what tells tables apart, what they are called, what they need."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.errors import MaterialError
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import Material, captured_materials, materials
from tablebase.materials.table import (
    FILENAME,
    Table,
    metrics_of,
    rules_key,
    selected_tables,
    table_rules,
)
from tablebase.values import METRICS, Metric
from tests.strategies import some_rules

ROOT = Path(__file__).resolve().parent.parent
STANDARD = RULE_SETS["standard"]
ALL = [material for animals in (2, 3, 4, 5) for material in materials(animals)]

# -- equal or not ----------------------------------------------------------------------------------


def some_tables() -> st.SearchStrategy[Table]:
    return st.builds(
        Table.of,
        st.sampled_from(list(RULE_SETS.values())) | some_rules(),
        st.sampled_from(ALL),
        st.sampled_from(METRICS),
    )


@given(some_rules(), st.sampled_from(ALL), st.sampled_from([1, 60, 10_000]))
@settings(max_examples=15)
def test_what_plays_no_part_in_values_makes_no_other_table(
    rules: Rules, material: Material, limit: int
) -> None:
    for metric in METRICS:
        table = Table.of(rules, material, metric)
        others = [replace(rules, repetition=3), replace(rules, history="baike")]
        if metric == "dtw":
            others += [replace(rules, no_capture_limit=limit), rules.without_limit()]
        for other in others:
            same = Table.of(other, material, metric)
            assert same == table
            assert hash(same) == hash(table)
            assert same.file == table.file
            assert same.rules == table.rules == table_rules(other, metric)
            assert {table: 1}[same] == 1
    limited = Table.of(replace(rules, no_capture_limit=61), material, "dtc")
    assert limited != Table.of(replace(rules, no_capture_limit=62), material, "dtc")
    assert (limited.limit, Table.of(limited.rules, material).limit) == (61, None)


@given(some_tables(), some_tables())
def test_tables_are_equal_where_their_files_are(one: Table, other: Table) -> None:
    assert (one == other) is (one.file == other.file)
    assert (one == other) is (
        (one.rules, one.material, one.metric) == (other.rules, other.material, other.metric)
    )


@given(some_rules(), st.sampled_from(ALL), st.sampled_from(METRICS))
@settings(max_examples=40)
def test_a_material_and_its_swapped_one_have_one_table(
    rules: Rules, material: Material, metric: Metric
) -> None:
    table = Table.of(rules, material, metric)
    assert Table.of(rules, material.swapped(), metric) == table
    assert Table.of(rules, str(material.swapped()), metric) == table
    assert Table.of(rules, table.material, metric) == table
    assert table.table_class == locate(table.rules, material).table_class


def test_a_class_with_more_rules_than_matter_is_reduced() -> None:
    plyyard = TableClass(RULE_SETS["plyyard"], Material.parse("EvP"))
    assert Table(plyyard) == Table.of(STANDARD, "EvP") == Table.of(RULE_SETS["plyyard"], "PvE")
    assert Table(plyyard, "dtc").table_class == plyyard
    assert Table(plyyard, "dtc") != Table(plyyard)


def test_a_table_does_not_change() -> None:
    table = Table.of(STANDARD, "EvP")
    for name in ("table_class", "metric", "file"):
        with pytest.raises(FrozenInstanceError):
            setattr(table, name, getattr(table, name))


def test_a_table_speaks_for_its_class() -> None:
    table = Table.of(RULE_SETS["baike"], "TvEL", "dtc")
    own = table.table_class
    assert (table.name, table.material, str(table.material)) == (own.name, own.material, own.name)
    assert (table.axes, table.squares, table.shape) == (own.axes, own.squares, own.shape)
    assert (table.cells, table.placements) == (own.cells, own.placements)
    assert table.rules == replace(RULE_SETS["baike"], history="none")
    assert table.limit == 200


@pytest.mark.parametrize("name", ["EvX", "ELv", "", "EvEvE"])
def test_no_material_has_no_table(name: str) -> None:
    with pytest.raises(MaterialError, match="is no material"):
        Table.of(STANDARD, name)


def test_copies_are_equal() -> None:
    table = Table.of(RULE_SETS["jade"], "ELvT", "dtc")
    for again in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert again == table
        assert hash(again) == hash(table)
        assert again.needs == table.needs


UNPICKLER = """
import pickle, sys
from tablebase.game.rules import Rules
from tablebase.materials.table import Table
table = pickle.load(sys.stdin.buffer)
print(table == Table.of(Rules(), "ELvT"), table in {Table.of(Rules(), "ELvT")})
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_table_of_another_process_is_found_among_ones_own(seed: str) -> None:
    table = Table.of(STANDARD, "ELvT")
    hash(table)  # which is not the same in every process
    done = subprocess.run(
        [sys.executable, "-c", UNPICKLER],
        input=pickle.dumps(table),
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"True True\n"


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "name", "metric", "file", "label"),
    [
        ("standard", "ELvT", "dtw", "standard/ELvT.dtw.h5", "ELvT"),
        ("standard", "TvEL", "dtc", "standard/ELvT.dtc.h5", "ELvT (dtc)"),
        ("plyyard", "PvE", "dtw", "standard/EvP.dtw.h5", "EvP"),
        ("plyyard", "PvE", "dtc", "plyyard/EvP.dtc.h5", "EvP (dtc)"),
        ("leiden", "RvR", "dtw", "leiden/RvR.dtw.h5", "RvR"),
    ],
)
def test_names(rules: str, name: str, metric: Metric, file: str, label: str) -> None:
    table = Table.of(RULE_SETS[rules], name, metric)
    assert table.file == f"{table.folder}/{table.filename}" == file
    assert table.label == label
    match = FILENAME.fullmatch(table.filename)
    assert match is not None
    assert (match["name"], match["metric"]) == (table.name, metric)


@given(some_tables())
def test_file_names_are_those_of_files(table: Table) -> None:
    folder, _, name = table.file.partition("/")
    assert folder == rules_key(table.rules, table.metric)
    assert FILENAME.fullmatch(name)
    assert table.file.isascii()


def test_folders_of_rule_sets() -> None:
    assert {name: rules_key(rules, "dtw") for name, rules in RULE_SETS.items()} == {
        "standard": "standard",
        "plyyard": "standard",
        "jade": "jade",
        "blinky": "blinky",
        "baike": "baike",
        "leiden": "leiden",
        "mistboard": "standard",
        "katago": "standard",
        "netcan": "netcan",
    }
    for name, rules in RULE_SETS.items():
        # katago is mistboard without its repetition, which no table can hold
        folder = "mistboard" if name == "katago" else name
        assert rules_key(rules, "dtc") == folder
        assert rules_key(replace(rules, repetition=3), "dtc") == folder
    assert rules_key(Rules(no_capture_limit=50), "dtw") == "standard"
    assert rules_key(Rules(no_moves="draw"), "dtw") == "custom-1e883244"


@given(some_rules(), some_rules(), st.sampled_from(METRICS))
def test_rule_sets_share_a_folder_only_if_they_share_tables(
    first: Rules, second: Rules, metric: Metric
) -> None:
    same = first.without_limit() == second.without_limit() and (
        metric == "dtw" or first.no_capture_limit == second.no_capture_limit
    )
    assert (table_rules(first, metric) == table_rules(second, metric)) is same
    assert (rules_key(first, metric) == rules_key(second, metric)) is same


# -- what is needed --------------------------------------------------------------------------------


@given(some_tables())
def test_what_a_table_needs_are_the_classes_of_what_captures_leave(table: Table) -> None:
    lefts = captured_materials(table.rules, table.material)
    assert table.smaller == lefts
    assert len(set(table.needs)) == len(table.needs)
    assert {(small.table_class, small.metric) for small in table.needs} == {
        (locate(table.rules, left).table_class, table.metric) for left in lefts.values()
    }
    for small in table.needs:
        assert small.rules == table.rules
        assert len(small.material) == len(table.material) - 1


def test_two_animals_need_nothing() -> None:
    assert Table.of(STANDARD, "EvP").needs == ()
    assert {table.name for table in Table.of(STANDARD, "ELvT").needs} == {
        Table.of(STANDARD, name).name for name in ("EvT", "LvT")
    }


def test_metrics_of_rules() -> None:
    assert metrics_of(STANDARD) == ("dtw",)
    assert metrics_of(RULE_SETS["plyyard"]) == ("dtw", "dtc")
    for rules in (STANDARD, RULE_SETS["plyyard"]):
        assert metrics_of(rules, "dtw") == ("dtw",)
        assert metrics_of(rules, "dtc") == ("dtc",)


# -- selecting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", ["standard", "baike"])
def test_all_tables_of_some_animals(name: str, metric: Metric) -> None:
    rules = RULE_SETS[name]
    found = selected_tables(rules, metric, 4)
    assert set(found) == {Table(each, metric) for n in (2, 3, 4) for each in classes(rules, n)}
    assert len(set(found)) == len(found)
    assert [len(table.material) for table in found] == sorted(len(t.material) for t in found)
    for before, after in pairwise(found):
        if len(before.material) == len(after.material):
            assert (-before.cells, before.name) < (-after.cells, after.name)


@given(some_rules(), st.lists(st.sampled_from(ALL), max_size=3), st.sampled_from(METRICS))
def test_selected_materials_come_with_what_they_depend_on(
    rules: Rules, wanted: list[Material], metric: Metric
) -> None:
    found = selected_tables(rules, metric, materials=wanted)
    own = {Table.of(rules, material, metric) for material in wanted}
    assert set(selected_tables(rules, metric, materials=wanted, closed=False)) == own
    assert own <= set(found)
    seen: set[Table] = set()
    for table in found:
        assert seen.issuperset(table.needs), "smaller ones first"
        seen.add(table)
    needed = {small for table in found for small in table.needs}
    assert set(found) == own | needed


def test_materials_and_a_number_of_animals_together() -> None:
    both = selected_tables(STANDARD, "dtw", 2, ["LRvE", "ELvT"], closed=False)
    assert set(both) == {
        *selected_tables(STANDARD, "dtw", 2),
        *(Table.of(STANDARD, name) for name in ("ELvT", "LRvE")),
    }
    one = selected_tables(STANDARD, "dtw", materials="LRvE")
    assert one == selected_tables(STANDARD, "dtw", materials=[Material.parse("EvLR")])
    assert one == selected_tables(STANDARD, "dtw", materials=Material.parse("LRvE"))
    assert selected_tables(STANDARD, "dtw") == ()


@pytest.mark.parametrize("pieces", [-1, 0, 1, 6])
def test_numbers_of_animals_of_which_no_tables_are_made(pieces: int) -> None:
    with pytest.raises(MaterialError, match=f"^tables are made for 2 to 5 animals, not {pieces}$"):
        selected_tables(STANDARD, "dtw", pieces)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ELTvPWD", "^tables are made for up to 5 animals, and ELTvPWD has 6$"),
        ("EvX", "'EvX' is no material"),
    ],
)
def test_materials_of_which_no_tables_are_made(name: str, message: str) -> None:
    with pytest.raises(MaterialError, match=message):
        selected_tables(STANDARD, "dtw", 2, ["EvP", name])
