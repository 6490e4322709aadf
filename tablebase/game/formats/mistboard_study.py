"""A study of Mistboard: chapters of moves with branches, comments, glyphs and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from tablebase.errors import FormatError
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.jsontext import Fields, parse_json
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.mistboard import OUTCOMES, RULES, VARIANT, parse
from tablebase.game.formats.records import Annotation, Branch, Ending, Record, Shape
from tablebase.game.formats.replay import START, replayed, replayed_branch
from tablebase.game.formats.squares import move_table, square_table
from tablebase.game.position import Move, Position
from tablebase.game.rules import Rules

__all__ = ["FORMAT"]

_NAME: Final = "mistboard-study"
_MOVES: Final = move_table(mirrored=True)
_SQUARES: Final = square_table(mirrored=True)
_TAGS: Final = ("event", "date", "round", "site")


class _Line(NamedTuple):
    """A line of moves as it stands in the tree, and the nodes at which others leave it."""

    moves: list[Move]
    annotations: dict[int, Annotation]
    others: list[tuple[int, Fields]]
    """The number of its first ply, and its first node."""


def _sniff(head: Sequence[str]) -> bool:
    begin = "".join(head[:40])[:4000].lstrip()
    return begin.startswith("{") and ('"chapters"' in begin or '"study"' in begin[:40])


def _read(lines: Lines, wanted: Wanted) -> Games:
    place = Place(_NAME, 1)
    try:
        study = Fields(parse_json(lines.document(_NAME), place), place)
        chapters = [
            study.item("chapters", index, value)
            for index, value in enumerate(study.array("chapters"))
        ]
    except FormatError as error:
        yield error
        return
    for chapter in chapters:
        try:
            if chapter.text("variant") == VARIANT:
                yield _chapter(chapter, wanted)
        except FormatError as error:
            yield error


def _chapter(chapter: Fields, wanted: Wanted) -> Record:
    tree = chapter.fields("root")
    if tree.number_or_none("version") not in (None, 1):
        raise tree.error("only version 1 is known", "version")
    fen = tree.text_or_none("rootFen")
    start, notes = (START, ()) if fen is None else _start(tree, fen)
    root = tree.fields("root")
    main = _line(root, 1)
    tags = chapter.fields_or_none("tags")
    if (note := _annotation(root)) is not None:
        main.annotations[0] = note
    rules = wanted.rules or RULES
    branches = _branches(chapter.place, rules, start, main, 1)
    return replayed(
        FORMAT,
        chapter.place,
        wanted,
        start,
        main.moves,
        result=None if tags is None else _result(tags),
        notes=notes,
        id=chapter.text_or_none("id"),
        white=None if tags is None else tags.text_or_none("red"),
        black=None if tags is None else tags.text_or_none("black"),
        metadata=_metadata(chapter, tags),
        annotations=main.annotations,
        branches=branches,
    )


def _start(tree: Fields, fen: str) -> tuple[Position, tuple[str, ...]]:
    try:
        return parse(fen)
    except ValueError as error:
        raise tree.error(str(error), "rootFen") from None


def _line(node: Fields, ply: int) -> _Line:
    """The moves below ``node``, first children only; the first of them has the number ``ply``."""
    line = _Line([], {}, [])
    while children := node.array_or_empty("children"):
        found = [node.item("children", index, child) for index, child in enumerate(children)]
        line.others.extend((ply, child) for child in found[1:])
        node = found[0]
        # Paths would grow with the square of the length of a game: name the ply instead.
        node = Fields(node.values, node.place, f"the node of ply {ply}")
        line.moves.append(_move(node, ply))
        if (note := _annotation(node)) is not None:
            line.annotations[ply] = note
        ply += 1
    return line


def _branches(
    place: Place, rules: Rules, start: Position, line: _Line, first: int
) -> tuple[Branch, ...]:
    """The branches of ``line``, which begins at ``start`` with the ply ``first``, played out.

    Without recursion, since they nest as deeply as somebody likes.
    """
    top: list[Branch] = []
    work: list[tuple[list[Branch], Position, _Line, int]] = [(top, start, line, first)]
    built: list[tuple[list[Branch], int, _Line, list[Branch]]] = []
    while work:
        found, position, parent, begun = work.pop()
        reached = begun
        for ply, node in parent.others:
            between = parent.moves[reached - begun : ply - begun]
            position = replayed_branch(FORMAT, place, rules, position, between, reached)
            reached = ply
            node = Fields(node.values, node.place, f"the node of ply {ply}")
            rest = _line(node, ply + 1)
            moves = [_move(node, ply), *rest.moves]
            replayed_branch(FORMAT, place, rules, position, moves, ply)
            own = _annotation(node)
            notes = rest.annotations if own is None else {ply: own, **rest.annotations}
            whole = _Line(moves, notes, rest.others)
            below: list[Branch] = []
            built.append((found, ply, whole, below))
            work.append((below, position, whole, ply))
    # From the last, so that what is below a branch is there before it; each list is then reversed.
    for found, ply, whole, below in reversed(built):
        found.append(Branch(ply, tuple(whole.moves), whole.annotations, tuple(reversed(below))))
    return tuple(reversed(top))


def _move(node: Fields, ply: int) -> Move:
    try:
        return _MOVES[node.text("uci")]
    except KeyError:
        raise node.error(
            f"{node.text('uci')[:20]!r} is no move such as a1b1", "uci", ply=ply
        ) from None


def _annotation(node: Fields) -> Annotation | None:
    notes = node.fields_or_none("annotations")
    if notes is None:
        return None
    comments = [
        notes.item("comments", index, value).text("text")
        for index, value in enumerate(notes.array_or_empty("comments"))
    ]
    glyphs = notes.array_or_empty("glyphs")
    if any(type(glyph) is not int for glyph in glyphs):
        raise notes.error("the numbers of glyphs are wanted", "glyphs")
    shapes = [
        _shape(notes.item("shapes", index, value))
        for index, value in enumerate(notes.array_or_empty("shapes"))
    ]
    found = Annotation(tuple(comments), tuple(glyphs), tuple(shapes))
    return found if any(found) else None


def _shape(shape: Fields) -> Shape:
    target = None if shape.values.get("dest") is None else shape.choice("dest", _SQUARES)
    return Shape(shape.text_or_none("brush") or "", shape.choice("orig", _SQUARES), target)


def _result(tags: Fields) -> Ending | None:
    word = tags.text_or_none("result")
    return Ending(OUTCOMES[word]) if word in OUTCOMES else None


def _metadata(chapter: Fields, tags: Fields | None) -> dict[str, Any]:
    found = {"name": chapter.text_or_none("name")}
    if tags is not None:
        found |= {tag: tags.text_or_none(tag) for tag in _TAGS}
    return {key: value for key, value in found.items() if value}


FORMAT = Format(
    name=_NAME,
    title="a study of Mistboard",
    source="brianhliou/mistboard, apps/server/src/routes/studies.ts",
    mirrored=True,
    rules=RULES,
    sniff=_sniff,
    read_games=_read,
)
