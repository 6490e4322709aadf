"""The records of other programs that lie beside the checkout mean what is said they mean."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablebase.game.board import Color
from tablebase.game.formats import Ending, Record, read_games, read_positions
from tablebase.game.formats.analyses import (
    TableAnswer,
    read_analysis,
    read_best_moves,
    read_table_answer,
)
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS

WINNERS = {"white": Color.WHITE, "black": Color.BLACK, None: None}
SAID = {
    "red": Color.WHITE,
    "black": Color.BLACK,
    "draw": None,
    "1-0": Color.WHITE,
    "0-1": Color.BLACK,
    "1/2-1/2": None,
    "B+": Color.WHITE,
    "W+": Color.BLACK,
    "0": None,
}
LOSES_COUNTER = ("katago/few.gtp", "bbdsq/few.txt")
RULES = {"mistboard": "mistboard", "katago": "katago", "bbdsq": "standard"}


@pytest.fixture(scope="module")
def records(shared: Path) -> Path:
    folder = shared / "records"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder} with records of other programs")
    return folder


@pytest.fixture(scope="module")
def expected(records: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((records / "expected.json").read_text("utf-8"))
    return found


@cache
def games(path: Path, name: str | None) -> list[Record]:
    with path.open("rb") as file:
        return list(read_games(file, name))


def item_of(record: dict[str, Any]) -> int:
    """Which of the games that are read it is: other variants are skipped."""
    return int(record["item"]) - int(record["file"] == "mistboard/all.jsonl")


@pytest.mark.parametrize("named", [False, True])
def test_games(records: Path, expected: dict[str, Any], named: bool) -> None:
    for record in expected["records"]:
        file, game = record["file"], expected["games"][record["game"]]
        program = file.split("/")[0]
        read = games(records / file, program if named else None)[item_of(record)]
        start = Position.from_fen(game["start_fen"])
        if file in LOSES_COUNTER:
            start = Position(start.white, start.black, start.turn)
        assert read.start == start, file
        assert " ".join(map(str, read.moves)) == " ".join(game["moves"].split()[: record["plies"]])
        assert read.mirrored is record["mirrored"]
        *_, last = read.positions()
        if record["plies"] == game["plies"]:
            assert last == Position.from_fen(game["final_fen"])
        if program in RULES:
            assert read.rules == RULE_SETS[RULES[program]] or file == "katago/limit.sgf"
        check_result(read, record["recorded"], game["result"], file)


def check_result(
    read: Record, recorded: dict[str, Any], result: dict[str, Any] | None, file: str
) -> None:
    """What the record says, and where it says why, the reason of the game."""
    if "goal" in recorded:
        assert read.result is None
        assert read.metadata["winner"] == recorded["winner"]
        assert read.metadata["move_number"] == recorded["moveNumber"]
        return
    if "resigned" in recorded:
        assert read.result == Ending(SAID[recorded["resigned"]].other, "resignation")  # type: ignore[union-attr]
        return
    if "GameOverStatus" in recorded:
        winner = {0: None, 1: Color.BLACK, 2: Color.WHITE}[recorded["WinnerStatus"]]
        assert read.result == (Ending(winner) if recorded["GameOverStatus"] else None)
        assert read.metadata.get("current_ply") == recorded.get("CurrentHistoryPly")
        return
    word = recorded.get("result", recorded.get("RE"))
    if word is None:
        assert read.result is None
        return
    assert read.result is not None
    assert read.result.winner is SAID[word]
    if recorded.get("termination") == "resignation":
        assert read.result.reason == "resignation"
    elif "termination" in recorded or "reason" in recorded or file == "katago/capture.sgf":
        assert result is not None
        assert read.result == (WINNERS[result["winner"]], result["reason"])
    else:
        assert read.result.reason is None


def test_branches_and_comments(records: Path, expected: dict[str, Any]) -> None:
    record = next(r for r in expected["records"] if "sidelines" in r)
    read = games(records / record["file"], None)[record["item"]]
    (branch,) = read.branches
    (said,) = record["sidelines"]
    assert (branch.ply, " ".join(map(str, branch.moves))) == (said["at_ply"], said["moves"])
    comments = {str(ply): len(a.comments) for ply, a in read.annotations.items() if a.comments}
    assert comments == record["comments"]
    glyphs = {str(ply): list(a.glyphs) for ply, a in read.annotations.items() if a.glyphs}
    assert {**glyphs, "sideline 2": list(branch.annotations[2].glyphs)} == record["glyphs"]
    assert sum(len(a.shapes) for a in read.annotations.values()) == 2


@pytest.mark.parametrize("named", [False, True])
def test_positions(records: Path, expected: dict[str, Any], named: bool) -> None:
    files = {p["file"] for p in expected["positions"]} - {"misty-jungle/analyze.json"}
    for file in files:
        with (records / file).open("rb") as stream:
            found = list(read_positions(stream, file.split("/")[0] if named else None))
        read = {reading.line: (position.fen(), reading.mirrored) for position, reading in found}
        said = {
            p["line"]: (p["fen"], p["mirrored"]) for p in expected["positions"] if p["file"] == file
        }
        assert read == said


def test_answers(records: Path, expected: dict[str, Any]) -> None:
    best = [p["bestmove"] for p in expected["positions"] if "bestmove" in p]
    dialogue = (records / "misty-jungle/dialogue.out").read_text("utf-8")
    assert [str(move) for move in read_best_moves(dialogue)] == best
    (analysis,) = [p["lines"] for p in expected["positions"] if "lines" in p]
    lines = read_analysis((records / "misty-jungle/analyze.json").read_text("utf-8"))
    assert [str(line.move) for line in lines] == analysis
    said = expected["tablebase_answer"]
    answer = read_table_answer((records / said["file"]).read_text("utf-8"))
    assert answer is not None
    assert (answer.outcome, answer.dtw) == (said["outcome"], said["dtw"])
    # e8d8 in the mirrored squares of the answer: c8d8, the first.
    assert answer.moves[0] == (Move.parse("e8d8"), TableAnswer(-1, 14))
