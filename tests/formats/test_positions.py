"""FENs of all dialects: which they are told to be, what they mean, and what is refused."""

from __future__ import annotations

import pytest

from tablebase.errors import AmbiguousError, FenError, FormatError, IllegalPositionError
from tablebase.game.formats import read_position, read_positions, write_position
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Rules
from tests.formats.samples import FEN, MIRRORED_FEN

J_FEN = FEN.replace("p", "j").replace("P", "J")
FEW = "7/7/7/7/7/3e3/3L3/5R1/7"
OTHER = "7/7/7/7/7/3e3/3L3/1R5/7"
"""The mirror image of ``FEW``."""


@pytest.mark.parametrize(
    ("text", "name", "fen"),
    [
        (f"{FEW} w", "jtb", f"{FEW} w"),
        (f"{FEW}_b_9", "jtb", f"{FEW} b 9"),
        (f"{FEW} r", "jtb", f"{FEW} w"),
        (f"{OTHER} r 9 1", "mistboard", f"{FEW} w 9"),
        (f"{OTHER} b 0 31", "mistboard", f"{FEW} b"),
        (f"{OTHER}_w_9_1", "mistboard", f"{FEW} w 9"),
        (f"{MIRRORED_FEN} r 0 1", "mistboard", f"{FEN} w"),
        (f"position fen {OTHER} b 3 7 reps {OTHER} r 1 6", "misty-jungle", f"{FEW} b 3"),
        (f"position fen {OTHER} b", "misty-jungle", f"{FEW} b"),
        (f"{J_FEN} w", "katago", f"{FEN} w"),
        (f"setfen {FEW} b", "katago", f"{FEW} b"),
        (f"= {FEW} b", "katago", f"{FEW} b"),
        (J_FEN, "dandelion", f"{FEN} w"),
        (f"{J_FEN} b 12 3", "dandelion", f"{FEN} b"),
        (f"{FEW} w - - 0 1", "netcan", f"{FEW} w"),
        (f"{FEW} b - - 7 20", "netcan", f"{FEW} b"),
    ],
)
def test_what_can_mean_one_thing_only(text: str, name: str, fen: str) -> None:
    position, reading = read_position(text)
    assert (position.fen(), reading.format) == (fen, name)
    assert reading.mirrored is name.startswith("mist")
    assert read_position(text, name)[0] == position


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (f"{FEW} r - - 0 1", {"netcan": f"{FEW} b", "jtb": f"{FEW} w"}),
        (OTHER, {"mistboard": f"{FEW} w", "dandelion": f"{OTHER} w"}),
    ],
)
def test_what_can_mean_two_things_is_refused_with_both(text: str, readings: dict[str, str]) -> None:
    with pytest.raises(AmbiguousError) as refused:
        read_position(text)
    assert dict(refused.value.readings) == readings
    for name, fen in readings.items():
        assert f"as {name}: {fen}" in str(refused.value)
        if name != "jtb":
            assert read_position(text, name)[0].fen() == fen


def test_a_symmetric_board_means_the_same_either_way() -> None:
    board = "7/7/3l3/7/7/7/3E3/7/7"
    assert read_position(board)[0].fen() == f"{board} w"


