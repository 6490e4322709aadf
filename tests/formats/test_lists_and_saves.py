"""Lists of moves as people write them, JungleChess's book, CodinGame's lines, bbdsq's saves."""

from __future__ import annotations

import re

import pytest

from tablebase.errors import AmbiguousError, FormatError
from tablebase.game.board import Color
from tablebase.game.formats import Annotation, Ending, Record, read, read_games, write_game
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tests.formats.samples import (
    ENDING,
    ENDING_MOVES,
    MIRRORED_ENDING,
    MOVES,
    SAMPLES,
    bbdsq,
    codingame,
    flipped,
)

FEW = f"{ENDING} b 4"


def parsed(moves: list[str]) -> tuple[Move, ...]:
    return tuple(map(Move.parse, moves))


def one(text: str, name: str | None = None) -> Record:
    (record,) = read_games(text, name)
    return record


def failure(text: str, name: str | None = None) -> FormatError:
    (error,) = read_games(text, name, errors="give")
    assert isinstance(error, FormatError)
    return error


# Lists of moves


@pytest.mark.parametrize(
    "text",
    [
        "b3b2 a2a1 b2b3 a1a2 g1g2 a2a3 b3a3",
        "b3-b2 A2A1 b2–b3 a1:a2 g1>g2 a2→a3 b3xa3  \t",
        "b3b2, a2a1; b2b3\na1a2 g1g2\n\ta2a3 b3a3xD\n",
        "1... b3b2 2. a2a1 b2b3 3. a1a2 g1g2 4. a2a3 B3XA3D 0-1",
        "1) b3b2 a2a1 2) b2b3 a1a2 3) g1g2! a2a3?? 4 b3xa3xD",
        "b3b2 {so} a2a1 # and then\nb2b3 a1a2 g1g2 a2a3 b3a3xd",
    ],
)
def test_ways_to_write_moves(text: str) -> None:
    record = one(f"{FEW}\n{text}")
    assert record.start.fen() == FEW
    assert record.moves == parsed(ENDING_MOVES)
    assert not record.mirrored
    assert (record.result == Ending(Color.BLACK)) is ("0-1" in text)


def test_a_fen_says_which_way_round_its_moves_are() -> None:
    record = one(f"{MIRRORED_ENDING} b 4 1\n{flipped(' '.join(ENDING_MOVES))}\n")
    assert (record.start.fen(), record.moves) == (FEW, parsed(ENDING_MOVES))
    assert record.mirrored
    assert record.rules == RULE_SETS["mistboard"]


@pytest.mark.parametrize(("text", "name"), [("g3g4 g7g6 g4g5", "moves"), ("g3g4 f8f7", "moves")])
def test_what_can_be_played_from_either_array_is_refused_with_both(text: str, name: str) -> None:
    with pytest.raises(AmbiguousError) as refused:
        one(text)
    assert dict(refused.value.readings) == {
        "moves": "a game, g3g4 moves the rat",
        "moves-mirrored": "a game, g3g4 moves the elephant",
    }
    assert one(text, name).moves == parsed(text.split())
    assert one(text, "moves-mirrored").moves == parsed(flipped(text).split())


def test_what_can_be_played_from_one_array_only() -> None:
    ours, theirs = "g3g4 g7g6 g4g5 g6f6", "g3g4 g7g6 g4g5 g6f6"
    assert ours == theirs
    assert one("g3g4 g7g6 g4g5 g6g5").format == "moves-mirrored"
    assert one("a3a4 a7a6 a4a5 a6a5").format == "moves"
    assert one(" ".join(MOVES)).moves == parsed(MOVES)


def test_letters_of_captured_animals_tell_the_array() -> None:
    moves = "a3a4 b8b7 a4a5 b7b8"
    with pytest.raises(AmbiguousError):
        one(moves)
    taken = "a3a4 a7a6 a4a5 a6a5"
    assert one(f"{taken}xE").format == "moves"
    error = failure(f"{taken}xR")
    assert "takes the elephant" in str(error)


