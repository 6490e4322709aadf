"""Rendering answers and listings, from made-up values."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import click
import pytest

from jtb.render import answers, counts, text
from tablebase.game.board import Color
from tablebase.game.games import Breach
from tablebase.game.moves import captured, play
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.probe import MoveValue, Probe
from tablebase.probe.answers import Reason

STANDARD = Rules()
CATCH = Position.from_fen("7/7/7/7/7/7/7/d6/D6 w")


def value(
    outcome: int, dtw: int | None = None, dtc: int | None = None, reason: Reason = "table"
) -> Probe:
    return Probe(outcome, dtw, dtc, reason)


def valued(
    position: Position, move: str, outcome: int, dtw: int | None = None, reason: Reason = "table"
) -> MoveValue:
    parsed = Move.parse(move)
    taken = captured(position, parsed)
    letter = None if taken is None else taken.letter
    if letter and position.turn is Color.WHITE:
        letter = letter.lower()
    return MoveValue(parsed, letter, outcome, dtw, None, play(position, parsed), reason)


CATCH_MOVES = [valued(CATCH, "a1a2", 1, 1), valued(CATCH, "a1b1", 0), valued(CATCH, "a1b1", -1, 8)]


@pytest.mark.parametrize(
    ("fen", "answer", "sentence"),
    [
        ("7/7/7/7/7/7/7/d6/D6 w", value(1, 1), "White to move wins in 1 ply."),
        ("7/7/7/7/7/7/7/d6/D6 b", value(-1, 12), "Black to move loses in 12 plies."),
        ("7/7/7/7/7/7/7/d6/D6 b", value(0), "Black to move draws."),
        ("7/7/7/7/7/7/7/d6/D6 w", value(1), "White to move wins."),
        (
            "7/7/7/7/7/7/7/7/D6 b",
            value(-1, 0, reason="no animals"),
            "White has won: Black has no animals left.",
        ),
        (
            "7/7/7/7/7/7/7/7/D6 w",
            value(1, 0, reason="no animals"),
            "White has won: Black has no animals left.",
        ),
        (
            "7/7/7/7/7/7/7/D6/3d3 w",
            value(-1, 0, reason="den"),
            "Black has won: Black is in White's den.",
        ),
        (
            "3D3/7/7/7/7/7/7/7/6d w",
            value(1, 0, reason="den"),
            "White has won: White is in Black's den.",
        ),
        (
            "7/7/7/7/7/7/7/D6/cT5 b",
            value(-1, 0, reason="no moves"),
            "White has won: Black has no legal move.",
        ),
        (
            "7/7/7/7/7/7/7/D6/cT5 b",
            value(0, 0, reason="no moves"),
            "The game is drawn: Black has no legal move.",
        ),
    ],
)
def test_verdict(fen: str, answer: Probe, sentence: str) -> None:
    assert answers.verdict(Position.from_fen(fen), STANDARD, answer) == sentence


def test_verdict_says_what_the_limit_takes_away() -> None:
    plyyard = RULE_SETS["plyyard"]
    assert answers.verdict(CATCH, plyyard, value(0, 71, reason="limit")) == (
        "White to move: a win in 71 plies, but drawn by the 60-ply limit."
    )
    assert answers.verdict(CATCH, plyyard, value(0, 70)) == (
        "White to move: a loss in 70 plies, but drawn by the 60-ply limit."
    )
    assert answers.verdict(CATCH, plyyard, value(0)) == "White to move draws."
    over = replace(CATCH, counter=60)
    assert answers.verdict(over, plyyard, value(0, 71)) == (
        "The game is drawn: 60 plies without a capture (a win in 71 plies for White without the"
        " limit)."
    )
    assert answers.verdict(over, plyyard, value(0)) == (
        "The game is drawn: 60 plies without a capture."
    )
    move = valued(CATCH, "a1b1", 0, 71)
    shown = click.unstyle(answers.probe_text(CATCH, plyyard, value(0, 71), [move]))
    assert "a1b1 (win in 71 plies without the limit)" in shown


@pytest.mark.parametrize(
    ("counter", "dtw", "sentence"),
    [
        (0, 59, "White to move wins in 59 plies."),
        (40, 19, "White to move wins in 19 plies."),
        (40, 21, "White to move wins under the 60-ply limit, without it in 21 plies."),
        (0, 71, "White to move wins under the 60-ply limit, without it in 71 plies."),
        (0, None, "White to move wins."),
    ],
)
def test_verdict_says_no_distance_that_the_limit_may_change(
    counter: int, dtw: int | None, sentence: str
) -> None:
    position = replace(CATCH, counter=counter)
    assert answers.verdict(position, RULE_SETS["plyyard"], value(1, dtw, 9)) == sentence


def test_probe_text_groups_the_moves() -> None:
    shown = click.unstyle(answers.probe_text(CATCH, STANDARD, value(1, 1), CATCH_MOVES))
    assert shown.splitlines()[10:] == [
        "",
        "White to move wins in 1 ply.",
        "",
        "Winning moves (plies to the end):",
        "  a1a2xd 1",
        "",
        "Drawing moves:",
        "  a1b1",
        "",
        "Losing moves (plies to the end):",
        "  a1b1 8",
    ]


def test_board_is_that_of_the_position_in_colour() -> None:
    shown = answers.board(Position.start())
    assert click.unstyle(shown).splitlines() == str(Position.start()).splitlines()[:-1]
    assert click.style("L", fg="red", bold=True) in shown
    assert click.style("l", fg="cyan", bold=True) in shown
    assert shown.splitlines()[9] == "  a b c d e f g"


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(variable: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(click, "echo", lambda _, color, **__: seen.append(color))
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    text.show("x")
    for name, value in variable.items():
        monkeypatch.setenv(name, value)
    text.show("x")
    assert seen == [None, False]


def test_probe_record_is_that_of_the_contract() -> None:
    record = answers.probe_record(CATCH, STANDARD, value(1, 1, 1), CATCH_MOVES[:2])
    assert record == {
        "fen": "7/7/7/7/7/7/7/d6/D6 w",
        "rules": "standard",
        "material": "DvD",
        "side_to_move": "white",
        "outcome": "win",
        "dtw": 1,
        "dtc": 1,
        "moves": [
            {
                "move": "a1a2",
                "capture": "d",
                "outcome": "win",
                "dtw": 1,
                "dtc": None,
                "fen": "7/7/7/7/7/7/7/D6/7 b",
            },
            {
                "move": "a1b1",
                "capture": None,
                "outcome": "draw",
                "dtw": None,
                "dtc": None,
                "fen": "7/7/7/7/7/7/7/d6/1D5 b 1",
            },
        ],
    }
    assert json.loads(text.json_line(record)) == record
    assert answers.probe_record(CATCH, STANDARD, value(1), None)["moves"] is None


def test_line_text_draws_boards_at_captures_and_at_the_end() -> None:
    start = Position.from_fen("7/7/7/7/7/7/7/d6/1D2c2 b")
    line = []
    position = start
    for move, outcome, dtw in (("a2a1", -1, 4), ("b1a1", 1, 3), ("e1e2", -1, 2), ("a1b1", 1, 1)):
        line.append(valued(position, move, outcome, dtw))
        position = line[-1].position
    shown = click.unstyle(answers.line_text(start, STANDARD, value(-1, 4), line, None))
    assert shown.count("a b c d e f g") == 3
    assert "  1... a2a1 2. b1a1xd\n" in shown
    assert "  2... e1e2 3. a1b1\n" in shown
    assert shown.splitlines()[-12:-2] == str(position).splitlines()[:-1]


@pytest.mark.parametrize(
    ("fen", "move", "outcome", "reason", "sentence"),
    [
        (CATCH.fen(), "a1a2", 1, "no animals", "White has won: Black has no animals left."),
        ("7/3D3/7/7/7/7/7/7/d6 w", "d8d9", 1, "den", "White has won: White is in Black's den."),
        ("7/7/7/7/7/7/7/3d3/D6 b", "d2d1", 1, "den", "Black has won: Black is in White's den."),
        (
            "7/7/7/7/7/7/7/D6/c1T4 w",
            "c1b1",
            1,
            "no moves",
            "White has won: Black has no legal move.",
        ),
        (
            "7/7/7/7/7/7/7/D6/c1T4 w",
            "c1b1",
            0,
            "no moves",
            "The game is drawn: Black has no legal move.",
        ),
        (
            "7/7/D6/7/7/7/7/7/d6 w 59",
            "a7a6",
            0,
            "limit",
            "The game is drawn: 60 plies without a capture.",
        ),
        (
            "7/7/D6/7/7/7/7/7/d6 w 59",
            "a7a6",
            0,
            "repetition",
            "From here on the positions repeat themselves: a draw.",
        ),
    ],
)
def test_line_text_says_why_it_ends(
    fen: str, move: str, outcome: int, reason: Reason, sentence: str
) -> None:
    start = Position.from_fen(fen)
    line = [valued(start, move, outcome, reason=reason)]
    shown = answers.line_text(start, RULE_SETS["plyyard"], value(outcome), line, None)
    assert click.unstyle(shown).splitlines()[-1] == sentence


@pytest.mark.parametrize(
    ("breach", "sentences"),
    [
        (
            Breach(1, Move.parse("a1a2"), "7-3"),
            [
                "1... a1a2 is forbidden by the 7-3 rule, of which tables know nothing:",
                "from there on the game may take another course.",
            ],
        ),
        (
            Breach(2, Move.parse("b1a1"), "17-5"),
            [
                "2. b1a1 is forbidden by the 17-5 rule, of which tables know nothing:",
                "from there on the game may take another course.",
            ],
        ),
        (
            Breach(3, Move.parse("a1a2"), "repetition"),
            [
                "Before 2... a1a2 the game is drawn by repetition, of which tables know nothing.",
            ],
        ),
    ],
)
def test_line_text_says_what_tables_do_not_know(breach: Breach, sentences: list[str]) -> None:
    start = Position.from_fen("7/7/7/7/7/7/7/7/d5D b")
    line = [valued(start, "a1a2", 0, reason="repetition")]
    shown = answers.line_text(start, STANDARD, value(0), line, breach)
    assert click.unstyle(shown).splitlines()[-len(sentences) :] == sentences
    record = answers.line_record(start, STANDARD, value(0), line, breach)
    assert record["breach"] == {"ply": breach.ply, "move": str(breach.move), "rule": breach.rule}
    assert answers.line_record(start, STANDARD, value(0), line, None)["breach"] is None


def test_probe_line_is_one_line() -> None:
    assert answers.probe_line(CATCH, STANDARD, value(1, 1), CATCH_MOVES) == (
        "White to move wins in 1 ply. Best is a1a2xd."
    )
    assert answers.probe_line(CATCH, STANDARD, value(0), None) == "White to move draws."


STATS: dict[str, Any] = {
    "material": "EvP",
    "rules": "standard",
    "class": "TvP",
    "metric": "dtw",
    "white": {"win": 5, "loss": 2, "draw": 1500},
    "black": {"win": 1, "loss": 0, "draw": 0},
    "longest_win": {
        "white": {"dtw": 3, "dtc": None, "fen": "…"},
        "black": {"dtw": None, "dtc": None, "fen": None},
    },
    "histogram": {
        "white": {"win": {"1": 2, "3": 3}, "loss": {"2": 2}},
        "black": {"win": {"1": 1}, "loss": {}},
    },
    "zugzwangs": {"full": 1, "half": 1200},
}


def test_stats_text() -> None:
    lines = counts.stats_text(STATS).splitlines()
    assert lines[0] == "EvP under the rules 'standard', table TvP"
    assert lines[3].split() == ["White", "to", "move", "5", "2", "1,500"]
    assert "Longest win of White: 3 plies, …" in lines
    assert "Black never wins" in lines
    assert "Mutual zugzwangs: 1 full, 1,200 half" in lines
    assert [line.split() for line in lines[-3:]] == [
        ["1", "2", "1"],
        ["2", "2", "0"],
        ["3", "3", "0"],
    ]


def test_stats_csv_counts_every_placement() -> None:
    rows = [line.split(",") for line in counts.stats_csv(STATS).splitlines()]
    assert rows[0] == ["side_to_move", "outcome", "plies", "placements"]
    assert ["white", "win", "3", "3"] in rows
    assert ["white", "draw", "", "1500"] in rows
    assert sum(int(row[3]) for row in rows[1:] if row[0] == "white") == 1509 - 2


def test_columns_fill_the_width() -> None:
    lines = text.columns(["x" * 10] * 13).splitlines()
    assert [line.count("x" * 10) for line in lines] == [6, 6, 1]
    assert max(map(len, lines)) <= text.WIDTH
