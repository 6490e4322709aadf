"""Materials, their names, and that those of a class really are the same game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.errors import MaterialError
from tablebase.game.board import TURN_SQUARE, Color
from tablebase.game.moves import captured, legal_moves, play
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS, Animal, Edge, Rules
from tablebase.materials.classes import Location, classes, locate, served_materials
from tablebase.materials.material import Material, Piece, captured_materials, materials
from tests.reference import solve
from tests.strategies import rules_and_position, some_rules

STANDARD = RULE_SETS["standard"]
LETTERS = "".join(animal.letter for animal in Animal)
ODD_RULES = (
    Rules(swimmers="rat and dog", leopard_jumps="horizontal", lion_jumps="vertical"),
    Rules(traps_weaken="all", tiger_jumps="none", elephant_captures_rat="never"),
)

# -- names -----------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(Animal), unique=True, min_size=1),
    st.lists(st.sampled_from(Animal), unique=True, min_size=1),
)
def test_names(white: list[Animal], black: list[Animal]) -> None:
    written = "v".join("".join(animal.letter for animal in side) for side in (white, black))
    material = Material.parse(written)
    assert material == Material(tuple(white), tuple(black))
    assert list(material.white) == sorted(white, reverse=True)
    assert Material.parse(str(material)) == material
    assert len(material) == len(white) + len(black)
    assert material.swapped() == Material.parse("v".join(reversed(written.split("v"))))
    assert material.swapped().swapped() == material


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write White's animals, v, Black's"),
        ("ELT", "write White's animals, v, Black's"),
        ("EvLvT", "write White's animals, v, Black's"),
        ("Ev", "Black has no animals"),
        ("vE", "White has no animals"),
        ("v", "White has no animals"),
        ("EEvL", "White has two of E"),
        ("EvLTL", "Black has two of L"),
        ("EXvL", "'X' is no animal"),
        ("evl", "'e' is no animal"),
        ("E LvT", "' ' is no animal"),
        ("鼠v象", "'鼠' is no animal"),
        ("Q" * 500, "QQQ..."),
    ],
)
def test_what_is_no_material(text: str, why: str) -> None:
    with pytest.raises(MaterialError, match=why.replace(".", r"\.")) as caught:
        Material.parse(text)
    assert len(str(caught.value)) < 200


@st.composite
def mutated_materials(draw: st.DrawFn) -> str:
    text = list(str(draw(st.sampled_from(materials(5)))))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        text[at : at + draw(st.integers(0, 2))] = draw(st.text(f"{LETTERS}vx _", max_size=2))
    return "".join(text)


BROKEN_MATERIALS = st.one_of(st.text(), st.text(f"{LETTERS}vx ", max_size=8), mutated_materials())


def check_that_a_material_or_an_error_comes(text: str) -> None:
    try:
        material = Material.parse(text)
    except MaterialError as error:
        message = str(error)
    else:
        assert sorted(str(material)) == sorted(text.strip())
        assert Material.parse(str(material)) == material
        return
    assert message.isprintable()


@given(BROKEN_MATERIALS)
def test_any_text_is_a_material_or_an_error(text: str) -> None:
    check_that_a_material_or_an_error_comes(text)


@pytest.mark.slow
@given(BROKEN_MATERIALS)
@settings(max_examples=10_000)
def test_very_many_broken_materials(text: str) -> None:
    check_that_a_material_or_an_error_comes(text)


def test_material_of_a_position() -> None:
    position = Position.from_fen("7/3C3/7/T2e3/1R2r2/7/1L4d/7/7 w")
    assert str(Material.of(position)) == "LTCRvEDR"
    with pytest.raises(MaterialError, match="Black has no animals"):
        Material.of(Position.from_fen("7/7/7/7/7/7/7/7/6E w"))


# -- how many --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("animals", "count"), [(2, 64), (3, 448), (4, 1680), (5, 4256)])
def test_materials(animals: int, count: int) -> None:
    found = materials(animals)
    assert len(found) == len(set(found)) == count
    assert count == sum(comb(8, white) * comb(8, animals - white) for white in range(1, animals))
    assert {len(material) for material in found} == {animals}


@pytest.mark.parametrize("name", ["standard", "leiden"])
@pytest.mark.parametrize(
    ("animals", "count", "placements"),
    [(2, 10, 26_592), (3, 42, 5_311_404), (4, 134, 795_531_072), (5, 340, 91_660_000_000)],
)
def test_classes(name: str, animals: int, count: int, placements: int) -> None:
    found = classes(RULE_SETS[name], animals)
    assert len(found) == len({table.name for table in found}) == count
    assert sum(table.placements for table in found) == pytest.approx(placements, rel=1e-4)
    if animals < 5:
        assert sum(table.placements for table in found) == placements


@pytest.mark.parametrize("animals", [2, 3, 4])
def test_each_material_is_served_by_the_table_of_the_first_like_it(animals: int) -> None:
    order = {material: number for number, material in enumerate(materials(animals))}
    served: list[Material] = []
    by_class = served_materials(STANDARD, animals)
    assert tuple(by_class) == classes(STANDARD, animals)
    for table_class, like_it in by_class.items():
        first = table_class.material
        assert first == min(like_it, key=order.__getitem__) == like_it[0]
        assert list(like_it) == sorted(like_it, key=order.__getitem__)
        assert locate(STANDARD, first) == Location(
            table_class, False, tuple(first.pieces.index(piece) for piece in table_class.axes)
        )
        assert {locate(STANDARD, material).table_class for material in like_it} == {table_class}
        served += like_it
    assert sorted(served, key=order.__getitem__) == list(order)


def test_rules_that_play_no_part_in_tables_do_not_matter() -> None:
    material = Material.parse("CRvT")
    with_history = replace(STANDARD, repetition=3, history="baike")
    assert locate(with_history, material) == locate(STANDARD, material)
    assert classes(with_history, 3) == classes(STANDARD, 3)
    assert served_materials(with_history, 3) == served_materials(STANDARD, 3)


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), *ODD_RULES], ids=lambda rules: rules.name)
def test_axes(rules: Rules) -> None:
    for animals in (2, 3, 4):
        for table in classes(rules, animals):
            assert sorted(table.axes) == sorted(table.material.pieces)
            swim = [rules.swims(piece.animal) for piece in table.axes]
            assert swim[-1] == any(swim)
            assert not swim[-2] or all(swim)


# -- the same game ---------------------------------------------------------------------------------


def partners(rules: Rules, material: Material) -> tuple[list[tuple[Piece, Piece]], bool]:
    """The pieces of ``material`` with those of the table that stand for them."""
    table, swapped, order = locate(rules, material)
    return [(material.pieces[piece], table.axes[k]) for k, piece in enumerate(order)], swapped


def seen(edge: Edge, swapped: bool) -> Edge:
    if not swapped:
        return edge
    turned = (TURN_SQUARE[square] for square in edge.water)
    return Edge(TURN_SQUARE[edge.origin], TURN_SQUARE[edge.target], tuple(sorted(turned)))


def sample(rules: Rules) -> Iterator[Material]:
    yield from materials(2)
    yield from materials(3)[:: 1 if rules == STANDARD else 7]
    chosen = random.Random(1)
    yield from chosen.sample(materials(4), 100)
    yield from chosen.sample(materials(5), 100)


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), *ODD_RULES], ids=lambda rules: rules.name)
def test_a_material_has_the_moves_and_captures_of_its_table(rules: Rules) -> None:
    edges = {
        (piece, swapped): {
            seen(edge._replace(water=tuple(sorted(edge.water))), swapped): edge
            for edge in rules.edges(piece.animal, piece.color)
        }
        for piece in (Piece(color, animal) for color in Color for animal in Animal)
        for swapped in (False, True)
    }
    compared = {}
    for material in sample(rules):
        pairs, swapped = partners(rules, material)
        for here, there in pairs:
            assert here.color ^ swapped == there.color
            assert edges[here, swapped].keys() == edges[there, False].keys()
            for enemy, enemy_there in pairs:
                if (
                    enemy.color is here.color
                    or (key := (here, there, enemy, enemy_there)) in compared
                ):
                    continue
                compared[key] = all(
                    rules.may_capture(*here[::-1], enemy.animal, edge)
                    == rules.may_capture(
                        *there[::-1], enemy_there.animal, edges[there, False][like]
                    )
                    for like, edge in edges[here, swapped].items()
                    if edge.target in rules.squares(enemy.animal)
                )
                assert compared[key], f"{material}: {here} takes {enemy}"


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ("standard", "PvE CvW RvD RvT EvT CvL TvL TvR"),
        ("leiden", "RvW EvD TvP WvE RvE"),
        ("baike", "WvD DvW RvC TvE"),
        ("blinky", "TvD PvT"),
    ],
)
def test_a_material_has_the_values_of_its_table(rules: str, names: str) -> None:
    switches = RULE_SETS[rules].without_limit()
    for name in names.split():
        material = Material.parse(name)
        (first, second), swapped = partners(switches, material)
        like_it = locate(switches, material).table_class.material
        assert like_it != material
        values = solve(material.white, material.black, switches)
        there = solve(like_it.white, like_it.black, switches)
        column = [like_it.pieces.index(piece) for piece in (first[1], second[1])]
        mine = [material.pieces.index(piece) for piece in (first[0], second[0])]
        for state, value in values.items():
            other = [0, 0, state[-1] ^ swapped]
            for k in (0, 1):
                square = state[mine[k]]
                other[column[k]] = TURN_SQUARE[square] if swapped else square
            assert there[tuple(other)] == value


@pytest.mark.parametrize("name", ["ELvT", "TvLE", "RvLT", "CDvW", "EWRvDL"])
def test_swapped_sides_have_the_same_table(name: str) -> None:
    for rules in RULE_SETS.values():
        material = Material.parse(name)
        location, other = locate(rules, material), locate(rules, material.swapped())
        assert location.table_class == other.table_class
        assert location.swapped != other.swapped


def test_classes_do_not_depend_on_who_asks_first() -> None:
    """Threads that ask for the first time under new rules get what one alone gets."""
    rules = [Rules(no_capture_limit=plies, leopard_jumps="vertical") for plies in (1234, 1235)]
    some = random.Random(2).sample(materials(4), 200)
    alone = [locate(rules[0], material) for material in some]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda material: locate(rules[1], material), some))
    assert [(x.table_class.name, x.swapped, x.order) for x in alone] == [
        (x.table_class.name, x.swapped, x.order) for x in together
    ]


# -- what captures lead to -------------------------------------------------------------------------


@given(rules_and_position(most=6))
def test_captures_lead_to_captured_materials(case: tuple[Rules, Position]) -> None:
    rules, position = case
    if not position.white or not position.black:
        return
    material = Material.of(position)
    lefts = captured_materials(rules, material)
    for move in legal_moves(position, rules):
        taken = captured(position, move)
        after = play(position, move)
        if taken is not None and after.white and after.black:
            assert lefts[Piece(position.turn.other, taken)] == Material.of(after)


@given(some_rules(), st.sampled_from(materials(3)))
def test_every_captured_material_can_come_about(rules: Rules, material: Material) -> None:
    for victim, left in captured_materials(rules, material).items():
        assert [piece for piece in material.pieces if piece != victim] == list(left.pieces)
        assert any(capture_of(rules, material, victim))


def capture_of(rules: Rules, material: Material, victim: Piece) -> Iterator[bool]:
    """For each way in which an enemy enters the square of ``victim``: whether it takes it."""
    attackers = [piece for piece in material.pieces if piece.color is not victim.color]
    for color, animal in attackers:
        for edge in rules.edges(animal, color):
            if edge.target in rules.squares(victim.animal):
                placed = {edge.origin: (color, animal), edge.target: tuple(victim)}
                for piece in material.pieces:
                    if piece not in (victim, (color, animal)):
                        free = rules.squares(piece.animal) - set(placed) - set(edge.water)
                        placed[min(free)] = tuple(piece)
                position = Position.from_pieces(placed, color)  # type: ignore[arg-type]
                yield any(
                    move == (edge.origin, edge.target) for move in legal_moves(position, rules)
                )


def test_the_last_animal_of_a_side_leaves_nothing() -> None:
    material = Material.parse("ELvT")
    assert {str(left) for left in captured_materials(STANDARD, material).values()} == {"EvT", "LvT"}
    assert captured_materials(STANDARD, Material.parse("EvT")) == {}


def test_what_nobody_can_capture_leaves_nothing() -> None:
    never = replace(STANDARD, elephant_captures_rat="never")
    lefts = captured_materials(never, Material.parse("LRvE"))
    assert list(lefts) == [Piece(Color.WHITE, Animal.LION)]
