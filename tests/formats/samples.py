"""A text in every format that is read, written here by other means than the library's writers."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

from tablebase.game.board import SQUARE_NAMES, Color
from tablebase.game.moves import play
from tablebase.game.position import Move, Position
from tablebase.game.rules import Animal

__all__ = [
    "ENDING",
    "ENDING_MOVES",
    "FEN",
    "MIRRORED_ENDING",
    "MIRRORED_FEN",
    "MOVES",
    "SAMPLES",
    "export",
    "flipped",
    "match",
    "puzzles",
    "room",
    "study",
]

_GAME: Final = (
    "a3a4 b8b7 f2e2 c7d7 g3g4 f8g8 c3d3 a7a6 g1g2 d7d6 d3d4 d6d5 a1a2 d5d4 b2b1 a9a8 g4g5 d4d3"
    " g2g3 d3e3 g3g4 e3e2 g4g3 e2d2 a2a1 d2d1"
)
MOVES: Final = _GAME.split()
"""A game from the start that Black wins by entering the den, with three captures."""
FEN: Final = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L"
MIRRORED_FEN: Final = "t5l/1c3d1/e1w1p1r/7/7/7/R1P1W1E/1D3C1/L5T"

ENDING: Final = "7/7/7/7/7/7/1l5/D6/6c"
MIRRORED_ENDING: Final = "7/7/7/7/7/7/5l1/6D/c6"
ENDING_MOVES: Final = ["b3b2", "a2a1", "b2b3", "a1a2", "g1g2", "a2a3", "b3a3"]
"""Black moves first, and takes White's last animal with the last move."""


def flipped(text: str) -> str:
    """The squares in ``text`` with files a to g written g to a."""
    return text.translate(str.maketrans("abcdefg", "gfedcba"))


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def export(moves: list[str] | None = None, **changes: Any) -> dict[str, Any]:
    """A game as Mistboard exports it."""
    moves = MOVES if moves is None else moves
    plies = [
        {
            "ply": ply,
            "mover": "red" if ply % 2 else "black",
            "uci": flipped(move),
            "san": None,
            "red_clock_ms_after": 1000,
            "black_clock_ms_after": None,
        }
        for ply, move in enumerate(moves, start=1)
    ]
    return {
        "schema_version": "1.0",
        "game_id": "jgl_1",
        "source": {"name": "Mistboard", "game_url": "https://example.org/jgl_1"},
        "variant": "jungle",
        "mode": "pvp",
        "time_control": {"initial_ms": 300000, "increment_ms": 3000, "label": "300+3"},
        "players": {"red": {"handle": "Rosa"}, "black": {"handle": None}},
        "started_at": "2026-10-02T10:00:00.000Z",
        "ended_at": "2026-10-02T10:05:00.000Z",
        "result": "black",
        "termination": "race",
        "ply_count": len(moves),
        "license": "CC BY 4.0",
        "plies": plies,
        **changes,
    }


def room(moves: list[str] | None = None, at: int = 1_790_900_000_000) -> list[dict[str, Any]]:
    """The log of a room of Mistboard in which White resigns at the end."""
    moves = MOVES[:-1] if moves is None else moves
    events: list[dict[str, Any]] = [
        {"type": "room-created", "at": at, "roomId": "jgl_2", "gameSpecId": "jungle"}
    ]
    for ply, move in enumerate(moves):
        ends = {"from": flipped(move[:2]), "to": flipped(move[2:])}
        color = "black" if ply % 2 else "red"
        events.append(
            {"type": "move-played", "at": at, "roomId": "jgl_2", "color": color, "move": ends}
        )
        events.append({"type": "clock-ticked", "at": at})
    events.append({"type": "seat-resigned", "at": at, "roomId": "jgl_2", "color": "red"})
    return events


def study() -> dict[str, Any]:
    """A study of Mistboard: a chapter with branches in a branch, and one of another variant."""

    def node(move: str, *children: dict[str, Any], **notes: Any) -> dict[str, Any]:
        said = {"annotations": notes} if notes else {}
        return {"uci": flipped(move), "children": list(children), **said}

    branch = node("b3c3", node("a2a3", node("c3d3")), node("a2b2", glyphs=[4]))
    line = node(
        "b3b2",
        node("a2a1", node("b2b3", node("a1a2"))),
        node("a2a3", comments=[{"text": "Über den Fluß?", "by": "x"}]),
        shapes=[{"kind": "arrow", "brush": "green", "orig": "a1", "dest": "b1"}],
        glyphs=[1, 10],
    )
    root = {
        "annotations": {"comments": [{"text": "Black to move."}]},
        "children": [line, branch],
    }
    tree = {"version": 1, "rootFen": f"{MIRRORED_ENDING} b 4 30", "root": root}
    chapter = {
        "id": "ch1",
        "name": "An ending",
        "variant": "jungle",
        "orientation": "black",
        "root": tree,
        "tags": {"red": "Rosa", "black": "Bert", "result": "0-1", "date": "2026-10-02"},
    }
    other = {"id": "ch2", "name": "Other", "variant": "xiangqi", "root": {"version": 1}}
    return {"study": {"id": "st1", "name": "Endings"}, "chapters": [other, chapter]}


