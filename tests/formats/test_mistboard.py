"""What Mistboard exports: games and months, rooms, studies, puzzles, lines and matches."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from tablebase.errors import FormatError
from tablebase.game.board import Color, parse_square
from tablebase.game.formats import Annotation, Branch, Ending, Record, Shape, read_games, write_game
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tests.formats.samples import (
    ENDING,
    ENDING_MOVES,
    FEN,
    MOVES,
    SAMPLES,
    dumped,
    export,
    flipped,
    match,
    puzzles,
    room,
    study,
)

START = Position.from_fen(f"{FEN} w")


def parsed(moves: list[str]) -> tuple[Move, ...]:
    return tuple(map(Move.parse, moves))


def one(text: str, name: str | None = None, rules: Rules | str | None = None) -> Record:
    (record,) = read_games(text, name, rules=rules)
    return record


def failure(text: str, name: str | None = None) -> FormatError:
    (error,) = read_games(text, name, errors="give")
    assert isinstance(error, FormatError)
    return error


# Games


def test_an_exported_game() -> None:
    record = one(dumped(export()))
    assert (record.start, record.moves) == (START, parsed(MOVES))
    assert record.result == Ending(Color.BLACK, "den")
    assert (record.id, record.white, record.black) == ("jgl_1", "Rosa", None)
    assert (record.rules, record.rules_from) == (RULE_SETS["mistboard"], "format")
    assert record.metadata == {
        "started_at": "2026-10-02T10:00:00.000Z",
        "ended_at": "2026-10-02T10:05:00.000Z",
        "mode": "pvp",
        "license": "CC BY 4.0",
        "time_control": "300+3",
        "url": "https://example.org/jgl_1",
    }
    assert record.mirrored
    assert record.notes == record.unheld == ()
    assert one(json.dumps(export(), indent=2)) == record


def test_a_month_also_gzipped_and_as_a_stream() -> None:
    lines = [
        dumped(export(game_id="a")),
        dumped({**export(), "variant": "xiangqi", "plies": [{"uci": "h2e2"}]}),
        "",
        dumped(export(game_id="b")),
    ]
    text = "\n".join(lines)
    packed = gzip.compress(text.encode())
    sources = (text, text.encode(), packed, io.StringIO(text), io.BytesIO(packed))
    for source in sources:
        assert [(game.id, game.line) for game in read_games(source)] == [("a", 1), ("b", 4)]


def test_a_broken_game_stands_in_its_place() -> None:
    bad = export()
    bad["plies"][4]["uci"] = "a4a6"
    text = "\n".join(dumped(game) for game in (export(), bad, export()))
    first, error, last = read_games(text, errors="give")
    assert isinstance(error, FormatError)
    assert (error.format, error.line, error.ply, error.field) == (
        "mistboard-games",
        2,
        5,
        "plies[4].uci",
    )
    assert "a4a6 (g4g6 here) is no legal move in l5t/" in error.reason
    assert isinstance(first, Record)
    assert first == last
    with pytest.raises(FormatError, match="mistboard-games, line 2, ply 5, field plies"):
        list(read_games(text))


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"schema_version": "2.0"}, "schema_version", "only version 1.0 is known"),
        ({"ply_count": 3}, "ply_count", "it is not 26"),
        ({"ply_count": "26"}, "ply_count", "a whole number is wanted, and '26' is none"),
        ({"result": "white"}, "result", "'white' is none of red, black, draw"),
        ({"termination": "checkmate"}, "termination", "'checkmate' is none of race"),
        ({"players": []}, "players", "an object is wanted"),
        ({"players": {"red": {"handle": 3}, "black": {}}}, "players.red.handle", "a text"),
        ({"plies": None}, "plies", "a list is wanted"),
        ({"game_id": None}, "game_id", "a text is wanted"),
    ],
)
def test_wrong_fields(changes: dict[str, Any], field: str, message: str) -> None:
    error = failure(dumped(export(**changes)))
    assert (error.line, error.field) == (1, field)
    assert message in error.reason


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("ply", 3, "the plies are numbered from 1"),
        ("mover", "red", "the sides take turns"),
        ("uci", "b8b8", "no move such as a1b1"),
        ("uci", None, "a text is wanted"),
        ("mover", 1, "a text is wanted"),
    ],
)
def test_wrong_plies(key: str, value: object, message: str) -> None:
    game = export()
    game["plies"][1][key] = value
    error = failure(dumped(game))
    assert (error.ply, error.field) == (2, f"plies[1].{key}")
    assert message in error.reason


def test_a_ply_that_is_none() -> None:
    game = export()
    game["plies"][0] = "a1b1"
    assert failure(dumped(game)).field == "plies[0]"


def test_a_result_that_the_board_does_not_show_is_noted() -> None:
    record = one(dumped(export(result="red")))
    assert record.notes == ("the record says that White won, the board that Black won",)
    short = export(MOVES[:-1])
    assert one(dumped(short)).notes == ("the record says that it ended by den, the board does not",)
    assert one(dumped({**short, "termination": "timeout"})).notes == ()


def test_old_games_have_the_old_rules() -> None:
    old = one(dumped(export(started_at="2026-09-20T23:00:00.000Z")))
    assert old.rules == replace(RULE_SETS["mistboard"], tiger_jumps="vertical")
    assert old.rules_from == "record"
    assert len(old.unheld) == 1
    for later in ("2026-09-21T00:00:00.000Z", "", "some day", None):
        assert one(dumped(export(started_at=later))).rules.name == "mistboard"
    moves = ["a3b3", "a7a6", "a1a2", "a6a7", "a2a3", "a7b7", "a3a4", "b7a7", "a4d4"]
    crossing = one(
        dumped(export(moves, started_at="2026-09-20T23:00:00Z", termination="abandonment"))
    )
    assert crossing.rules.name == "mistboard"
    assert crossing.notes == ("it began before tigers jumped sideways, and one did",)


def test_the_caller_may_overrule_the_rules() -> None:
    record = one(dumped(export()), rules="leiden")
    assert (record.rules.name, record.rules_from, record.unheld) == ("leiden", "caller", ())
    record = one(dumped(export()), rules=RULE_SETS["baike"])
    assert record.rules.name == "baike"


# Rooms


def log(events: list[dict[str, Any]]) -> str:
    return "".join(f"{dumped(event)}\n" for event in events)


def test_a_room() -> None:
    record = one(log(room()))
    assert record.moves == parsed(MOVES[:-1])
    assert record.result == Ending(Color.BLACK, "resignation")
    assert record.id == "jgl_2"
    assert one(log(room()[:-1])).result is None


def test_rooms_in_turn() -> None:
    other = [{**event, "roomId": "x"} for event in room()]
    other[0]["gameSpecId"] = "xiangqi"
    early = room(MOVES[:3], at=1_767_225_600_000)
    found = list(read_games(log([*room(), *other, *early])))
    assert [len(game.moves) for game in found] == [25, 3]
    assert found[1].rules.tiger_jumps == "vertical"


def test_what_is_wrong_with_a_room() -> None:
    events = room()
    swapped = [*events[:1], *events[3:]]
    error = failure(log(swapped))
    assert (error.line, error.ply, error.field) == (2, 1, "color")
    elsewhere = room()
    elsewhere[1]["roomId"] = "other"
    assert failure(log(elsewhere)).field == "roomId"
    assert failure(log(events[1:]), "mistboard-room").field == "type"
    late = [*events, events[1]]
    assert "after a player resigned" in failure(log(late)).reason
    assert failure(log([{**events[0], "at": 10**30}])).field == "at"
    cut = log(events)[:400]
    assert "no JSON" in failure(cut).reason
    # One error a room, and the next is read.
    found = list(read_games(log([*swapped, *events]), errors="give"))
    assert [isinstance(game, FormatError) for game in found] == [True, False]


# Studies


def test_a_study_with_branches() -> None:
    record = one(dumped(study()))
    assert record.start.fen() == f"{ENDING} b 4"
    assert record.moves == parsed(["b3b2", "a2a1", "b2b3", "a1a2"])
    assert record.result == Ending(Color.BLACK)
    assert (record.id, record.white, record.black) == ("ch1", "Rosa", "Bert")
    assert record.metadata == {"name": "An ending", "date": "2026-10-02"}
    arrow = Shape("green", parse_square("g1"), parse_square("f1"))
    assert record.annotations == {
        0: Annotation(("Black to move.",)),
        1: Annotation((), (1, 10), (arrow,)),
    }
    assert record.branches == (
        Branch(
            1,
            parsed(["b3c3", "a2a3", "c3d3"]),
            branches=(Branch(2, parsed(["a2b2"]), {2: Annotation((), (4,))}),),
        ),
        Branch(2, parsed(["a2a3"]), {2: Annotation(("Über den Fluß?",))}),
    )


def deep_study(plies: int) -> str:
    """A study of so many plies, too deep for a parser that calls itself."""
    shuttle = ["b3b2", "a2a1", "b2b3", "a1a2"]
    moves = [flipped(shuttle[ply % 4]) for ply in range(plies)]
    opening = "".join(f'{{"uci":"{move}","children":[' for move in moves)
    whole = dumped(study())
    inner = opening + "]}" * plies
    chapter = json.loads(whole)["chapters"][1]
    chapter["root"]["root"] = {"children": ["TREE"]}
    chapter.pop("tags")
    return dumped({"study": {}, "chapters": [chapter]}).replace('"TREE"', inner)


def test_a_study_may_be_longer_than_a_stack_is_deep() -> None:
    record = one(deep_study(3000))
    assert len(record.moves) == 3000
    assert record.branches == ()
    error = failure(deep_study(3000)[:-3])
    assert "it is no JSON: " in error.reason
    error = failure(deep_study(3000).replace("f3f2", "f3f9", 1))
    assert (error.ply, error.field) == (1, None)


def test_the_first_illegal_move_of_a_branch() -> None:
    changed = study()
    root = changed["chapters"][1]["root"]["root"]
    root["children"][1]["children"][0]["uci"] = "g2g9"
    error = failure(dumped(changed))
    assert (error.format, error.ply) == ("mistboard-study", 2)
    root["children"][1]["children"][0]["uci"] = "no"
    error = failure(dumped(changed))
    assert error.ply == 2
    assert error.field == "the node of ply 2.uci"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"root": {"version": 2}}, "chapters[1].root.version"),
        ({"root": {"version": 1}}, "chapters[1].root.root"),
        ({"root": {"version": 1, "rootFen": "x", "root": {}}}, "chapters[1].root.rootFen"),
        ({"tags": 1}, "chapters[1].tags"),
        (
            {"root": {"root": {"annotations": {"glyphs": ["!"]}}}},
            "chapters[1].root.root.annotations.glyphs",
        ),
        (
            {"root": {"root": {"annotations": {"shapes": [{"orig": "h1"}]}}}},
            "chapters[1].root.root.annotations.shapes[0].orig",
        ),
    ],
)
def test_wrong_chapters(change: dict[str, Any], field: str) -> None:
    changed = study()
    changed["chapters"][1] |= change
    assert failure(dumped(changed)).field == field


# Puzzles


def test_puzzles() -> None:
    record = one(json.dumps(puzzles()))
    assert record.start.fen() == "7/4L2/7/7/7/1r5/7/7/7 w 7"
    assert record.moves == parsed(["e8d8", "b4b5", "d8d9"])
    assert record.result is None
    assert record.metadata == {
        "title": "Home",
        "goal": "win",
        "winner": "red",
        "centipawns": 900,
        "themes": ["den-race"],
        "move_number": 20,
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"board": {"h1": {}}}, "puzzles[0].initial.board"),
        ({"board": {"b4": {"color": "red", "role": "cat"}}}, "puzzles[0].initial.board"),
        ({"board": {"a1": {"color": "red", "role": "cow"}}}, "puzzles[0].initial.board.a1.role"),
        ({"status": {"type": "finished"}}, "puzzles[0].initial.status.type"),
        ({"progressClock": -1}, "puzzles[0].initial.board"),
        ({"positionCounts": {"red|...": 1}}, "puzzles[0].initial.positionCounts"),
    ],
)
def test_wrong_puzzles(change: dict[str, Any], field: str) -> None:
    changed = puzzles()
    changed["puzzles"][0]["initial"] |= change
    assert failure(json.dumps(changed)).field == field


def test_an_illegal_solution() -> None:
    changed = puzzles()
    changed["puzzles"][0]["solution"][1]["to"] = "f9"
    error = failure(json.dumps(changed))
    assert (error.ply, error.field) == (2, "puzzles[0].solution[1]")


# Lines


def test_lines() -> None:
    ending, game = read_games(SAMPLES["mistboard-line"])
    assert ending.start.fen() == f"{ENDING} b 4"
    assert ending.moves == parsed(ENDING_MOVES)
    assert (ending.white, ending.black, ending.result) == ("Rosa L.", None, Ending(Color.BLACK))
    assert ending.metadata == {"event": "Open"}
    assert (game.start, game.moves, game.result) == (START, parsed(MOVES), None)


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ("moves=a1a2,zz", "moves", "'zz' is no move"),
        ("fen=7/7&moves=", "fen", "the board has 9 ranks"),
        ("moves=a1a9", "moves", "no legal move"),
        ("moves=a1a2&moves=b2b3", "moves", "more than once"),
        ("moves=&result=2-0", "result", "'2-0' is none of"),
        ("moves=%ff", None, "cannot be decoded"),
    ],
)
def test_wrong_lines(query: str, field: str | None, message: str) -> None:
    error = failure(f"/embed/line/jungle?{query}\n")
    assert (error.format, error.line, error.field) == ("mistboard-line", 1, field)
    assert message in error.reason


def test_lines_of_other_variants_are_skipped() -> None:
    text = "/embed/line/xiangqi?moves=h2e2\n/embed/line/jungle?moves=a1a2\nnonsense\n"
    record, error = read_games(text, errors="give")
    assert isinstance(record, Record)
    assert isinstance(error, FormatError)
    assert error.line == 3


def test_a_written_line() -> None:
    record = one(dumped(export(MOVES[:2], termination="timeout")))
    text, lost = write_game(record, "mistboard-line")
    assert text == "/embed/line/jungle?moves=g3g4%2Cf8f7&red=Rosa&result=0-1\n"
    assert lost == (
        "its id",
        "the reason of the result",
        "started at",
        "ended at",
        "mode",
        "license",
        "time control",
        "url",
    )


# Matches


def test_a_match() -> None:
    game, empty = read_games(SAMPLES["mistboard-match"])
    assert game.moves == parsed(MOVES)
    assert (game.id, game.white, game.black) == ("3", "katago", "misty")
    assert game.result == Ending(Color.BLACK, "den")
    assert (empty.moves, empty.result) == ((), None)


@pytest.mark.parametrize(
    ("changes", "field", "ply"),
    [
        ({"plies": 25}, "plies", None),
        ({"moves": ["a1"]}, "moves[0]", 1),
        ({"moves": [1]}, "moves[0]", None),
        ({"moves": ["a1a9"], "plies": 1}, "moves[0]", 1),
        ({"result": "white"}, "result", None),
        ({"reason": "race"}, "reason", None),
        ({"game": "3"}, "game", None),
    ],
)
def test_wrong_matches(changes: dict[str, Any], field: str, ply: int | None) -> None:
    error = failure(dumped({**match(), **changes}))
    assert (error.format, error.field, error.ply) == ("mistboard-match", field, ply)


def test_a_written_match() -> None:
    record = one(dumped(match()))
    text, lost = write_game(record, "mistboard-match")
    said = json.loads(text)
    assert said == {key: value for key, value in match().items() if key != "seconds"}
    assert lost == ()
    named = replace(record, id="jgl_7", result=Ending(None, "abandonment"), white=None)
    text, lost = write_game(named, "mistboard-match")
    assert "game" not in json.loads(text)
    assert json.loads(text)["winner"] is None
    assert lost == ("its id",)
