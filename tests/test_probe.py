"""Probing: every answer is that of the slow reference or of outside data, or a clear error."""

from __future__ import annotations

import csv
import gzip
import os
import pickle
import random
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tablebase
from tablebase import (
    Color,
    CorruptTableError,
    FenError,
    IllegalPositionError,
    Material,
    MissingTableError,
    MoveValue,
    Position,
    Probe,
    Rules,
    Tablebase,
    TablebaseError,
)
from tablebase.catalog import Catalog
from tablebase.game.board import DENS, SQUARES, TURN_SQUARE
from tablebase.game.moves import finished, legal_moves, play
from tablebase.game.rules import RULE_SETS, Animal
from tablebase.materials.classes import classes, locate
from tablebase.materials.material import materials
from tablebase.materials.table import Table
from tablebase.values import distance_of, outcome_of
from tests.reference import Endgame, State, solve
from tests.sample_tables import sample_codes, write_sample
from tests.tables import THREE, write_from_reference

STANDARD = RULE_SETS["standard"]
LEIDEN = RULE_SETS["leiden"]
ROOT = Path(__file__).resolve().parent.parent
CATCH = "7/7/7/7/7/7/7/d6/D6 w"
"""White takes the last animal."""


@pytest.fixture(scope="module")
def tb(tables: Path) -> Iterator[Tablebase]:
    with tablebase.open_tablebase(tables) as opened:
        yield opened


def position_of(material: Material, state: State, counter: int = 0) -> Position:
    """The position of one of the reference's states."""
    pieces = dict(zip(state, material.pieces, strict=False))
    return Position.from_pieces(pieces, Color(state[-1]), counter)


def random_positions(
    material: Material, count: int, seed: int = 1, rules: Rules = STANDARD
) -> list[Position]:
    """Positions of ``material`` in which no den was entered."""
    chosen = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        squares = [chosen.choice(sorted(rules.squares(a))) for _, a in material.pieces]
        if len(set(squares)) == len(squares):
            found.append(position_of(material, (*squares, chosen.randrange(2))))
    return found


# -- right answers ---------------------------------------------------------------------------------


