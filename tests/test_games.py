"""Games with a record: hand-made ones for each rule that needs it, and for each exception."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import cycle, islice

import pytest

import tablebase
from tablebase.errors import IllegalPositionError
from tablebase.game import moves as rules_of_play
from tablebase.game.board import Color
from tablebase.game.games import Breach, Game, Result, first_breach
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules

BAIKE, BLINKY = RULE_SETS["baike"], RULE_SETS["blinky"]
FAR_AWAY = ("g8f8", "f8f7", "f7g7", "g7g6", "g6g5", "g5g6", "g6g7", "g7f7", "f7f8", "f8g8")
"""Black moves that break no rule, however often they are gone through."""


def game(
    board: str, white: Iterable[str], black: Iterable[str] = FAR_AWAY, rules: Rules = BAIKE
) -> Game:
    """A game in which White, who begins, plays all of ``white``; then White is to move."""
    played = Game(f"{board} w", rules)
    for mine, yours in zip(white, cycle(black), strict=False):
        assert played.play(mine) is None
        assert played.play(yours) is None
    return played


def forbidden(played: Game) -> dict[str, str]:
    return {str(move): rule for move, rule in played.forbidden().items()}


# 7-3

TO_AND_FRO = ("a1a2", "a2a1", "a1a2", "a2a1", "a1a2", "a2a1")
DOG = "7/6l/7/7/7/7/7/7/D6"


def test_7_3_forbids_the_fourth_entry() -> None:
    played = game(DOG, TO_AND_FRO[:4])
    assert forbidden(played) == {}
    played = game(DOG, TO_AND_FRO)
    assert forbidden(played) == {"a1a2": "7-3"}
    assert [str(move) for move in played.legal_moves()] == ["a1b1"]
    with pytest.raises(ValueError, match="a1a2 is forbidden by the 7-3 rule"):
        played.play("a1a2")
    assert played.play("a1b1") is None


def test_7_3_looks_at_the_last_seven_moves_of_the_side() -> None:
    # The three entries of a2 are the first, third and fifth of seven, then of eight moves.
    board = "7/6l/7/7/7/7/7/7/DC5"
    assert forbidden(game(board, [*TO_AND_FRO, "b1b2"])) == {"a1a2": "7-3"}
    assert forbidden(game(board, [*TO_AND_FRO, "b1b2", "b2b1"])) == {}


def test_7_3_is_about_one_animal() -> None:
    # Dog and cat enter b2 by turns: four entries in seven moves, but only two of each.
    board = "7/6l/7/7/7/7/7/7/D1C4"
    moves = ("a1b1", "b1b2", "b2a2", "c1c2", "c2b2", "b2c2", "a2b2", "b2a2", "c2b2", "b2c2", "a2b2")
    assert "7-3" not in forbidden(game(board, [*moves, "b2a2"])).values()


def test_7_3_does_not_hold_where_a_trap_was_entered() -> None:
    # c1 is a trap, c2 and b1 are none.
    board = "7/6l/7/7/7/7/7/2D4/7"
    assert forbidden(game(board, ["c2c1", "c1c2"] * 3)) == {}
    board = "7/6l/7/7/7/7/7/D1C4/7"
    to_and_fro = ["a2a1", "a1a2"] * 3
    assert forbidden(game(board, [*to_and_fro, "c2c3"])) == {"a2a1": "7-3"}
    assert forbidden(game(board, [*to_and_fro, "c2c1"])) == {}
    assert forbidden(game(board, ["c2c1", *to_and_fro])) == {}
    # The first of eight moves is out of the span.
    assert forbidden(game(board, ["c2c1", *to_and_fro, "c1b1"])) == {"a2a1": "7-3"}


@pytest.mark.parametrize(
    ("chaser", "expected"),
    [
        ("l", {}),  # it could take the dog
        ("d", {}),
        ("c", {"a1a2": "7-3"}),  # it could not
        ("r", {"a1a2": "7-3"}),
    ],
)
def test_7_3_does_not_hold_for_who_is_chased(chaser: str, expected: dict[str, str]) -> None:
    # From f1 it comes to b1, next to the dog on a1, with the sixth move.
    walk = ("f1f2", "f2e2", "e2d2", "d2c2", "c2b2", "b2b1")
    assert forbidden(game(f"7/7/7/7/7/7/7/7/D4{chaser}1", TO_AND_FRO, walk)) == expected


def test_to_be_chased_is_to_be_in_danger_where_one_stands() -> None:
    # On b2 in the end, the lion could take the dog on a2, to which it wants to go, not on a1.
    walk = ("b2b3", "b3c3", "c3d3", "d3c3", "c3b3", "b3b2")
    assert forbidden(game("7/7/7/7/7/7/7/1l5/D6", TO_AND_FRO, walk)) == {"a1a2": "7-3"}


# 17-5

ROUND = ("a1a2", "a2b2", "b2b1", "b1a1")


def test_17_5_forbids_the_squares_of_the_last_17_moves() -> None:
    assert forbidden(game(DOG, islice(cycle(ROUND), 16))) == {}
    played = game(DOG, islice(cycle(ROUND), 17))
    assert forbidden(played) == {"a2a1": "17-5", "a2b2": "17-5"}
    assert [str(move) for move in played.legal_moves()] == ["a2a3"]
    with pytest.raises(ValueError, match="a2b2 is forbidden by the 17-5 rule"):
        played.play("a2b2")


def test_17_5_allows_six_squares() -> None:
    five = ("a1a2", "a2a3", "a3a2", "a2b2", "b2b1", "b1a1")
    six = ("a1a2", "a2a3", "a3b3", "b3b2", "b2b1", "b1a1")
    assert set(forbidden(game(DOG, islice(cycle(five), 17))).values()) == {"17-5"}
    assert forbidden(game(DOG, islice(cycle(six), 17))) == {}


def test_17_5_allows_what_another_animal_moved_in_between() -> None:
    board = "7/6l/7/7/7/7/7/7/D5C"
    around = list(islice(cycle(ROUND), 16))
    assert forbidden(game(board, [*around, "a1a2"])) == {"a2a1": "17-5", "a2b2": "17-5"}
    for place in (0, 9, 16):
        assert forbidden(game(board, [*around[:place], "g1g2", *around[place:]])) == {}
    # Another animal may always move.
    played = game(board, [*around, "a1a2"])
    assert {"g1f1", "g1g2"} <= {str(move) for move in played.legal_moves()}


def test_17_5_does_not_hold_where_a_trap_was_entered() -> None:
    # Around b1, b2, c2 and c1, which is a trap.
    around = ("b1b2", "b2c2", "c2c1", "c1b1")
    assert forbidden(game("7/6l/7/7/7/7/7/7/1D5", islice(cycle(around), 17))) == {}
    # Once, as the first of 17 moves, or of 18.
    to_c2 = ["b1c1", "c1c2"]
    there = ("c2b2", "b2b3", "b3c3", "c3c2")
    assert forbidden(game("7/6l/7/7/7/7/7/7/1D5", [*to_c2, *islice(cycle(there), 15)])) == {}
    later = [*to_c2, *islice(cycle(there), 16)]
    assert set(forbidden(game("7/6l/7/7/7/7/7/7/1D5", later)).values()) == {"17-5"}


TO_A3 = (
    "g8f8", "f8f7", "f7g7", "g7g8", "g8f8", "f8f7", "f7g7",
    "g7g6", "g6g5", "g5g4", "g4g3", "g3f3", "f3e3", "e3d3", "d3c3", "c3b3", "b3a3",
)  # fmt: skip


@pytest.mark.parametrize(("no_moves", "winner"), [("loss", Color.BLACK), ("draw", None)])
def test_17_5_holds_for_who_is_chased_and_may_leave_no_move(
    no_moves: str, winner: Color | None
) -> None:
    rules = Rules.from_switches({"no_moves": no_moves}, BAIKE)
    played = Game(f"{DOG} w", rules)
    results = []
    for mine, yours in zip(islice(cycle(ROUND), 17), TO_A3, strict=True):
        results += [played.play(mine), played.play(yours)]
    assert results[:-1] == [None] * 33
    assert results[-1] == Result(winner, "no moves")
    assert played.legal_moves() == []
    assert set(forbidden(played).values()) == {"17-5"}
    with pytest.raises(ValueError, match=r"the game is over \(no moves\)"):
        played.play("a2a1")


@pytest.mark.parametrize("name", ["standard", "blinky", "leiden"])
def test_other_rule_sets_forbid_nothing(name: str) -> None:
    rules = replace(RULE_SETS[name], repetition=None)
    assert forbidden(game(DOG, TO_AND_FRO, rules=rules)) == {}
    assert forbidden(game(DOG, islice(cycle(ROUND), 17), rules=rules)) == {}


# Repetition and the limit

BACK_AND_FORTH = ("a1a2", "g8g7", "a2a1", "g7g8")


def test_the_third_time_a_position_comes_up_is_a_draw() -> None:
    played = Game(f"{DOG} w", BLINKY)
    results = [played.play(move) for move in BACK_AND_FORTH * 2]
    assert results == [None] * 7 + [Result(None, "repetition")]
    assert played.result() == Result(None, "repetition")
    assert played.legal_moves() == []
    with pytest.raises(ValueError, match="repetition"):
        played.play("a1a2")
    assert Game(f"{DOG} w", "standard", BACK_AND_FORTH * 3).result() is None


def test_a_position_is_the_same_only_with_the_same_side_to_move() -> None:
    # White loses a move by going around; the squares are those of the start after 8 and 16 plies.
    played = Game("7/7/7/7/7/7/7/6l/D6 b", BLINKY)
    for move in ("g2g1", "a1a2", "g1f1", "a2a3", "f1f2", "a3a2", "f2g2", "a2a1"):
        assert played.play(move) is None
    assert [p.fen() for p in played.positions].count("7/7/7/7/7/7/7/6l/D6 b") == 1
    assert played._times() == 2


def test_a_capture_makes_all_positions_new() -> None:
    board = "7/6l/7/7/7/7/7/1c5/D6 w"
    played = Game(board, BLINKY, ["a1b1", "g8g7", "b1b2"])
    assert played.position.counter == 0
    results = [played.play(move) for move in ("g7g8", "b2b1", "g8g7", "b1b2") * 2]
    assert results == [None] * 7 + [Result(None, "repetition")]


@pytest.mark.parametrize(
    ("board", "counter", "move", "result"),
    [
        (DOG, 58, "a1a2", None),
        (DOG, 59, "a1a2", Result(None, "limit")),
        ("7/6l/7/7/7/7/7/c6/D6", 59, "a1a2", None),
        ("7/7/7/7/7/7/7/c6/D6", 59, "a1a2", Result(Color.WHITE, "no animals")),
        ("6l/3D3/7/7/7/7/7/7/7", 59, "d8d9", Result(Color.WHITE, "den")),
        ("7/7/7/7/7/7/7/D6/c1T4", 59, "c1b1", Result(Color.WHITE, "no moves")),
    ],
)
def test_the_limit(board: str, counter: int, move: str, result: Result | None) -> None:
    played = Game(f"{board} w {counter}", "plyyard")
    assert played.play(move) == result
    assert played.result() == result


def test_a_game_can_be_over_before_it_begins() -> None:
    assert Game(f"{DOG} w 60", "plyyard").result() == Result(None, "limit")
    assert Game("3D3/7/7/7/7/7/7/7/c6 b").result() == Result(Color.WHITE, "den")
    assert Game("7/7/7/7/7/7/7/7/c6 w").result() == Result(Color.BLACK, "no animals")
    with pytest.raises(IllegalPositionError):
        Game("7/7/7/7/7/1D5/7/7/c6 w")


# The record


def test_a_record_can_be_played_taken_back_and_looked_at() -> None:
    played = Game(moves=["g3g4", Move.parse("a7a6")])
    assert played.positions[0] == Position.start()
    assert played.moves == (Move.parse("g3g4"), Move.parse("a7a6"))
    assert played.position.counter == 2
    assert "g3g4 a7a6" in repr(played)
    assert played.undo() == Move.parse("a7a6")
    assert played.position == rules_of_play.play(Position.start(), Move.parse("g3g4"))
    played.undo()
    with pytest.raises(ValueError, match="no move to take back"):
        played.undo()
    assert tablebase.Game is Game


@pytest.mark.parametrize("move", ["a3a5", "a7a6", "e3e3", "b2d2", "zz"])
def test_what_is_no_legal_move_is_refused(move: str) -> None:
    played = Game()
    with pytest.raises(ValueError, match="is no"):
        played.play(move)
    assert played.moves == ()


@pytest.mark.parametrize("name", RULE_SETS)
def test_games_at_random_come_to_an_end_by_the_rules(name: str) -> None:
    rules = RULE_SETS[name]
    chosen = random.Random(name)
    reasons: Counter[str] = Counter()
    for _ in range(8):
        played = Game("7/3l3/7/7/6r/7/7/1L5/5R1 w", rules)
        while played.result() is None and len(played.moves) < 400:
            legal, barred = played.legal_moves(), played.forbidden()
            every = rules_of_play.legal_moves(played.position, rules)
            assert sorted([*legal, *barred]) == every
            # Mostly to and fro, so that the rules against that have something to do.
            back = [
                m for m in legal if len(played.moves) > 1 and m.target == played.moves[-2].origin
            ]
            played.play(chosen.choice(back if back and chosen.random() < 0.8 else legal))
            reasons.update(barred.values())
        result = played.result()
        if result is not None:
            reasons[result.reason] += 1
    assert (reasons["7-3"] > 0) is (rules.history == "baike")
    assert (reasons["repetition"] > 0) is (rules.repetition is not None)
    assert reasons["limit"] <= 8 * (rules.no_capture_limit is not None)


# Where a line breaks a rule


def line_of(played: Game, *more: str) -> list[Move]:
    return [*played.moves, *map(Move.parse, more)]


def test_the_first_breach_of_a_line() -> None:
    start = Position.from_fen(f"{DOG} w")
    played = game(DOG, TO_AND_FRO)
    assert first_breach(start, BAIKE, line_of(played, "a1b1", "g6g7")) is None
    assert first_breach(start, BAIKE, line_of(played, "a1a2", "g6g7")) == Breach(
        13, Move.parse("a1a2"), "7-3"
    )
    repeated = [Move.parse(move) for move in BACK_AND_FORTH * 2]
    assert first_breach(start, BLINKY, repeated) is None
    assert first_breach(start, BLINKY, [*repeated, Move.parse("a1a2")]) == Breach(
        9, Move.parse("a1a2"), "repetition"
    )
