"""The errors of the library: what they say, the facts they carry, and that these can be sent on."""

from __future__ import annotations

import copy
import errno
import pickle
from pathlib import Path

import pytest

from tablebase import errors
from tablebase.errors import (
    AmbiguousError,
    CorruptTableError,
    FenError,
    FormatError,
    IllegalPositionError,
    MaterialError,
    MissingTableError,
    ResourceError,
    RulesError,
    Shortage,
    TablebaseError,
)
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import Animal, Rules, load_rules
from tablebase.resources import free_space, resource_error

MISSING = MissingTableError(
    "there is no table jade/EvP.dtc.h5 in tables",
    materials=["EvP"],
    pieces=2,
    metric="dtc",
    rules_key="jade",
    directories=[Path("tables")],
    fen="7/7/7/7/7/7/2p4/7/2E4 w",
    move="c1c2",
)
CORRUPT = CorruptTableError(
    Path("tables/standard/EvP.dtw.h5"),
    "its header is damaged",
    material="EvP",
    metric="dtw",
    rules_key="standard",
    belongs_at="standard/EvP.dtw.h5",
    newer=True,
)
RESOURCE = ResourceError(
    "the disk is full", "disk", path=Path("tables"), needed=1 << 40, available=7
)
ALL: tuple[tuple[Exception, dict[str, object]], ...] = (
    (TablebaseError("something about a table"), {}),
    (
        MISSING,
        {
            "materials": ("EvP",),
            "pieces": 2,
            "metric": "dtc",
            "rules_key": "jade",
            "directories": (Path("tables"),),
            "fen": "7/7/7/7/7/7/2p4/7/2E4 w",
            "move": "c1c2",
        },
    ),
    (
        CORRUPT,
        {
            "path": Path("tables/standard/EvP.dtw.h5"),
            "reason": "its header is damaged",
            "material": "EvP",
            "metric": "dtw",
            "rules_key": "standard",
            "belongs_at": "standard/EvP.dtw.h5",
            "newer": True,
        },
    ),
    (
        RESOURCE,
        {"shortage": "disk", "path": Path("tables"), "needed": 1 << 40, "available": 7},
    ),
    (FenError("the FEN is empty", "board"), {"field": "board"}),
    (IllegalPositionError("a cat on c4 stands in water", "c4"), {"square": "c4"}),
    (MaterialError("Black has no animals"), {}),
    (
        FormatError("no square", "misty", line=2, ply=7, field="moves"),
        {"reason": "no square", "format": "misty", "line": 2, "ply": 7, "field": "moves"},
    ),
    (
        AmbiguousError("two sides to move", (("jtb", "White"), ("misty", "Black")), line=3),
        {
            "reason": "two sides to move",
            "readings": (("jtb", "White"), ("misty", "Black")),
            "format": None,
            "line": 3,
            "ply": None,
            "field": None,
        },
    ),
    (
        RulesError("order is one of two", switch="order", path=Path("x.toml")),
        {"switch": "order", "path": Path("x.toml")},
    ),
)


def name_of(value: object) -> str:
    return type(value).__name__ if isinstance(value, Exception) else ""


def test_all_errors_are_looked_at() -> None:
    assert {type(error).__name__ for error, _ in ALL} | {"Shortage"} == set(errors.__all__)


@pytest.mark.parametrize(("error", "facts"), ALL, ids=name_of)
def test_facts(error: Exception, facts: dict[str, object]) -> None:
    assert vars(error) == facts
    assert error.args[0] in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(("error", "facts"), ALL, ids=name_of)
@pytest.mark.parametrize(
    "way",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)
def test_an_error_arrives_with_its_facts(
    way: object, error: Exception, facts: dict[str, object]
) -> None:
    assert callable(way)
    again = way(error)
    assert again is not error
    assert type(again) is type(error)
    assert (str(again), again.args) == (str(error), error.args)
    assert vars(again) == facts


@pytest.mark.parametrize(("error", "_"), ALL, ids=name_of)
def test_a_message_is_the_text(error: Exception, _: object) -> None:
    """Errors of formats say the place as well; all others say what they were made with."""
    assert (str(error) == error.args[0]) is not isinstance(error, FormatError)


def test_errors_of_formats_say_the_place() -> None:
    texts = [str(error) for error, _ in ALL if isinstance(error, FormatError)]
    assert texts == [
        "misty, line 2, ply 7, field moves: no square",
        "line 3: two sides to move: as jtb: White; as misty: Black",
    ]


def test_what_they_are_besides() -> None:
    assert isinstance(MISSING, TablebaseError)
    assert isinstance(MISSING, KeyError)
    for error in (CORRUPT, RESOURCE):
        assert isinstance(error, TablebaseError)
        assert isinstance(error, OSError)
    for kind in (FenError, FormatError, IllegalPositionError, MaterialError, RulesError):
        assert issubclass(kind, ValueError)