def test_every_row_of_the_published_data(tables: Path, shared: Path) -> None:
    animal = {0: Animal.RAT, 4: Animal.LEOPARD, 5: Animal.TIGER, 6: Animal.LION, 7: Animal.ELEPHANT}
    with gzip.open(shared / "reference" / "openml-41027.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 44_819
    by_material: dict[Material, list[tuple[int, int, int]]] = {}
    with tablebase.open_tablebase(tables, "leiden") as tb:
        for row in rows:
            side, squares = [], []
            for color in ("white", "black"):
                side.append(animal[int(row[f"{color}_strength"])])
                squares.append(int(row[f"{color}_rank"]) * 7 + int(row[f"{color}_file"]))
            outcome = {"w": 1, "d": 0, "b": -1}[row["class"]]
            position = Position(((side[0], squares[0]),), ((side[1], squares[1]),))
            assert tb.probe_wdl(position) == outcome
            group = by_material.setdefault(Material((side[0],), (side[1],)), [])
            group.append((*squares, outcome))  # type: ignore[arg-type]
        for material, group in by_material.items():
            found = np.array(group)
            probed = tb.probe_many(material, found[:, :2], Color.WHITE)
            assert np.array_equal(probed.outcome, found[:, 2])


@pytest.mark.parametrize("rules", [STANDARD, LEIDEN], ids=lambda rules: rules.name)
def test_every_value_of_two_animals(tables: Path, rules: Rules) -> None:
    with tablebase.open_tablebase(tables, rules) as tb:
        for table in classes(rules, 2):
            material = table.material
            values = solve(material.white, material.black, rules)
            for state, (outcome, dtw) in values.items():
                assert tb.probe(position_of(material, state)) == Probe(outcome, dtw, None)


@pytest.mark.parametrize("name", ["DvW", "RvE", "TvR", "CvE", "WvD", "TvL"])
def test_every_value_of_a_material_that_has_the_table_of_another(tb: Tablebase, name: str) -> None:
    material = Material.parse(name)
    values = solve(material.white, material.black, STANDARD)
    states = np.array(list(values))
    probed = tb.probe_many(name, states[:, :-1], states[:, -1])
    assert probed.outcome.tolist() == [outcome for outcome, _ in values.values()]
    assert probed.dtw.tolist() == [-1 if dtw is None else dtw for _, dtw in values.values()]


@pytest.mark.parametrize("name", [*THREE, "TvEL", "RvRT", "EvLR", "WDvC"])
def test_the_value_of_three_animals_is_that_of_the_best_move(tb: Tablebase, name: str) -> None:
    for position in random_positions(Material.parse(name), 150):
        value = tb.probe(position)
        assert (value.outcome, value.dtw) == (tb.probe_wdl(position), tb.probe_dtw(position))
        moves = tb.moves(position)
        if not moves:
            assert value == Probe(-1, 0, 0)
            continue
        assert (moves[0].outcome, moves[0].dtw) == (value.outcome, value.dtw)
        assert tb.best_move(position) == moves[0]
        assert sorted(found.move for found in moves) == legal_moves(position, STANDARD)


def test_moves_are_best_first_and_say_what_they_do(tb: Tablebase) -> None:
    seen = set()
    for position in [p for name in THREE for p in random_positions(Material.parse(name), 100)]:
        order = []
        for found in tb.moves(position):
            after = play(position, found.move)
            assert found.position == after
            value = tb.probe(after)
            assert found.outcome == -value.outcome
            assert found.dtw == (None if value.dtw is None else value.dtw + 1)
            piece = position.piece_at(found.move.target)
            if piece is None:
                assert found.capture is None
            else:
                letter = piece[1].letter
                assert found.capture == (letter.lower() if piece[0] else letter)
                assert found.dtc == (1 if found.outcome else None)
            distance = found.dtw or 0
            order.append((-found.outcome, distance * found.outcome, found.move))
            seen.add((found.outcome, found.capture))
        assert order == sorted(order)
    assert seen >= {(1, "c"), (1, "e"), (1, None), (0, None), (-1, None)}


@given(st.data())
def test_mirrored_and_swapped_positions_have_the_same_value(
    tables: Path, data: st.DataObject
) -> None:
    material = data.draw(st.sampled_from([*materials(2), *map(Material.parse, THREE)]))
    squares: list[int] = []
    for _, animal in material.pieces:
        free = sorted(STANDARD.squares(animal) - set(squares))
        squares.append(data.draw(st.sampled_from(free)))
    position = position_of(material, (*squares, data.draw(st.integers(0, 1))))
    with tablebase.open_tablebase(tables) as tb:
        value = tb.probe(position)
        assert tb.probe(position.mirrored()) == value
        assert tb.probe(position.swapped()) == value
        assert tb.probe(position.swapped().mirrored().fen()) == value
        turned = [TURN_SQUARE[square] for square in squares]
        own = len(material.white)
        many = tb.probe_many(material.swapped(), [turned[own:] + turned[:own]], position.turn.other)
        assert many.outcome.tolist() == [value.outcome]


def test_lines_of_best_play(tb: Tablebase) -> None:
    lengths = set()
    for position in random_positions(Material.parse("ELvT"), 60):
        value, line = tb.probe(position), tb.line(position)
        if value.outcome == 0:
            places = [(p.white, p.black, p.turn) for p in (position, *(m.position for m in line))]
            assert len(set(places)) == len(places) > 1
            assert all(found.outcome == 0 for found in line)
            continue
        assert len(line) == value.dtw
        for ply, found in enumerate(line):
            assert found == tb.best_move(position)
            assert found.outcome == value.outcome * (-1) ** ply
            assert found.dtw == value.dtw - ply
            position = found.position
        assert finished(position, STANDARD) is not None
        lengths.add(len(line))
    assert max(lengths) > 10


# -- games that are over ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("7/7/7/7/7/7/7/D6/3d3 w", -1),
        ("3D3/7/7/7/7/7/7/7/6d b", -1),
        ("3D3/7/7/7/7/7/7/7/6d w", 1),
        ("7/7/7/7/7/7/7/7/D6 b", -1),
        ("7/7/7/7/7/7/7/7/D6 w", 1),
        ("7/7/7/7/7/7/7/D6/cT5 b", -1),
        ("elt1p2/7/7/7/7/7/7/RC5/3w3 w", -1),
    ],
)
def test_finished_games_need_no_tables(tmp_path: Path, fen: str, outcome: int) -> None:
    with tablebase.open_tablebase(tmp_path / "nothing") as tb:
        assert tb.probe(fen) == Probe(outcome, 0, 0)
        assert tb.probe_wdl(fen) == outcome
        assert tb.probe_dtw(fen) == 0
        assert tb.moves(fen) == tb.line(fen) == []
        assert tb.best_move(fen) is None


