"""The slow reference solver against published data and against the game it claims to solve."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from tablebase.game.board import FILES, MIRROR_SQUARE, TURN_SQUARE, Color, parse_square
from tablebase.game.moves import finished, legal_moves, play
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Animal, Rules
from tests.reference import Animals, Endgame, State, Value, solve

LEIDEN = RULE_SETS["leiden"]
PAIRS = [(white, black) for white in Animal for black in Animal]
# Pairs in which rats swim and are trapped, jumpers jump, and elephants meet rats.
SOME_PAIRS = [
    (Animal.RAT, Animal.RAT),
    (Animal.RAT, Animal.ELEPHANT),
    (Animal.TIGER, Animal.RAT),
    (Animal.DOG, Animal.WOLF),
    (Animal.LION, Animal.CAT),
]


@pytest.fixture(scope="module")
def leiden_pairs() -> dict[tuple[Animal, Animal], dict[State, Value]]:
    return {(white, black): solve((white,), (black,), LEIDEN) for white, black in PAIRS}


def position_of(white: Animals, black: Animals, state: State) -> Position:
    squares = iter(state)
    return Position(
        tuple((animal, next(squares)) for animal in white),
        tuple((animal, next(squares)) for animal in black),
        Color(next(squares)),
    )


def animals_of(position: Position) -> tuple[Animals, Animals, State]:
    white, black = position.white, position.black
    squares = tuple(square for _, square in white + black)
    return tuple(a for a, _ in white), tuple(a for a, _ in black), (*squares, position.turn)


def test_every_published_row_agrees(
    shared: Path, leiden_pairs: dict[tuple[Animal, Animal], dict[State, Value]]
) -> None:
    # OpenML 41027: van Rijn and Vis, Endgame analysis of Dou Shou Qi (2014). White is to move.
    strengths = (Animal.RAT, None, None, None, Animal.LEOPARD, Animal.TIGER, Animal.LION)
    animals = (*strengths, Animal.ELEPHANT)
    rows = 0
    seen: dict[tuple[Animal, Animal], set[State]] = {}
    with gzip.open(shared / "reference" / "openml-41027.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            white, black = (animals[int(row[f"{side}_strength"])] for side in ("white", "black"))
            assert white is not None
            assert black is not None
            first, second = (
                int(row[f"{side}_rank"]) * FILES + int(row[f"{side}_file"])
                for side in ("white", "black")
            )
            state = (first, second, int(Color.WHITE))
            outcome, _ = leiden_pairs[white, black][state]
            assert outcome == {"w": 1, "d": 0, "b": -1}[row["class"]], row
            seen.setdefault((white, black), set()).add(state)
            rows += 1
    assert rows == sum(map(len, seen.values())) == 44_819
    missing = {
        (pair, state)
        for pair, states in seen.items()
        for state in leiden_pairs[pair]
        if state[-1] == Color.WHITE and state not in states
    }
    elephants = (Animal.ELEPHANT, Animal.ELEPHANT)
    assert missing == {(elephants, (parse_square("f1"), parse_square("g1"), int(Color.WHITE)))}


@pytest.mark.parametrize(
    ("white", "black", "won", "lost", "drawn", "zugzwangs"),
    [
        (Animal.RAT, Animal.RAT, 2055, 1605, 0, 753),
        (Animal.LEOPARD, Animal.LION, 749, 1532, 71, None),
        (Animal.LION, Animal.LEOPARD, 1774, 504, 74, None),
        (Animal.ELEPHANT, Animal.RAT, 1352, 1223, 365, None),
        (Animal.LION, Animal.LION, 1403, 949, 0, 271),
    ],
)
def test_published_counts(
    leiden_pairs: dict[tuple[Animal, Animal], dict[State, Value]],
    white: Animal,
    black: Animal,
    won: int,
    lost: int,
    drawn: int,
    zugzwangs: int | None,
) -> None:
    values = leiden_pairs[white, black]
    counts = Counter(value[0] for state, value in values.items() if state[-1] == Color.WHITE)
    assert (counts[1], counts[-1], counts[0]) == (won, lost, drawn)
    if zugzwangs is not None:
        placements = {state[:-1] for state in values}
        both_lose = [p for p in placements if all(values[(*p, color)][0] == -1 for color in (0, 1))]
        assert len(both_lose) == zugzwangs


def test_published_totals(
    leiden_pairs: dict[tuple[Animal, Animal], dict[State, Value]],
) -> None:
    counts = Counter(
        value[0]
        for values in leiden_pairs.values()
        for state, value in values.items()
        if state[-1] == Color.WHITE
    )
    assert (counts[1], counts[-1], counts[0]) == (82_852, 64_501, 12_715)
    assert counts.total() == 160_068
    # "Two animals need up to 34 plies", says the design.
    longest = max(ply or 0 for values in leiden_pairs.values() for _, ply in values.values())
    assert longest == 34


@pytest.mark.slow
def test_published_longest_win_of_three_animals() -> None:
    values = solve((Animal.ELEPHANT, Animal.CAT), (Animal.TIGER,), LEIDEN)
    assert max(ply or 0 for _, ply in values.values()) == 67
    squares = (parse_square("g1"), parse_square("a6"), parse_square("a9"))
    assert values[(*squares, int(Color.WHITE))] == (1, 67)


def check_one_ply_ahead(
    white: Animals, black: Animals, rules: Rules, states: list[State], values: dict[State, Value]
) -> None:
    """Compare values with those of the positions that ``legal_moves`` and ``play`` lead to."""
    cache = {(white, black): values}
    for state in states:
        position = position_of(white, black, state)
        replies: list[Value] = []
        for move in legal_moves(position, rules):
            after = play(position, move)
            if finished(after, rules) == -1:
                replies.append((-1, 0))
                continue
            left_white, left_black, reached = animals_of(after)
            if (left_white, left_black) not in cache:
                cache[left_white, left_black] = solve(left_white, left_black, rules)
            replies.append(cache[left_white, left_black][reached])
        wins = [ply for outcome, ply in replies if outcome == -1 and ply is not None]
        losses = [ply for outcome, ply in replies if outcome == 1 and ply is not None]
        if not replies:
            expected: Value = (-1, 0) if rules.no_moves == "loss" else (0, None)
        elif wins:
            expected = (1, 1 + min(wins))
        elif len(losses) == len(replies):
            expected = (-1, 1 + max(losses))
        else:
            expected = (0, None)
        assert values[state] == expected, position


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize(("white", "black"), SOME_PAIRS)
def test_values_follow_from_the_next_ply(white: Animal, black: Animal, rules: str) -> None:
    values = solve((white,), (black,), RULE_SETS[rules])
    some = list(islice(values, 0, None, 5))
    check_one_ply_ahead((white,), (black,), RULE_SETS[rules], some, values)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("white", "black", "rules"),
    [
        ((Animal.LION, Animal.RAT), (Animal.RAT,), RULE_SETS["baike"]),
        ((Animal.LION, Animal.RAT), (Animal.RAT,), RULE_SETS["standard"]),
        ((Animal.TIGER,), (Animal.ELEPHANT, Animal.RAT), RULE_SETS["leiden"]),
        ((Animal.TIGER, Animal.DOG), (Animal.CAT,), Rules(no_moves="draw", traps_weaken="all")),
        ((Animal.DOG,), (Animal.LEOPARD, Animal.RAT), Rules(swimmers="rat and dog")),
    ],
)
def test_values_of_three_animals_follow_from_the_next_ply(
    white: Animals, black: Animals, rules: Rules
) -> None:
    values = solve(white, black, rules)
    check_one_ply_ahead(white, black, rules, list(islice(values, 0, None, 7)), values)


@pytest.mark.parametrize(("white", "black"), SOME_PAIRS)
def test_values_do_not_notice_symmetries(white: Animal, black: Animal) -> None:
    rules = RULE_SETS["baike"]
    values, swapped = solve((white,), (black,), rules), solve((black,), (white,), rules)
    for (first, second, turn), value in values.items():
        assert values[MIRROR_SQUARE[first], MIRROR_SQUARE[second], turn] == value
        assert swapped[TURN_SQUARE[second], TURN_SQUARE[first], 1 - turn] == value


def test_wins_are_odd_and_losses_even() -> None:
    for outcome, ply in solve((Animal.TIGER,), (Animal.RAT,), LEIDEN).values():
        assert (ply is None) == (outcome == 0)
        assert ply is None or ply % 2 == (outcome == 1)


def check_counters(white: Animals, black: Animals, rules: Rules) -> None:
    """Distance and limit give the same outcome as a search that carries the counter along."""
    endgame = Endgame(white, black, rules)
    limit = rules.no_capture_limit
    assert limit is not None
    values = endgame.dtc()
    counters = []
    for counter, outcomes in endgame.by_counter():
        counters.append(counter)
        for state, outcome in outcomes.items():
            decided, ply = values[state]
            assert outcome == (decided if ply is not None and ply <= limit - counter else 0)
    assert counters == list(range(limit, -1, -1))


@pytest.mark.parametrize("limit", [4, 7, 12])
@pytest.mark.parametrize(("white", "black"), SOME_PAIRS)
def test_distance_decides_under_a_limit(white: Animal, black: Animal, limit: int) -> None:
    check_counters((white,), (black,), replace(LEIDEN, no_capture_limit=limit))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("white", "black", "rules"),
    [
        ((Animal.TIGER, Animal.DOG), (Animal.CAT,), Rules(no_capture_limit=4)),
        ((Animal.TIGER, Animal.DOG), (Animal.CAT,), Rules(no_moves="draw", no_capture_limit=6)),
        ((Animal.LION, Animal.RAT), (Animal.RAT,), replace(LEIDEN, no_capture_limit=12)),
        ((Animal.DOG,), (Animal.CAT, Animal.RAT), replace(RULE_SETS["baike"], no_capture_limit=8)),
    ],
)
def test_distance_decides_under_a_limit_with_three_animals(
    white: Animals, black: Animals, rules: Rules
) -> None:
    check_counters(white, black, rules)


def test_without_a_limit_dtc_is_dtw_where_no_capture_goes_on() -> None:
    for white, black in SOME_PAIRS:
        endgame = Endgame((white,), (black,), LEIDEN)
        assert endgame.dtc() == endgame.dtw() == solve((white,), (black,), LEIDEN)


def test_a_large_limit_changes_nothing() -> None:
    limited = replace(LEIDEN, no_capture_limit=34)
    assert Endgame((Animal.LION,), (Animal.CAT,), limited).dtc() == solve(
        (Animal.LION,), (Animal.CAT,), LEIDEN
    )


def test_counters_need_a_limit() -> None:
    with pytest.raises(ValueError, match="no_capture_limit"):
        next(Endgame((Animal.RAT,), (Animal.RAT,), LEIDEN).by_counter())
