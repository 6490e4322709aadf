"""Boards as SVG pictures, and how notebooks find them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tablebase.game import pictures
from tablebase.game.board import parse_square
from tablebase.game.fen import LETTERS
from tablebase.game.position import Move, Position

SVG = "{http://www.w3.org/2000/svg}"
START = Position.start()


def picture(text: str) -> ET.Element:
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return root


def titles(root: ET.Element) -> list[str]:
    return [title.text or "" for title in root.iter(f"{SVG}title")]


def texts(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def test_every_animal_is_where_it_stands() -> None:
    root = picture(pictures.board(START))
    pieces = {}
    for group in root.iter(f"{SVG}g"):
        title, circle, text = list(group)
        x, y = (int(circle.attrib[key]) - 38 for key in ("cx", "cy"))
        assert x % 40 == y % 40 == 0
        pieces[(8 - y // 40) * 7 + x // 40] = text.text
        assert (title.text or "").endswith("abcdefg"[x // 40] + str(9 - y // 40))
    assert pieces == {s: LETTERS[piece].upper() for s, piece in START.pieces.items()}
    assert titles(root)[0] == START.fen()
    assert "White elephant, a3" in titles(root)
    assert "Black elephant, g7" in titles(root)


def test_sides_look_different() -> None:
    white = picture(pictures.board(Position.from_fen("7/7/7/7/7/7/7/7/E5e w")))
    discs = [circle.attrib["fill"] for circle in white.iter(f"{SVG}circle")]
    assert len(set(discs)) == 2


def test_terrain_and_names() -> None:
    text = pictures.board()
    root = picture(text)
    fills = [r.attrib["fill"] for r in root.iter(f"{SVG}rect")]
    counts = sorted(fills.count(fill) for fill in set(fills))
    assert counts == [1, 2, 6, 12, 63 - 2 - 6 - 12]
    assert sorted(texts(root)) == sorted([*"abcdefg", *"123456789"] * 2)


def test_whose_turn_it_is() -> None:
    assert "White to move" in texts(picture(pictures.board(START)))
    black = Position.from_fen("7/7/7/7/7/7/7/7/E5e b")
    assert "Black to move" in texts(picture(pictures.board(black)))
    assert "黑方走棋" in texts(picture(pictures.board(black, labels="zh")))


def test_chinese_names() -> None:
    shown = texts(picture(pictures.board(START, labels="zh")))
    for character in "象狮虎豹狼狗猫鼠":
        assert shown.count(character) == 2
    assert "E" not in shown


def test_arrows_and_squares() -> None:
    plain = pictures.board(START)
    move = Move.parse("g1g2")
    text = pictures.board(
        START, arrows=[move, (0, 7), (5, 5)], squares=[parse_square("d5"), 31, 62]
    )
    root = picture(text)
    assert len(list(root.iter(f"{SVG}polygon"))) == 2
    assert {"g1g2", "a1a2"} <= set(titles(root))
    rects = len(list(root.iter(f"{SVG}rect")))
    assert rects == len(list(picture(plain).iter(f"{SVG}rect"))) + 2
    assert pictures.board(START) == plain


def test_size_keeps_the_shape() -> None:
    small, large = (picture(pictures.board(size=size)) for size in (200, 800))
    assert (small.attrib["width"], large.attrib["width"]) == ("200", "800")
    assert small.attrib["viewBox"] == large.attrib["viewBox"]
    ratio = [int(root.attrib["height"]) / int(root.attrib["width"]) for root in (small, large)]
    assert ratio[0] == pytest.approx(ratio[1], rel=0.01)


@pytest.mark.parametrize("square", [-1, 63])
def test_squares_that_do_not_exist(square: int) -> None:
    with pytest.raises(ValueError, match=f"no square {square}"):
        pictures.board(squares=[square])
    with pytest.raises(ValueError, match=f"no square {square}"):
        pictures.board(arrows=[(0, square)])


def test_other_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="labels is one of: en, zh"):
        pictures.board(labels="de")  # type: ignore[arg-type]


def test_notebooks_find_the_picture() -> None:
    assert START._repr_svg_() == pictures.board(START)
    code = "import sys, tablebase.game.position; print('tablebase.game.pictures' in sys.modules)"
    root = Path(__file__).resolve().parent.parent
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "False\n"
