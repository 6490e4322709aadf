"""Why a value is what it is: every reason of an answer; and that answers can be sent on."""

from __future__ import annotations

import copy
import pickle
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

import tablebase
from tablebase import Color, Material, Position, Probe, Rules, Tablebase
from tablebase.game.moves import drawn_by_limit, finished, legal_moves, why_finished
from tablebase.game.rules import RULE_SETS
from tablebase.probe.answers import MoveValue, Reason
from tests.reference import Endgame
from tests.tables import THREE, write_from_reference

STANDARD = RULE_SETS["standard"]
OVER: tuple[tuple[str, int, Reason], ...] = (
    ("7/7/7/7/7/7/7/D6/3d3 w", -1, "den"),
    ("3D3/7/7/7/7/7/7/7/6d b", -1, "den"),
    ("3D3/7/7/7/7/7/7/7/6d w", 1, "den"),
    ("7/7/7/7/7/7/7/7/D6 b", -1, "no animals"),
    ("7/7/7/7/7/7/7/7/D6 w", 1, "no animals"),
    ("3D3/7/7/7/7/7/7/7/7 b", -1, "no animals"),
    ("7/7/7/7/7/7/7/D6/cE5 b", -1, "no moves"),
    ("elt1p2/7/7/7/7/7/7/RC5/3w3 w", -1, "den"),
)


def positions(name: str, count: int, rules: Rules = STANDARD) -> list[Position]:
    """Positions of a material by chance, in which no den was entered."""
    material, chosen = Material.parse(name), random.Random(name)
    found: list[Position] = []
    while len(found) < count:
        squares = [chosen.choice(sorted(rules.squares(p.animal))) for p in material.pieces]
        if len(set(squares)) == len(squares):
            pieces = dict(zip(squares, material.pieces, strict=True))
            found.append(Position.from_pieces(pieces, chosen.choice(list(Color))))
    return found


def reason_of_the_end(position: Position, rules: Rules) -> Reason | None:
    """Why a game that came to ``position`` goes no further."""
    if finished(position, rules) is not None:
        return why_finished(position)
    return "limit" if drawn_by_limit(position, rules) else None


# -- the game is over ------------------------------------------------------------------------------


@pytest.mark.parametrize(("fen", "outcome", "reason"), OVER)
def test_a_game_that_is_over(
    tables: Path, tmp_path: Path, fen: str, outcome: int, reason: Reason
) -> None:
    for folder in (tmp_path / "nothing", tables):
        with tablebase.open_tablebase(folder) as tb:
            value = tb.probe(fen)
            assert tuple(value) == (outcome, 0, 0)
            assert value.reason == reason
            assert value.is_over
            assert (tb.probe_wdl(fen), tb.probe_dtw(fen)) == (outcome, 0)
            assert tb.moves(fen) == []


def test_a_side_that_is_stuck(tables: Path, tmp_path: Path) -> None:
    stuck, before = "7/7/7/7/7/7/7/D6/cE5 b", "7/7/7/7/7/7/7/D6/c1E4 w"
    with tablebase.open_tablebase(tables) as tb:
        values = {str(found.move): found for found in tb.moves(before)}
        assert (values["c1b1"].outcome, values["c1b1"].reason) == (1, "no moves")
        assert (values["a2a1"].outcome, values["a2a1"].reason) == (1, "no animals")
        assert values["c1c2"].reason == "table"
    rules = Rules(no_moves="draw")
    tablebase.generate(tmp_path, materials=["EDvC"], rules=rules, jobs=1)
    for folder in (tmp_path / "nothing", tmp_path):
        with tablebase.open_tablebase(folder, rules) as tb:
            value = tb.probe(stuck)
            assert (value, value.reason, value.is_over) == ((0, 0, 0), "no moves", True)
    with tablebase.open_tablebase(tmp_path, rules) as tb:
        values = {str(found.move): found for found in tb.moves(before)}
        assert (values["c1b1"].outcome, values["c1b1"].reason) == (0, "no moves")