def test_to_have_no_move_is_a_draw_where_the_rules_say_so(tmp_path: Path) -> None:
    rules = Rules(no_moves="draw")
    stuck = Position.from_fen("7/7/7/7/7/7/7/D6/cT5 b")
    before = Position.from_fen("7/7/7/7/7/7/7/D6/c1T4 w")
    with tablebase.open_tablebase(tmp_path, rules) as tb:
        assert tb.probe(stuck) == Probe(0, 0, 0)
    tablebase.generate(tmp_path, materials=["TDvC"], rules=rules, jobs=1)
    with tablebase.open_tablebase(tmp_path, rules) as tb:
        assert tb.probe(stuck) == Probe(0, 0, 0)
        assert (tb.probe_wdl(stuck), tb.probe_dtw(stuck)) == (0, 0)
        values = {str(found.move): found for found in tb.moves(before)}
        assert values["c1b1"][2:5] == (0, None, None)
        assert values["c1b1"].position.white == stuck.white
        assert values["a2a1"][1:5] == ("c", 1, 1, 1)


# -- what is missing or wrong ----------------------------------------------------------------------


def test_missing_tables_are_named(tb: Tablebase, tables: Path) -> None:
    fen = "7/7/4l2/7/7/7/3R3/2P1E2/7 w"
    with pytest.raises(MissingTableError) as caught:
        tb.probe(fen)
    error = caught.value
    assert str(error) == (
        f"no table for the position itself (EPRvL): there is no table standard/EPRvL.dtw.h5"
        f" in {tables}"
    )
    assert (error.materials, error.pieces) == (("EPRvL",), None)
    assert (error.metric, error.rules_key) == ("dtw", "standard")
    assert error.directories == (tables,)
    assert (error.fen, error.move) == (fen, None)
    assert isinstance(error, KeyError)
    assert isinstance(error, tablebase.TablebaseError)
    for probe in (tb.probe_wdl, tb.probe_dtw, tb.moves, tb.line, tb.best_move):
        with pytest.raises(MissingTableError, match="EPRvL"):
            probe(fen)
    assert tb.get_wdl(fen) is tb.get_dtw(fen) is None
    assert (tb.get_wdl(fen, 7), tb.get_dtw(fen, "?")) == (7, "?")
    assert (tb.get_wdl(CATCH, 7), tb.get_dtw(CATCH, 7)) == (1, 1)
    with pytest.raises(MissingTableError) as caught:
        tb.probe_many("LvEPR", [[9, 10, 11, 12]], 0)
    assert caught.value.materials == ("EPRvL",)
    assert caught.value.fen is None


def test_the_material_that_is_missing_is_that_of_the_table(tb: Tablebase) -> None:
    with pytest.raises(MissingTableError) as caught:
        tb.probe("7/7/7/7/7/7/7/p1e1w2/D6 w")
    table = Table.of(STANDARD, "DvEPW")
    assert table.name != "DvEPW"
    assert f"(DvEPW): there is no table {table.file} in" in str(caught.value)
    assert caught.value.materials == (table.name,)