def puzzles() -> dict[str, Any]:
    """A file of puzzles of Mistboard."""
    board = {
        "f4": {"color": "black", "role": "rat"},
        "c8": {"color": "red", "role": "lion"},
    }
    squares = ["."] * 63
    squares[SQUARE_NAMES.index("f4")], squares[SQUARE_NAMES.index("c8")] = "r", "L"
    initial = {
        "id": "p1",
        "board": board,
        "status": {"type": "playing", "turn": "red"},
        "moveNumber": 20,
        "progressClock": 7,
        "positionCounts": {f"red|{''.join(squares)}": 1},
    }
    solution = [{"from": "c8", "to": "d8"}, {"from": "f4", "to": "f5"}, {"from": "d8", "to": "d9"}]
    puzzle = {
        "id": "p1",
        "variant": "jungle",
        "title": "Home",
        "initial": initial,
        "solution": solution,
        "goal": {"type": "win", "winner": "red", "centipawns": 900},
        "themes": ["den-race"],
    }
    return {"format": "mistboard-puzzle-seed-v1", "registry": "jungle", "puzzles": [puzzle]}


def match(moves: list[str] | None = None, **changes: Any) -> dict[str, Any]:
    """A game of a match as Mistboard's scripts write it."""
    moves = MOVES if moves is None else moves
    return {
        "game": 3,
        "red": "katago",
        "black": "misty",
        "moves": [flipped(move) for move in moves],
        "plies": len(moves),
        "result": "black",
        "reason": "den-entered",
        "winner": "misty",
        "seconds": 1.5,
        **changes,
    }


def sgf() -> str:
    half = {name: name[0] + "abcdefghi"[9 - int(name[1])] for name in SQUARE_NAMES}
    nodes = "".join(
        f";{'BW'[ply % 2]}[{half[move[:2]]}];{'BW'[ply % 2]}[{half[move[2:]]}]"
        for ply, move in enumerate(MOVES)
    )
    return f"(;FF[4]GM[1]SZ[7:9]PB[Ro\\]sa]PW[]RU[score3drawjudgeDRAWmm0mc100]RE[W+]{nodes})\n"


def gtp() -> str:
    lines = ["kata-set-rules TrompTaylor", f"setfen {ENDING} b"]
    for ply, move in enumerate(ENDING_MOVES):
        color = "wb"[ply % 2]
        lines += [f"play {color} {move[:2].upper()}", f"play {color} {move[2:].upper()}"]
    return "\n".join([*lines, "play b pass", ""])


def bbdsq() -> str:
    def state(position: Position, over: bool = False) -> list[str]:
        sets = [0, 0]
        sets += [
            sum(1 << square for kind, square in side if kind is animal)
            for animal in Animal
            for side in (position.black, position.white)
        ]
        turn = 0 if over else 1 if position.turn is Color.BLACK else 2
        return [*(f"0x{value:016x}" for value in sets), str(turn)]

    positions = [Position.start()]
    for move in MOVES:
        positions.append(play(positions[-1], Move.parse(move)))
    states = [state(position, position is positions[-1]) for position in positions]
    return "\n".join(
        [
            "DSQSaveFormatVersion: 1",
            "CurrentBoardStateMarker:",
            *states[-1],
            "GameOverStatus: 1",
            "WinnerStatus: 1",
            f"HistorySize: {len(states)}",
            f"CurrentHistoryPly: {len(states) - 1}",
            "HistoryStatesMarker:",
            *(line for lines in states for line in lines),
            "",
        ]
    )


def codingame() -> str:
    def numbers(square: str) -> str:
        return f"{'abcdefg'.index(square[0])} {9 - int(square[1])}"

    lines = [f"{numbers(move[:2])} {numbers(move[2:])}" for move in MOVES]
    lines[3] += " see you, d9"
    return "\n".join(["-1 -1 -1 -1", *lines, ""])


_LINE_FEN: Final = quote(f"{MIRRORED_ENDING} b 4 1", safe="")
SAMPLES: Final[dict[str, str]] = {
    "jtb": f"{FEN} w\n# a comment\n{ENDING} b 4\n",
    "mistboard": f"{MIRRORED_FEN} r 0 1\n{MIRRORED_ENDING} b 4 30\n",
    "misty-jungle": (
        f"uci\nposition fen {MIRRORED_ENDING} b 4 30 reps {MIRRORED_ENDING} b 4 1\ngo nodes 9\n"
    ),
    "katago": f"{FEN.replace('p', 'j').replace('P', 'J')} w\n{ENDING} b\n",
    "dandelion": f"{FEN.replace('p', 'j').replace('P', 'J')}\n{ENDING} b\n",
    "netcan": f"{FEN} w - - 0 1\n{ENDING} b\n",
    "mistboard-games": f"{dumped(export())}\n{dumped(export(game_id='jgl_9'))}\n",
    "mistboard-room": "".join(f"{dumped(event)}\n" for event in room()),
    "mistboard-study": dumped(study()),
    "mistboard-puzzles": json.dumps(puzzles(), indent=1),
    "mistboard-match": f"{dumped(match())}\n{dumped(match(moves=[], result=None, reason=None))}\n",
    "mistboard-line": (
        f"/embed/line/jungle?fen={_LINE_FEN}&moves={','.join(map(flipped, ENDING_MOVES))}"
        "&red=Rosa+L.&event=Open&result=0-1\n"
        f"https://mistboard.com/embed/line/jungle?moves={'+'.join(map(flipped, MOVES))}\n"
    ),
    "katago-sgf": sgf(),
    "katago-gtp": gtp(),
    "bbdsq": bbdsq(),
    "codingame": codingame(),
    "moves": f"{ENDING} b 4\n1... b3-b2 2. A2A1 b2b3!? a1a2 g1g2  a2a3 b3a3xD 0-1\n",
    "moves-mirrored": f"1. {flipped(MOVES[0])} {flipped(MOVES[1])}\n2. {flipped(MOVES[2])}\n",
    "junglechess": (f"# lines\n{flipped(' '.join(MOVES[:5]))}\n{flipped(' '.join(MOVES[:3]))}\n"),
}
"""By the name of its format, a text of it."""
