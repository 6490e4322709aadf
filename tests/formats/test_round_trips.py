"""What is written is read back the same, in every format that has a writer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.formats import (
    FORMATS,
    WRITABLE,
    Ending,
    ReadPosition,
    Record,
    read,
    read_games,
    read_position,
    write_game,
    write_position,
)
from tablebase.game.formats.katago import KataRules
from tablebase.game.formats.mistboard import REASONS
from tablebase.game.moves import finished, legal_moves, play
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tests.strategies import positions

DIALECTS = tuple(name for name in WRITABLE if FORMATS[name].print is not None)
GAMES = tuple(name for name in WRITABLE if FORMATS[name].write_game is not None)
FROM_THE_START = ("mistboard-match", "katago-sgf")
NO_COUNTER = ("katago", "dandelion", "netcan", "katago-gtp")

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
players = st.none() | names
endings = st.builds(Ending, st.none() | st.sampled_from(Color), st.none())


@st.composite
def games(draw: st.DrawFn, start: st.SearchStrategy[Position], rules: Rules) -> Record:
    """A game of legal moves."""
    position = first = draw(start)
    moves: list[Move] = []
    for _ in range(draw(st.integers(0, 30))):
        if finished(position, rules) is not None:
            break
        legal = legal_moves(position, rules)
        moves.append(legal[draw(st.integers(0, 63)) % len(legal)])
        position = play(position, moves[-1])
    return Record("jtb", first, tuple(moves), rules)


def without_counter(position: Position) -> Position:
    return Position(position.white, position.black, position.turn)


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=50)
@given(positions(Rules()))
def test_positions(name: str, position: Position) -> None:
    try:
        text, lost = write_position(position, name)
    except FormatError:
        assert name in ("mistboard", "misty-jungle")
        assert not (position.white and position.black) or finished(position, Rules()) is not None
        return
    same = without_counter(position) if name in NO_COUNTER else position
    assert read_position(text.strip(), name).position == same
    assert bool(lost) is (same != position)


@settings(max_examples=40)
@given(games(st.just(Position.start()), RULE_SETS["mistboard"]), players, players, endings)
def test_lines_of_mistboard(game: Record, white: str | None, black: str | None, e: Ending) -> None:
    game = replace(game, white=white, black=black, result=e, metadata={"event": "Öpen & so"})
    check(game, "mistboard-line")


@settings(max_examples=40)
@given(games(positions(RULE_SETS["mistboard"]), RULE_SETS["mistboard"]))
def test_lines_of_mistboard_from_anywhere(game: Record) -> None:
    try:
        check(game, "mistboard-line")
    except FormatError:
        start = game.start
        assert not (start.white and start.black) or finished(start, Rules()) is not None


@settings(max_examples=40)
@given(
    games(st.just(Position.start()), RULE_SETS["mistboard"]),
    st.integers(0, 10**9),
    players,
    players,
    st.none()
    | st.builds(
        Ending, st.none() | st.sampled_from(Color), st.sampled_from(list(REASONS.values()))
    ),
)
def test_matches_of_mistboard(
    game: Record, number: int, white: str | None, black: str | None, ending: Ending | None
) -> None:
    check(replace(game, id=str(number), white=white, black=black, result=ending), "mistboard-match")


@st.composite
def kata_rules(draw: st.DrawFn) -> KataRules:
    return KataRules(draw(st.sampled_from("0123")), "DRAW", 0, draw(st.integers(0, 10_000)))


@settings(max_examples=40)
@given(kata_rules(), st.data(), players, players)
def test_sgf_of_katago(
    said: KataRules, data: st.DataObject, white: str | None, black: str | None
) -> None:
    game = data.draw(games(st.just(Position.start()), said.rules()))
    results = [
        None,
        *(Ending(winner, reason) for winner in Color for reason in (None, "resignation")),
        Ending(None),
    ]
    result = data.draw(st.sampled_from(results))
    check(replace(game, white=white, black=black, result=result), "katago-sgf")


@settings(max_examples=40)
@given(kata_rules(), st.data())
def test_gtp_of_katago(said: KataRules, data: st.DataObject) -> None:
    game = data.draw(games(positions(said.rules()), said.rules()))
    assume(game.moves or game.start != Position.start())
    check(replace(game, start=without_counter(game.start)), "katago-gtp")


@settings(max_examples=40)
@given(games(positions(Rules()), Rules()), st.none() | endings)
def test_lists_of_moves(game: Record, ending: Ending | None) -> None:
    check(replace(game, result=ending), "moves")


def check(game: Record, name: str) -> None:
    """Written without loss, ``game`` is read back, and so are two in one text."""
    text, lost = write_game(game, name)
    assert lost == ()
    for source, count in ((text, 1), (text + text, 2)):
        for read_back in read_games(source, name):
            kept = {"format": name, "mirrored": FORMATS[name].mirrored}
            kept |= {"rules_from": read_back.rules_from, "unheld": read_back.unheld}
            assert replace(game, **kept, notes=read_back.notes) == read_back  # type: ignore[arg-type]
            count -= 1
        assert count == 0


@settings(max_examples=40)
@given(games(positions(Rules()), Rules()), st.sampled_from(WRITABLE), st.sampled_from(WRITABLE))
def test_from_any_format_to_any_other_the_positions_stay(
    game: Record, through: str, to: str
) -> None:
    """What two formats can hold goes through one into the other unharmed, or is refused."""
    try:
        once = write_game(game, through)
        items = list(read(once.text, through))
        again = "".join(
            write_game(item, to).text
            if isinstance(item, Record)
            else write_position(item.position, to).text
            for item in items
        )
    except FormatError:
        return
    if to == "katago-gtp":  # a log in which nothing is played from the start holds no game
        items = [item for item in items if shown([item]) != [Position.start()]]
    if items:
        before, after = shown(items), shown(list(read(again, to)))
        assert list(map(without_counter, before)) == list(map(without_counter, after))


def shown(items: list[Record | ReadPosition]) -> list[Position]:
    """Every position of games and positions, in turn."""
    found: list[Position] = []
    for item in items:
        found.extend(item.positions() if isinstance(item, Record) else [item.position])
    return found
