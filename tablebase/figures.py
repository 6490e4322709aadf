"""Pictures for notebooks and reports: heat maps, maps of the board, histograms, rows of boards.

All but :func:`boards` draw with matplotlib, which is in the extra ``notebooks`` and is imported
when the first of them is called. They draw on ``ax`` if it is given, else on a figure of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from tablebase.game import pictures
from tablebase.game.board import DENS, FILES, RANKS, TRAPS, WATER
from tablebase.game.position import Position
from tablebase.tablefile import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SvgPicture", "bars", "board_map", "boards", "heat_map", "histogram", "shares"]

_WON: Final = "#2b6ca3"
_DRAWN: Final = "#d9d4c4"
_LOST: Final = "#b3362b"
_NONE: Final = "#eeeeee"
_DIVERGING: Final = "RdBu"
"""Red for lost, blue for won: told apart by everybody."""


_FONTS: Final = "'DejaVu Sans', Verdana, Helvetica, sans-serif"


class SvgPicture:
    """An SVG picture that notebooks show; ``text`` is its source."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        # Without an address, so that a notebook that ran again is the same.
        return f"<{type(self).__name__} of {len(self.text):,} characters>"

    def _repr_svg_(self) -> str:
        return self.text


def boards(
    positions: Sequence[Position],
    captions: Sequence[str] = (),
    *,
    arrows: Sequence[Iterable[tuple[int, int]]] = (),
    squares: Sequence[Iterable[int]] = (),
    columns: int = 4,
    size: int = 210,
) -> SvgPicture:
    """The project's own boards side by side, ``columns`` in a row, ``size`` pixels wide each.

    ``captions``, ``arrows`` and ``squares`` are for one position each, in the same order, as in
    :func:`tablebase.game.pictures.board`; where there are fewer, the last positions have none.
    """
    gap, caption_height = 12, 20
    head, *empty = pictures.board(size=size).split("\n")[:-1]
    step_x, step_y = size + gap, _height(head) + caption_height + gap
    # The empty board is most of a picture, so it is there only once.
    parts = ['<defs><g id="jtb-empty-board">', *empty[1:], "</g></defs>"]
    for number, position in enumerate(positions):
        picture = pictures.board(
            position,
            arrows=arrows[number] if number < len(arrows) else (),
            squares=squares[number] if number < len(squares) else (),
            size=size,
        )
        x, y = number % columns * step_x, number // columns * step_y
        start, *lines = picture.split("\n")
        parts += [
            start.replace("<svg ", f'<svg x="{x}" y="{y + caption_height}" ', 1),
            '<use href="#jtb-empty-board"/>',
            *(line for line in lines if line not in empty),
        ]
        if number < len(captions):
            parts.append(
                f'<text x="{x + size / 2:g}" y="{y + 14}" font-size="12" text-anchor="middle"'
                f' font-family="{_FONTS}">{_escaped(captions[number])}</text>'
            )
    width = min(columns, len(positions)) * step_x
    height = -(-len(positions) // columns) * step_y
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">'
    )
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return SvgPicture("\n".join([head, paper, *parts, "</svg>"]))


