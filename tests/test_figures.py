"""Pictures: boards as SVG, and figures that show the numbers they were given."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tablebase import Position, figures
from tablebase.game import pictures
from tablebase.game.board import SQUARES
from tablebase.tablefile import Histogram

CATCH = Position.from_fen("7/7/7/7/7/7/7/d6/D6 w")
FORK = Position.from_fen("7/7/7/7/7/3e3/3L3/5R1/7 b")


@pytest.fixture
def plt() -> Any:
    """pyplot without a screen; every figure is closed at the end."""
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'notebooks'")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_boards_are_one_picture_of_several() -> None:
    picture = figures.boards([CATCH, FORK, CATCH], ["one", "a < b & c"], columns=2, size=100)
    assert picture._repr_svg_() == picture.text
    root = ET.fromstring(picture.text)
    space = "{http://www.w3.org/2000/svg}"
    inner = root.findall(f"{space}svg")
    places = [(int(board.attrib["x"]), int(board.attrib["y"])) for board in inner]
    assert places[0][1] == places[1][1] < places[2][1]
    assert places[0][0] == places[2][0] < places[1][0]
    assert {int(board.attrib["width"]) for board in inner} == {100}
    assert [text.text for text in root.findall(f"{space}text")] == ["one", "a < b & c"]
    titles = [board.findtext(f"{space}title") for board in inner]
    assert titles == [CATCH.fen(), FORK.fen(), CATCH.fen()]


def test_boards_lose_nothing_of_a_single_one() -> None:
    one = pictures.board(FORK, arrows=[(9, 16)], squares=[30], size=210)
    picture = figures.boards([FORK], arrows=[[(9, 16)]], squares=[[30]])
    assert set(one.split("\n")[1:]) <= set(picture.text.split("\n"))
    twice = figures.boards([FORK, FORK])
    assert len(twice.text) < 1.5 * len(pictures.board(FORK))


def test_heat_map_shows_every_number(plt: Any) -> None:
    values = [[0.5, -1.0, np.nan], [0.0, 1.0, -0.001]]
    ax: Any = figures.heat_map(
        values, ["E", "L"], ["e", "l", "t"], title="score", row_label="White"
    )
    assert [text.get_text() for text in ax.texts] == ["0.50", "-1.00", "0.00", "1.00", "0.00"]
    assert ax.get_title() == "score"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["E", "L"]
    assert np.array_equal(ax.images[0].get_array().filled(np.nan), values, equal_nan=True)
    _, given = plt.subplots()
    assert figures.heat_map(values, ["E", "L"], ["e", "l", "t"], texts=[], ax=given) is given
    assert not given.texts


def test_board_map_has_a1_at_the_bottom_left(plt: Any) -> None:
    values = np.arange(SQUARES, dtype=float)
    _, given = plt.subplots()
    ax: Any = figures.board_map(values, texts={0: "R"}, color_label="plies", ax=given)
    shown = ax.images[0].get_array()
    assert shown[0].tolist() == [0, 1, 2, 3, 4, 5, 6]
    bottom, top = ax.get_ylim()
    assert bottom < top
    assert [(t.get_text(), t.get_position()) for t in ax.texts] == [("R", (0, 0))]


def test_histogram_puts_losses_below(plt: Any) -> None:
    counts = Histogram({1: 5, 3: 7}, {2: 4}, 1)
    _, given = plt.subplots()
    ax: Any = figures.histogram(counts, ax=given)
    assert [bar.get_height() for bar in ax.patches] == [5, 7, -4]
    assert ax.get_legend() is None
    both: Any = figures.histogram([counts, counts])
    assert [text.get_text() for text in both.get_legend().get_texts()] == [
        "White to move",
        "Black to move",
    ]
    assert both.yaxis.get_major_formatter()(-2000, None) == "2,000"


def test_shares_and_bars_are_as_long_as_their_numbers(plt: Any) -> None:
    ax: Any = figures.shares([[1, 1, 2], [0, 4, 0]], ["a", "b"])
    assert [round(bar.get_width(), 2) for bar in ax.patches] == [0.25, 0, 0.5, 0, 0.25, 1]
    assert sorted(text.get_text() for text in ax.texts) == ["100%", "25%", "25%", "50%"]
    _, given = plt.subplots()
    bars: Any = figures.bars({"two": 33, "three": 1067}, ax=given)
    assert [bar.get_width() for bar in bars.patches] == [33, 1067]
    assert [text.get_text() for text in bars.texts] == ["33", "1,067"]
