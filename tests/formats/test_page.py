"""The page on formats tells of all of them what is so."""

from __future__ import annotations

import re
from pathlib import Path

from tablebase.game.formats import FORMATS, WRITABLE, read_games, read_position

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a line."""
    table = PAGE.split(f"{heading}\n", 1)[1].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1:]]


def test_the_table_of_formats() -> None:
    said = rows("| name | what it is | positions | games | written | mirrored |")
    yes = {True: "yes", False: "–"}
    assert [row[0].strip("`") for row in said] == list(FORMATS)
    for name, _, positions, games, written, mirrored in said:
        kind = FORMATS[name.strip("`")]
        assert (positions, games, written, mirrored) == (
            yes[kind.parse is not None],
            yes[kind.read_games is not None],
            yes[kind.name in WRITABLE],
            yes[kind.mirrored],
        )


def test_every_source_is_named() -> None:
    named = {
        name
        for row in rows("| format | read up in |")
        for name in re.findall(r"`([\w-]+)`", row[0])
    }
    ours = {name for name, kind in FORMATS.items() if kind.source.startswith("tablebase/")}
    assert named == set(FORMATS) - ours


def test_the_python_of_the_page_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    text, reading = re.findall(r"print\(.*?\)  # (.*)", code)
    position, said = read_position("2l4/4c2/7/3W3/7/1R5/2D4/7/7 b 9 1")
    assert (position.fen(), str(said)) == (text, reading)
    exec(compile(code, "docs/formats.md", "exec"), {})
    assert list(read_games("a3a4 a7a6 g3g4", "moves"))
