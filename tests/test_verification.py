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
from tablebase.errors import CorruptTableError, MaterialError, MissingTableError, ResourceError
from tablebase.game.board import DENS, FILES, MIRROR_SQUARE, TURN_SQUARE, Color
from tablebase.game.moves import legal_moves, play
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.generation import generate
from tablebase.generation.classwork import summarize
from tablebase.materials.classes import TableClass, classes, locate
from tablebase.materials.material import Material, materials
from tablebase.tablefile import Histogram, LongestWin, TableFile, TableSummary, write_table
from tablebase.values import DRAW, Metric, code_of, distance_of, outcome_of
from tablebase.verification import Progress, Report, Value, verify
from tablebase.verification.derive import check_rows, translate
from tablebase.verification.edges import compile_edges, side_after_capture, smaller_tables
from tablebase.verification.law import law_of
from tests.in_memory import InMemory
from tests.sample_tables import ChunkSource
from tests.tablefile.damage import flip, flipped
from tests.test_solve import ODD_RULES, random_rules

STANDARD = RULE_SETS["standard"]
Codes = npt.NDArray[np.unsignedinteger]


def table_of(name: str, rules: Rules = STANDARD) -> TableClass:
    return locate(rules.without_limit(), Material.parse(name)).table


TABLE = table_of("LvRT")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    generate(folder, pieces=2, materials=["LvRT"])
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of ``made`` to do harm to."""
    return Path(shutil.copytree(made, tmp_path / "data"))


def stored_placements(table: TableClass) -> int:
    """Legal placements whose mirror image is not counted, for one side to move."""
    places = np.stack(np.meshgrid(*table.squares, indexing="ij"), -1).reshape(-1, len(table.axes))
    return sum(len(set(row)) == len(row) for row in places.tolist())


def rewrite(
    folder: Path,
    table: TableClass,
    change: Callable[[Codes], object] = len,
    **summary: Any,
) -> Codes:
    """Change the values, shape ``(2, *table.shape)``, or the header of a table on disk, with all
    checksums right; the values as they were."""
    path = Catalog([folder]).path(table, "dtw")
    with TableFile(path) as file:
        codes = np.stack([file.read(side) for side in range(2)])
        header = file.header
    changed = codes.copy()
    change(changed)
    told = replace(header.summary, **summary)
    told = replace(told, maximum=max(told.maximum, int(changed.max())))
    assert changed.dtype == np.uint8
    write_table(path, table, "dtw", "uint8", told, ChunkSource(table, changed))
    return codes


# True tables


def test_true_tables_pass(made: Path) -> None:
    told: list[Progress] = []
    report = verify(made, progress=told.append)
    assert report.ok
    assert not report.damaged
    tables = [*classes(STANDARD, 2), TABLE]
    assert {table.name for table in report.tables} == {table.name for table in tables}
    assert report.checked == sum(2 * stored_placements(table) for table in tables)
    last = told[-1]
    assert last.tables_done == last.tables == len(tables)
    assert last.values == sum(2 * table.cells for table in tables)
    assert last.values_done >= report.checked
    assert {p.finished.name for p in told if p.finished} == {table.name for table in tables}


def test_what_is_to_be_checked_can_be_named(made: Path) -> None:
    def names(**which: Any) -> list[str]:
        return [table.name for table in verify(made, **which).tables]

    assert names(materials="TRvL") == names(materials=Material.parse("LvRT")) == [TABLE.name]
    assert names(materials=["TRvL", "PvE"]) == [table_of("EvP").name, TABLE.name]
    assert set(names(pieces=2)) == {table.name for table in classes(STANDARD, 2)}
    same = names(pieces=2, rules="plyyard", metric="dtw")
    assert set(same) == {table.name for table in classes(STANDARD, 2)}


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


def test_what_is_not_there_is_said(made: Path, folder: Path) -> None:
    with pytest.raises(MissingTableError, match=r"^41 of 52 tables .*`jtb generate --pieces 3`"):
        verify(made, pieces=3)
    for rules, command in (
        ("leiden", "--pieces 3 --rules leiden"),
        ("jade", "--pieces 3 --rules jade"),
        (Rules(no_moves="draw"), "--pieces 3 --rules FILE.toml"),
    ):
        with pytest.raises(MissingTableError, match=f"no tables .*`jtb generate {command}`"):
            verify(made, rules=rules)
    command = "--pieces 3 --rules leiden --metric dtc"
    with pytest.raises(MissingTableError, match=f"`jtb generate {command}`"):
        verify(made, pieces=3, rules="leiden", metric="dtc")
    with pytest.raises(MissingTableError, match=r"up to 5 animals, and \w+ has 6$"):
        verify(made, materials=["ELTvPWD"])
    with pytest.raises(MaterialError):
        verify(made, materials=[])
    path = Catalog([folder]).path(table_of("LvR"), "dtw")
    path.unlink()
    with pytest.raises(MissingTableError, match="jtb generate LvR"):
        verify(folder, materials=["LvRT"])
    path.symlink_to("nowhere")
    with pytest.raises(MissingTableError, match="jtb generate LvR"):
        verify(folder, materials=["LvRT"])


def test_the_command_for_what_is_not_there_names_the_rules_asked_for(folder: Path) -> None:
    Catalog([folder]).path(table_of("LvR"), "dtw").unlink()
    for rules, option in (
        ("standard", ""),
        ("plyyard", " --rules plyyard"),
        (Rules(no_capture_limit=33), r" --rules FILE\.toml"),
    ):
        for name, missing in (("ELvP", "ELvP"), ("LvRT", "LvR")):
            with pytest.raises(MissingTableError, match=f"`jtb generate {missing}{option}`"):
                verify(folder, rules=rules, materials=name, metric="dtw")
        damage = [table.damage for table in verify(folder, rules=rules).tables if not table.ok]
        assert [str(text).rpartition(": run ")[2] for text in damage] == [
            f"`jtb generate LvR{option}`".replace("\\", "")
        ]


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_three_animal_class_obeys_the_law(name: str) -> None:
    tables = InMemory(RULE_SETS[name])
    for table in classes(tables.rules, 3):
        assert_true(tables, table)


@pytest.mark.parametrize("name", ["plyyard", "baike", "leiden"])
def test_tables_of_the_distance_to_the_next_capture_obey_the_law(name: str) -> None:
    tables = InMemory(RULE_SETS[name], metric="dtc")
    for material in ("LvR", "LvRT", "ERvE", "TRvLR"):
        assert_true(tables, locate(tables.rules, Material.parse(material)).table)


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
        assert_true(tables, locate(tables.rules, material).table)


def assert_true(tables: InMemory, table: TableClass) -> None:
    """All values obey the one-ply law, and the solver counts them as they are."""
    codes = [tables.codes(table, turn).ravel() for turn in Color]
    for bad in derive(table, codes, smaller_codes(tables.codes, table), metric=tables.metric):
        assert not bad.size, (table.name, tables.rules)
    summary = summarize(tables.solution(table))
    assert summary.maximum == max(int(part.max()) for part in codes)


def smaller_codes(codes: Callable[[TableClass, Color], Codes], table: TableClass) -> Codes:
    parts = [np.zeros(0, np.uint8)]
    for victim, location in enumerate(smaller_tables(table).locations):
        if location is not None:
            parts.append(codes(location.table, side_after_capture(table, victim, location)).ravel())
    return np.concatenate(parts)


def derive(
    table: TableClass, codes: list[Codes], small: Codes, most: int = 5, metric: Metric = "dtw"
) -> list[npt.NDArray[np.int64]]:
    """By side to move: cell and derived code of the first ``most`` values that are not what follows
    from the others."""
    edges, smaller = compile_edges(table), smaller_tables(table)
    law = law_of(metric, table.rules, max(int(part.max(initial=0)) for part in (*codes, small)))
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
        compare_with_plain_python(locate(rules, material).table, Nonsense(seed, metric), chosen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 30))
def test_the_kernel_derives_what_plain_python_does_for_four_animals(seed: int) -> None:
    chosen = random.Random(seed)
    material = chosen.choice(materials(4))
    table = locate(random_rules(seed), material).table
    compare_with_plain_python(table, Nonsense(seed, "dtw"), chosen)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["dtw", "dtc"])
def test_the_kernel_derives_what_plain_python_does_from_two_bytes(metric: Metric) -> None:
    compare_with_plain_python(TABLE, Nonsense(0, metric, highest=700), random.Random(0))


def compare_with_plain_python(table: TableClass, nonsense: Nonsense, chosen: random.Random) -> None:
    codes = [nonsense.codes(table, turn).ravel() for turn in Color]
    small = smaller_codes(nonsense.codes, table)
    found = derive(table, codes, small, table.cells, nonsense.metric)
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
        assert derived[turn][cell] == nonsense.one_ply(position, table.rules), position.fen()


class Nonsense:
    """Tables of random codes, and the value that follows from them for a position."""

    def __init__(self, seed: int, metric: Metric, highest: int = 29) -> None:
        self.seed = seed
        self.metric = metric
        self.highest = highest
        self.tables: dict[tuple[str, int], Codes] = {}

    def codes(self, table: TableClass, turn: Color) -> Codes:
        if (table.name, turn) not in self.tables:
            numbers = np.random.default_rng([self.seed, len(self.tables)])
            codes = numbers.integers(0, self.highest, table.shape, endpoint=True)
            self.tables[table.name, turn] = codes.astype(np.min_scalar_type(self.highest))
        return self.tables[table.name, turn]

    def look_up(self, position: Position, rules: Rules) -> int:
        table, swapped, order = locate(rules, Material.of(position))
        squares = [square for _, square in (*position.white, *position.black)]
        squares = [squares[number] for number in order]
        if swapped:
            squares = [TURN_SQUARE[square] for square in squares]
        if squares[0] % FILES > FILES // 2:
            squares = [MIRROR_SQUARE[square] for square in squares]
        places = [axis.index(s) for axis, s in zip(table.squares, squares, strict=True)]
        return int(self.codes(table, Color(position.turn ^ swapped))[tuple(places)])

    def one_ply(self, position: Position, rules: Rules) -> int:
        values: list[tuple[int, int]] = []
        limit = rules.no_capture_limit if self.metric == "dtc" else None
        for move in legal_moves(position, rules):
            after = play(position, move)
            enemies = after.white if position.turn else after.black
            if not enemies or move.target in DENS:
                values.append((1, 1))
                continue
            code = self.look_up(after, rules)
            distance = distance_of(self.metric, code)
            if distance is None:
                values.append((0, 0))
            elif self.metric == "dtc" and len(after.pieces) < len(position.pieces):
                values.append((-outcome_of(code), 1))
            elif limit is not None and distance + 1 > limit:
                values.append((0, 0))
            else:
                values.append((-outcome_of(code), distance + 1))
        if not values:
            return code_of(self.metric, -1, 0) if rules.no_moves == "loss" else DRAW
        best = max(outcome for outcome, _ in values)
        distances = [distance for outcome, distance in values if outcome == best]
        return code_of(self.metric, best, min(distances) if best > 0 else max(distances))


@pytest.mark.slow
def test_true_tables_of_two_bytes_pass(folder: Path) -> None:
    tables = InMemory(STANDARD, byte_codes=4)
    for table in (table_of("LvR"), TABLE):
        solution = tables.solution(table)
        codes = np.stack([tables.codes(table, turn) for turn in Color])
        path = Catalog([folder]).path(table, "dtw")
        source = ChunkSource(table, codes)
        write_table(path, table, "dtw", "uint16", summarize(solution), source)
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

    with TableFile(Catalog([folder]).path(TABLE, "dtw")) as file:
        summary = file.header.summary
    rewrite(folder, TABLE, spoil)
    report = verify(folder)
    # The maximum that the file states is that of all its bytes, which no longer says so much.
    problems = [problem for table in report.tables for problem in table.problems]
    assert report.checked
    assert all(not table.differing for table in report.tables)
    assert problems == (
        ["its highest code is not that of its values"] if summary.maximum < 77 else []
    )


HERE = "7/7/7/7/7/7/7/7/L1r3t w"
"""A position of the table that is not White's longest win."""


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda s: {"histogram": (more_draws(s.histogram[0]), s.histogram[1])}, "White to move"),
        (lambda s: {"histogram": (s.histogram[0], more_draws(s.histogram[1]))}, "Black to move"),
        (lambda s: {"maximum": s.maximum + 1}, "its highest code"),
        (lambda s: {"zugzwangs": s.zugzwangs._replace(half=9)}, "its zugzwangs"),
        (lambda s: {"zugzwangs": s.zugzwangs._replace(full=9)}, "its zugzwangs"),
        (lambda s: {"longest_win": told(s, Color.WHITE, distance=3)}, "longest win of White"),
        (lambda s: {"longest_win": (s.longest_win[0], None)}, "longest win of Black"),
        (lambda s: {"longest_win": told(s, Color.WHITE, fen=HERE)}, "is not the win in"),
        (lambda s: {"longest_win": told(s, Color.WHITE, fen=f"E6{HERE[1:]}")}, "is not the win in"),
        (lambda s: {"longest_win": told(s, Color.BLACK, fen="?")}, "is not the win in"),
    ],
)
def test_a_header_that_says_otherwise_is_found(
    folder: Path, change: Callable[[TableSummary], dict[str, Any]], problem: str
) -> None:
    with TableFile(Catalog([folder]).path(TABLE, "dtw")) as file:
        summary = file.header.summary
    rewrite(folder, TABLE, **change(summary))
    report = verify(folder)
    assert not report.ok
    (found,) = [text for table in report.tables for text in table.problems]
    assert problem in found
    assert not any(table.differing for table in report.tables)