def test_games_in_one_text() -> None:
    a, b = " ".join(MOVES), " ".join(MOVES[:7])
    for text in (f"{a}\n\n{b}\n", f"1. {a}\n1. {b}\n", f"{a} 0-1\n\n\n{b} *\n"):
        found = list(read_games(text))
        assert [game.moves for game in found] == [parsed(MOVES), parsed(MOVES[:7])]
    assert [game.line for game in read_games(f"\n{a}\n\n{b}\n")] == [2, 4]


def test_a_game_over_many_lines() -> None:
    lines = [
        f"{n}. {w} {b}" for n, (w, b) in enumerate(zip(MOVES[::2], MOVES[1::2], strict=True), 1)
    ]
    assert one("\n".join(lines)).moves == parsed(MOVES)
    assert one("\n".join(MOVES)).moves == parsed(MOVES)


@pytest.mark.parametrize(
    ("text", "line", "ply", "message"),
    [
        (f"{FEW}\nb3b2 a2a9", 2, 2, "a2a9 is no legal move in 7/7/7/7/7/7/7/Dl5/6c w 5"),
        (f"{FEW}\nb3b2\n\n{FEW}\nb3b2 zz\n", 5, 2, "'zz' is no move"),
        (f"{FEW}\nb3b2 b2b2", 2, 2, "'b2b2' is no move"),
        (f"{FEW}\nb3xb2", 2, 1, "'b3xb2' takes nothing"),
        (f"{FEW}\nb3a3 0-1 a2a3", 2, 2, "'a2a3' comes after the result"),
        ("7/7/7/7/1E5/7/7/7/7 w\nb3b2\n", 1, None, "stands in water"),
        ("7/7/7/7/7/7/7/7 w\nb3b2\n", 1, None, "the board has 9 ranks"),
        ("knights and bishops\n", None, None, "none of the formats"),
        ("7/7/7/7/7/7/7/7/8 w\n1. b3b2\n", 1, None, "rank 1"),
    ],
)
def test_what_is_wrong_with_a_list(
    text: str, line: int | None, ply: int | None, message: str
) -> None:
    *_, error = read(text, errors="give")
    assert isinstance(error, FormatError)
    assert message in error.reason
    if line is not None:
        assert (error.line, error.ply) == (line, ply)


def test_after_a_game_of_the_other_array_each_must_say_its_own() -> None:
    moves = flipped(" ".join(ENDING_MOVES))
    first, second = read_games(f"{MIRRORED_ENDING} b 4 1\n{moves}\n\ng3g4\n", errors="give")
    assert isinstance(first, Record)
    assert isinstance(second, FormatError)
    assert "which array" in second.reason


def test_a_written_list() -> None:
    record = one(f"{FEW}\n{' '.join(ENDING_MOVES)} 0-1")
    text, lost = write_game(record, "moves")
    assert text == f"{FEW}\n{' '.join(ENDING_MOVES)} 0-1\n\n"
    assert lost == ()
    assert write_game(one("a3a4 a7a6", "moves"), "moves").text == "a3a4 a7a6\n\n"


def test_a_game_as_positions() -> None:
    record = one(f"{FEW}\nb3b2 a2a1\n")
    text, lost = write_game(record, "katago")
    assert text == (f"{ENDING} b\n7/7/7/7/7/7/7/Dl5/6c w\n7/7/7/7/7/7/7/1l5/D5c b\n")
    assert lost == ("the moves", "the plies since the last capture")


# JungleChess's book


def test_a_book() -> None:
    found = list(read_games(SAMPLES["junglechess"]))
    assert [game.moves for game in found] == [parsed(MOVES[:5]), parsed(MOVES[:3])]
    assert [game.line for game in found] == [2, 3]
    assert found[0].format == "junglechess"
    assert found[0].unheld
    bad = SAMPLES["junglechess"] + "a1a9\n"
    error = list(read_games(bad, "junglechess", errors="give"))[-1]
    assert isinstance(error, FormatError)
    assert (error.line, error.ply) == (4, 1)


# CodinGame


def test_lines_of_codingame() -> None:
    record = one(codingame())
    assert record.moves == parsed(MOVES)
    assert record.annotations == {4: Annotation(("see you, d9",))}
    assert record.rules == Rules(
        order="dog over wolf", traps_weaken="all", rat_entering_water_captures=True
    )
    assert len(record.unheld) == 3
    again = f"{codingame()}\n{codingame()}"
    assert [game.line for game in read_games(again)] == [1, 29]