def test_moves_after_a_position_are_ambiguous() -> None:
    text = f"position fen {OTHER} w 0 1 moves d3c3"
    with pytest.raises(AmbiguousError, match="moves follow the FEN"):
        read_position(text)
    position, reading = read_position(text, "misty-jungle")
    assert position.fen() == f"{FEW} w"
    assert "the moves are left out, as that engine ignores them" in reading.notes
    (error,) = read_positions(text, errors="give")
    assert isinstance(error, AmbiguousError)
    assert error.line == 1


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", FenError, "the FEN is empty"),
        (" _ ", FenError, "the FEN is empty"),
        (FEN, FenError, "the side to move is missing after the board: add w or b"),
        (f"{FEW} x", FenError, "the side to move is w or b"),
        (f"{FEW} w -1", FenError, "the counter"),
        (f"{FEW} w 0 1 1", FenError, "'1' is too much"),
        (f"{FEW} w 0 x", FenError, "'x' is too much"),
        ("7/7/7/7/7/3x3/7/7/7 w", FenError, "rank 4: 'x'"),
        ("7/7/7/7/7/3x3/7/7/7 w 0 1", FormatError, "rank 4: 'x'"),
        (f"{J_FEN.replace('w', 'p')} w", FenError, "rank 7"),
        ("7/7/7/7/1E5/7/7/7/7 w", IllegalPositionError, "White's elephant on b5 stands in water"),
        ("7/7/7/7/1E5/7/7/7/7 r 0 1", FormatError, "White's elephant on b5 stands in water"),
        ("7/7/7/7/7/7/7/7/7 r 0 1", FormatError, "there is no animal"),
        (f"{OTHER} r 99999 1", FormatError, "the counter"),
    ],
)
def test_what_is_no_position(text: str, kind: type[ValueError], message: str) -> None:
    with pytest.raises(kind, match=message):
        read_position(text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mistboard", f"{OTHER} x 0 1", "the side to move is r or b"),
        ("mistboard", f"{OTHER} r 0 1 1", "'1' is too much"),
        ("mistboard", f"{OTHER} r 0 one", "the move number"),
        ("mistboard", f"{J_FEN} r 0 1", "rank 7: 'j'"),
        ("katago", FEW, "the side to move is missing"),
        ("katago", f"{FEW} r", "the side to move is w or b"),
        ("katago", f"{FEW} b 9", "'9' is too much"),
        ("katago", f"{FEN} w", "the leopard is J"),
        ("dandelion", f"{FEN} w", "the leopard is J"),
        ("dandelion", f"{FEW} r", "the side to move is w or b"),
        ("netcan", FEW, "the side to move is missing"),
        ("netcan", f"{J_FEN} w", "rank 7: 'j'"),
        ("misty-jungle", f"position fen {OTHER} r 0 1 1", "only reps"),
        ("bbdsq", FEW, "no format of positions is called 'bbdsq'"),
    ],
)
def test_what_a_named_dialect_refuses(name: str, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_position(text, name)


def test_a_named_dialect_is_read_as_its_program_reads_it() -> None:
    assert read_position(OTHER, "mistboard")[0].fen() == f"{FEW} w"
    assert read_position(f"{OTHER} b", "mistboard")[0].fen() == f"{FEW} b"
    assert read_position(f"{FEW} x", "netcan")[0].fen() == f"{FEW} b"
    assert read_position(f"position fen {OTHER} x 3 1", "misty-jungle")[0].fen() == f"{FEW} w 3"
    position, reading = read_position(FEW, "dandelion")
    assert position.fen() == f"{FEW} w"
    assert reading.notes == ("it names no side to move: w is",)


def test_a_reading_says_what_was_done() -> None:
    reading = read_position(f"{OTHER} b 9 31")[1]
    assert str(reading) == (
        "read as Mistboard's FEN; its files a to g are our g to a; the move number 31 is left out"
    )
    assert reading.rules == RULE_SETS["mistboard"]
    assert read_position(f"{J_FEN} b")[1].unheld


def test_the_rules_may_forbid_a_position() -> None:
    text = "7/7/7/7/1D5/7/7/7/6c w"
    assert read_position(text, rules=Rules(swimmers="rat and dog"))
    with pytest.raises(IllegalPositionError):
        read_position(text, rules=Rules())
    (error,) = read_positions(text, rules="standard", errors="give")
    assert isinstance(error, FormatError)
    assert (error.format, error.line) == ("jtb", 1)


# Files


def test_one_line_tells_the_dialect_of_all() -> None:
    text = f"# positions\n\n{OTHER} b\n{OTHER} w\n{OTHER} r 0 31\n"
    read = list(read_positions(text))
    assert [(p.fen(), r.line) for p, r in read] == [
        (f"{FEW} b", 3),
        (f"{FEW} w", 4),
        (f"{FEW} w", 5),
    ]
    assert {r.format for _, r in read} == {"mistboard"}
    alone = list(read_positions(f"{OTHER} b\n{OTHER} w\n"))
    assert [p.fen() for p, _ in alone] == [f"{OTHER} b", f"{OTHER} w"]


def test_a_bad_line_stands_in_its_place() -> None:
    text = f"{FEW} w\n7/7 w\n{FEW} b\n"
    first, error, last = read_positions(text, errors="give")
    assert isinstance(error, FormatError)
    assert (error.format, error.line) == ("jtb", 2)
    assert [first, last] == [
        item for item in read_positions(text, errors="give") if not isinstance(item, FormatError)
    ]
    with pytest.raises(FormatError, match="jtb, line 2: the board has 9 ranks"):
        list(read_positions(text))


def test_lines_that_fit_unlike_dialects_alike_are_refused() -> None:
    with pytest.raises(AmbiguousError) as refused:
        list(read_positions(f"{OTHER}\n{OTHER}\n"))
    assert {name for name, _ in refused.value.readings} == {"mistboard", "dandelion"}


# Writing


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        ("jtb", f"{FEW} b 9\n", ()),
        ("mistboard", f"{OTHER} b 9 1\n", ()),
        ("misty-jungle", f"{OTHER} b 9 1\n", ()),
        ("katago", f"{FEW} b\n", ("the plies since the last capture",)),
        ("dandelion", f"{FEW} b\n", ("the plies since the last capture",)),
        ("netcan", f"{FEW} b\n", ("the plies since the last capture",)),
        ("moves", f"{FEW} b 9\n\n", ()),
    ],
)
def test_what_is_written(name: str, text: str, lost: tuple[str, ...]) -> None:
    assert write_position(Position.from_fen(f"{FEW} b 9"), name) == (text, lost)


def test_letters_of_leopards() -> None:
    assert write_position(Position.start(), "katago").text == f"{J_FEN} w\n"
    assert write_position(Position.start(), "netcan").text == f"{FEN} w\n"


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("3E3/7/7/7/7/7/7/7/6c b", "an animal is in a den"),
        ("7/7/7/7/7/7/7/7/6c b", "White has no animals"),
        ("7/7/7/7/1D5/7/7/7/6c w", "a dog is in water"),
    ],
)
def test_what_mistboard_refuses(fen: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"mistboard: .*{message}"):
        write_position(Position.from_fen(fen), "mistboard")


@pytest.mark.parametrize("name", ["mistboard-match", "katago-sgf"])
def test_formats_that_begin_at_the_start_hold_no_other_position(name: str) -> None:
    with pytest.raises(FormatError, match=f"{name}: .*the start of the game"):
        write_position(Position.from_fen(f"{FEW} b"), name)


def test_what_can_only_be_read() -> None:
    with pytest.raises(FormatError, match="can be read and not written; these can: jtb, mistboard"):
        write_position(Position.start(), "bbdsq")
    with pytest.raises(FormatError, match="no format is called 'chess'"):
        write_position(Position.start(), "chess")
