"""KataGo's SGF and GTP: moves in halves, rules in the record, passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.formats import Ending, Record, read_games, write_game
from tablebase.game.formats.katago import KataRules, rules_text
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tests.formats.samples import ENDING, ENDING_MOVES, MOVES, SAMPLES, gtp, sgf

HEAD = "(;FF[4]GM[1]SZ[7:9]PB[]PW[]RU[TrompTaylor]"


def parsed(moves: list[str]) -> tuple[Move, ...]:
    return tuple(map(Move.parse, moves))


def one(text: str, name: str | None = None) -> Record:
    (record,) = read_games(text, name)
    return record


def failure(text: str, name: str | None = None) -> FormatError:
    (error,) = read_games(text, name, errors="give")
    assert isinstance(error, FormatError)
    return error


# SGF


def test_a_game() -> None:
    record = one(sgf())
    assert (record.start, record.moves) == (Position.start(), parsed(MOVES))
    assert (record.white, record.black) == ("Ro]sa", None)
    assert record.result == Ending(Color.BLACK)
    assert record.rules_from == "record"
    assert record.rules == Rules(
        rat_leaving_water_captures="rat",
        rat_entering_water_captures=True,
        jump_blocked_by="enemy",
        no_capture_limit=100,
    )
    assert len(record.unheld) == 1
    assert record.unheld[0].startswith("7-3")
    assert not record.mirrored


def test_many_games_in_one_file() -> None:
    text = f"\n{sgf()}{sgf().strip()} {HEAD}\n;B[ag]\n;B[af])\n"
    assert [(len(game.moves), game.line) for game in read_games(text)] == [(26, 2), (26, 3), (1, 3)]


@pytest.mark.parametrize(
    ("result", "ending"),
    [
        ("RE[B+]", Ending(Color.WHITE)),
        ("RE[W+R]", Ending(Color.BLACK, "resignation")),
        ("RE[0]", Ending(None)),
        ("RE[Void]", None),
        ("", None),
    ],
)
def test_results(result: str, ending: Ending | None) -> None:
    record = one(f"{HEAD}{result};B[ag];B[af])")
    assert record.result == ending
    assert bool(record.notes) is (result == "RE[Void]")


def test_half_a_move_at_the_end_is_left_out() -> None:
    record = one(f"{HEAD}RE[W+R];B[ag];B[af];W[ac])")
    assert record.moves == parsed(["a3a4"])
    assert record.notes == ("the last half of a move, from a7, is left out",)


def test_passes() -> None:
    passed = one(f"{HEAD};B[ag];B[af];W[])")
    assert passed.result == Ending(Color.WHITE, "pass")
    assert one(f"{HEAD}RE[B+];B[ag];B[af];W[])").result == Ending(Color.WHITE, "pass")
    odd = one(f"{HEAD}RE[W+];B[ag];B[af];W[])")
    assert odd.result == Ending(Color.BLACK)
    assert odd.notes == ("Black passed, which loses; the record says otherwise",)
    assert failure(f"{HEAD};B[ag];B[af];W[];B[af])").ply == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (sgf()[:60], "the game is cut off"),
        (sgf().rstrip()[:-1], "the game is cut off"),
        (sgf().replace("7:9", "19"), "the board of Jungle is 7:9, not '19'"),
        (sgf().replace("SZ[7:9]", ""), "the board of Jungle is 7:9"),
        (sgf().replace("score3", "score4"), "names no rules of this program"),
        (sgf().replace("judgeDRAW", "judgeFOO"), "'FOO' is none of DRAW, COUNT, WEIGHT"),
        (sgf().replace("mc100", "mc99999"), "mc is 0 to 10000 plies"),
        (sgf().replace("RE[W+]", "RE[Black]"), "'Black' is none of B+, W+"),
        (sgf().replace(";B[ag]", ";B[zz]", 1), "'zz' is no square"),
        (sgf().replace(";B[ag]", ";W[ag]", 1), "it is the other side's half of a move"),
        (sgf().replace(";B[af]", ";B[ae]", 1), "a3a5 is no legal move"),
        (sgf().replace(";B[ag]", ";AB[ag]", 1), "a start set up square by square"),
        (sgf().replace(";B[ag]", "(;B[ag]", 1).replace(")", "))"), "it has variations"),
        (sgf().replace(";B[ag]", ";B", 1), "a node begins with ';'"),
        (sgf().replace(";B[ag]", "x;B[ag]", 1), "a node begins with ';'"),
        ("(;)", "the board of Jungle"),
    ],
)
def test_what_is_wrong_with_a_record(text: str, message: str) -> None:
    error = failure(text, "katago-sgf")
    assert message in str(error)
    assert (error.format, error.line) == ("katago-sgf", 1)


def test_a_broken_game_stands_in_its_place() -> None:
    broken = sgf().replace(";B[ag]", ";B[gi]", 1)
    found = list(read_games(f"{sgf()}{broken}{sgf()}", errors="give"))
    assert [isinstance(game, FormatError) for game in found] == [False, True, False]
    assert isinstance(found[1], FormatError)
    assert (found[1].line, found[1].ply) == (2, 1)


def test_a_written_record() -> None:
    record = one(sgf())
    text, lost = write_game(record, "katago-sgf")
    assert text == sgf().replace("PW[]RU", "PW[]RU")
    assert lost == ()
    standard = replace(record, rules=RULE_SETS["mistboard"], result=Ending(None, "limit"))
    text, lost = write_game(standard, "katago-sgf")
    assert "RU[TrompTaylor]RE[0];" in text
    assert lost == ("the reason of the result", "the rule repetition: 3")


@pytest.mark.parametrize(
    ("rules", "text", "lost"),
    [
        ("katago", "TrompTaylor", ()),
        ("standard", "score0drawjudgeDRAWmm0mc0", ()),
        (
            "leiden",
            "score1drawjudgeDRAWmm0mc0",
            ("the rule elephant_captures_rat: always",),
        ),
        (
            "baike",
            "score3drawjudgeDRAWmm0mc200",
            (
                "the rule trapped_attack: zero",
                "the rule order: dog over wolf",
                "the rule history: baike",
            ),
        ),
    ],
)
def test_rules_written_for_katago(rules: str, text: str, lost: tuple[str, ...]) -> None:
    assert rules_text(RULE_SETS[rules]) == (text, lost)
    assert KataRules.parse(text).rules().no_capture_limit == RULE_SETS[rules].no_capture_limit


def test_rules_that_no_switch_holds() -> None:
    rules = KataRules.parse("score2drawjudgeWEIGHTmm300mc0")
    assert rules.rules() == Rules(jump_blocked_by="enemy")
    assert [text.split(":")[0] for text in rules.unheld()] == ["7-3", "mm", "drawjudge"]


# GTP


def test_a_log_without_answers() -> None:
    record = one(gtp())
    assert record.start.fen() == f"{ENDING} b"
    assert record.moves == parsed(ENDING_MOVES)
    assert record.result == Ending(Color.BLACK, "no animals")
    assert record.rules == RULE_SETS["katago"]


def test_a_log_with_answers() -> None:
    text = """\
