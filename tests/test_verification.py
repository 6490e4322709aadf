"""Verifying tables: true ones pass, and no wrong value, statement or bit goes unseen."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tablebase.catalog import Catalog
from tablebase.errors import (
    CorruptTableError,
    MaterialError,
    MissingTableError,
    ResourceError,
    TablebaseError,
)
from tablebase.game.board import DENS, FILES, MIRROR_SQUARE, TURN_SQUARE, Color
from tablebase.game.moves import legal_moves, play
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Rules, load_rules
from tablebase.generation import generate
from tablebase.generation.classwork import summarize
from tablebase.materials.classes import locate
from tablebase.materials.material import Material, materials
from tablebase.materials.table import Table, selected_tables
from tablebase.tablefile import Histogram, TableFile, TableSummary, write_table
from tablebase.values import DRAW, Metric, code_of, distance_of, outcome_of
from tablebase.verification import Progress, Report, Value, verify
from tablebase.verification.derive import check_rows, translate
from tablebase.verification.edges import compile_edges, smaller_tables
from tablebase.verification.law import law_of
from tests.in_memory import InMemory
from tests.sample_tables import ChunkSource, table_of
from tests.tablefile.damage import flip, flipped
from tests.test_solve import ODD_RULES, random_rules

STANDARD = RULE_SETS["standard"]
Codes = npt.NDArray[np.unsignedinteger]

TABLE = table_of("LvRT")
TWO = selected_tables(STANDARD, "dtw", 2)
"""All tables of two animals."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    generate(folder, pieces=2, materials=["LvRT"])
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of ``made`` to do harm to."""
    return Path(shutil.copytree(made, tmp_path / "data"))


def stored_placements(table: Table) -> int:
    """Legal placements whose mirror image is not counted, for one side to move."""
    places = np.stack(np.meshgrid(*table.squares, indexing="ij"), -1).reshape(-1, len(table.axes))
    return sum(len(set(row)) == len(row) for row in places.tolist())


def rewrite(
    folder: Path,
    table: Table,
    change: Callable[[Codes], object] = len,
    **summary: Any,
) -> Codes:
    """Change the values, shape ``(2, *table.shape)``, or the header of a table on disk, with all
    checksums right; the values as they were."""
    path = Catalog([folder]).path(table)
    with TableFile(path) as file:
        codes = np.stack([file.read(side) for side in range(2)])
        header = file.header
    changed = codes.copy()
    change(changed)
    told = replace(header.summary, **summary)
    told = replace(told, maximum=max(told.maximum, int(changed.max())))
    assert changed.dtype == np.uint8
    write_table(path, table, "uint8", told, ChunkSource(table, changed))
    return codes


# True tables


def test_true_tables_pass(made: Path) -> None:
    told: list[Progress] = []
    report = verify(made, progress=told.append)
    assert report.ok
    assert not report.damaged
    tables = [*TWO, TABLE]
    assert [checked.table for checked in report.tables] == tables
    assert not report.foreign
    assert not report.failures
    assert report.checked == sum(2 * stored_placements(table) for table in tables)
    last = told[-1]
    assert last.tables_done == last.tables == len(tables)
    assert last.values == sum(2 * table.cells for table in tables)
    assert last.values_done >= report.checked
    assert {p.finished.table for p in told if p.finished} == set(tables)


def test_what_is_to_be_checked_can_be_named(made: Path) -> None:
    def checked(**which: Any) -> list[Table]:
        return [report.table for report in verify(made, **which).tables]

    assert checked(materials="TRvL") == checked(materials=Material.parse("LvRT")) == [TABLE]
    assert checked(materials=["TRvL", "PvE"]) == [table_of("EvP"), TABLE]
    assert checked(pieces=2) == list(TWO)
    assert checked(pieces=2, rules="plyyard", metric="dtw") == list(TWO)


def test_with_a_limit_both_metrics_are_checked(tmp_path: Path) -> None:
    generate(tmp_path, materials=["LvT", "RvE"], rules="jade")
    for named in (None, ["LvT", "RvE"]):
        report = verify(tmp_path, rules="jade", materials=named)
        assert report.ok
        assert sorted(table.label for table in report.tables) == [
            "EvR", "EvR (dtc)", "LvT", "LvT (dtc)"
        ]  # fmt: skip
    (only,) = verify(tmp_path, rules="jade", materials=["LvT"], metric="dtc").tables
    assert only.label == "LvT (dtc)"


def missing(folder: Path, **which: Any) -> MissingTableError:
    """What a verification says of a table that is not there."""
    with pytest.raises(MissingTableError) as caught:
        verify(folder, **which)
    assert caught.value.directories == (folder,)
    return caught.value


def test_what_is_not_there_is_said(made: Path, folder: Path) -> None:
    error = missing(made, pieces=3)
    assert str(error).startswith(f"41 of 52 tables are not in {made}, the first of them standard/")
    assert (error.pieces, len(error.materials)) == (3, 41)
    assert (error.metric, error.rules_key) == ("dtw", "standard")
    error = missing(made, pieces=3, rules="leiden", metric="dtc")
    assert (error.pieces, error.metric, error.rules_key) == (3, "dtc", "leiden")
    with pytest.raises(MissingTableError, match=r"up to 5 animals, and \w+ has 6$"):
        verify(made, materials=["ELTvPWD"])
    with pytest.raises(MaterialError):
        verify(made, materials=[])
    path = Catalog([folder]).path(table_of("LvR"))
    path.unlink()
    assert missing(folder, materials=["LvRT"]).materials == ("LvR",)
    path.symlink_to("nowhere")
    assert missing(folder, materials=["LvRT"]).materials == ("LvR",)


@pytest.mark.parametrize("rules", ["leiden", "jade", Rules(no_moves="draw")], ids=str)
def test_a_folder_without_tables_of_the_rules_is_told_which_to_begin_with(
    made: Path, rules: Rules | str
) -> None:
    error = missing(made, rules=rules)
    assert str(error) == f"there are no tables of these rules in {made}"
    first = selected_tables(load_rules(rules) if isinstance(rules, str) else rules, "dtw", 3)
    assert (error.pieces, set(error.materials)) == (3, {table.name for table in first})
    assert error.rules_key == first[0].folder
    assert missing(made, rules=rules, metric="dtc").metric == "dtc"


@pytest.mark.parametrize("rules", ["standard", "plyyard", Rules(no_capture_limit=33)], ids=str)
def test_rules_that_differ_in_nothing_that_matters_lack_the_same_table(
    folder: Path, rules: Rules | str
) -> None:
    Catalog([folder]).path(table_of("LvR")).unlink()
    for name, lacking in (("ELvP", "ELvP"), ("LvRT", "LvR")):
        error = missing(folder, rules=rules, materials=name, metric="dtw")
        assert error.materials == (lacking,)
        assert (error.metric, error.rules_key) == ("dtw", "standard")
    [report] = [report for report in verify(folder, rules=rules).tables if not report.ok]
    assert report.table == TABLE
    assert isinstance(report.failure, MissingTableError)
    assert report.failure.materials == ("LvR",)


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_three_animal_class_obeys_the_law(name: str) -> None:
    tables = InMemory(RULE_SETS[name])
    for table in selected_tables(tables.rules, "dtw", 3):
        assert_true(tables, table)


@pytest.mark.parametrize("name", ["plyyard", "baike", "leiden"])
def test_tables_of_the_distance_to_the_next_capture_obey_the_law(name: str) -> None:
    tables = InMemory(RULE_SETS[name], metric="dtc")
    for material in ("LvR", "LvRT", "ERvE", "TRvLR"):
        assert_true(tables, table_of(material, tables.rules, "dtc"))


FOUR = (
    "ELvTP", "TRvLR", "LTRvR", "ERvER", "LRvTR", "EvRDC",
    "PWvRD", "LTPvT", "DvWPT", "LEvRD", "WDvPW", "ECvTR",
)  # fmt: skip


@pytest.mark.parametrize("names", [FOUR[i::4] for i in range(4)], ids=" ".join)
def test_a_dozen_four_animal_classes_obey_the_law(names: tuple[str, ...]) -> None:
    tables = InMemory(STANDARD)
    for name in names:
        assert_true(tables, table_of(name))


@pytest.mark.slow
@pytest.mark.parametrize("material", ["RDvRD", "LTvRD", "TRvDR", "PRvRD", "LRDvR", "TDRvD"])
@pytest.mark.parametrize("name", ODD_RULES)
def test_four_animals_under_odd_rules_obey_the_law(name: str, material: str) -> None:
    tables = InMemory(ODD_RULES[name])
    assert_true(tables, table_of(material, tables.rules))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 212))
def test_four_animals_under_any_rules_obey_the_law(seed: int) -> None:
    tables = InMemory(random_rules(seed))
    for material in random.Random(seed).sample(materials(4), 3):
        assert_true(tables, Table.of(tables.rules, material))


def assert_true(tables: InMemory, table: Table) -> None:
    """All values obey the one-ply law, and the solver counts them as they are."""
    codes = [tables.codes(table, turn).ravel() for turn in Color]
    for bad in derive(table, codes, smaller_codes(tables.codes, table)):
        assert not bad.size, (table.name, tables.rules)
    summary = summarize(tables.solution(table))
    assert summary.maximum == max(int(part.max()) for part in codes)


def smaller_codes(codes: Callable[[Table, Color], Codes], table: Table) -> Codes:
    parts = [codes(small, turn).ravel() for small, turn in smaller_tables(table).parts]
    return np.concatenate([np.zeros(0, np.uint8), *parts])


def derive(
    table: Table, codes: list[Codes], small: Codes, most: int = 5
) -> list[npt.NDArray[np.int64]]:
    """By side to move: cell and derived code of the first ``most`` values that are not what follows
    from the others."""
    edges, smaller = compile_edges(table), smaller_tables(table)
    highest = max(int(part.max(initial=0)) for part in (*codes, small))
    law = law_of(table.metric, table.rules, highest)
    small_grades = np.empty(small.size, law.quiet.dtype)
    translate(small, law.capture, small_grades)
    found = []
    for turn in Color:
        grades = np.empty(table.cells, law.quiet.dtype)
        translate(codes[turn.other], law.quiet, grades)
        bad = np.zeros((most, 2), np.int64)
        _, differing = check_rows(
            tuple(edges), tuple(smaller[1:]),
            (law.own_outcome, law.reply_outcome, law.codes, law.ending),
            codes[turn], grades, small_grades, int(turn), 0, prod(table.shape[:-1]), 1,
            np.zeros(len(law.own_outcome), np.int64), np.zeros((3, 3), np.int64), bad,
        )  # fmt: skip
        found.append(bad[:differing])
    return found


# The kernel against moves in plain Python, on tables of nonsense


@pytest.mark.parametrize("limit", [None, 9])
@pytest.mark.parametrize("metric", ["dtw", "dtc"])
@pytest.mark.parametrize("seed", range(8))
def test_the_kernel_derives_what_plain_python_does(
    seed: int, metric: Metric, limit: int | None
) -> None:
    chosen = random.Random(seed)
    rules = list(ODD_RULES.values())[seed] if seed < len(ODD_RULES) else random_rules(seed)
    rules = replace(rules.without_limit(), no_capture_limit=limit)
    for material in (chosen.choice(materials(2)), chosen.choice(materials(3))):
        compare_with_plain_python(Table.of(rules, material, metric), Nonsense(seed), chosen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 30))
def test_the_kernel_derives_what_plain_python_does_for_four_animals(seed: int) -> None:
    chosen = random.Random(seed)
    material = chosen.choice(materials(4))
    compare_with_plain_python(Table.of(random_rules(seed), material), Nonsense(seed), chosen)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["dtw", "dtc"])
def test_the_kernel_derives_what_plain_python_does_from_two_bytes(metric: Metric) -> None:
    table = Table(TABLE.table_class, metric)
    compare_with_plain_python(table, Nonsense(0, highest=700), random.Random(0))


def compare_with_plain_python(table: Table, nonsense: Nonsense, chosen: random.Random) -> None:
    codes = [nonsense.codes(table, turn).ravel() for turn in Color]
    small = smaller_codes(nonsense.codes, table)
    found = derive(table, codes, small, table.cells)
    derived = [part.copy() for part in codes]
    for part, bad in zip(derived, found, strict=True):
        part[bad[:, 0]] = bad[:, 1]
    for _ in range(2000):
        squares = [chosen.choice(axis) for axis in table.squares]
        if len(set(squares)) < len(squares):
            continue
        turn = chosen.choice(list(Color))
        position = Position.from_pieces(dict(zip(squares, table.axes, strict=True)), turn)
        places = [axis.index(s) for axis, s in zip(table.squares, squares, strict=True)]
        cell = np.ravel_multi_index(places, table.shape)
        assert derived[turn][cell] == nonsense.one_ply(position, table), position.fen()


class Nonsense:
    """Tables of random codes, and the value that follows from them for a position."""

    def __init__(self, seed: int, highest: int = 29) -> None:
        self.seed = seed
        self.highest = highest
        self.tables: dict[tuple[Table, int], Codes] = {}

    def codes(self, table: Table, turn: Color) -> Codes:
        if (table, turn) not in self.tables:
            numbers = np.random.default_rng([self.seed, len(self.tables)])
            codes = numbers.integers(0, self.highest, table.shape, endpoint=True)
            self.tables[table, turn] = codes.astype(np.min_scalar_type(self.highest))
        return self.tables[table, turn]

    def look_up(self, position: Position, rules: Rules, metric: Metric) -> int:
        table_class, swapped, order = locate(rules, Material.of(position))
        table = Table(table_class, metric)
        squares = [square for _, square in (*position.white, *position.black)]
        squares = [squares[number] for number in order]
        if swapped:
            squares = [TURN_SQUARE[square] for square in squares]
        if squares[0] % FILES > FILES // 2:
            squares = [MIRROR_SQUARE[square] for square in squares]
        places = [axis.index(s) for axis, s in zip(table.squares, squares, strict=True)]
        return int(self.codes(table, Color(position.turn ^ swapped))[tuple(places)])

    def one_ply(self, position: Position, table: Table) -> int:
        rules, metric = table.rules, table.metric
        values: list[tuple[int, int]] = []
        limit = rules.no_capture_limit if metric == "dtc" else None
        for move in legal_moves(position, rules):
            after = play(position, move)
            enemies = after.white if position.turn else after.black
            if not enemies or move.target in DENS:
                values.append((1, 1))
                continue
            code = self.look_up(after, rules, metric)
            distance = distance_of(metric, code)
            if distance is None:
                values.append((0, 0))
            elif metric == "dtc" and len(after.pieces) < len(position.pieces):
                values.append((-outcome_of(code), 1))
            elif limit is not None and distance + 1 > limit:
                values.append((0, 0))
            else:
                values.append((-outcome_of(code), distance + 1))
        if not values:
            return code_of(metric, -1, 0) if rules.no_moves == "loss" else DRAW
        best = max(outcome for outcome, _ in values)
        distances = [distance for outcome, distance in values if outcome == best]
        return code_of(metric, best, min(distances) if best > 0 else max(distances))


@pytest.mark.slow
def test_true_tables_of_two_bytes_pass(folder: Path) -> None:
    tables = InMemory(STANDARD, byte_codes=4)
    for table in (table_of("LvR"), TABLE):
        solution = tables.solution(table)
        codes = np.stack([tables.codes(table, turn) for turn in Color])
        path = Catalog([folder]).path(table)
        source = ChunkSource(table, codes)
        write_table(path, table, "uint16", summarize(solution), source)
    report = verify(folder)
    assert report.ok
    assert report.checked == verify(folder, sample=10**9).checked


# Wrong values


def wrong_cells(seed: int) -> list[tuple[int, ...]]:
    """Legal cells, with the side to move in front."""
    choose = random.Random(seed)
    found: list[tuple[int, ...]] = []
    while len(found) < 6:
        places = [choose.randrange(length) for length in TABLE.shape]
        squares = [axis[place] for axis, place in zip(TABLE.squares, places, strict=True)]
        if len(set(squares)) == len(squares):
            found.append((choose.randrange(2), *places))
    return found


@pytest.mark.parametrize(
    "change",
    [
        lambda code: 0 if code else 1,
        lambda code: code + 2 if code else 2,
        lambda code: max(code - 2, 0),
        lambda code: code ^ 1,
        lambda code: 254 - code,
    ],
    ids=["draw", "later", "sooner", "turned", "far"],
)
@pytest.mark.parametrize("cell", wrong_cells(1), ids=str)
def test_one_wrong_value_is_found(
    folder: Path, cell: tuple[int, ...], change: Callable[[int], int]
) -> None:
    def spoil(codes: Codes) -> None:
        codes[cell] = change(int(codes[cell]))

    before = rewrite(folder, TABLE, spoil)
    report = verify(folder, materials=["LvRT"])
    assert not report.ok
    assert not report.damaged
    (table,) = report.tables
    squares = [axis[place] for axis, place in zip(TABLE.squares, cell[1:], strict=True)]
    pieces = dict(zip(squares, TABLE.axes, strict=True))
    fen = Position.from_pieces(pieces, Color(cell[0])).fen()
    right = int(before[cell])
    found = {difference.fen: difference for difference in table.differences}
    assert found[fen].side is Color(cell[0])
    assert found[fen].derived == Value(outcome_of(right), distance_of("dtw", right))
    wrong = change(right)
    assert found[fen].stored == Value(outcome_of(wrong), distance_of("dtw", wrong))
    assert found[fen].fen in str(found[fen])


def test_a_wrong_smaller_table_is_found(folder: Path) -> None:
    rewrite(folder, table_of("LvR"), lambda codes: codes.fill(0))
    report = verify(folder, materials=["LvRT"])
    (table,) = report.tables
    assert table.differing > len(table.differences) == 10


def test_cells_that_are_no_placements_do_not_matter(folder: Path) -> None:
    squares = np.stack(np.meshgrid(*TABLE.squares, indexing="ij"), -1)
    a, b, c = np.moveaxis(squares, -1, 0)
    illegal = (a == b) | (b == c) | (a == c)

    def spoil(codes: Codes) -> None:
        codes[:, illegal] = 77

    summary = summary_of(folder)
    rewrite(folder, TABLE, spoil)
    report = verify(folder)
    # The maximum that the file states is that of all its bytes, which no longer says so much.
    problems = [problem.field for table in report.tables for problem in table.problems]
    assert report.checked
    assert all(not table.differing for table in report.tables)
    assert problems == (["maximum"] if summary.maximum < 77 else [])


HERE = "7/7/7/7/7/7/7/7/L1r3t w"
"""A position of the table that is not White's longest win."""
IN_THE_DEN = "3L3/7/7/7/7/7/7/7/3r2t w"
"""One in which the game is over."""


