"""Statistics of tables: against the slow reference, published figures, and each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tablebase
from jtb.render.counts import stats_record
from tablebase import MaterialError, MissingTableError, Tablebase, open_tablebase, statistics
from tablebase.catalog import Catalog
from tablebase.game.board import SQUARES, TURN_SQUARE, Color, parse_square
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Animal, Rules
from tablebase.materials.classes import classes, locate
from tablebase.materials.material import Material, materials
from tablebase.materials.table import Table
from tests.reference import Endgame, State, Value, solve
from tests.sample_tables import SMALL, sample_summary, write_sample

WHITE, BLACK = Color.WHITE, Color.BLACK
# Classes read as they stand, renamed, with the sides swapped, and with the first animal mirrored.
PAIRS = ["EvE", "DvW", "RvR", "RvE", "EvR", "CvT", "LvR", "RvC"]


@pytest.fixture(scope="module")
def standard(tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(tables) as tb:
        yield tb


@pytest.fixture(scope="module")
def leiden(tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(tables, "leiden") as tb:
        yield tb


@pytest.fixture(scope="module")
def lion_and_rat(standard: Tablebase) -> statistics.ValueArrays:
    return statistics.value_arrays(standard, "RvTR")


def truth(name: str, rules: Rules) -> dict[State, Value]:
    material = Material.parse(name)
    return solve(material.white, material.black, rules)


def zugzwangs_of(values: dict[State, Value]) -> dict[str, int]:
    pairs = Counter(
        (outcome, values[(*state[:-1], 1)][0])
        for state, (outcome, _) in values.items()
        if state[-1] == WHITE
    )
    return {"full": pairs[-1, -1], "half": pairs[-1, 0] + pairs[0, -1]}


def summary(tb: Tablebase, name: Material | str) -> dict[str, Any]:
    """The counts of a material, as ``jtb stats`` has them in JSON."""
    stats = statistics.material_stats(tb, name)
    return stats_record(stats, [win and tb.probe(win.fen) for win in stats.longest_win])


# -- counts from the headers -----------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRS)
def test_summary_counts_what_the_reference_finds(name: str, standard: Tablebase) -> None:
    values = truth(name, standard.rules)
    record = summary(standard, name)
    assert list(record)[:3] == ["material", "rules", "class"]
    assert (record["material"], record["rules"], record["metric"]) == (name, "standard", "dtw")
    for color in Color:
        side = color.name.lower()
        found = [value for state, value in values.items() if state[-1] == color]
        outcomes = Counter(outcome for outcome, _ in found)
        assert record[side] == {"win": outcomes[1], "loss": outcomes[-1], "draw": outcomes[0]}
        for key, sign in (("win", 1), ("loss", -1)):
            plies = Counter(str(distance) for outcome, distance in found if outcome == sign)
            assert record["histogram"][side][key] == plies
            assert list(record["histogram"][side][key]) == sorted(plies, key=int)
        longest = max(distance for outcome, distance in found if outcome == 1 and distance)
        win = record["longest_win"][side]
        assert win["dtw"] == longest
        position = Position.from_fen(win["fen"])
        assert (str(Material.of(position)), position.turn) == (name, color)
        state = (*(square for _, square in position.white + position.black), int(color))
        assert values[state] == (1, longest)
    assert record["zugzwangs"] == zugzwangs_of(values)


def test_a_swapped_material_is_told_in_its_own_colours(standard: Tablebase) -> None:
    one, other = (summary(standard, name) for name in ("ELvT", "TvLE"))
    assert (other["material"], other["class"]) == ("TvEL", one["class"])
    assert one["white"] != one["black"]
    assert (other["white"], other["black"]) == (one["black"], one["white"])
    assert other["histogram"]["black"] == one["histogram"]["white"]
    for side, opposite in (("white", "black"), ("black", "white")):
        fen = Position.from_fen(one["longest_win"][side]["fen"]).swapped().fen()
        assert other["longest_win"][opposite]["fen"] == fen


def test_a_renamed_material_has_its_own_animals(standard: Tablebase) -> None:
    table = locate(standard.rules, Material.parse("EDvC")).table_class
    names = str(statistics.table_row(standard, table)["names"]).split()
    assert len(names) > 2
    for name in names:
        found = statistics.material_stats(standard, name)
        for turn in Color:
            win = found.longest_win[turn]
            assert win is not None
            position = Position.from_fen(win.fen)
            assert (str(Material.of(position)), position.turn) == (name, turn)
            assert (standard.probe_wdl(win.fen), standard.probe_dtw(win.fen)) == (1, win.distance)


def test_a_side_that_never_wins_has_no_longest_win(tmp_path: Path) -> None:
    told = replace(sample_summary(), longest_win=(None, None))
    write_sample(Catalog([tmp_path]).path(SMALL), SMALL, summary=told)
    with open_tablebase(tmp_path) as tb:
        record = summary(tb, SMALL.material)
        assert record["longest_win"]["black"] == {"dtw": None, "dtc": None, "fen": None}
        assert (record["black"]["win"], record["histogram"]["black"]["win"]) == (0, {})
        row = statistics.table_row(tb, SMALL.table_class)
    assert (row["black_longest"], row["black_longest_fen"]) == (None, None)


def test_what_is_no_material_or_has_no_table(standard: Tablebase) -> None:
    with pytest.raises(MaterialError, match="EvX"):
        summary(standard, "EvX")
    for ask in (statistics.material_stats, statistics.value_arrays):
        with pytest.raises(MissingTableError, match=r"^there is no table standard/") as caught:
            ask(standard, "PvELT")
        table = Table.of(standard.rules, "PvELT")
        assert table.file in str(caught.value)
        assert (caught.value.materials, caught.value.metric) == ((table.name,), "dtw")
        with pytest.raises(
            MissingTableError, match=r"up to 5 animals, and ELTPWDvE has 7$"
        ) as not_made:
            ask(standard, "EvELTPWD")
        assert not_made.value.materials == ()


def test_rows_are_of_every_class(standard: Tablebase) -> None:
    rows = list(statistics.table_rows(standard, 2))
    assert [row["class"] for row in rows] == [t.name for t in classes(standard.rules, 2)]
    assert all(tuple(row) == statistics.COLUMNS for row in rows)
    names = " ".join(str(row["names"]) for row in rows).split()
    assert sorted(names) == sorted(map(str, materials(2)))
    for row in rows:
        assert row["materials"] == len(str(row["names"]).split())
        assert row["animals"] == 2
        record = summary(standard, str(row["class"]))
        for side in ("white", "black"):
            counts = [row[f"{side}_{key}"] for key in ("won", "lost", "drawn")]
            assert counts == list(record[side].values())
            assert sum(record[side].values()) == row["placements"]
            assert row[f"{side}_longest"] == record["longest_win"][side]["dtw"]
            assert row[f"{side}_longest_fen"] == record["longest_win"][side]["fen"]
        assert [row["full_zugzwangs"], row["half_zugzwangs"]] == list(record["zugzwangs"].values())
    three = locate(standard.rules, Material.parse("ELvT")).table_class
    row = statistics.table_row(standard, three)
    assert "TvEL" in str(row["names"]).split()
    assert (row["class"], row["placements"]) == (three.name, 49 * 48 * 47)
    with pytest.raises(MissingTableError, match=r"^\d+ of 52 tables are not in ") as caught:
        list(statistics.table_rows(standard, 3))
    assert caught.value.pieces == 3
    assert len(caught.value.materials) == int(str(caught.value).split()[0])


# -- published figures -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "counts", "zugzwangs"),
    [
        ("RvR", [2055, 1605, 0], 753),
        ("PvL", [749, 1532, 71], None),
        ("LvP", [1774, 504, 74], None),
        ("EvR", [1352, 1223, 365], None),
        ("LvL", [1403, 949, 0], 271),
    ],
)
def test_known_pairs(
    name: str, counts: list[int], zugzwangs: int | None, leiden: Tablebase
) -> None:
    found = statistics.tallies(leiden, [name])
    assert found.shape == (1, 2, 3)
    assert found[0, WHITE].tolist() == counts
    values = statistics.value_arrays(leiden, name)
    assert statistics.tally(values.outcome[WHITE]).tolist() == counts
    if zugzwangs is not None:
        assert summary(leiden, name)["zugzwangs"]["full"] == zugzwangs
        assert int(statistics.zugzwang_rows(values)[0].sum()) == zugzwangs


def test_all_known_pairs_together(leiden: Tablebase) -> None:
    found = statistics.tallies(leiden, materials(2))
    assert found.shape == (64, 2, 3)
    assert found[:, WHITE].sum(axis=0).tolist() == [82_852, 64_501, 12_715]
    assert found[:, WHITE].sum() == 160_068


def test_known_longest_win(tmp_path: Path) -> None:
    tablebase.generate(tmp_path, materials=["CEvT"], rules="leiden", jobs=1)
    squares = {"a6": (WHITE, Animal.CAT), "g1": (WHITE, Animal.ELEPHANT), "a9": (1, Animal.TIGER)}
    pieces = {parse_square(name): (Color(side), a) for name, (side, a) in squares.items()}
    with open_tablebase(tmp_path, "leiden") as tb:
        win = statistics.material_stats(tb, "ECvT").longest_win[WHITE]
        assert win is not None
        assert win.distance == 67
        assert tb.probe_dtw(Position.from_pieces(pieces, WHITE)) == 67


# -- whole value arrays ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRS)
def test_value_arrays_are_the_reference(name: str, leiden: Tablebase) -> None:
    values = statistics.value_arrays(leiden, name)
    found = {
        (*squares, turn): (outcome, None if outcome == 0 else distance)
        for turn in (0, 1)
        for squares, outcome, distance in zip(
            values.squares.tolist(),
            values.outcome[turn].tolist(),
            values.distance[turn].tolist(),
            strict=True,
        )
    }
    assert found == truth(name, leiden.rules)
    assert len(found) == 2 * len(values)
    assert ((values.distance == -1) == (values.outcome == 0)).all()


@pytest.mark.parametrize("name", ["ELvT", "TvLE", "LRvE", "EvRL", "TRvR", "RvRT", "CvED"])
def test_value_arrays_are_what_probing_says(name: str, standard: Tablebase) -> None:
    values = statistics.value_arrays(standard, name)
    counts = [len(standard.rules.squares(p.animal)) for p in values.material.pieces]
    counts.sort()
    assert len(values) == counts[0] * (counts[1] - 1) * (counts[2] - 2)
    rows = values.squares.astype(np.int64) @ [SQUARES * SQUARES, SQUARES, 1]
    assert (np.diff(rows) > 0).all()  # sorted, none twice
    for turn in Color:
        probes = standard.probe_many(values.material, values.squares, turn)
        assert np.array_equal(values.outcome[turn], probes.outcome)
        assert np.array_equal(values.distance[turn], probes.dtw)
        counted = statistics.histogram(values, turn)
        assert counted == statistics.material_stats(standard, name).histogram[turn]
    full, half = statistics.zugzwang_rows(values)
    assert (int(full.sum()), int(half.sum())) == statistics.material_stats(standard, name).zugzwangs


def test_value_arrays_speak_of_their_material(lion_and_rat: statistics.ValueArrays) -> None:
    values = lion_and_rat
    assert str(values.material) == "RvTR"
    assert [values.column(letter) for letter in "Rtr"] == [0, 1, 2]
    assert values.column(values.material.pieces[1]) == 1
    with pytest.raises(ValueError, match="no piece 'T'"):
        values.column("T")
    white = values.outcome_for(WHITE)
    assert np.array_equal(white[WHITE], values.outcome[WHITE])
    assert np.array_equal(white[BLACK], -values.outcome[BLACK])
    assert np.array_equal(values.outcome_for(BLACK), -white)
    position = values.position(17, BLACK)
    assert position.turn is BLACK
    assert [square for _, square in position.white] == [values.squares[17, 0]]
    assert values.distance.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        values.outcome[0] = 0


@pytest.mark.parametrize("name", ["RvL", "EvR"])
def test_a_limit_decides_at_counter_0(name: str, tmp_path: Path) -> None:
    rules = Rules(no_capture_limit=12)
    tablebase.generate(tmp_path, materials=[name], rules=rules, metric="dtc", jobs=1)
    with open_tablebase(tmp_path, rules) as tb:
        values = statistics.value_arrays(tb, name)
        record = summary(tb, name)
    assert (values.metric, record["metric"]) == ("dtc", "dtc")
    material = Material.parse(name)
    reference = Endgame(material.white, material.black, rules).dtc()
    for turn in Color:
        rows = zip(
            values.squares.tolist(), values.outcome[turn], values.distance[turn], strict=True
        )
        for squares, outcome, distance in rows:
            value = reference[(*squares, int(turn))]
            assert value == (outcome, None if outcome == 0 else distance)
        found = Counter(value for state, value in reference.items() if state[-1] == turn)
        side = turn.name.lower()
        assert record[side]["draw"] == found[0, None] > 0
        for key, sign in (("win", 1), ("loss", -1)):
            plies = {str(d): n for (outcome, d), n in found.items() if outcome == sign}
            assert record["histogram"][side][key] == plies
        win = record["longest_win"][side]
        assert win["dtc"] == max(d for (outcome, d), _ in found.items() if outcome == 1 and d)
        assert win["dtw"] is None  # its table is not there
    assert record["zugzwangs"] == zugzwangs_of(reference)


# -- maps and tables -------------------------------------------------------------------------------


def test_a_tally_counts_by_label() -> None:
    labels = np.array([0, 2, 2, 2, 0], np.uint8)
    outcome = np.array([1, 1, 0, -1, -1], np.int8)
    assert statistics.tally(outcome).tolist() == [2, 2, 1]
    assert statistics.tally_by(labels, outcome).tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 1]]
    assert statistics.tally_by(labels, outcome, 4).shape == (4, 3)
    assert statistics.tally_by(labels[:0], outcome[:0], 2).tolist() == [[0, 0, 0]] * 2
    with pytest.raises(ValueError, match="0 to 1"):
        statistics.tally_by(labels, outcome, 2)


def test_maps_by_square_count_every_placement(leiden: Tablebase) -> None:
    values = statistics.value_arrays(leiden, "RvE")
    reference = truth("RvE", leiden.rules)
    for column, letter in enumerate("Re"):
        for turn in Color:
            found = statistics.by_square(values, letter, turn)
            assert found.shape == (SQUARES, 3)
            counts = Counter(
                (state[column], outcome)
                for state, (outcome, _) in reference.items()
                if state[-1] == turn
            )
            expected = [[counts[s, outcome] for outcome in (1, -1, 0)] for s in range(SQUARES)]
            assert found.tolist() == expected


def test_parity_of_the_distance_counts_every_placement(leiden: Tablebase) -> None:
    values = statistics.value_arrays(leiden, "LvL")
    reference = truth("LvL", leiden.rules)
    counts = Counter(
        ((abs(a // 7 - b // 7) + abs(a % 7 - b % 7)) % 2, outcome)
        for (a, b, turn), (outcome, _) in reference.items()
        if turn == WHITE
    )
    found = statistics.by_parity(values, "L", "l", WHITE)
    assert found.tolist() == [[counts[odd, o] for o in (1, -1, 0)] for odd in (0, 1)]


def test_value_of_the_move_counts_every_placement(leiden: Tablebase) -> None:
    values = statistics.value_arrays(leiden, "EvR")
    reference = truth("EvR", leiden.rules)
    counts = Counter(
        (outcome, -reference[(*state[:-1], 1)][0])
        for state, (outcome, _) in reference.items()
        if state[-1] == WHITE
    )
    found = statistics.value_of_the_move(values)
    assert found.tolist() == [[counts[w, b] for b in (1, -1, 0)] for w in (1, -1, 0)]
    record = summary(leiden, "EvR")
    assert found[1, 0] == record["zugzwangs"]["full"]
    assert found.sum() == len(values)


def test_a_section_moves_one_animal_over_the_board(lion_and_rat: statistics.ValueArrays) -> None:
    values = lion_and_rat
    tiger, rat = parse_square("a9"), parse_square("b5")
    section = statistics.outcome_section(values, "R", {"t": tiger, "r": rat}, BLACK)
    assert np.isnan(section[[3, 59, tiger, rat]]).all()
    assert np.isfinite(section).sum() == SQUARES - 4
    for row in np.flatnonzero((values.squares[:, 1:] == [tiger, rat]).all(axis=1)):
        assert section[values.squares[row, 0]] == -values.outcome[BLACK, row]
    seen = statistics.outcome_section(values, "R", {"t": tiger, "r": rat}, BLACK, view=BLACK)
    assert np.array_equal(seen, -section, equal_nan=True)
    for others in ({"t": tiger}, {"R": 0, "t": tiger}, {"R": 0, "t": tiger, "r": rat}):
        with pytest.raises(ValueError, match="a square is wanted"):
            statistics.outcome_section(values, "R", others, WHITE)


def test_swapped_materials_have_turned_maps(standard: Tablebase) -> None:
    one, other = (statistics.value_arrays(standard, name) for name in ("ELvT", "TvLE"))
    turned = statistics.by_square(other, "T", WHITE)[list(TURN_SQUARE)]
    assert np.array_equal(statistics.by_square(one, "t", BLACK), turned)


@pytest.mark.parametrize("rules", ["baike", "jade"])
def test_sets_with_a_limit_need_tables_of_captures(rules: str, tmp_path: Path) -> None:
    with (
        open_tablebase(tmp_path, rules) as tb,
        pytest.raises(MissingTableError, match=r"/RvR\.dtc\.h5 in ") as caught,
    ):
        statistics.material_stats(tb, "RvR")
    assert (caught.value.metric, caught.value.rules_key) == ("dtc", rules)
    assert RULE_SETS[rules].no_capture_limit