def test_it_is_said_which_move_leads_to_a_missing_table(tables: Path, tmp_path: Path) -> None:
    source = Catalog([tables])
    table = Table.of(STANDARD, "EDvC")
    alone = Catalog([tmp_path]).path(table)
    alone.parent.mkdir()
    shutil.copy(source.path(table), alone)
    with tablebase.open_tablebase(tmp_path) as tb:
        assert [str(found.move) for found in tb.moves("7/7/7/7/7/7/7/c6/D5E b")] == ["a2b2", "a2a3"]
        # The dog stands on a trap of Black's, where the cat may take it.
        fen = "7/3D3/3c3/7/7/7/7/7/6E b"
        assert tb.probe(fen).dtw is not None
        with pytest.raises(MissingTableError) as caught:
            tb.moves(fen)
    assert str(caught.value).startswith(
        "no table for the position after d7d8 (EvC): there is no table standard/"
    )
    assert (caught.value.materials, caught.value.move) == (
        (Table.of(STANDARD, "EvC").name,),
        "d7d8",
    )
    assert caught.value.fen == "7/3c3/7/7/7/7/7/7/6E w"


def test_more_animals_than_tables_are_made_for(tb: Tablebase) -> None:
    with pytest.raises(MissingTableError, match="up to 5 animals, and there are 16"):
        tb.probe(Position.start())
    assert tb.get_wdl(Position.start(), 3) == 3
    with pytest.raises(MissingTableError, match="up to 5 animals, and there are 6"):
        tb.probe_many("ELTvPWD", np.zeros((1, 6), int), 0)


def test_positions_that_are_none(tb: Tablebase) -> None:
    for probe in (tb.probe, tb.probe_wdl, tb.probe_dtw, tb.moves, tb.line, tb.get_wdl):
        with pytest.raises(FenError, match="side to move"):
            probe("7/7/7/7/7/7/7/d6/D6 x")
        with pytest.raises(IllegalPositionError, match="dog on b5 stands in water"):
            probe("7/7/7/7/1d5/7/7/7/D6 w")
    # Under other rules that dog swims; a position does not know under which it was set up.
    swims = Position.from_fen("7/7/7/7/1d5/7/7/7/D6 w")
    for probe in (tb.probe, tb.probe_wdl, tb.probe_dtw, tb.moves, tb.line, tb.get_wdl):
        with pytest.raises(IllegalPositionError, match="dog on b5 stands in water"):
            probe(swims)


def test_tables_of_other_rules_are_never_used(tables: Path, tmp_path: Path) -> None:
    place = Catalog([tmp_path]).path(Table.of(STANDARD, "EvR"))
    place.parent.mkdir()
    shutil.copy(Catalog([tables]).path(Table.of(LEIDEN, "EvR")), place)
    with (
        tablebase.open_tablebase(tmp_path) as tb,
        pytest.raises(CorruptTableError, match="another rule set"),
    ):
        tb.probe("7/7/7/7/7/7/7/r6/E6 w")


@pytest.fixture
def one_table(tables: Path, tmp_path: Path) -> Path:
    """The file of the table that serves DvD, in a folder of its own."""
    table = Table.of(STANDARD, "DvD")
    place = Catalog([tmp_path]).path(table)
    place.parent.mkdir()
    shutil.copy(Catalog([tables]).path(table), place)
    return place


def test_no_flipped_bit_changes_an_answer(one_table: Path) -> None:
    folder = one_table.parent.parent
    positions = random_positions(Material.parse("DvD"), 20)
    sound = one_table.read_bytes()
    with tablebase.open_tablebase(folder) as tb:
        truth = [tb.probe(position) for position in positions]
    chosen = random.Random(1)
    refused = 0
    for _ in range(200):
        damaged = bytearray(sound)
        damaged[chosen.randrange(len(sound))] ^= 1 << chosen.randrange(8)
        one_table.write_bytes(damaged)
        with tablebase.open_tablebase(folder) as tb:
            for position, value in zip(positions, truth, strict=True):
                found = value_or_refusal(tb, position)
                assert found in (value, None)
                refused += found is None
    assert refused > 1000


def value_or_refusal(tb: Tablebase, position: Position) -> Probe | None:
    try:
        return tb.probe(position)
    except CorruptTableError:
        return None