# -- tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*THREE, "DvW", "RvR"])
def test_a_table_says_so_unless_the_game_is_over(tables: Path, name: str) -> None:
    seen: set[tuple[int, Reason]] = set()
    with tablebase.open_tablebase(tables) as tb:
        for position in positions(name, 150):
            value = tb.probe(position)
            assert value.is_over is (not legal_moves(position, STANDARD))
            assert value.reason == ("no moves" if value.is_over else "table")
            for found in tb.moves(position):
                assert found.reason == tb.probe(found.position).reason
                assert found.reason == (reason_of_the_end(found.position, STANDARD) or "table")
                seen.add((found.outcome, found.reason))
    assert seen >= {(1, "table"), (-1, "table")}
    assert (1, "den") in seen or (1, "no animals") in seen


# -- the limit -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rules, Path]:
    """Rules with a short limit, and the one table of them that decides."""
    rules = Rules(no_capture_limit=7)
    folder = tmp_path_factory.mktemp("limited")
    write_from_reference(folder, rules, "DvW", "dtc")
    return rules, folder


@pytest.mark.parametrize("known", [True, False], ids=["dtw known", "dtw unknown"])
def test_the_limit_now_and_in_time(tables: Path, limited: tuple[Rules, Path], known: bool) -> None:
    rules, folder = limited
    material = Material.parse("DvW")
    endgame = Endgame(material.white, material.black, rules)
    without, by_capture = endgame.dtw(), endgame.dtc()
    reasons: Counter[str] = Counter()
    with tablebase.open_tablebase(folder, rules) as tb:
        if known:
            tb.add_directory(tables)
        for position in positions("DvW", 120):
            state = (position.white[0][1], position.black[0][1], int(position.turn))
            for counter in (0, 3, 6, 7, 9):
                value = tb.probe(replace(position, counter=counter))
                outcome, dtc = by_capture[state]
                if value.is_over:
                    assert finished(position, rules) is not None
                    continue
                if counter >= 7:
                    reasons["now"] += 1
                    assert (value.outcome, value.reason) == (0, "limit")
                elif dtc is not None and dtc > 7 - counter:
                    reasons["in time"] += 1
                    assert (value.outcome, value.reason) == (0, "limit")
                elif outcome == 0 and without[state][0]:
                    reasons["from the first"] += 1
                    # Whether a draw at counter 0 is one without the limit, only ``dtw`` tells.
                    assert tuple(value) == (0, without[state][1] if known else None, None)
                    assert value.reason == ("limit" if known else "table")
                elif outcome == 0:
                    reasons["a draw"] += 1
                    assert (value, value.reason) == ((0, None, None), "table")
                else:
                    reasons["decided"] += 1
                    assert (value.outcome, value.reason) == (outcome, "table")
    assert min(reasons[kind] for kind in ("now", "in time", "from the first", "decided")) > 10


def test_what_ends_a_game_comes_before_the_limit(limited: tuple[Rules, Path]) -> None:
    rules, folder = limited
    with tablebase.open_tablebase(folder, rules) as tb:
        for fen, outcome, reason in OVER:
            value = tb.probe(f"{fen} 7")
            assert (value, value.reason) == ((outcome, 0, 0), reason)


# -- lines -----------------------------------------------------------------------------------------


def assert_line_says_why_it_ends(tb: Tablebase, position: Position) -> Reason | None:
    """The reason of the last move of the line from ``position``; none if there is no move."""
    line = tb.line(position)
    if not line:
        assert reason_of_the_end(position, tb.rules) is not None
        return None
    *before, last = line
    assert all(found.reason in ("table", "limit") for found in before)
    assert all(reason_of_the_end(found.position, tb.rules) is None for found in before)
    if last.reason == "repetition":
        assert reason_of_the_end(last.position, tb.rules) is None
        after = tb.moves(last.position)[0].position
        reached = [position, *(found.position for found in line)]
        places = [(p.white, p.black, p.turn) for p in reached]
        assert (after.white, after.black, after.turn) in places
        assert last._replace(reason="table") in tb.moves(reached[-2])
    else:
        assert last.reason == reason_of_the_end(last.position, tb.rules)
        assert last in tb.moves(line[-2].position if before else position)
    return last.reason


