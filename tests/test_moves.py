"""Legal moves, playing them, and when a game is over."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.game.board import DENS, MIRROR_SQUARE, TURN_SQUARE
from tablebase.game.fen import MAX_COUNTER
from tablebase.game.moves import captured, drawn_by_limit, finished, follow, legal_moves, play
from tablebase.game.position import Move, Position
from tablebase.game.rules import Animal, Rules
from tests.strategies import rules_and_position

STANDARD = Rules()


def test_moves_come_in_board_order() -> None:
    moves = legal_moves(Position.start(), STANDARD)
    assert len(moves) == 24
    assert moves == sorted(moves)
    assert [str(move) for move in moves[:3]] == ["a1b1", "a1a2", "g1f1"]


def test_playing() -> None:
    position = Position.from_fen("7/7/7/7/7/7/7/dr5/D6 w 4")
    quiet = play(position, Move.parse("a1b1"))
    assert quiet.fen() == "7/7/7/7/7/7/7/dr5/1D5 b 5"
    capture = Move.parse("a1a2")
    assert captured(position, capture) is Animal.DOG
    assert captured(position, Move.parse("a1b1")) is None
    assert play(position, capture).fen() == "7/7/7/7/7/7/7/Dr5/7 b"
    assert play(quiet, Move.parse("b2b1")).fen() == "7/7/7/7/7/7/7/d6/1r5 w"


def test_the_counter_stops_at_its_largest_value() -> None:
    position = Position.from_fen(f"7/7/7/7/7/7/7/7/D5d w {MAX_COUNTER}")
    assert play(position, Move.parse("a1b1")).counter == MAX_COUNTER


@pytest.mark.parametrize("move", ["c3c4", "a2a3", "a1b1", "a1a1"])
def test_what_cannot_be_played(move: str) -> None:
    position = Position.from_fen("7/7/7/7/7/7/7/d6/DC5 w")
    with pytest.raises(ValueError, match=f"{move} is no move in {position.fen()}"):
        play(position, Move.parse(move))


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("3R3/7/7/7/7/7/7/7/e6 b", -1),
        ("3R3/7/7/7/7/7/7/7/e6 w", 1),
        ("6E/7/7/7/7/7/7/7/3r3 w", -1),
        ("6E/7/7/7/7/7/7/7/3r3 b", 1),
        ("7/7/7/7/7/7/7/7/R6 b", -1),
        ("7/7/7/7/7/7/7/7/R6 w", 1),
        ("7/7/7/7/7/7/7/7/r6 w", -1),
        ("7/7/7/7/7/7/7/D6/cT5 b", -1),
        ("7/7/7/7/7/7/7/D6/cT5 w", None),
        ("7/7/7/7/7/7/7/7/R5r w", None),
    ],
)
def test_finished_games(fen: str, result: int | None) -> None:
    position = Position.from_fen(fen)
    assert finished(position, STANDARD) == result
    assert finished(position.swapped(), STANDARD) == result
    if result == -1:
        assert legal_moves(position, STANDARD) == []


def test_no_moves_may_be_a_draw() -> None:
    position = Position.from_fen("7/7/7/7/7/7/7/D6/cT5 b")
    assert finished(position, Rules(no_moves="draw")) == 0
    # A side without animals has no moves either, and has lost.
    assert finished(Position.from_fen("7/7/7/7/7/7/7/D6/T6 b"), Rules(no_moves="draw")) == -1


def test_the_limit_draws_only_unfinished_games() -> None:
    rules = Rules(no_capture_limit=60)
    fen = "7/7/7/7/7/7/7/7/R5r w"
    assert not drawn_by_limit(Position.from_fen(f"{fen} 59"), rules)
    assert drawn_by_limit(Position.from_fen(f"{fen} 60"), rules)
    assert not drawn_by_limit(Position.from_fen(f"{fen} 60"), STANDARD)
    assert legal_moves(Position.from_fen(f"{fen} 60"), rules)
    for over in ("3R3/7/7/7/7/7/7/7/e6 b 60", "7/7/7/7/7/7/7/D6/cT5 b 60"):
        assert not drawn_by_limit(Position.from_fen(over), rules)


def test_an_animal_where_it_cannot_be_has_no_moves() -> None:
    dog_in_water = Position.from_fen("7/7/7/1D5/7/7/7/7/6e w")
    assert legal_moves(dog_in_water, STANDARD) == []
    assert len(legal_moves(dog_in_water, Rules(swimmers="rat and dog"))) == 4


@given(rules_and_position(most=8))
@settings(max_examples=60)
def test_every_legal_move_leads_to_a_legal_position(case: tuple[Rules, Position]) -> None:
    rules, position = case
    for move in legal_moves(position, rules):
        after = play(position, move)
        taken = captured(position, move)
        assert Position.from_fen(after.fen(), rules) == after
        assert after.turn is position.turn.other
        assert len(after.pieces) == len(position.pieces) - (taken is not None)
        assert after.counter == (0 if taken else position.counter + 1)
        if move.target in DENS:
            assert finished(after, rules) == -1
            assert legal_moves(after, rules) == []


@given(rules_and_position(most=8))
@settings(max_examples=60)
def test_moves_and_results_do_not_notice_symmetries(case: tuple[Rules, Position]) -> None:
    rules, position = case
    moves = legal_moves(position, rules)
    for image, turned in (
        (MIRROR_SQUARE, position.mirrored()),
        (TURN_SQUARE, position.swapped()),
    ):
        assert legal_moves(turned, rules) == sorted(Move(image[a], image[b]) for a, b in moves)
        assert finished(turned, rules) == finished(position, rules)


@settings(max_examples=300)
@given(rules_and_position(), st.lists(st.integers(0, 2**20), max_size=12))
def test_following_moves_is_playing_them_one_by_one(
    case: tuple[Rules, Position], choices: list[int]
) -> None:
    rules, start = case
    moves: list[Move] = []
    position, played = start, 0
    for choice in choices:
        # Mostly legal moves, now and then any squares at all.
        legal = legal_moves(position, rules)
        wild = Move(choice % 63, choice // 63 % 63)
        moves.append(wild if choice % 7 == 0 or not legal else legal[choice % len(legal)])
        if played == len(moves) - 1 and moves[-1] in legal:
            position, played = play(position, moves[-1]), played + 1
    assert follow(start, moves, rules) == (position, played)


def test_following_stops_where_the_game_does() -> None:
    start = Position.from_fen("7/3D3/7/7/7/7/7/6c/7 w 5")
    moves = [Move.parse("d8d9"), Move.parse("g2g3")]
    last, played = follow(start, moves, Rules())
    assert (last.fen(), played) == ("3D3/7/7/7/7/7/7/6c/7 b 6", 1)
    assert follow(start, [], Rules()) == (start, 0)
    late = Position.from_fen(f"7/7/3D3/7/7/7/7/6c/7 w {MAX_COUNTER}")
    assert follow(late, [Move.parse("d7d8")], Rules())[0].counter == MAX_COUNTER
