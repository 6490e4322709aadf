"""Limits end to end: what generate makes for a rule set with one, and what probing makes of it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tablebase
from tablebase.catalog import Catalog
from tablebase.errors import MissingTableError
from tablebase.game.board import Color
from tablebase.game.moves import drawn_by_limit, finished, legal_moves, play
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.generation import Event, estimate_seconds, generate, make_plan
from tablebase.materials.classes import classes
from tablebase.materials.material import Material
from tablebase.materials.table import Table, rules_key
from tablebase.probe import MoveValue, Tablebase
from tablebase.tablefile import TableFile, write_table
from tablebase.values import METRICS, code_of
from tablebase.verification import Value, verify
from tests.reference import Endgame, State
from tests.sample_tables import ChunkSource

BASES = {name: rules.without_limit() for name, rules in RULE_SETS.items()}
LIMITS = range(4, 13)


def limited(base: str, limit: int) -> Rules:
    return replace(BASES[base], no_capture_limit=limit)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where tests put their tables; of different rules, they do not meet."""
    return tmp_path_factory.mktemp("limits")


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.glob("*/*.h5")}


# What generate makes


def test_a_rule_set_with_a_limit_gets_all_that_probing_needs(tmp_path: Path) -> None:
    heard: list[Event] = []
    plan = make_plan(tmp_path, materials=["EvP", "LvRT"], rules="plyyard", jobs=1)
    summary = generate(
        tmp_path, materials=["EvP", "LvRT"], rules="plyyard", jobs=1, progress=heard.append
    )
    names = {planned.table.name for planned in plan.tables}
    assert len(plan.tables) == len(plan.to_make) == len(summary.made) == 2 * len(names)
    assert {(made.table.name, made.table.metric) for made in summary.made} == {
        (name, metric) for name in names for metric in ("dtw", "dtc")
    }
    assert files(tmp_path) == {
        *(f"standard/{name}.dtw.h5" for name in names),
        *(f"plyyard/{name}.dtc.h5" for name in names),
    }
    told = [event for event in heard if event.kind == "made"]
    assert [event.made for event in told] == list(summary.made)
    assert {event.table and event.table.label for event in told} == {
        *names,
        *(f"{name} (dtc)" for name in names),
    }
    assert told[-1].state.classes_done == told[-1].state.classes == len(plan.tables)
    assert told[-1].state.codes_done == told[-1].state.codes == plan.codes
    with tablebase.open_tablebase(tmp_path, "plyyard") as tb:
        for fen in ("7/7/7/7/7/7/2p4/7/2E4 w", "t6/7/7/7/7/7/3r3/7/L6 b 59"):
            assert tb.moves(fen)[0].outcome == tb.probe(fen).outcome

    assert not make_plan(tmp_path, materials=["EvP", "LvRT"], rules="plyyard").to_make
    assert not make_plan(tmp_path, materials=["EvP", "LvRT"]).to_make
    other = make_plan(tmp_path, materials=["EvP", "LvRT"], rules=limited("standard", 61))
    assert {planned.table.metric for planned in other.to_make} == {"dtc"}
    assert estimate_seconds(other) > 0


def test_one_metric_can_be_made_alone(tmp_path: Path) -> None:
    generate(tmp_path, materials=["EvP"], rules="plyyard", metric="dtc", jobs=1)
    assert files(tmp_path) == {"plyyard/EvP.dtc.h5"}
    material = Material.parse("EvP")
    values = Endgame(material.white, material.black, RULE_SETS["plyyard"]).dtc()
    state = next(state for state, value in values.items() if value == (1, 9))
    position = position_of(material, state, 0)
    with tablebase.open_tablebase(tmp_path, "plyyard") as tb:
        assert tb.probe(position) == (1, None, 9)
        assert {found.dtw for found in tb.moves(position)} == {None}
        assert tb.moves(position)[0].dtc == len(assert_ends(tb, position)) == 9
        with pytest.raises(MissingTableError):
            tb.probe_dtw(position)
    generate(tmp_path, materials=["EvP"], rules="plyyard", metric="dtw", jobs=1)
    assert files(tmp_path) == {"plyyard/EvP.dtc.h5", "standard/EvP.dtw.h5"}


# What probing makes of it, against a solver for which the counter is a part of the position


def position_of(material: Material, state: tuple[int, ...], counter: int) -> Position:
    pieces = dict(zip(state, material.pieces, strict=False))
    return Position.from_pieces(pieces, Color(state[-1]), counter)