def heat_map(
    values: npt.ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str = "",
    row_label: str = "",
    column_label: str = "",
    texts: Sequence[Sequence[str]] | None = None,
    limits: tuple[float, float] = (-1, 1),
    cmap: str = _DIVERGING,
    color_label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """A matrix as coloured cells, shape ``(len(rows), len(columns))``, with NaN left grey.

    ``texts`` are written in the cells (default: the values with two digits; ``[]`` for none).
    """
    array = np.asarray(values, float)
    ax = ax or _axes(0.9 + 0.52 * len(columns), 1.1 + 0.42 * len(rows))
    image = ax.imshow(array, cmap=cmap, vmin=limits[0], vmax=limits[1], aspect="auto")
    ax.set_facecolor(_NONE)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.set(title=title, xlabel=column_label, ylabel=row_label)
    for (i, j), value in np.ndenumerate(array):
        digits = f"{round(value, 2) + 0:.2f}"  # + 0 so that none is -0.00
        text = digits if texts is None else texts[i][j] if len(texts) else ""
        if text and np.isfinite(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
            ax.text(j, i, text, ha="center", va="center", fontsize=8, color=ink)
    _figure(ax).colorbar(image, ax=ax, label=color_label, fraction=0.05)
    return ax


def board_map(
    values: npt.ArrayLike,
    *,
    title: str = "",
    limits: tuple[float, float] = (-1, 1),
    cmap: str = _DIVERGING,
    color_label: str | None = None,
    texts: Mapping[int, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A number for each square, shape ``(63,)``, as its colour; NaN is left grey.

    Water is hatched, traps are marked with a cross, dens with a dot; ``texts`` are written on
    squares. ``color_label`` asks for a colour bar.
    """
    array = np.asarray(values, float).reshape(RANKS, FILES)
    ax = ax or _axes(3.0 + (0.7 if color_label else 0), 3.7)
    image = ax.imshow(array, cmap=cmap, vmin=limits[0], vmax=limits[1], origin="lower")
    ax.set_facecolor(_NONE)
    ax.set_xticks(range(FILES), list("abcdefg"))
    ax.set_yticks(range(RANKS), [str(rank + 1) for rank in range(RANKS)])
    ax.tick_params(length=0, labelsize=8)
    ax.set_title(title, fontsize=10)
    for square in sorted(WATER):
        rank, file = divmod(square, FILES)
        corner = (file - 0.5, rank - 0.5)
        ax.add_patch(_rectangle(corner, hatch="///", edgecolor="#6fa8cf", linewidth=0))
    for marker, marked in (("x", TRAPS[0] | TRAPS[1]), ("o", DENS)):
        points = [divmod(square, FILES) for square in sorted(marked)]
        ax.scatter(
            [file for _, file in points], [rank for rank, _ in points],
            marker=marker, s=90, color="#00000040",
        )  # fmt: skip
    for square, text in (texts or {}).items():
        rank, file = divmod(square, FILES)
        ax.text(file, rank, text, ha="center", va="center", fontweight="bold")
    if color_label is not None:
        _figure(ax).colorbar(image, ax=ax, label=color_label, fraction=0.06)
    return ax


def histogram(
    counts: Histogram | Sequence[Histogram],
    *,
    labels: Sequence[str] = ("White to move", "Black to move"),
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Placements by distance in plies: wins of the side to move upwards, losses downwards.

    Several histograms, such as those of both sides to move, are drawn over each other.
    """
    several = [counts] if isinstance(counts, Histogram) else list(counts)
    ax = ax or _axes(7, 2.8)
    for number, one in enumerate(several):
        style: dict[str, Any] = {"width": 1.8, "alpha": 1 / (1 + number)}
        if number:
            style |= {"facecolor": "none", "edgecolor": "black", "alpha": 1}
        for color, sign, by_plies in ((_WON, 1, one.win), (_LOST, -1, one.loss)):
            heights = [sign * placements for placements in by_plies.values()]
            name = labels[number] if sign == 1 and len(several) > 1 else None
            ax.bar(list(by_plies), heights, **({"color": color} | style), label=name)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(title=title, xlabel="plies to the end", ylabel="lost | won")
    if len(several) > 1:
        ax.legend(frameon=False, fontsize=8)
    _count_axis(ax)
    return ax


def shares(
    tallies: npt.ArrayLike, labels: Sequence[str], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Won, drawn and lost as shares of bars that are all of the same length; ``tallies`` has the
    shape ``(m, 3)``: won, lost, drawn."""
    array = np.asarray(tallies, float)
    won, lost, drawn = (array / array.sum(axis=1, keepdims=True)).T
    ax = ax or _axes(6, 0.9 + 0.32 * len(labels))
    places = np.arange(len(labels))
    for left, part, color, name in (
        (0 * won, won, _WON, "won"),
        (won, drawn, _DRAWN, "drawn"),
        (won + drawn, lost, _LOST, "lost"),
    ):
        ax.barh(places, part, left=left, color=color, label=name)
        for place, (start, length) in enumerate(zip(left, part, strict=True)):
            if length >= 0.06:
                ink = "black" if name == "drawn" else "white"
                where = start + length / 2
                ax.text(where, place, f"{length:.0%}", ha="center", va="center", color=ink)
    ax.set_yticks(places, labels)
    ax.invert_yaxis()
    ax.set(title=title, xlim=(0, 1), xticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 0), frameon=False, fontsize=8)
    return ax


def bars(
    values: Mapping[str, float],
    *,
    title: str = "",
    label: str = "",
    fmt: str = "{:,.0f}",
    ax: Axes | None = None,
) -> Axes:
    """A horizontal bar for each name, with its value behind it."""
    ax = ax or _axes(6, 0.8 + 0.3 * len(values))
    found = ax.barh(list(values), list(values.values()), color=_WON)
    ax.bar_label(found, labels=[fmt.format(value) for value in values.values()], padding=3)
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.set(title=title, xlabel=label)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _axes(width: float, height: float) -> Axes:
    """The axes of a new figure of that size in inches."""
    import matplotlib.pyplot as plt

    ax: Axes = plt.subplots(figsize=(width, height), dpi=80, layout="constrained")[1]
    return ax


def _figure(ax: Axes) -> Any:
    return ax.get_figure()


def _rectangle(corner: tuple[float, float], **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1, 1, fill=False, **style)


def _count_axis(ax: Axes) -> None:
    """Counts on the vertical axis are positive on both sides of the middle."""
    ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")


def _height(head: str) -> int:
    """The height that the first line of a picture states."""
    return int(head.split('height="')[1].split('"')[0])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
