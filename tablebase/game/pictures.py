"""Boards as SVG pictures, for notebooks and web pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import hypot
from typing import Final, Literal, Protocol

from tablebase.game.board import DENS, FILES, RANKS, SQUARE_NAMES, SQUARES, TRAPS, WATER, Color
from tablebase.game.rules import Animal

__all__ = ["Drawable", "Labels", "board"]

Labels = Literal["en", "zh"]

_CHARACTERS: Final = dict(zip(Animal, "鼠猫狗狼豹虎狮象", strict=True))
_TURN: Final[dict[Labels, tuple[str, str]]] = {
    "en": ("White to move", "Black to move"),
    "zh": ("白方走棋", "黑方走棋"),
}
_FONTS: Final[dict[Labels, str]] = {
    "en": "'DejaVu Sans', Verdana, Helvetica, sans-serif",
    "zh": "'Noto Sans CJK SC', 'Noto Sans SC', 'Source Han Sans SC', 'PingFang SC',"
    " 'Microsoft YaHei', 'WenQuanYi Zen Hei', SimHei, sans-serif",
}

# Everything is drawn on a grid of 40 units a square, with a margin for the names of squares.
_UNIT: Final = 40
_MARGIN: Final = 18
_WIDTH: Final = FILES * _UNIT + 2 * _MARGIN
_HEIGHT: Final = RANKS * _UNIT + 2 * _MARGIN + 16

_LAND: Final = "#e9e3bf"
_WATER: Final = "#9cc7e4"
_TRAP: Final = "#dcb98a"
_DEN: Final = "#a9734b"
_LINE: Final = "#8c8560"
_INK: Final = "#4a4632"
_MARK: Final = "#f0c419"
_ARROW: Final = "#2e7d32"
_DISC: Final = ("#fffdf5", "#33312b")
_RIM: Final = ("#b3362b", "#0f0e0c")
_LETTER: Final = ("#b3362b", "#fffdf5")


class Drawable(Protocol):
    """What there is to know of a position to draw it.

    That :class:`~tablebase.game.position.Position` is one need not be known here.
    """

    @property
    def pieces(self) -> Mapping[int, tuple[Color, Animal]]:
        """The animal on each occupied square."""

    @property
    def turn(self) -> Color:
        """The side to move."""

    def fen(self) -> str:
        """Its FEN."""


def board(
    position: Drawable | None = None,
    *,
    arrows: Iterable[tuple[int, int]] = (),
    squares: Iterable[int] = (),
    labels: Labels = "en",
    size: int = 360,
) -> str:
    """The board, with the animals of ``position`` on it, as the text of an SVG picture.

    ``arrows`` lead from a square to another, so a :class:`~tablebase.game.position.Move` is one;
    ``squares`` are highlighted. Animals are shown by their letters (``labels="en"``) or by their
    Chinese characters (``"zh"``); White's are red on white. ``size`` is the width in pixels.
    ``ValueError`` for squares that do not exist or for other labels.
    """
    if labels not in _FONTS:
        raise ValueError(f"labels is one of: {', '.join(_FONTS)}; {labels!r} is not")
    ways = [(int(origin), int(target)) for origin, target in arrows]
    marked = [int(square) for square in squares]
    for square in (*marked, *(square for way in ways for square in way)):
        if not 0 <= square < SQUARES:
            raise ValueError(f"there is no square {square}: 0 to {SQUARES - 1} are")
    height = round(size * _HEIGHT / _WIDTH)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{size}"'
        f' height="{height}" font-family="{_FONTS[labels]}" text-anchor="middle">'
    )
    parts = [
        head,
        f"<title>{position.fen() if position else 'The Jungle board'}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#f8f6ea"/>',
        *(_square(square) for square in range(SQUARES)),
        *(_highlight(square) for square in sorted(set(marked))),
        *_names(),
    ]
    if position is not None:
        for square, (color, animal) in position.pieces.items():
            parts.append(_piece(square, color, animal, labels))
        parts.append(_text(_WIDTH / 2, _HEIGHT - 8, _TURN[labels][position.turn], 11, _INK))
    parts += [_arrow(origin, target) for origin, target in ways if origin != target]
    return "\n".join([*parts, "</svg>"])


def _center(square: int) -> tuple[int, int]:
    rank, file = divmod(square, FILES)
    half = _UNIT // 2
    return _MARGIN + file * _UNIT + half, _MARGIN + (RANKS - 1 - rank) * _UNIT + half


def _text(x: float, y: float, text: str, size: int, fill: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    # Half the height of a capital below the middle: not all programs know dominant-baseline.
    place = f'x="{x:g}" y="{y + 0.36 * size:g}"'
    return f'<text {place} font-size="{size}" fill="{fill}"{weight}>{text}</text>'


def _square(square: int) -> str:
    x, y = _center(square)
    left, top = x - _UNIT // 2, y - _UNIT // 2
    fill, drawing = _LAND, ""
    if square in WATER:
        waves = "".join(f"M{x - 12} {y + dy}q4 -5 8 0t8 0t8 0" for dy in (-8, 3, 14))
        fill, drawing = _WATER, f'<path d="{waves}" fill="none" stroke="#6fa8cf"/>'
    elif square in TRAPS[0] | TRAPS[1]:
        lines = "".join(
            f"M{x + d} {y - 13}V{y + 13}M{x - 13} {y + d}H{x + 13}" for d in (-13, -4, 4, 13)
        )
        fill, drawing = (
            _TRAP,
            f'<path d="{lines}" fill="none" stroke="#b98a54" stroke-width="1.5"/>',
        )
    elif square in DENS:
        cave = f"M{x - 13} {y + 14}V{y + 2}a13 14 0 0 1 26 0V{y + 14}z"
        fill, drawing = _DEN, f'<path d="{cave}" fill="#5d3a22" stroke="#3f2615"/>'
    return (
        f'<rect x="{left}" y="{top}" width="{_UNIT}" height="{_UNIT}" fill="{fill}"'
        f' stroke="{_LINE}" stroke-width=".8"/>{drawing}'
    )


def _highlight(square: int) -> str:
    x, y = _center(square)
    half = _UNIT // 2 - 2
    return (
        f'<rect x="{x - half}" y="{y - half}" width="{2 * half}" height="{2 * half}" rx="3"'
        f' fill="{_MARK}" fill-opacity=".45" stroke="{_MARK}" stroke-width="2.5"/>'
    )


def _names() -> Iterable[str]:
    for file in range(FILES):
        x, _ = _center(file)
        for y in (_MARGIN / 2, _MARGIN * 1.5 + RANKS * _UNIT):
            yield _text(x, y, SQUARE_NAMES[file][0], 10, _INK)
    for rank in range(RANKS):
        _, y = _center(rank * FILES)
        for x in (_MARGIN // 2, _WIDTH - _MARGIN // 2):
            yield _text(x, y, str(rank + 1), 10, _INK)


def _piece(square: int, color: Color, animal: Animal, labels: Labels) -> str:
    x, y = _center(square)
    symbol = _CHARACTERS[animal] if labels == "zh" else animal.letter
    name = f"{color.name.capitalize()} {animal.name.lower()}, {SQUARE_NAMES[square]}"
    return (
        f"<g><title>{name}</title>"
        f'<circle cx="{x}" cy="{y}" r="16" fill="{_DISC[color]}" stroke="{_RIM[color]}"'
        f' stroke-width="2.5"/>{_text(x, y, symbol, 19, _LETTER[color], bold=True)}</g>'
    )


def _arrow(origin: int, target: int) -> str:
    (start_x, start_y), (end_x, end_y) = _center(origin), _center(target)
    length = hypot(end_x - start_x, end_y - start_y)
    dx, dy = (end_x - start_x) / length, (end_y - start_y) / length
    # From the rim of a piece to near the middle of the square entered; the head is 14 by 14.
    tail_x, tail_y = start_x + 17 * dx, start_y + 17 * dy
    tip_x, tip_y = end_x - 3 * dx, end_y - 3 * dy
    neck_x, neck_y = tip_x - 14 * dx, tip_y - 14 * dy
    side_x, side_y = 7 * dy, 7 * dx
    head = (
        f"{tip_x:g},{tip_y:g} {neck_x - side_x:g},{neck_y + side_y:g}"
        f" {neck_x + side_x:g},{neck_y - side_y:g}"
    )
    return (
        f'<g fill="{_ARROW}" stroke="{_ARROW}" opacity=".85"><title>{SQUARE_NAMES[origin]}'
        f'{SQUARE_NAMES[target]}</title><path d="M{tail_x:g} {tail_y:g}L{neck_x:g} {neck_y:g}"'
        f' stroke-width="5"/><polygon points="{head}" stroke="none"/></g>'
    )