def compare(folder: Path, rules: Rules, material: Material, *, one_by_one: bool = False) -> int:
    """All states at all counters, by ``probe_many`` and ``probe`` or a part of them by the latter;
    how many wins and losses the limit takes away."""
    generate(folder, materials=[material], rules=rules, jobs=1)
    endgame = Endgame(material.white, material.black, rules)
    without, by_capture = endgame.dtw(), endgame.dtc()
    states = np.array(list(without))
    squares, sides = states[:, :-1], states[:, -1]
    dtw = [-1 if distance is None else distance for _, distance in without.values()]
    taken_away = 0
    limit = rules.no_capture_limit
    assert limit is not None
    with tablebase.open_tablebase(folder, rules) as tb:
        for counter, outcomes in endgame.by_counter():
            probed = tb.probe_many(material, squares, sides, counter)
            assert probed.outcome.tolist() == list(outcomes.values()), (counter, rules)
            assert probed.dtw.tolist() == dtw
            taken_away += int(np.sum((probed.outcome == 0) & (probed.dtw >= 0)))
            chosen = random.Random(counter).sample(list(outcomes), 100)
            for state in outcomes if one_by_one else chosen:
                value = tb.probe(position_of(material, state, counter))
                distance = by_capture[state][1]
                if distance is not None and distance > limit - counter:
                    distance = None
                assert value == (outcomes[state], without[state][1], distance)
    return taken_away


@pytest.mark.parametrize("limit", [4, 7, 12])
@pytest.mark.parametrize("base", ["standard", "baike"])
def test_every_counter_of_two_animals(folder: Path, base: str, limit: int) -> None:
    rules = limited(base, limit)
    assert sum(compare(folder, rules, Material.parse(m)) for m in ("EvP", "RvE", "LvR")) > 0


def test_every_counter_one_by_one(folder: Path) -> None:
    assert compare(folder, limited("standard", 5), Material.parse("DvW"), one_by_one=True)


def test_a_limit_counts_where_to_have_no_move_is_a_draw(folder: Path) -> None:
    rules = replace(limited("standard", 6), no_moves="draw")
    assert compare(folder, rules, Material.parse("PvC"))


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("base", ["standard", "baike", "leiden"])
def test_every_counter_of_all_two_animal_classes(folder: Path, base: str, limit: int) -> None:
    rules = limited(base, limit)
    for table in classes(rules, 2):
        compare(folder, rules, table.material, one_by_one=True)


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    ("base", "name"),
    [("standard", "ELvT"), ("standard", "TRvR"), ("leiden", "ERvE"), ("blinky", "PvTD")],
)
def test_every_counter_of_three_animals(folder: Path, base: str, name: str, limit: int) -> None:
    assert compare(folder, limited(base, limit), Material.parse(name))


# Moves and lines

LINES = ("EvP", "DvW", "RvE", "ELvT", "LRvE")


@pytest.fixture(scope="module")
def short(folder: Path) -> Rules:
    """Rules with a limit under which some of ``LINES`` are won, and some no more."""
    rules = limited("standard", 14)
    generate(folder, materials=LINES, rules=rules, jobs=1)
    return rules


def some_positions(count: int) -> list[Position]:
    chosen = random.Random(5)
    found: list[Position] = []
    while len(found) < count:
        material = Material.parse(LINES[len(found) % len(LINES)])
        squares = [chosen.choice(sorted(Rules().squares(p.animal))) for p in material.pieces]
        if len(set(squares)) == len(squares):
            found.append(position_of(material, (*squares, chosen.randrange(2)), 0))
    return found


def assert_ends(tb: Tablebase, position: Position) -> list[MoveValue]:
    """The line from ``position`` is legal and ends as ``probe`` says, under the limit."""
    outcome = tb.probe(position).outcome
    line = tb.line(position)
    turn, seen = position.turn, Counter([position])
    if line:
        assert line[0] == tb.moves(position)[0]
    for found in line:
        assert found.move in legal_moves(position, tb.rules)
        assert not drawn_by_limit(position, tb.rules)
        assert found.outcome == (outcome if position.turn == turn else -outcome)
        position = play(position, found.move)
        assert position == found.position
        seen[replace(position, counter=0)] += 1
    assert max(seen.values()) < 3
    result = finished(position, tb.rules)
    if outcome:
        assert result == (outcome if position.turn == turn else -outcome)
    else:
        assert result in (None, 0)
    return line


def test_moves_are_what_they_lead_to_at_the_counter_they_leave(folder: Path, short: Rules) -> None:
    kinds = set()
    with tablebase.open_tablebase(folder, short) as tb:
        for position in some_positions(60):
            for counter in (0, 6, 11, 13, 14):
                counted = replace(position, counter=counter)
                value, moves = tb.probe(counted), tb.moves(counted)
                assert [found.move for found in moves] == sorted(
                    (found.move for found in moves), key=lambda move: order(moves, move)
                )
                if drawn_by_limit(counted, short):
                    assert (value.outcome, moves) == (0, [])
                if not moves:
                    continue
                assert moves[0].outcome == value.outcome == max(found.outcome for found in moves)
                for found in moves:
                    after = play(counted, found.move)
                    assert found.position == after
                    assert after.counter == (0 if found.capture else counter + 1)
                    assert found.outcome == -tb.probe(after).outcome
                    dtw = tb.probe_dtw(after)
                    assert found.dtw == (None if dtw is None else dtw + 1)
                kinds.add((value.outcome, value.dtw is None))
    assert kinds == {(1, False), (0, False), (-1, False), (0, True)}