1 kata-set-rules {"scoring":"1","mc":60}
=1

2 clear_board
=2

showboard
= MoveNum: 0
7 r . j . w . e

3 genmove b
=3 A3

genmove b
= A4

play w A1
? illegal move

play w A7  # the other side
=
play w A6
=
play w B8
=
undo
=
undo
=
undo
=
undo
=
undo
=
play b G3
=
play b G4
=
genmove w
= resign
"""
    record = one(text)
    assert record.moves == parsed(["g3g4"])
    assert record.result == Ending(Color.WHITE, "resignation")
    assert record.rules == Rules(
        rat_leaving_water_captures="rat", rat_entering_water_captures=True, no_capture_limit=60
    )


def test_games_in_turn_keep_the_rules() -> None:
    moves = "play b A3\nplay b A4\n"
    text = f"{moves}kata-set-rule scoring 2\nclear_board\n{moves}setfen {ENDING} b\nplay w B3\n"
    found = list(read_games(text))
    assert [(len(game.moves), game.rules.jump_blocked_by) for game in found] == [
        (1, "enemy"),
        (1, "enemy"),
        (0, "enemy"),
    ]
    assert [game.line for game in found] == [1, 4, 7]


@pytest.mark.parametrize(
    ("text", "line", "ply", "message"),
    [
        ("play b A3\nplay b A5\n", 1, 1, "a3a5 is no legal move"),
        ("play b A3\nplay b A4\nplay w H9\n", 3, 2, "'H9' is no square"),
        ("play b A3\nplay b A4\nplay w\n", 3, 2, "a colour and a square"),
        ("play b A3\ngenmove b\nplay w A7\n", 2, 1, "the answer to genmove is not in the log"),
        ("clear_board\nundo\n", 2, None, "there is nothing to take back"),
        ("setfen 7/7 b\n", 1, None, "the board has 9 ranks"),
        ("setfen 7/7/7/7/1E5/7/7/7/7 b\n", 1, None, "stands in water"),
        ("play b A3\nplay b A4\nloadsgf x.sgf\n", 3, 2, "what this sets up is not in the log"),
        ("kata-set-rules Chinese\nplay b A3\n", 1, None, "names no rules"),
        ('kata-set-rules {"scoring":9}\nplay b A3\n', 1, None, "scoring is 0 to 3"),
        ("kata-set-rule komi 7\nplay b A3\n", 1, None, "no rule is called 'komi'"),
        ("kata-set-rule mc -1\nplay b A3\n", 1, None, "mc is a number of plies"),
        ("play b resign\nplay b A3\n", 2, 1, "a move after a player resigned"),
    ],
)
def test_what_is_wrong_with_a_log(text: str, line: int, ply: int | None, message: str) -> None:
    error = failure(text)
    assert (error.format, error.line, error.ply) == ("katago-gtp", line, ply)
    assert message in error.reason


def test_a_written_log() -> None:
    record = one(SAMPLES["mistboard-line"].splitlines()[0])
    text, lost = write_game(record, "katago-gtp")
    assert text.splitlines()[:4] == [
        'kata-set-rules {"scoring":"0","drawjudge":"DRAW","mm":0,"mc":200}',
        f"setfen {ENDING} b",
        "play w B3",
        "play w B2",
    ]
    assert lost == (
        "White's player",
        "the result",
        "event",
        "the plies since the last capture",
        "the rule repetition: 3",
    )
    assert one(text).moves == parsed(ENDING_MOVES)