@pytest.mark.parametrize(
    ("text", "line", "ply", "message"),
    [
        (codingame().replace("0 6 0 5", "0 6 0 4", 1), 2, 1, "a3a5 is no legal move"),
        ("0 6 0 5\n0 6 0\n", 2, 2, "'0 6 0' is no move"),
        ("0 6 0 5\n7 0 0 0\n", 2, 2, "'7 0 0 0' is no move"),
        ("0 6 0 5\n-1 -1 -1 -1\n", 2, 2, "'-1 -1 -1 -1' is no move"),
    ],
)
def test_what_is_wrong_with_lines(text: str, line: int, ply: int, message: str) -> None:
    error = failure(text)
    assert (error.format, error.line, error.ply) == ("codingame", line, ply)
    assert message in error.reason


# bbdsq


def test_a_save() -> None:
    record = one(bbdsq())
    assert (record.start, record.moves) == (Position.start(), parsed(MOVES))
    assert record.result == Ending(Color.BLACK)
    assert record.rules == Rules()
    assert len(record.unheld) == 1


def test_plies_that_were_taken_back() -> None:
    lines = bbdsq().splitlines()
    lines[2:21] = lines[26 + 19 * 20 : 26 + 19 * 21]
    text = "\n".join(lines).replace("CurrentHistoryPly: 26", "CurrentHistoryPly: 20")
    text = text.replace("GameOverStatus: 1", "GameOverStatus: 0")
    record = one(text)
    assert len(record.moves) == 26
    assert record.result is None
    assert record.metadata == {"current_ply": 20}
    assert record.notes == ("the last 6 plies were taken back",)


FIRST = 26
"""The lines before the history of a save."""


@pytest.mark.parametrize(
    ("pattern", "new", "message"),
    [
        (r"Version: 1", "Version: 2", "only version 1"),
        (r"CurrentBoardStateMarker:", "x", "CurrentBoardStateMarker: is wanted, not 'x'"),
        (r"0x0{16}", "0x1", "a set has the square of one animal"),
        (r"0x0{16}", "0xfg", "a set such as 0x4000|a set of squares such as 0x4000"),
        (r"GameOverStatus: 1", "GameOverStatus: 2", "a number from 0 to 1"),
        (r"HistorySize: 27", "HistorySize: 0", "there is no state"),
        (r"HistorySize: 27", "HistorySize: 28", "the text ends"),
        (r"HistorySize: 27", "HistorySize: 99999999", "a number from 0 to 100000"),
        (
            r"HistorySize: 27\nCurrentHistoryPly: 26",
            "HistorySize: 26\nCurrentHistoryPly: 25",
            "the current board",
        ),
        (r"CurrentHistoryPly: 26", "CurrentHistoryPly: 27", "a number from 0 to 26"),
        (
            r"CurrentHistoryPly: 26",
            "CurrentHistoryPly: 25",
            "the current board is not that of state",
        ),
        (r"WinnerStatus: 1", "WinnerStatus: -1", "a number from 0 to 2"),
        (r"\Z", "more\n", "nothing more is wanted"),
    ],
)
def test_what_is_wrong_with_a_save(pattern: str, new: str, message: str) -> None:
    text = re.sub(pattern, new, bbdsq(), count=1)
    *_, error = read_games(text, errors="give")
    assert isinstance(error, FormatError)
    assert error.format == "bbdsq"
    assert re.search(message, error.reason)


@pytest.mark.parametrize(
    ("state", "line", "value", "ply", "message"),
    [
        (0, 18, "0", None, "the first state is that of a finished game"),
        (0, 18, "1", 2, "the sides do not take turns"),
        (0, 18, "x", None, "the side to move is"),
        (5, 18, "2", 6, "the sides do not take turns"),
        (5, 3, "0x0000000000000000", 5, "not one move away"),
    ],
)
def test_what_is_wrong_with_a_state(
    state: int, line: int, value: str, ply: int | None, message: str
) -> None:
    lines = bbdsq().splitlines()
    at = FIRST + 19 * state + line
    lines[at] = value
    error = failure("\n".join(lines))
    assert error.ply == ply
    assert error.line is not None
    assert abs(error.line - at) <= 20
    assert message in error.reason