def order(moves: list[MoveValue], move: Move) -> tuple[int, int, Move]:
    """Where a move belongs: wins, the shortest first, draws, losses, the longest first."""
    found = next(value for value in moves if value.move == move)
    return -found.outcome, found.outcome * (found.dtw or 0), move


def test_lines_end_as_promised(folder: Path, short: Rules) -> None:
    ends = Counter[int]()
    with tablebase.open_tablebase(folder, short) as tb:
        for position in some_positions(60):
            for counter in (0, 6, 11, 13):
                counted = replace(position, counter=counter)
                assert_ends(tb, counted)
                ends[tb.probe(counted).outcome] += 1
    assert min(ends[outcome] for outcome in (1, 0, -1)) > 20


@pytest.mark.parametrize("counter", [0, 1])
def test_who_goes_for_the_shortest_win_does_not_go_in_circles(
    folder: Path, short: Rules, counter: int
) -> None:
    # The win of 15 plies takes nothing in time. Moves towards it keep the win, as long as there is
    # time to go back.
    position = replace(Position.from_fen("7/3e3/7/3L3/7/7/3R3/7/7 w"), counter=counter)
    with tablebase.open_tablebase(folder, short) as tb:
        assert tb.probe(position) == (1, 15, 9)
        line = assert_ends(tb, position)
        assert len(line) > 15
        seen = [replace(position, counter=0)]
        while (best := tb.best_move(position)) is not None:
            position = best.position
            seen.append(replace(position, counter=0))
    assert len(set(seen)) < len(seen)
    assert line[0].position == replace(seen[1], counter=counter + 1)


# Verification


def test_tables_under_a_limit_pass(folder: Path, short: Rules) -> None:
    report = verify(folder, materials=LINES, rules=short)
    assert report.ok
    assert {checked.table for checked in report.tables} == {
        Table.of(short, name, metric) for name in LINES for metric in METRICS
    }
    everything = verify(folder, rules=short, sample=1000)
    assert everything.ok
    assert {checked.label for checked in everything.tables} >= {"EvP", "EvP (dtc)", "ELvT (dtc)"}


@pytest.mark.parametrize("name", ["standard", "blinky", "baike", "leiden"])
@pytest.mark.parametrize("limit", [None, 3, 9])
def test_all_tables_of_captures_pass(folder: Path, name: str, limit: int | None) -> None:
    rules = replace(BASES[name], no_capture_limit=limit)
    generate(folder, pieces=2, materials=["LvRT"], rules=rules, metric="dtc", jobs=1)
    report = verify(folder, pieces=2, materials=["LvRT"], rules=rules, metric="dtc")
    assert report.ok, report
    assert len(report.tables) == len(classes(rules, 2)) + 1


def test_a_wrong_distance_to_a_capture_is_found(tmp_path: Path) -> None:
    rules = limited("standard", 9)
    generate(tmp_path, materials=["EvP"], rules=rules, metric="dtc", jobs=1)
    table = Table.of(rules, "EvP", "dtc")
    material = table.material
    state, (outcome, distance) = next(
        (state, value)
        for state, value in Endgame(material.white, material.black, rules).dtc().items()
        if value == (1, 9) and stored(table, state)
    )
    assert distance is not None
    for wrong in ((1, 8), (1, 10), (-1, 9), (0, None)):
        change(tmp_path, table, state, code_of("dtc", *wrong))
        report = verify(tmp_path, materials=["EvP"], rules=rules, metric="dtc")
        (checked,) = report.tables
        fen = position_of(material, state, 0).fen()
        found = {difference.fen: difference for difference in checked.differences}
        assert found[fen].stored == Value(*wrong)
        assert found[fen].derived == Value(outcome, distance)
    change(tmp_path, table, state, code_of("dtc", outcome, distance))
    assert not verify(tmp_path, materials=["EvP"], rules=rules, metric="dtc").tables[0].differing


def cell_of(table: Table, state: State) -> list[int]:
    columns = [table.material.pieces.index(piece) for piece in table.axes]
    return [axis.index(state[c]) for axis, c in zip(table.squares, columns, strict=True)]


def stored(table: Table, state: State) -> bool:
    return state[table.material.pieces.index(table.axes[0])] in table.squares[0]


def change(folder: Path, table: Table, state: State, code: int) -> None:
    """Give one state another code, with all checksums right."""
    path = Catalog([folder]).path(table)
    with TableFile(path) as file:
        codes = np.stack([file.read(side) for side in Color])
        summary = file.header.summary
    codes[(state[-1], *cell_of(table, state))] = code
    told = replace(summary, maximum=max(summary.maximum, int(codes.max())))
    write_table(path, table, "uint8", told, ChunkSource(table, codes))


def test_rule_sets_are_never_mixed_up(folder: Path, short: Rules) -> None:
    other = limited("standard", 15)
    assert rules_key(short, "dtw") == rules_key(other, "dtw") == "standard"
    assert rules_key(short, "dtc") != rules_key(other, "dtc")
    with (
        tablebase.open_tablebase(folder, limited("standard", 999)) as tb,
        pytest.raises(MissingTableError, match="no table custom-"),
    ):
        tb.probe("7/7/7/7/7/7/2p4/7/2E4 w")