def test_the_last_move_of_a_line_says_why_it_ends(tables: Path) -> None:
    reasons = set()
    with tablebase.open_tablebase(tables) as tb:
        for name in ("EDvC", "ELvT", "DvW", "RvE"):
            for position in positions(name, 40):
                reasons.add(assert_line_says_why_it_ends(tb, position))
        reasons.add(assert_line_says_why_it_ends(tb, Position.from_fen("7/7/7/7/7/7/7/D6/cE5 b")))
        for fen in ("7/7/7/7/7/7/7/D6/c1E4 w", "7/7/7/7/7/7/7/d6/D6 w"):
            reasons.add(assert_line_says_why_it_ends(tb, Position.from_fen(fen)))
    assert reasons == {"den", "no animals", "no moves", "repetition", None}


def test_lines_under_a_limit_say_why_they_end(tables: Path, limited: tuple[Rules, Path]) -> None:
    rules, folder = limited
    reasons = set()
    with tablebase.open_tablebase(folder, rules) as tb:
        tb.add_directory(tables)
        for position in positions("DvW", 80):
            for counter in (0, 5, 7):
                counted = replace(position, counter=counter)
                reasons.add(assert_line_says_why_it_ends(tb, counted))
    assert reasons >= {"den", "no animals", "limit", None}


def test_all_reasons_are_looked_at() -> None:
    seen = {"table", "limit", "repetition", *(reason for _, _, reason in OVER)}
    assert seen == set(get_args(Reason))


# -- answers as tuples -----------------------------------------------------------------------------

ANSWERS = (
    Probe(1, 13, None),
    Probe(-1, 0, 0, "no moves"),
    Probe(0, 71, None, "limit"),
)
WAYS: tuple[Callable[[Probe], Probe], ...] = (
    copy.copy,
    copy.deepcopy,
    lambda value: value._replace(),
    lambda value: Probe(*value, reason=value.reason),
    *(
        lambda value, protocol=protocol: pickle.loads(pickle.dumps(value, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ),
)
if sys.version_info >= (3, 13):
    WAYS += (copy.replace,)


@pytest.mark.parametrize("value", ANSWERS, ids=lambda value: value.reason)
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_has_the_reason_too(way: Callable[[Probe], Probe], value: Probe) -> None:
    again = way(value)
    assert type(again) is Probe
    assert again == value
    assert (again.reason, again.is_over) == (value.reason, value.is_over)


def test_a_probe_is_a_tuple_of_three() -> None:
    for value in ANSWERS:
        outcome, dtw, dtc = value
        assert (outcome, dtw, dtc) == (value.outcome, value.dtw, value.dtc) == value
        assert value == Probe(outcome, dtw, dtc, "repetition")
        assert hash(value) == hash((outcome, dtw, dtc))
        assert value._asdict() == {"outcome": outcome, "dtw": dtw, "dtc": dtc}
    assert Probe._make([1, 13, 5]).reason == "table"
    assert repr(ANSWERS[0]) == "Probe(outcome=1, dtw=13, dtc=None)"


def test_a_part_of_a_probe_can_be_replaced() -> None:
    limit = Probe(0, 71, None, "limit")
    assert limit._replace(dtw=9) == (0, 9, None)
    assert limit._replace(dtw=9).reason == "limit"
    assert limit._replace(reason="table").reason == "table"
    assert limit.reason == "limit"
    with pytest.raises(TypeError, match="dtz"):
        limit._replace(dtz=1)


def test_a_move_value_can_be_sent_on(tables: Path) -> None:
    with tablebase.open_tablebase(tables) as tb:
        [best] = tb.line("7/7/7/7/7/7/7/d6/D6 w")
    assert pickle.loads(pickle.dumps(best)) == best
    assert MoveValue(*best[:6]).reason == "table"