@pytest.mark.parametrize(
    ("change", "field", "side", "text"),
    [
        (lambda s: {"histogram": draws(s, Color.WHITE)}, "histogram", 0, "White to move"),
        (lambda s: {"histogram": draws(s, Color.BLACK)}, "histogram", 1, "Black to move"),
        (lambda s: {"maximum": s.maximum + 1}, "maximum", None, "its highest code"),
        (lambda s: {"zugzwangs": s.zugzwangs._replace(half=9)}, "zugzwangs", None, "zugzwangs"),
        (lambda s: {"zugzwangs": s.zugzwangs._replace(full=9)}, "zugzwangs", None, "zugzwangs"),
        (lambda s: longest(s, 0, distance=3), "longest_win", 0, "longest win of White"),
        (lambda s: {"longest_win": (s.longest_win[0], None)}, "longest_win", 1, "win of Black"),
        (lambda s: longest(s, 0, fen=HERE), "longest_win", 0, "is not the win in"),
        (lambda s: longest(s, 0, fen=f"E6{HERE[1:]}"), "longest_win", 0, "is not the win in"),
        (lambda s: longest(s, 0, fen=IN_THE_DEN), "longest_win", 0, "is not the win in"),
        (lambda s: longest(s, 1, fen="?"), "longest_win", 1, "is not the win in"),
    ],
)
def test_a_header_that_says_otherwise_is_found(
    folder: Path,
    change: Callable[[TableSummary], dict[str, Any]],
    field: str,
    side: int | None,
    text: str,
) -> None:
    rewrite(folder, TABLE, **change(summary_of(folder)))
    report = verify(folder)
    assert not report.ok
    (found,) = [problem for table in report.tables for problem in table.problems]
    assert (found.field, found.side) == (field, side)
    assert text in str(found)
    assert not any(table.differing for table in report.tables)