def more_draws(histogram: Histogram) -> Histogram:
    return replace(histogram, draw=histogram.draw + 2)


def told(summary: TableSummary, side: Color, **changes: Any) -> tuple[LongestWin | None, ...]:
    found = list(summary.longest_win)
    longest = found[side]
    assert longest is not None
    found[side] = longest._replace(**changes)
    return tuple(found)


# Damage


def test_no_flipped_bit_goes_unseen(folder: Path) -> None:
    choose = random.Random(7)
    path = Catalog([folder]).path(TABLE, "dtw")
    for _ in range(200):
        with flipped(path, choose.randrange(8 * path.stat().st_size)):
            report = verify(folder, materials=["LvRT"], jobs=1)
            assert report.damaged
            assert not report.ok
    assert verify(folder).ok


def test_damage_says_which_file_and_spoils_no_other_check(folder: Path) -> None:
    path = Catalog([folder]).path(table_of("LvR"), "dtw")
    flip(path, 8 * (path.stat().st_size // 2))
    report: Report = verify(folder)
    spoiled = {table.name: table.damage for table in report.tables if table.damage}
    assert set(spoiled) == {table_of("LvR").name, TABLE.name}
    assert all(str(path) in damage for damage in spoiled.values())
    assert all(table.ok for table in report.tables if table.name not in spoiled)


def test_files_that_are_not_the_table_of_their_name_are_reported(folder: Path) -> None:
    paths = [Catalog([folder]).path(table, "dtw") for table in (TABLE, table_of("EvL"))]
    swapped = str(TABLE.material.swapped())
    for name in ("QvZ", "ELTPWDvR", swapped, "ELTvP"):  # ELTvP needs tables that are not there
        shutil.copy(paths[0], paths[0].with_name(f"{name}.dtw.h5"))
    shutil.copy(paths[0], paths[1])
    (folder / "standard" / "CvC.dtw.h5").symlink_to("nowhere")
    report = verify(folder)
    assert report.damaged
    damage = {table.name: table.damage for table in report.tables if not table.ok}
    assert set(damage) == {"QvZ", "ELTPWDvR", swapped, "ELTvP", "EvL"}
    assert all(f"{name}.dtw.h5 cannot be used" in str(text) for name, text in damage.items())
    good = {table.name for table in report.tables if table.ok}
    assert good == {TABLE.name, *(table.name for table in classes(STANDARD, 2))} - {"EvL"}


@pytest.mark.parametrize("link", [False, True])
def test_a_missing_smaller_table_spoils_no_other_check(folder: Path, link: bool) -> None:
    path = Catalog([folder]).path(table_of("LvR"), "dtw")
    path.unlink()
    if link:
        path.symlink_to("nowhere")
    path.with_name("QvZ.dtw.h5").write_bytes(b"nonsense")
    report = verify(folder)
    wrong = {table.name: table for table in report.tables if not table.ok}
    assert {name: table.failure for name, table in wrong.items()} == {
        TABLE.name: MissingTableError,
        "QvZ": CorruptTableError,
    }
    assert (
        f"a capture leads to another table, and there is no table {path.relative_to(folder)}"
        in (str(wrong[TABLE.name].damage))
    )
    assert len(report.tables) == 1 + len(classes(STANDARD, 2))
    assert report.checked
    path.with_name("QvZ.dtw.h5").unlink()
    report = verify(folder)
    assert not report.ok
    assert not report.damaged


def test_a_table_that_is_removed_meanwhile_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Catalog([folder]).path(TABLE, "dtw")
    find = Catalog.find
    found: list[Path] = []

    def find_and_remove(self: Catalog, table: TableClass, metric: Metric) -> Path | None:
        if table == TABLE and path in found:
            path.unlink(missing_ok=True)
        place = find(self, table, metric)
        if place is not None:
            found.append(place)
        return place

    monkeypatch.setattr(Catalog, "find", find_and_remove)
    (only,) = verify(folder, materials=["LvRT"]).tables
    assert only.failure is MissingTableError


def test_what_may_not_be_read_spoils_no_other_check(
    folder: Path, forbid_reading: Callable[[Path], None]
) -> None:
    path = Catalog([folder]).path(table_of("LvR"), "dtw")
    forbid_reading(path)
    for which in ({}, {"pieces": 2, "materials": ["LvRT"]}):
        report = verify(folder, **which)  # type: ignore[arg-type]
        wrong = {table.name: table for table in report.tables if not table.ok}
        assert set(wrong) == {table_of("LvR").name, TABLE.name}
        assert {table.failure for table in wrong.values()} == {ResourceError}
        assert {table.damage for table in wrong.values()} == {
            f"cannot read {path}: permission is denied"
        }
        assert len(report.tables) == 1 + len(classes(STANDARD, 2))
        assert not report.ok
        assert not report.damaged


def test_a_folder_of_nothing_but_foreign_files_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "standard" / "QvZ.dtw.h5"
    path.parent.mkdir()
    path.write_bytes(b"nonsense")
    (only,) = verify(tmp_path).tables
    assert only.damage is not None
    assert only.damage.endswith("; delete it")


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