@pytest.mark.parametrize("kind", ["empty", "text", "cut off", "folder", "link to nothing"])
def test_what_is_no_table_is_refused(one_table: Path, kind: str) -> None:
    sound = one_table.read_bytes()
    one_table.unlink()
    if kind == "folder":
        one_table.mkdir()
    elif kind == "link to nothing":
        one_table.symlink_to("nothing")
    else:
        content = {"empty": b"", "text": b"Dear diary,\n" * 99, "cut off": sound[:-100]}[kind]
        one_table.write_bytes(content)
    table = Table.of(STANDARD, "DvD")
    with tablebase.open_tablebase(one_table.parent.parent) as tb:
        for probe in (tb.probe, tb.probe_wdl, tb.probe_dtw, tb.moves):
            with pytest.raises(TablebaseError) as caught:
                probe("7/7/7/7/7/7/7/1d5/D6 w")
            error = caught.value
            assert isinstance(error, MissingTableError | CorruptTableError)
            assert isinstance(error, MissingTableError) is (kind == "link to nothing")
            assert (error.metric, error.rules_key) == ("dtw", "standard")
            if isinstance(error, MissingTableError):
                assert error.materials == (table.name,)
            else:
                assert (error.path, error.material) == (one_table, table.name)


def test_a_file_may_be_replaced_while_it_is_open(one_table: Path) -> None:
    positions = random_positions(Material.parse("DvD"), 20)
    spare = one_table.with_name("spare")
    shutil.copy(one_table, spare)
    with tablebase.open_tablebase(one_table.parent.parent, cache_bytes=0) as tb:
        truth = [tb.probe(position) for position in positions]
        one_table.write_bytes(bytes(one_table.stat().st_size))
        with pytest.raises(CorruptTableError):
            tb.probe(positions[0])
        shutil.copy(spare, spare.with_suffix(".new"))
        spare.with_suffix(".new").replace(one_table)
        assert [tb.probe(position) for position in positions] == truth
        spare.write_text("this is not looked at: the file that is open is the one before")
        spare.replace(one_table)
        assert [tb.probe(position) for position in positions] == truth


# -- opening, sharing, closing ---------------------------------------------------------------------


def test_closed_tablebases_answer_no_more(tables: Path) -> None:
    with tablebase.open_tablebase(tables) as tb:
        assert tb.probe_wdl(CATCH) == 1
    for probe in (tb.probe, tb.probe_wdl, tb.probe_dtw, tb.moves):
        with pytest.raises(ValueError, match="closed"):
            probe("7/7/7/7/7/7/7/1d5/D6 w")
    tb.close()


def test_folders_can_be_added(tables: Path, tmp_path: Path) -> None:
    files = list(tables.glob("*/*.h5"))
    assert len(files) > 20
    with tablebase.open_tablebase(str(tmp_path / "none yet")) as tb:
        assert tb.get_wdl(CATCH) is None
        assert tb.add_directory(tmp_path) == 0
        assert tb.add_directory(tables) == len(files)
        assert tb.directories == (tmp_path / "none yet", tmp_path, tables)
        assert tb.probe_wdl(CATCH) == 1
        assert "none yet" in repr(tb)
        assert "standard" in repr(tb)


def test_tables_made_while_it_is_open_are_found(tmp_path: Path) -> None:
    with tablebase.open_tablebase(tmp_path) as tb:
        assert tb.get_wdl(CATCH) is None
        tablebase.generate(tmp_path, materials=["DvD"], jobs=1)
        assert tb.get_wdl(CATCH) == 1