def test_what_is_not_known_is_none() -> None:
    assert vars(MissingTableError("x")) == {
        "materials": (),
        "pieces": None,
        "metric": None,
        "rules_key": None,
        "directories": (),
        "fen": None,
        "move": None,
    }
    corrupt = CorruptTableError(Path("x.h5"), "it is empty")
    assert str(corrupt) == "x.h5 cannot be used: it is empty"
    assert (corrupt.material, corrupt.metric, corrupt.rules_key) == (None, None, None)
    assert (corrupt.belongs_at, corrupt.newer) == (None, False)
    resource = ResourceError("x", "memory")
    assert (resource.path, resource.needed, resource.available) == (None, None, None)
    assert FenError("x").field == "fen"
    assert IllegalPositionError("x").square is None
    assert (RulesError("x").switch, RulesError("x").path) == (None, None)


# -- which part of a question is wrong -------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "field"),
    [
        ("", "fen"),
        ("7/7/7/7/7/7/7/7/D6 w 3 4", "fen"),
        ("7/7/7 w", "board"),
        ("7/7/7/7/7/7/7/7/X6 w", "board"),
        ("7/7/7/7/7/7/7/7/D7 w", "board"),
        ("7/7/7/7/7/7/7/7/D6", "side to move"),
        ("7/7/7/7/7/7/7/7/D6 x", "side to move"),
        ("7/7/7/7/7/7/7/7/D6 w -1", "counter"),
        ("7/7/7/7/7/7/7/7/D6 w 10001", "counter"),
    ],
)
def test_the_part_of_a_fen(fen: str, field: str) -> None:
    with pytest.raises(FenError) as caught:
        Position.from_fen(fen)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("fen", "square"),
    [
        ("7/7/7/7/1D5/7/7/7/7 w", "b5"),
        ("7/7/7/7/1C5/7/7/7/7 w", "b5"),
        ("7/7/7/7/7/7/7/7/3D3 w", "d1"),
        ("DD5/7/7/7/7/7/7/7/7 w", None),
        ("3D3/7/7/7/7/7/7/7/3d3 w", None),
        ("7/7/7/7/7/7/7/7/7 w", None),
    ],
)
def test_the_square_of_a_position(fen: str, square: str | None) -> None:
    with pytest.raises(IllegalPositionError) as caught:
        Position.from_fen(fen, Rules())
    assert caught.value.square == square


def test_a_square_that_is_on_no_board_has_no_name() -> None:
    with pytest.raises(IllegalPositionError, match="no square 63") as caught:
        Position.from_pieces({63: (Color.WHITE, Animal.CAT)}, Color.WHITE)
    assert caught.value.square is None


def test_the_switch_of_rules() -> None:
    with pytest.raises(RulesError) as caught:
        Rules(order="up")  # type: ignore[arg-type]
    assert (caught.value.switch, caught.value.path) == ("order", None)
    with pytest.raises(RulesError) as caught:
        Rules.from_switches({"gravity": True})
    assert caught.value.switch == "gravity"
    with pytest.raises(RulesError) as caught:
        load_rules("chess")
    assert caught.value.switch is None


# -- what the system says --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "shortage", "where_one_writes", "reason"),
    [
        (errno.ENOSPC, "disk", "disk", "the disk is full"),
        (errno.EDQUOT, "disk", "disk", "the disk quota is used up"),
        (errno.EFBIG, "system", "system", "the system does not allow so large a file"),
        (errno.EACCES, "permission", "folder", "permission is denied"),
        (errno.EPERM, "permission", "folder", "permission is denied"),
        (errno.EROFS, "permission", "folder", "it is on a read-only file system"),
        (errno.ENOTDIR, "folder", "folder", "a part of the path is no folder"),
        (errno.EEXIST, "folder", "folder", "a part of the path is no folder"),
        (errno.EISDIR, "folder", "folder", "a folder has that name"),
        (errno.EMFILE, "files", "files", "too many files are open"),
        (errno.ENFILE, "files", "files", "too many files are open on this machine"),
        (errno.ENOMEM, "memory", "memory", "the memory does not suffice"),
        (errno.EIO, "system", "system", "the words of the system"),
    ],
)
def test_what_the_system_says_in_words(
    number: int, shortage: Shortage, where_one_writes: Shortage, reason: str
) -> None:
    said = OSError(number, "the words of the system")
    for writing, expected in ((False, shortage), (True, where_one_writes)):
        error = resource_error("cannot use x", said, Path("x"), writing=writing)
        assert str(error).startswith(f"cannot use x: {reason}")
        assert error.shortage == expected
        assert error.path == Path("x")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (OSError("3520 requested and 1536 written"), "3520 requested and 1536 written"),
        (OSError(), "OSError"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_what_the_system_says_without_a_number(said: OSError, words: str) -> None:
    error = resource_error("cannot use x", said)
    assert str(error) == f"cannot use x: {words}"
    assert (error.shortage, error.path) == ("system", None)


def test_free_space_of_a_path_that_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert free_space(tmp_path / "not" / "yet") > 0
    file = tmp_path / "file"
    file.write_text("no folder")
    with pytest.raises(ResourceError, match=r"cannot use the folder .*no folder") as caught:
        free_space(file / "below")
    assert (caught.value.shortage, caught.value.path) == ("folder", file / "below")

    def nothing(path: Path) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))

    monkeypatch.setattr("shutil.disk_usage", nothing)
    with pytest.raises(ResourceError, match=r"nothing of its path exists$") as caught:
        free_space(tmp_path)
    assert (caught.value.shortage, caught.value.path) == ("folder", tmp_path)
