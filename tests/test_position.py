"""Positions and their FENs."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.errors import FenError, IllegalPositionError
from tablebase.game.board import DENS, MIRROR_SQUARE, TURN_SQUARE, Color, parse_square
from tablebase.game.fen import MAX_COUNTER
from tablebase.game.position import START_FEN, Move, Position
from tablebase.game.rules import Animal, Rules
from tests.strategies import rules_and_position

SIX = "7/7/7/7/7/7"
FUZZ_ALPHABET = "ELTPWDCReltpwdcr0123456789/ _-wbr\n\tXé٣²"


def test_the_start_position() -> None:
    start = Position.start()
    assert start.fen() == START_FEN == "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w"
    assert [animal for animal, _ in start.white] == sorted(Animal, reverse=True)
    assert start.piece_at(parse_square("a3")) == (Color.WHITE, Animal.ELEPHANT)
    assert start.piece_at(parse_square("a9")) == (Color.BLACK, Animal.LION)
    assert start.piece_at(parse_square("d5")) is None
    assert (start.turn, start.counter) == (Color.WHITE, 0)


def test_sides_are_strongest_first_whatever_the_order_given() -> None:
    white = ((Animal.RAT, 0), (Animal.LION, 2), (Animal.CAT, 1))
    position = Position(white, ((Animal.DOG, 40), (Animal.WOLF, 60)), Color.BLACK, 7)
    assert position.white == ((Animal.LION, 2), (Animal.CAT, 1), (Animal.RAT, 0))
    assert position.black == ((Animal.WOLF, 60), (Animal.DOG, 40))
    assert position == Position(white[::-1], position.black, Color.BLACK, 7)
    assert list(position.pieces) == [0, 1, 2, 40, 60]


def test_positions_are_values() -> None:
    position = Position.start()
    assert len({position, Position.start(), copy.deepcopy(position)}) == 1
    assert pickle.loads(pickle.dumps(position)) == position
    assert position != Position.from_fen(f"{START_FEN} 1")
    with pytest.raises(FrozenInstanceError):
        position.counter = 3  # type: ignore[misc]
    assert repr(position) == f"Position.from_fen('{START_FEN}')"


def test_text_board() -> None:
    assert str(Position.from_fen("3R3/7/7/7/4r2/7/7/7/6E b")).splitlines() == [
        "9 . . x R x . .",
        "8 . . . x . . .",
        "7 . . . . . . .",
        "6 . ~ ~ . ~ ~ .",
        "5 . ~ ~ . r ~ .",
        "4 . ~ ~ . ~ ~ .",
        "3 . . . . . . .",
        "2 . . . x . . .",
        "1 . . x # x . E",
        "  a b c d e f g",
        "Black to move",
    ]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (f"{SIX}/7/7/E5e w", None),
        (f"{SIX}/7/7/E5e b 12", None),
        (f"{SIX}/7/7/E5e r", f"{SIX}/7/7/E5e w"),
        (f"{SIX}/7/7/E5e_w_3", f"{SIX}/7/7/E5e w 3"),
        (f"  {SIX}/7/7/E5e   w  0 ", f"{SIX}/7/7/E5e w"),
        (f"{SIX}/7/7/E1111e1 w 007", f"{SIX}/7/7/E4e1 w 7"),
        (f"{SIX}/7/7/E5e w {MAX_COUNTER}", None),
    ],
)
def test_fen_forms(written: str, printed: str | None) -> None:
    assert Position.from_fen(written).fen() == (printed or written)


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("", "empty"),
        ("_ _", "empty"),
        (f"{SIX}/7/7/E5e", "side to move is missing"),
        (f"{SIX}/7/E5e w", "9 ranks .* has 8"),
        (f"{SIX}/7/7/7/E5e w", "9 ranks .* has 10"),
        ("nonsense w", "9 ranks .*'nonsense' has 1"),
        (f"{SIX}/7/8/E5e w", "rank 2: '8' is neither"),
        (f"7/E7/{SIX}/e6 w", "rank 8: 'E7' fills 8 squares"),
        (f"{SIX}/7/33/E5e w", "rank 2: '33' fills 6 squares"),
        (f"{SIX}/7//E5e w", "rank 2: '' fills 0 squares"),
        (f"{SIX}/EEEEEEEE/7/7 w", "rank 3: 'EEEEEEEE' fills 8"),
        (f"K6/{SIX}/7/E5e w", "rank 9: 'K' is neither an animal"),
        (f"{SIX}/7/7/E0é5 w", "rank 1: '0'"),
        (f"{SIX}/7/7/E5e x", "w or b; 'x' is neither"),
        (f"{SIX}/7/7/E5e W", "w or b; 'W' is neither"),
        (f"{SIX}/7/7/E5e w -1", "counter .* '-1' is not"),
        (f"{SIX}/7/7/E5e w 1.5", "counter .* '1.5' is not"),
        (f"{SIX}/7/7/E5e w ٣", "counter"),
        (f"{SIX}/7/7/E5e w {MAX_COUNTER + 1}", "counter"),
        (f"{SIX}/7/7/E5e w {'9' * 5000}", r"counter .*9\.\.\.' is not"),
        (f"{SIX}/7/7/E5e w 0 1", "after the counter: '1' is too much"),
    ],
)
def test_fen_errors_say_what_and_where(fen: str, message: str) -> None:
    with pytest.raises(FenError, match=message) as caught:
        Position.from_fen(fen)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("7/7/7/7/7/7/7/7/7 w", "no animal"),
        ("7/7/7/1E5/7/7/7/7/6e w", "White's elephant on b6 stands in water"),
        ("7/7/7/7/7/5c1/7/7/6E w", "Black's cat on f4 stands in water"),
        ("7/7/7/7/7/7/7/7/e2R3 w", "White's rat on d1 stands in its own den"),
        ("3e3/7/7/7/7/7/7/7/R6 w", "Black's elephant on d9 stands in its own den"),
        ("7/7/7/7/7/7/7/E5E/e6 w", "White has more than one elephant"),
        ("7/7/7/7/7/7/7/rr5/E6 w", "Black has more than one rat"),
        ("7/7/7/7/7/7/7/ELTPWDC/RR4e w", "White has 9 animals; a side has at most 8"),
        ("3R3/7/7/7/7/7/7/7/3e3 w", "both dens are entered"),
    ],
)
def test_illegal_positions_say_what_and_where(fen: str, message: str) -> None:
    with pytest.raises(IllegalPositionError, match=message):
        Position.from_fen(fen)


def test_illegal_positions_from_pieces() -> None:
    rat = (Color.WHITE, Animal.RAT)
    with pytest.raises(IllegalPositionError, match="no square 63"):
        Position.from_pieces({63: rat}, Color.WHITE)
    with pytest.raises(IllegalPositionError, match="no square -1"):
        Position.from_pieces({-1: rat}, Color.WHITE)
    with pytest.raises(IllegalPositionError, match="share a square"):
        Position(((Animal.RAT, 5),), ((Animal.CAT, 5),))
    for counter in (-1, MAX_COUNTER + 1):
        with pytest.raises(IllegalPositionError, match="counter"):
            Position.from_pieces({5: rat}, Color.WHITE, counter)


def test_who_stands_in_water_is_for_the_rules_to_say() -> None:
    fen = "7/7/7/1D5/7/7/7/7/6e w"
    swimming = Rules(swimmers="rat and dog")
    assert Position.from_fen(fen) == Position.from_fen(fen, swimming)
    with pytest.raises(IllegalPositionError, match=r"White's dog on b6 .* the rules 'standard'"):
        Position.from_fen(fen, Rules())
    Position.from_fen("7/7/7/1R5/7/7/7/7/6e w", Rules())


def test_moves_are_written_as_two_squares() -> None:
    assert Move.parse("c3c4") == Move(parse_square("c3"), parse_square("c4"))
    assert str(Move.parse("a4d4")) == "a4d4"
    for text in ("", "c3", "c3c", "c3-c4", "c3c0", "h1h2", "c3c44"):
        with pytest.raises(ValueError, match=r"is no move|no square is called"):
            Move.parse(text)


@given(rules_and_position())
def test_fen_round_trip(case: tuple[Rules, Position]) -> None:
    rules, position = case
    again = Position.from_fen(position.fen(), rules)
    assert again == position
    assert hash(again) == hash(position)
    assert Position.from_fen(position.fen().replace(" ", "_")) == position
    assert Position.from_pieces(position.pieces, position.turn, position.counter) == position


@given(rules_and_position())
def test_images(case: tuple[Rules, Position]) -> None:
    _, position = case
    mirrored, swapped = position.mirrored(), position.swapped()
    assert mirrored.mirrored() == swapped.swapped() == position
    assert mirrored.swapped() == swapped.mirrored()
    assert (mirrored.turn, swapped.turn) == (position.turn, position.turn.other)
    for square, (color, animal) in position.pieces.items():
        assert mirrored.piece_at(MIRROR_SQUARE[square]) == (color, animal)
        assert swapped.piece_at(TURN_SQUARE[square]) == (color.other, animal)
    for image in (mirrored, swapped):  # checked, as `unchecked` does not
        assert Position(image.white, image.black, image.turn, image.counter) == image


def check_that_only_documented_errors_come(text: str) -> None:
    try:
        position = Position.from_fen(text)
    except (FenError, IllegalPositionError) as error:
        message = str(error)
    else:
        assert Position.from_fen(position.fen()) == position
        return
    assert message.isprintable()


@st.composite
def mutated_fens(draw: st.DrawFn) -> str:
    text = list(draw(rules_and_position())[1].fen())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        text[at : at + draw(st.integers(0, 2))] = draw(st.text(FUZZ_ALPHABET, max_size=2))
    return "".join(text)


@given(st.one_of(st.text(), st.text(FUZZ_ALPHABET), mutated_fens()))
@settings(max_examples=300)
def test_broken_fens(text: str) -> None:
    check_that_only_documented_errors_come(text)


@pytest.mark.slow
@given(st.one_of(st.text(), st.text(FUZZ_ALPHABET), mutated_fens()))
@settings(max_examples=10_000)
def test_very_many_broken_fens(text: str) -> None:
    check_that_only_documented_errors_come(text)


@st.composite
def mutated_moves(draw: st.DrawFn) -> str:
    squares = st.builds(
        "".join, st.tuples(st.sampled_from("abcdefg"), st.sampled_from("123456789"))
    )
    text = list(draw(squares) + draw(squares))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text[at : at + draw(st.integers(0, 1))] = draw(st.text("ah09x-e8 \u0664", max_size=1))
    return "".join(text)


BROKEN_MOVES = st.one_of(st.text(), st.text("abcdefgh0123456789", max_size=5), mutated_moves())


def check_that_a_move_or_a_value_error_comes(text: str) -> None:
    try:
        move = Move.parse(text)
    except ValueError:
        return
    assert str(move) == text


@given(BROKEN_MOVES)
def test_broken_moves(text: str) -> None:
    check_that_a_move_or_a_value_error_comes(text)


@pytest.mark.slow
@given(BROKEN_MOVES)
@settings(max_examples=10_000)
def test_very_many_broken_moves(text: str) -> None:
    check_that_a_move_or_a_value_error_comes(text)


def test_an_entered_den_is_a_position() -> None:
    position = Position.from_fen("3R3/7/7/7/7/7/7/7/e6 b")
    assert position.piece_at(DENS[Color.BLACK]) == (Color.WHITE, Animal.RAT)
