"""Values without measure: large numbers, long words, odd files, any command line at all."""

from __future__ import annotations

import json
import string
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jtb.errors import ExitCode
from jtb.main import COMMANDS, app
from tablebase import tablefile
from tablebase.tablefile import TableFile
from tests.sample_tables import SMALL, table_of, write_sample

EvP = "7/7/7/7/7/7/7/4p2/E6_w"
LONG = "x" * 100_000


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def sentence(*arguments: str, code: int = 2) -> str:
    """The one sentence with which the command ends."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("jtb: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("jtb: ")


# -- numbers and words -----------------------------------------------------------------------------


@pytest.mark.parametrize("depth", ["0", "101", str(10**20), "9" * 5000, "-1", "nan", "1e3", "²"])
def test_depths_that_are_none(depth: str) -> None:
    for more in ([], ["--divide"]):
        said = sentence("perft", *more, "--", depth)
        assert "DEPTH" in said
        assert len(said) < 400


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG],
        ["--" + LONG],
        ["perft", LONG],
        ["perft", "1", LONG],
        ["perft", "1", "7/" * 50_000],
        ["perft", "1", f"7/7/7/7/7/7/7/7/E6 {LONG}"],
        ["perft", "1", f"7/7/7/7/7/7/7/7/{LONG} w"],
        ["perft", "1", f"7/7/7/7/7/7/7/7/E6 w {'9' * 100_000}"],
        ["perft", "1", "--rules", LONG],
        ["perft", "1", "--rules", f"{LONG}.toml"],
        ["rules", LONG],
        ["rules", "--compare", "standard", LONG],
        ["rules", "--pieces", LONG],
        ["stats", LONG],
        ["stats", "v" + LONG],
        ["stats", "EvP", LONG],
        ["generate", "--metric", LONG],
        ["verify", LONG],
        ["verify", "--sample", "9" * 4000],
        ["verify", "--sample", "9" * 5000],
        ["export", LONG],
        ["export", "EvP", "-o", LONG],
        ["probe", LONG],
        ["line", LONG],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_message_quotes_a_short_piece_of_a_value(arguments: list[str], tmp_path: Path) -> None:
    result = run("--data-dir", str(tmp_path / "none"), *arguments)
    assert result.exit_code in (ExitCode.USAGE, ExitCode.MISSING)
    assert result.stderr.startswith("jtb: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 1200


@pytest.mark.parametrize("command", ["list", "stats EvP", "generate EvP", "verify"])
def test_a_folder_with_a_name_that_no_system_takes(command: str) -> None:
    said = sentence(*command.split(), "--data-dir", LONG, code=5)
    assert "File name too long" in said
    assert len(said) < 1200


@pytest.mark.parametrize("columns", ["20", "1", "0", "-5", "10000", "9" * 5000, "wide", ""])
def test_terminals_of_any_width(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for arguments in ([], ["--help"], ["rules"], *([name, "-h"] for name in COMMANDS)):
        assert run(*arguments).exit_code == (0 if arguments else 2)


# -- rules files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"a = " + b"[" * 3000,
        b"no_capture_limit = " + b"9" * 5000,
        b"a" + b".a" * 5000 + b" = 1",
        b"x = 1" + b" " * 100_000,
        b"base = 7",
        b"swimmers = 'rat\0'",
        b"no_capture_limit = nan",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_broken_rules_files_are_bad_input(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(content)
    for command in (["rules", str(file)], ["perft", "1", "--rules", str(file)]):
        said = sentence(*command)
        assert str(file) in said
        assert len(said) < 500


def test_rules_files_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes("\ufeffbase = 'leiden'\r\nno_capture_limit = 60\r\n".encode())
    switches = json.loads(run("rules", str(file), "--json").stdout)["switches"]
    assert switches["no_capture_limit"] == 60


# -- files in the folder ---------------------------------------------------------------------------


def test_list_goes_on_after_a_file_that_nobody_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = SMALL, table_of("EvT"), table_of("LvP")
    paths = [tmp_path / table.file for table in samples]
    for path, table in zip(paths, samples, strict=True):
        write_sample(path, table)

    class Odd(TableFile):
        def __init__(self, path: Path) -> None:
            if path == paths[1]:
                raise KeyError("classes")
            if path == paths[2]:
                raise MemoryError
            super().__init__(path)

    monkeypatch.setattr(tablefile, "TableFile", Odd)
    result = run("list", "--json", "--data-dir", str(tmp_path))
    assert [table["class"] for table in json.loads(result.stdout)["tables"]] == ["EvP"]
    lines = result.stderr.splitlines()
    assert lines[0].startswith(f"jtb: {paths[1]}: internal error, please report it")
    assert lines[1:] == [f"jtb: {paths[2]}: not enough memory"]
    assert result.exit_code == ExitCode.NO_ROOM


# -- any command line ------------------------------------------------------------------------------

OPTIONS = (
    *("--data-dir", "--rules", "-q", "-v", "--version", "-h", "--json", "--csv", "--stdin"),
    *("--brief", "--pieces", "--jobs", "--memory", "--metric", "--sample", "--divide", "--compare"),
    *("--output", "-o", "--to", "--format", "--", "-", "--x", "-qv", "--outcome", "--dtw"),
    *("--zugzwang", "--seed", "--histogram"),
)
VALUES = (
    *("EvP", "PvE", "EvX", "v", "", EvP, EvP.replace("_", " "), "w", "7/7/7/7/7/7/7/7/E6", "2"),
    *("standard", "plyyard", "none.toml", "none", "dtc", "1", "0", "-1", "nan", "inf", "1e300"),
    *("9" * 30, "9" * 5000, "1..3", "..", "9..1", "\udcff", "斗", "\x1b[31m", "a\nb", "~"),
)
WORDS = st.one_of(
    st.sampled_from(OPTIONS),
    st.sampled_from(VALUES),
    st.text(
        st.characters(exclude_characters="\0", exclude_categories=())
        .filter(lambda c: not "\ud800" <= c < "\udc80")
        .filter(lambda c: c not in string.digits),
        max_size=8,
    ),
)
HARMLESS = {"generate": ("--dry-run", "EvX"), "verify": ("EvX",), "export": ("EvX",)}
"""What keeps a command from making, checking or writing anything."""


@settings(max_examples=400)
@example("probe", ["--stdin", "--json", "\udcff"])
@example("list", ["--rules", "\udcff.toml"])
@given(st.sampled_from([*COMMANDS, ""]), st.lists(WORDS, max_size=6))
def test_any_command_line_ends_with_a_sentence_and_a_code(
    tables: Path, name: str, words: list[str]
) -> None:
    arguments = [*([name] if name else []), *HARMLESS.get(name, ()), *words]
    result = CliRunner(env={"JTB_DATA": str(tables)}).invoke(app, arguments, input=b"x\n")
    code = result.exit_code
    assert code in set(ExitCode) - {ExitCode.INTERNAL, ExitCode.INTERRUPTED}, result.stderr
    assert isinstance(result.exception, SystemExit | None)
    assert "Traceback" not in result.stderr
    if code not in (ExitCode.DONE, ExitCode.NO):
        assert result.stderr
    assert len(result.stderr) < 5000