def test_a_longest_win_may_be_told_by_its_mirror_image(folder: Path) -> None:
    summary = summary_of(folder)
    win = summary.longest_win[Color.WHITE]
    assert win is not None
    position = Position.from_fen(win.fen)
    mirrored = {MIRROR_SQUARE[square]: piece for square, piece in position.pieces.items()}
    fen = Position.from_pieces(mirrored, position.turn).fen()
    assert fen != win.fen
    rewrite(folder, TABLE, **longest(summary, Color.WHITE, fen=fen))
    assert verify(folder).ok


def summary_of(folder: Path) -> TableSummary:
    with TableFile(Catalog([folder]).path(TABLE)) as file:
        return file.header.summary


def draws(summary: TableSummary, side: int) -> list[Histogram]:
    """The histograms, with more draws for ``side`` to move."""
    found = list(summary.histogram)
    found[side] = replace(found[side], draw=found[side].draw + 2)
    return found


def longest(summary: TableSummary, side: int, **changes: Any) -> dict[str, Any]:
    """Another longest win of ``side``."""
    found = list(summary.longest_win)
    win = found[side]
    assert win is not None
    found[side] = win._replace(**changes)
    return {"longest_win": tuple(found)}


# Damage


def test_no_flipped_bit_goes_unseen(folder: Path) -> None:
    choose = random.Random(7)
    path = Catalog([folder]).path(TABLE)
    for _ in range(200):
        with flipped(path, choose.randrange(8 * path.stat().st_size)):
            report = verify(folder, materials=["LvRT"], jobs=1)
            assert report.damaged
            assert not report.ok
    assert verify(folder).ok


