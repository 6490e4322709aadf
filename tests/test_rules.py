"""The switches, the named rule sets, rules files, and what each switch changes on the board."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.errors import RulesError
from tablebase.game.board import DENS, MIRROR_SQUARE, TURN_SQUARE, WATER, Color, parse_square
from tablebase.game.moves import finished, legal_moves, play
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Animal, Edge, Rules, load_rules
from tests.strategies import SWITCHES, some_rules

STANDARD = Rules()


def moves(fen: str, **switches: Any) -> set[str]:
    rules = Rules(**switches)
    return {str(move) for move in legal_moves(Position.from_fen(fen, rules), rules)}


# Switches and their values


def test_the_switches_and_their_standard_values() -> None:
    assert list(STANDARD.switches()) == list(SWITCHES) == [field.name for field in fields(Rules)]
    assert STANDARD.switches() == {name: values[0] for name, values in SWITCHES.items()}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in SWITCHES.items() for value in values]
)
def test_every_value_is_taken_and_kept(name: str, value: Any) -> None:
    rules = replace(STANDARD, **{name: value})
    assert rules.switches() == {**STANDARD.switches(), name: value}
    assert Rules.from_switches(rules.switches()) == rules


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", ["nonsense", 2, 3.0, "", [], {}, float("nan"), "Both"])
def test_every_other_value_is_refused(name: str, value: Any) -> None:
    if name == "no_capture_limit" and value == 2:
        return
    with pytest.raises(RulesError, match=name):
        Rules.from_switches({name: value})


@pytest.mark.parametrize("name", [n for n in SWITCHES if n != "rat_entering_water_captures"])
def test_yes_and_no_are_for_the_one_switch_that_takes_them(name: str) -> None:
    for value in (True, False, "yes", "no"):
        with pytest.raises(RulesError, match=name):
            Rules.from_switches({name: value})


@pytest.mark.parametrize("limit", [0, -1, 10_001, True, 60.0, "60"])
def test_limits_that_are_none(limit: Any) -> None:
    with pytest.raises(RulesError, match="no_capture_limit is a number of plies from 1 to 10000"):
        Rules(no_capture_limit=limit)


def test_words_for_values() -> None:
    assert Rules.from_switches({"rat_entering_water_captures": "yes"}).rat_entering_water_captures
    dry = Rules.from_switches({"rat_entering_water_captures": "no"}, RULE_SETS["leiden"])
    assert dry == replace(RULE_SETS["leiden"], rat_entering_water_captures=False)
    blinky = RULE_SETS["blinky"]
    unlimited = {"no_capture_limit": "none", "repetition": "none", "lion_jumps": "none"}
    changed = Rules.from_switches(unlimited, blinky)
    assert (changed.no_capture_limit, changed.repetition) == (None, None)
    assert (changed.lion_jumps, changed.tiger_jumps) == ("none", "vertical")
    with pytest.raises(RulesError, match="no switch is called 'jumps'; these are: elephant_"):
        Rules.from_switches({"jumps": "both"})


# Named rule sets


@pytest.mark.parametrize(
    ("name", "differences"),
    [
        ("standard", {}),
        ("plyyard", {"no_capture_limit": 60}),
        ("jade", {"trapped_attack": "zero", "no_capture_limit": 100}),
        (
            "blinky",
            {
                "tiger_jumps": "vertical",
                "trapped_attack": "zero",
                "repetition": 3,
                "no_capture_limit": 100,
            },
        ),
        (
            "baike",
            {
                "order": "dog over wolf",
                "jump_blocked_by": "enemy",
                "rat_leaving_water_captures": "rat",
                "rat_entering_water_captures": True,
                "trapped_attack": "zero",
                "no_capture_limit": 200,
                "history": "baike",
            },
        ),
        (
            "leiden",
            {
                "elephant_captures_rat": "always",
                "rat_leaving_water_captures": "rat",
                "rat_entering_water_captures": True,
            },
        ),
        ("mistboard", {"repetition": 3, "no_capture_limit": 200}),
        ("katago", {"no_capture_limit": 200}),
        (
            "netcan",
            {
                "elephant_captures_rat": "never",
                "rat_leaving_water_captures": "rat",
                "rat_entering_water_captures": True,
            },
        ),
    ],
)
def test_named_rule_sets(name: str, differences: dict[str, Any]) -> None:
    rules = load_rules(name)
    assert rules.switches() == {**STANDARD.switches(), **differences}
    assert rules.name == name


def test_there_are_nine_of_them() -> None:
    of_pages = ["standard", "plyyard", "jade", "blinky", "baike", "leiden"]
    assert list(RULE_SETS) == [*of_pages, "mistboard", "katago", "netcan"]
    assert Rules(no_capture_limit=61).name == "custom"


def test_what_tables_leave_out() -> None:
    baike = RULE_SETS["baike"]
    assert baike.without_history() == replace(baike, history="none")
    assert baike.without_limit() == replace(baike, history="none", no_capture_limit=None)
    assert RULE_SETS["blinky"].without_history().repetition is None


@pytest.mark.parametrize("name", ["", "Standard", "chess", "rules.txt", "../standard"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(RulesError, match=r"no rule set is called .*standard, plyyard.*NAME\.toml"):
        load_rules(name)


# Rules files


def write(folder: Path, text: str) -> str:
    path = folder / "house.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_rules_file(tmp_path: Path) -> None:
    text = """
        # A comment.
        base = "leiden"
        rat_entering_water_captures = "no"
        lion_jumps = "horizontal"
        no_capture_limit = 30
    """
    assert load_rules(write(tmp_path, text)) == Rules(
        elephant_captures_rat="always",
        rat_leaving_water_captures="rat",
        lion_jumps="horizontal",
        no_capture_limit=30,
    )
    assert load_rules(write(tmp_path, "")) == STANDARD
    assert load_rules(write(tmp_path, "rat_entering_water_captures = true")) == Rules(
        rat_entering_water_captures=True
    )


@given(rules=some_rules())
def test_any_combination_fits_a_rules_file(
    tmp_path_factory: pytest.TempPathFactory, rules: Rules
) -> None:
    lines = []
    for switch, value in rules.switches().items():
        written = {None: '"none"', True: "true", False: "false"}.get(value, repr(value))
        lines.append(f"{switch} = {written}")
    folder = tmp_path_factory.mktemp("rules")
    assert load_rules(write(folder, "\n".join(lines))) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lion_jumps", "is not TOML"),
        ('lion_jumps = "both"\nlion_jumps = "none"', "is not TOML"),
        ('base = "chess"', "no rule set is called 'chess'; these are: standard"),
        ('base = "other.toml"', "no rule set is called 'other.toml'"),
        ("base = 3", "base is the name of a rule set, in quotes; 3 is not"),
        ("base = true", "base is the name of a rule set, in quotes; True is not"),
        ('base = ["leiden"]', "base is the name of a rule set, in quotes; a list is not"),
        ('[base]\nleiden = "leiden"', "base is the name of a rule set, in quotes; a table is not"),
        ("base = 1970-01-01", "base is the name of a rule set, in quotes; a date is not"),
        ('lion_jump = "both"', "no switch is called 'lion_jump'"),
        ('[rules]\nlion_jumps = "both"', "no switch is called 'rules'"),
        ("lion_jumps = true", "lion_jumps is one of: both, vertical, horizontal, none; True"),
        ("no_capture_limit = 0", "no_capture_limit is a number"),
        ("repetition = 2", "repetition is one of: 3, none; 2"),
        ('rat_entering_water_captures = "maybe"', "is yes or no; 'maybe' is neither"),
    ],
)
def test_broken_rules_files(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(RulesError, match=message) as caught:
        load_rules(path)
    assert_one_sentence_about(path, caught.value)


def assert_one_sentence_about(path: str, error: RulesError) -> None:
    message = str(error)
    assert message.count(path) == 1
    assert message.isprintable()
    assert len(message) < len(path) + 450
    assert error.path == Path(path)
    assert error.__cause__ is None


def test_rules_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.toml")
    with pytest.raises(RulesError, match=r"cannot read .*missing\.toml: No such file") as caught:
        load_rules(missing)
    assert_one_sentence_about(missing, caught.value)
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(RulesError, match=r"cannot read .*folder\.toml") as caught:
        load_rules(str(folder))
    assert_one_sentence_about(str(folder), caught.value)
    with pytest.raises(RulesError, match="cannot read"):
        load_rules("zero\0.toml")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"# caf\xe9\n", 'order = "x"'.encode("utf-16")]
)
def test_rules_files_in_another_encoding(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bytes.toml"
    path.write_bytes(content)
    with pytest.raises(RulesError, match="is not TOML: 'utf-8' codec") as caught:
        load_rules(str(path))
    assert_one_sentence_about(str(path), caught.value)


def test_a_byte_order_mark_is_no_part_of_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + b'base = "leiden"\r\nlion_jumps = "none"\r\n')
    assert load_rules(str(path)) == replace(RULE_SETS["leiden"], lion_jumps="none")


def test_a_rules_file_has_a_size_that_people_write(tmp_path: Path) -> None:
    lines = ["#" * 99 for _ in range(64)] + ['order = "dog over wolf"']
    path = write(tmp_path, "\n".join(lines))
    assert load_rules(path) == Rules(order="dog over wolf")
    with Path(path).open("a") as file:
        file.write("\n" + "#" * 3000)
    with pytest.raises(RulesError, match=r"is too large: 8192 bytes are enough$") as caught:
        load_rules(path)
    assert_one_sentence_about(path, caught.value)


@pytest.mark.parametrize("name", [*SWITCHES, "base"])
@pytest.mark.parametrize(
    "written",
    ["{}", "{a = 1}", "[]", "[[]]", '["none"]', "1970-01-01", "12:00:00", "1e400", "nan", "-1"],
)
def test_values_of_another_type(tmp_path: Path, name: str, written: str) -> None:
    path = write(tmp_path, f"{name} = {written}")
    with pytest.raises(RulesError, match=f": {name} is ") as caught:
        load_rules(path)
    assert_one_sentence_about(path, caught.value)
    assert caught.value.switch == (None if name == "base" else name)


A_BASE, A_SWITCH, NO_SWITCH = "base is the name", "order is one of", "no switch is called 'a'"
DEEP, NUMBER, NONE = (
    "is nested too deeply$",
    "is not TOML: .*digits",
    "a number of that size is not$",
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 3000 + "]" * 3000, DEEP),
        ("base = " + "[" * 3000 + "]" * 3000, DEEP),
        ("base = " + "[" * 300 + "]" * 300, A_BASE),
        ("a = " + "{a=" * 2000 + "1" + "}" * 2000, DEEP),
        ("no_capture_limit = " + "9" * 5000, NUMBER),
        ("no_capture_limit = 0x" + "f" * 5000, NONE),
        ("repetition = 0x" + "f" * 5000, NONE),
        ("rat_entering_water_captures = -" + "9" * 4000, "a number of that size is neither$"),
        ("order = [0x" + "f" * 5000 + "]", A_SWITCH),
        ("base = 0x" + "f" * 5000, NONE),
        ("base = [0x" + "f" * 5000 + "]", A_BASE),
        (".".join("a" * 4000) + " = 1", NO_SWITCH),
        ("order." + ".".join("a" * 4000) + " = 1", A_SWITCH),
        ("base." + ".".join("a" * 4000) + " = 1", A_BASE),
        ("[" + ".".join("a" * 4000) + "]\nb = 1", NO_SWITCH),
        ("[[" + ".".join("a" * 4000) + "]]\nb = 1", NO_SWITCH),
        ("[" + ".".join("a" * 2000) + "]\n" + ".".join("b" * 2000) + "= 1", NO_SWITCH),
        ("a" * 8000 + " = 1", "no switch is called 'aaa.*\\.\\.\\.; these are"),
        ("order = '" + "a" * 8000 + "'", "; 'aaa.*\\.\\.\\. is not$"),
        ("base = '" + "a" * 8000 + "'", "no rule set is called 'aaa.*\\.\\.\\.; these are"),
        ('"a\\nb" = 1', r"no switch is called 'a\\nb'"),
        ('order = "a\\nb"', r"'a\\nb' is not$"),
        ('base = "a\\nb"', r"no rule set is called 'a\\nb'"),
        ("order = '\0'", "is not TOML: "),
        ('"" = 1', "no switch is called ''"),
    ],
    ids=range(25),
)
def test_rules_files_made_to_do_harm(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(RulesError, match=message) as caught:
        load_rules(path)
    assert_one_sentence_about(path, caught.value)


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_any_bytes_are_rules_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    try:
        load_rules(str(path))
    except RulesError as error:
        assert_one_sentence_about(str(path), error)


# Positions that other programs got wrong (docs/rules.md)


def test_a_rat_in_the_water_may_not_take_the_elephant() -> None:
    assert moves("7/7/7/7/eR5/7/7/7/7 w") == {"b5b4", "b5b6", "b5c5"}


def test_a_rat_blocks_the_jump() -> None:
    assert moves("7/7/7/7/1r5/7/1L5/7/7 w") == {"b3a3", "b3b2", "b3c3"}


def test_a_home_trap_does_not_protect_its_own_animals() -> None:
    fen = "2c4/2L4/7/7/7/7/7/7/7 w"
    assert "c8c9" in moves(fen)
    assert finished(play(Position.from_fen(fen), Move.parse("c8c9")), STANDARD) == -1


def test_home_traps_weaken_only_where_the_rules_say_so() -> None:
    assert "d3d2" in moves("7/7/7/7/7/7/3l3/3C3/7 b")
    weak_attacks_strong = "7/7/7/7/7/7/3c3/3L3/7 b"
    assert "d3d2" not in moves(weak_attacks_strong)
    assert "d3d2" in moves(weak_attacks_strong, traps_weaken="all")


@pytest.mark.parametrize(
    ("switch", "legal"), [("in_trap", True), ("always", True), ("never", False)]
)
def test_the_elephant_takes_a_trapped_rat(switch: str, legal: bool) -> None:
    assert ("b9c9" in moves("1eR4/7/7/7/7/7/7/7/7 b", elephant_captures_rat=switch)) is legal


def test_sideways_jumps() -> None:
    fen = "7/7/7/7/7/T6/7/7/7 w"
    assert "a4d4" in moves(fen)
    assert "a4d4" not in moves(fen, tiger_jumps="vertical")


def test_nobody_enters_its_own_den() -> None:
    assert moves("7/7/7/7/7/7/7/3R3/7 w") == {"d2c2", "d2d3", "d2e2"}


def test_equal_strength_captures() -> None:
    fen = "7/7/7/7/7/7/7/d6/D6 w"
    assert "a1a2" in moves(fen)
    after = play(Position.from_fen(fen), Move.parse("a1a2"))
    assert after.fen() == "7/7/7/7/7/7/7/D6/7 b"
    assert finished(after, STANDARD) == -1


def test_no_legal_move() -> None:
    after = play(Position.from_fen("7/7/7/7/7/7/7/D6/c1T4 w"), Move.parse("c1b1"))
    assert finished(after, STANDARD) == -1
    assert finished(after, Rules(no_moves="draw")) == 0


# What each switch changes


def test_the_elephant_and_the_rat_in_the_open() -> None:
    fen = "7/7/7/7/7/7/7/r6/E6 w"
    for switch, legal in (("in_trap", False), ("never", False), ("always", True)):
        assert ("a1a2" in moves(fen, elephant_captures_rat=switch)) is legal
    # The rat takes the elephant whatever the elephant may do.
    assert "a2a1" in moves("7/7/7/7/7/7/7/r6/E6 b", elephant_captures_rat="never")
    # A rat on a trap of its own side is safe from the elephant even where that trap weakens it.
    assert "c2c1" not in moves("7/7/7/7/7/7/7/2e4/2R4 b", traps_weaken="all")


def test_leaving_the_water() -> None:
    fens = [f"7/7/7/7/{defender}R5/7/7/7/7 w" for defender in "rel"]
    for switch, legal in (
        ("none", [False, False, False]),
        ("rat", [True, False, False]),
        ("any", [True, True, False]),
    ):
        found = ["b5a5" in moves(fen, rat_leaving_water_captures=switch) for fen in fens]
        assert found == legal


def test_entering_the_water() -> None:
    fen = "7/7/7/7/Rr5/7/7/7/7 w"
    assert "a5b5" not in moves(fen)
    assert "a5b5" in moves(fen, rat_entering_water_captures=True)
    # Inside the water rats always take each other.
    assert "b5c5" in moves("7/7/7/7/1Rr4/7/7/7/7 w")


@pytest.mark.parametrize(
    ("animal", "switch"), [("L", "lion_jumps"), ("T", "tiger_jumps"), ("P", "leopard_jumps")]
)
def test_jumps(animal: str, switch: str) -> None:
    lengthwise, sideways = f"7/7/7/7/7/7/1{animal}5/7/7 w", f"7/7/7/7/7/3{animal}3/7/7/7 w"
    for value, up, across in (
        ("both", True, True),
        ("vertical", True, False),
        ("horizontal", False, True),
        ("none", False, False),
    ):
        assert ("b3b7" in moves(lengthwise, **{switch: value})) is up
        assert ({"d4a4", "d4g4"} <= moves(sideways, **{switch: value})) is across
        assert ({"d4a4", "d4g4"} & moves(sideways, **{switch: value}) != set()) is across


def test_jumps_capture_on_landing_by_strength() -> None:
    fen = "7/7/1{}5/7/7/7/1T5/7/7 w"
    assert "b3b7" in moves(fen.format("t"))
    assert "b3b7" not in moves(fen.format("l"))


@pytest.mark.parametrize("blocker", ["b4", "b5", "b6"])
def test_whose_rats_block_a_jump(blocker: str) -> None:
    lion = {parse_square("b3"): (Color.WHITE, Animal.LION)}
    for color, switch, legal in (
        (Color.WHITE, "any", False),
        (Color.WHITE, "enemy", True),
        (Color.BLACK, "any", False),
        (Color.BLACK, "enemy", False),
    ):
        pieces = {**lion, parse_square(blocker): (color, Animal.RAT)}
        fen = Position.from_pieces(pieces, Color.WHITE).fen()
        assert ("b3b7" in moves(fen, jump_blocked_by=switch)) is legal


def test_swimming_dogs() -> None:
    fen = "7/7/7/7/D6/7/7/7/7 w"
    assert "a5b5" not in moves(fen)
    assert "a5b5" in moves(fen, swimmers="rat and dog")
    blocked = "7/7/7/7/1d5/7/1L5/7/7 w"
    assert "b3b7" not in moves(blocked, swimmers="rat and dog")
    # What holds for rats that enter or leave the water holds for every swimmer.
    assert "b5a5" not in moves("7/7/7/7/cD5/7/7/7/7 w", swimmers="rat and dog")


def test_attacking_from_a_trap() -> None:
    for fen, move in (
        ("2C4/2c4/7/7/7/7/7/7/7 w", "c9c8"),
        ("1eR4/7/7/7/7/7/7/7/7 w", "c9b9"),
        ("2E4/2r4/7/7/7/7/7/7/7 w", "c9c8"),
    ):
        assert move in moves(fen, elephant_captures_rat="always")
        assert move not in moves(fen, elephant_captures_rat="always", trapped_attack="zero")
    # It still moves, into the den too, and on a trap that does not weaken it it takes as ever.
    assert moves("2E4/7/7/7/7/7/7/7/c6 w", trapped_attack="zero") == {"c9b9", "c9c8", "c9d9"}
    at_home = "7/7/7/7/7/7/7/2c4/2C4 w"
    assert "c1c2" in moves(at_home, trapped_attack="zero")
    assert "c1c2" not in moves(at_home, trapped_attack="zero", traps_weaken="all")


def test_strength_0_takes_strength_0() -> None:
    # No two traps are neighbours, so this can only be asked of the rules.
    edge = Edge(parse_square("d8"), parse_square("d2"))
    zero = Rules(trapped_attack="zero")
    assert zero.may_capture(Animal.CAT, Color.WHITE, Animal.LION, edge)


def test_wolf_and_dog() -> None:
    wolf_attacks, dog_attacks = "7/7/7/7/7/7/7/d6/W6 w", "7/7/7/7/7/7/7/w6/D6 w"
    assert ("a1a2" in moves(wolf_attacks), "a1a2" in moves(dog_attacks)) == (True, False)
    dog_first = {"order": "dog over wolf"}
    assert "a1a2" not in moves(wolf_attacks, **dog_first)
    assert "a1a2" in moves(dog_attacks, **dog_first)


def test_who_takes_whom_in_the_open() -> None:
    edge = Edge(parse_square("a1"), parse_square("a2"))
    for attacker in Animal:
        taken = {d for d in Animal if STANDARD.may_capture(attacker, Color.WHITE, d, edge)}
        if attacker is Animal.ELEPHANT:
            assert taken == set(Animal) - {Animal.RAT}
        elif attacker is Animal.RAT:
            assert taken == {Animal.RAT, Animal.ELEPHANT}
        else:
            assert taken == {d for d in Animal if d <= attacker}


def test_anyone_takes_anyone_on_its_own_trap() -> None:
    edge = Edge(parse_square("d3"), parse_square("d2"))
    for attacker in Animal:
        assert all(STANDARD.may_capture(attacker, Color.WHITE, d, edge) for d in Animal)


# Edges


def test_how_many_ways_there_are() -> None:
    # Counted by hand: 110 neighbouring pairs on a 7 x 9 board; on each lake of 2 x 3 squares 17
    # pairs touch water, 7 of them inside; 3 pairs touch a den. One way leads into the enemy den
    # from each of its three neighbours. A jumper has 2 x (2 + 3) lines over water, both ways.
    on_land = 2 * (110 - 2 * 17 - 3 - 3) + 3
    assert len(STANDARD.edges(Animal.CAT, Color.WHITE)) == on_land
    assert len(STANDARD.edges(Animal.RAT, Color.WHITE)) == on_land + 2 * 2 * 17
    assert len(STANDARD.edges(Animal.LION, Color.WHITE)) == on_land + 2 * 10
    vertical = Rules(tiger_jumps="vertical").edges(Animal.TIGER, Color.WHITE)
    assert len(vertical) == on_land + 2 * 4


@given(some_rules(), st.sampled_from(Animal), st.sampled_from(Color))
def test_edges_keep_to_the_board(rules: Rules, animal: Animal, color: Color) -> None:
    standing = rules.squares(animal)
    edges = rules.edges(animal, color)
    assert list(edges) == sorted(set(edges))
    assert {edge.origin for edge in edges} == standing
    assert {edge.target for edge in edges} == standing | {DENS[color.other]}
    for edge in edges:
        across = abs(edge.target - edge.origin)
        if edge.water:
            assert set(edge.water) <= WATER
            assert not {edge.origin, edge.target} & WATER
            assert (len(edge.water), across) in {(2, 3), (3, 28)}
        else:
            assert across in (1, 7)
        if edge.target != DENS[color.other]:
            back = Edge(edge.target, edge.origin, edge.water[::-1])
            assert back in edges


@given(some_rules(), st.sampled_from(Animal), st.sampled_from(Color))
@settings(max_examples=40)
def test_edges_and_captures_do_not_notice_symmetries(
    rules: Rules, animal: Animal, color: Color
) -> None:
    edges = rules.edges(animal, color)
    for image, side in ((MIRROR_SQUARE, color), (TURN_SQUARE, color.other)):
        turned = [
            Edge(image[e.origin], image[e.target], tuple(image[square] for square in e.water))
            for e in edges
        ]
        assert set(turned) == set(rules.edges(animal, side))
        for before, after in zip(edges, turned, strict=True):
            for defender in Animal:
                assert rules.may_capture(animal, color, defender, before) == rules.may_capture(
                    animal, side, defender, after
                )