@pytest.mark.parametrize("wrong", [{"max_open_files": 0}, {"cache_bytes": -1}])
def test_limits_must_make_sense(tables: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 or more, and cache_bytes 0 or more"):
        tablebase.open_tablebase(tables, **wrong)  # type: ignore[arg-type]


def test_files_and_memory_stay_within_their_limits(tables: Path, tb: Tablebase) -> None:
    positions = [p for material in materials(2) for p in random_positions(material, 4)]
    random.Random(1).shuffle(positions)
    with tablebase.open_tablebase(tables, max_open_files=2, cache_bytes=8_000) as small:
        cache = small._cache
        for position in positions:
            assert small.probe(position) == tb.probe(position)
            assert len(cache._files) <= 2
            assert sum(codes.nbytes for codes in cache._chunks.values()) == cache._bytes <= 8_000
        assert len(cache._chunks) > 1


def test_many_threads_at_once(tables: Path, tb: Tablebase) -> None:
    positions = [
        position
        for material in [*materials(2)[::4], *map(Material.parse, THREE)]
        for position in random_positions(material, 10)
    ]
    truth = [tb.probe(position) for position in positions]
    best = [tb.best_move(position) for position in positions[:40]]

    def hammer(seed: int) -> int:
        order = list(range(len(positions)))
        random.Random(seed).shuffle(order)
        for number in order:
            assert shared.probe(positions[number]) == truth[number]
            assert shared.probe_dtw(positions[number]) == truth[number].dtw
            if number < len(best):
                assert shared.best_move(positions[number]) == best[number]
        return len(order)

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for limits in ({"max_open_files": 1, "cache_bytes": 10_000}, {}):
            with (
                tablebase.open_tablebase(tables, **limits) as shared,  # type: ignore[arg-type]
                ThreadPoolExecutor(8) as threads,
            ):
                counts = list(threads.map(hammer, range(8)))
                assert counts == [len(positions)] * 8
                cached = sum(codes.nbytes for codes in shared._cache._chunks.values())
                assert cached == shared._cache._bytes
    finally:
        sys.setswitchinterval(switch)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_goes_on_by_itself(tb: Tablebase) -> None:
    positions = random_positions(Material.parse("ELvT"), 20)
    truth = [tb.probe(position) for position in positions]
    # As if another thread had been in the middle of something, never to be seen again.
    with tb._cache._lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        child = os.fork()
        if child == 0:
            try:
                right = [tb.probe(position) for position in positions] == truth
                right = right and tb.probe_wdl("7/7/7/7/7/7/7/1e5/E6 w") is not None
                os._exit(0 if right else 1)
            finally:
                os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert [tb.probe(position) for position in positions] == truth


def test_pickled_by_path(tables: Path) -> None:
    rules = replace(LEIDEN, repetition=3)
    with tablebase.open_tablebase(tables, rules, max_open_files=3, cache_bytes=99) as tb:
        value = tb.probe(CATCH)
        data = pickle.dumps(tb)
    assert len(data) < 1500
    with pickle.loads(data) as again:
        assert again.rules == rules
        assert again.directories == (tables,)
        assert again._limits == {"max_open_files": 3, "cache_bytes": 99}
        assert again.probe(CATCH) == value


def test_probing_needs_neither_numba_nor_hdf5(tables: Path) -> None:
    code = f"""
import sys, tablebase
with tablebase.open_tablebase({str(tables)!r}) as tb:
    tb.line("7/7/4l2/7/7/7/7/2E4/7 w")
    tb.probe_many("EvL", [[9, 10]], 0)
print(sorted({{"numba", "h5py", "hdf5plugin", "click", "tqdm"}} & set(sys.modules)))
"""
    run = [sys.executable, "-c", code]
    shown = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


# -- many at once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*THREE, "TvLE", "CvWD", "RvR"])
def test_many_placements_at_once(tb: Tablebase, name: str) -> None:
    material = Material.parse(name)
    positions = random_positions(material, 500)
    squares = [[s for side in (p.white, p.black) for _, s in side] for p in positions]
    sides = [p.turn for p in positions]
    probed = tb.probe_many(name, np.array(squares, np.uint8), np.array(sides, np.int8))
    assert probed.outcome.dtype == np.int8
    assert probed.dtw.dtype == np.int32
    values = [tb.probe(position) for position in positions]
    assert probed.outcome.tolist() == [value.outcome for value in values]
    assert probed.dtw.tolist() == [-1 if value.dtw is None else value.dtw for value in values]
    white = tb.probe_many(material, squares, 0)
    assert white.outcome.tolist() == [
        tb.probe_wdl(replace(position, turn=Color.WHITE)) for position in positions
    ]


def test_many_placements_of_a_table_of_many_chunks(tmp_path: Path) -> None:
    """Four animals and distances that need 16 bits, in a table of made-up values."""
    material = Material.parse("EPvLT")
    table_class, swapped, order = locate(STANDARD, material)
    table = Table(table_class)
    write_sample(Catalog([tmp_path]).path(table), table, dtype="uint16")
    codes = sample_codes(table, "uint16", 1000)
    positions = random_positions(material, 400)
    squares = [[s for side in (p.white, p.black) for _, s in side] for p in positions]
    with tablebase.open_tablebase(tmp_path, cache_bytes=500_000) as tb:
        probed = tb.probe_many(material, squares, [p.turn for p in positions])
        for row, position in enumerate(positions):
            seen = [TURN_SQUARE[s] if swapped else s for s in squares[row]]
            if seen[order[0]] % 7 > 3:
                seen = [s - s % 7 + 6 - s % 7 for s in seen]
            cell = [axis.index(seen[k]) for axis, k in zip(table.squares, order, strict=True)]
            code = int(codes[(position.turn ^ swapped, *cell)])
            dtw = distance_of("dtw", code)
            assert tb.probe(position) == Probe(outcome_of(code), dtw, None)
            assert probed.outcome[row] == outcome_of(code)
            assert probed.dtw[row] == (-1 if dtw is None else dtw)
    assert probed.dtw.max() > 255


def test_no_placements_at_all(tb: Tablebase) -> None:
    probed = tb.probe_many("ELvT", np.empty((0, 3), np.uint8), np.empty(0, np.uint8))
    assert probed.outcome.shape == probed.dtw.shape == (0,)


@pytest.mark.parametrize(
    ("squares", "side", "why"),
    [
        ([[9, 10], [9, 9]], 0, "row 1 is no placement of EvL"),
        ([[9, 10], [9, DENS[0]]], 0, "row 1 is no placement of EvL"),
        ([[DENS[1], 10], [9, 9]], 0, "row 0 is no placement of EvL"),
        ([[9, 10], [9, 29]], 0, r"row 1 .* unfinished game: squares \[9, 29\]"),
        ([[9, 10], [9, SQUARES]], 0, "row 1 is no placement of EvL"),
        ([[9, 10], [-1, 10]], 0, "row 1 is no placement of EvL"),
        ([[9, 10], [256 + 9, 10]], 0, "row 1 is no placement of EvL"),
        ([[9, 10, 11]], 0, r"integers of the shape \(n, 2\)"),
        ([9, 10], 0, r"integers of the shape \(n, 2\)"),
        ([[9.0, 10.0]], 0, r"integers of the shape \(n, 2\)"),
        ([[9, 10]], 2, "row 0: side is 0 to 1; 2 is not"),
        ([[9, 10], [9, 11]], [0, -1], "row 1: side is 0 to 1; -1 is not"),
        ([[9, 10]], [0, 1], r"side is int64 of the shape \(2,\)"),
        ([[9, 10]], 0.0, "side is float64"),
        ([[9, 10]], [True], "side is bool"),
    ],
)
def test_wrong_arrays_are_refused(tb: Tablebase, squares: object, side: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tb.probe_many("EvL", squares, side)  # type: ignore[arg-type]


# -- captures, den entries and limits --------------------------------------------------------------


@pytest.mark.parametrize("name", ["DvW", pytest.param("ELvT", marks=pytest.mark.slow)])
def test_distance_to_the_next_capture_where_it_is_known(
    tables: Path, tmp_path: Path, name: str
) -> None:
    write_from_reference(tmp_path, STANDARD, name, "dtc")
    material = Material.parse(name)
    values = Endgame(material.white, material.black, STANDARD).dtc()
    with tablebase.open_tablebase(tables) as tb:
        for position in random_positions(material, 20):
            assert tb.probe(position).dtc is None
        tb.add_directory(tmp_path)
        for position in random_positions(material, 200):
            squares = [s for side in (position.white, position.black) for _, s in side]
            outcome, dtc = values[(*squares, position.turn)]
            value = tb.probe(position)
            assert (value.outcome, value.dtc) == (outcome, dtc)
            if outcome == 1:
                ways = [found.dtc for found in tb.moves(position) if found.outcome == 1]
                assert min(way for way in ways if way is not None) == dtc


def test_a_limit_needs_tables_of_captures(tables: Path) -> None:
    with tablebase.open_tablebase(tables, "plyyard") as tb:
        fen = "7/7/7/7/7/7/7/1d5/D6 w"
        for probe in (tb.probe, tb.probe_wdl, tb.moves, tb.line):
            with pytest.raises(MissingTableError, match="no table plyyard/") as caught:
                probe(fen)
            assert (caught.value.metric, caught.value.rules_key) == ("dtc", "plyyard")
        assert tb.probe_dtw(fen) is not None
        with pytest.raises(MissingTableError) as caught:
            tb.probe_many("DvD", [[0, 8]], 0)
        assert (caught.value.metric, caught.value.rules_key) == ("dtc", "plyyard")


@pytest.mark.parametrize("name", ["DvW", "RvE"])
def test_limits_and_counters_of_two_animals(tables: Path, tmp_path: Path, name: str) -> None:
    compare_at_every_counter(tables, tmp_path, Rules(no_capture_limit=7), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["EDvC", "TRvR"])
def test_limits_and_counters_of_three_animals(tables: Path, tmp_path: Path, name: str) -> None:
    compare_at_every_counter(tables, tmp_path, Rules(no_capture_limit=4), name)


def compare_at_every_counter(tables: Path, folder: Path, rules: Rules, name: str) -> None:
    """Against a solver for which the counter is a part of the position."""
    material = Material.parse(name)
    write_from_reference(folder, rules, name, "dtc")
    without = solve(material.white, material.black, rules)
    taken_away = 0
    with tablebase.open_tablebase(folder, rules) as tb:
        states = np.array(list(without))
        for counter, outcomes in Endgame(material.white, material.black, rules).by_counter():
            tb._without_dtc.clear()
            if counter == rules.no_capture_limit:
                assert tb.probe(position_of(material, tuple(states[0].tolist()))).dtw is None
                tb.add_directory(tables)
            sides = states[:, -1]
            probed = tb.probe_many(material, states[:, :-1], sides, counter)
            assert probed.outcome.tolist() == list(outcomes.values())
            for state in random.Random(counter).sample(sorted(without), 500):
                value = tb.probe(position_of(material, state, counter))
                assert value.outcome == outcomes[state]
                assert value.dtw == without[state][1]
                assert (value.dtc is None) == (value.outcome == 0)
                taken_away += value.outcome == 0 and value.dtw is not None
    assert taken_away > 100


def test_moves_and_lines_under_a_limit(tables: Path, tmp_path: Path) -> None:
    rules = Rules(no_capture_limit=5)
    write_from_reference(tmp_path, rules, "DvW", "dtc")
    seen = set()
    with tablebase.open_tablebase(tmp_path, rules) as tb:
        tb.add_directory(tables)
        for position in random_positions(Material.parse("DvW"), 200):
            for counter in (0, 3, 4, 5):
                counted = replace(position, counter=counter)
                value, moves = tb.probe(counted), tb.moves(counted)
                if counter == 5:
                    assert value.outcome == 0 or finished(position, rules) is not None
                    assert moves == tb.line(counted) == []
                    continue
                if moves:
                    assert moves[0].outcome == value.outcome
                line = tb.line(counted)
                assert len(line) <= 5 - counter
                if value.outcome:
                    assert finished(line[-1].position if line else counted, rules) is not None
                seen.add((value.outcome, value.dtw is None))
    assert seen >= {(1, False), (-1, False), (0, False)}


def test_move_values_are_tuples(tb: Tablebase) -> None:
    [best] = tb.line(CATCH)
    assert isinstance(best, MoveValue)
    move, capture, outcome, dtw, dtc, position, reason = best
    assert (str(move), capture, outcome, dtw, dtc) == ("a1a2", "d", 1, 1, 1)
    assert reason == "no animals"
    assert position.fen() == "7/7/7/7/7/7/7/D6/7 b"