def failures(report: Report) -> dict[Table, TablebaseError]:
    """Why tables could not be checked."""
    return {table.table: table.failure for table in report.tables if table.failure is not None}


def test_damage_says_which_file_and_spoils_no_other_check(folder: Path) -> None:
    path = Catalog([folder]).path(table_of("LvR"))
    flip(path, 8 * (path.stat().st_size // 2))
    report = verify(folder)
    failed = failures(report)
    assert set(failed) == {table_of("LvR"), TABLE}
    for failure in failed.values():
        assert isinstance(failure, CorruptTableError)
        assert failure.path == path
        assert failure.material == "LvR"
    assert report.failures == tuple(failed.values())
    assert all(table.ok for table in report.tables if table.table not in failed)


def test_a_failure_that_is_kept_keeps_no_arrays(folder: Path) -> None:
    path = Catalog([folder]).path(TABLE)
    flip(path, 8 * (path.stat().st_size // 2))
    (failure,) = verify(folder, materials=["LvRT"]).failures
    assert (failure.__traceback__, failure.__context__, failure.__cause__) == (None, None, None)


def test_files_that_are_not_the_table_of_their_name_are_reported(folder: Path) -> None:
    path, other = (Catalog([folder]).path(table) for table in (TABLE, table_of("EvL")))
    names = {"QvZ", "ELTPWDvR", str(TABLE.material.swapped())}
    for name in (*names, "ELTvP"):  # ELTvP needs tables that are not there
        shutil.copy(path, path.with_name(f"{name}.dtw.h5"))
    shutil.copy(path, other)
    (folder / "standard" / "CvC.dtw.h5").symlink_to("nowhere")
    report = verify(folder)
    assert report.damaged
    assert {file.path for file in report.foreign} == {
        path.with_name(f"{name}.dtw.h5") for name in names
    }
    failed = failures(report)
    assert set(failed) == {table_of("ELTvP"), table_of("EvL")}
    for failure in report.failures:
        assert isinstance(failure, CorruptTableError)
        assert failure.belongs_at == TABLE.file
    assert len(report.failures) == 5
    assert {t.table for t in report.tables if t.ok} == {TABLE, *TWO} - {table_of("EvL")}


@pytest.mark.parametrize("link", [False, True])
def test_a_missing_smaller_table_spoils_no_other_check(folder: Path, link: bool) -> None:
    path = Catalog([folder]).path(table_of("LvR"))
    path.unlink()
    if link:
        path.symlink_to("nowhere")
    foreign = path.with_name("QvZ.dtw.h5")
    foreign.write_bytes(b"nonsense")
    report = verify(folder)
    failed = failures(report)
    assert set(failed) == {TABLE}
    assert isinstance(failed[TABLE], MissingTableError)
    assert str(failed[TABLE]) == f"there is no table standard/LvR.dtw.h5 in {folder}"
    (file,) = report.foreign
    assert file.path == foreign
    assert isinstance(file.failure, CorruptTableError)
    assert not report.ok
    assert report.damaged
    assert {table.table for table in report.tables} == {TABLE, *TWO} - {table_of("LvR")}
    assert report.checked
    foreign.unlink()
    report = verify(folder)
    assert not report.ok
    assert not report.damaged


def test_a_table_that_is_removed_meanwhile_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Catalog([folder]).path(TABLE)
    find = Catalog.find
    found: list[Path] = []

    def find_and_remove(self: Catalog, table: Table) -> Path | None:
        if table == TABLE and path in found:
            path.unlink(missing_ok=True)
        place = find(self, table)
        if place is not None:
            found.append(place)
        return place

    monkeypatch.setattr(Catalog, "find", find_and_remove)
    (only,) = verify(folder, materials=["LvRT"]).tables
    assert isinstance(only.failure, MissingTableError)
    assert only.failure.materials == (TABLE.name,)


def test_what_may_not_be_read_spoils_no_other_check(
    folder: Path, forbid_reading: Callable[[Path], None]
) -> None:
    path = Catalog([folder]).path(table_of("LvR"))
    forbid_reading(path)
    for which in ({}, {"pieces": 2, "materials": ["LvRT"]}):
        report = verify(folder, **which)  # type: ignore[arg-type]
        failed = failures(report)
        assert set(failed) == {table_of("LvR"), TABLE}
        for failure in failed.values():
            assert isinstance(failure, ResourceError)
            assert (failure.path, failure.shortage) == (path, "permission")
            assert str(failure) == f"cannot read {path}: permission is denied"
        assert len(report.tables) == 1 + len(TWO)
        assert not report.ok
        assert not report.damaged


def test_a_folder_of_nothing_but_foreign_files_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "standard" / "QvZ.dtw.h5"
    path.parent.mkdir()
    path.write_bytes(b"nonsense")
    report = verify(tmp_path)
    assert (report.tables, report.checked, report.ok) == ((), 0, False)
    (only,) = report.foreign
    assert only.path == path


# Samples


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("four")
    generate(folder, materials=["LRvTR"])
    return folder


def test_a_sample_is_as_large_as_asked_for(four: Path, made: Path) -> None:
    for name, folder in (("LRvTR", four), ("LvRT", made), ("LvT", made)):
        for sample in (1, 1000, 30_000):
            report = verify(folder, materials=[name], sample=sample)
            assert report.ok
            cells = 2 * table_of(name).cells
            assert min(sample, cells) // 2 <= report.checked <= sample + 20_000


def test_a_sample_larger_than_the_table_is_all_of_it(made: Path) -> None:
    report = verify(made, materials=["LvRT"], sample=10**9)
    assert report.checked == 2 * stored_placements(TABLE)


def test_a_sample_depends_on_the_seed_alone(four: Path) -> None:
    table = table_of("LRvTR")
    copy = four.parent / "spoiled"
    shutil.copytree(four, copy)
    rewrite(copy, table, lambda codes: np.add(codes, 2, out=codes, where=codes > 0))

    def found(seed: int, jobs: int) -> tuple[Any, ...]:
        (report,) = verify(copy, materials=["LRvTR"], sample=5000, seed=seed, jobs=jobs).tables
        return report.checked, report.differing, report.differences

    assert found(1, 1) == found(1, 2)
    assert found(1, 1)[1] > 100
    assert found(1, 1)[2] != found(2, 1)[2]


# Interruption


def test_what_the_listener_raises_ends_the_run(made: Path) -> None:
    class Halt(Exception):
        pass

    def hear(_: Progress) -> None:
        raise Halt

    with pytest.raises(Halt):
        verify(made, progress=hear)
