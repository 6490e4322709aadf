"""Starting ``jtb``: help, version, common options before and after the command, light imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from jtb.main import COMMANDS, app
from jtb.options import PIECES, Settings, join_fens
from tablebase.materials.material import MAX_ANIMALS
from tablebase.version import __version__

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("numpy", "numba", "h5py", "tqdm", "platformdirs", "tablebase.game.rules")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(ROOT), str(ROOT / "cli")))
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


def loaded() -> list[tuple[str, click.Command]]:
    context = click.Context(app)
    found = [(name, app.get_command(context, name)) for name in COMMANDS]
    return [(name, command) for name, command in found if command is not None]


def test_pieces_are_as_many_as_tables_are_made_for() -> None:
    assert (PIECES.min, PIECES.max) == (2, MAX_ANIMALS)


def test_every_command_is_there() -> None:
    assert [name for name, _ in loaded()] == list(COMMANDS)


def test_short_helps_are_those_of_the_commands() -> None:
    for name, command in loaded():
        assert command.help is not None
        assert command.help.splitlines()[0] == COMMANDS[name]


def test_every_command_has_help_with_an_example() -> None:
    for name in COMMANDS:
        code, out, err = run(name, "-h")
        assert (code, err) == (0, "")
        assert f"  jtb {name}" in out.partition("Example")[2]
        assert "--data-dir DIR" in out


def test_help_lists_every_command_and_loads_nothing_heavy() -> None:
    result = python(
        "-c",
        "import sys, jtb.main\n"
        "try: jtb.main.main()\n"
        f"finally: print([m for m in {HEAVY!r} if m in sys.modules])",
        "--help",
    )
    assert result.returncode == 0, result.stderr
    assert all(f"  {name} " in result.stdout for name in COMMANDS)
    assert result.stdout.splitlines()[-1] == "[]"


def test_importing_the_library_loads_nothing_heavy() -> None:
    result = python(
        "-c", "import sys, tablebase; print([m for m in ('numba', 'h5py') if m in sys.modules])"
    )
    assert result.stdout == "[]\n", result.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["rules", "--version"]])
def test_version(arguments: list[str]) -> None:
    assert run(*arguments) == (0, f"jtb {__version__}\n", "")


def test_module_is_the_command() -> None:
    assert python("-m", "jtb", "--version").stdout == f"jtb {__version__}\n"


def test_without_a_command_the_help_goes_to_stderr() -> None:
    code, out, err = run()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: jtb")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rules", "leiden", "perft", "1", "1eR4/7/7/7/7/7/7/7/7_b"],
        ["perft", "--rules", "leiden", "1", "1eR4/7/7/7/7/7/7/7/7_b"],
        ["perft", "1", "1eR4/7/7/7/7/7/7/7/7_b", "--rules", "leiden"],
        ["--rules", "no-such", "perft", "1", "1eR4/7/7/7/7/7/7/7/7_b", "--rules", "leiden"],
    ],
)
def test_common_options_stand_before_or_after_the_command(arguments: list[str]) -> None:
    assert run(*arguments) == (0, "1 3\n", "")


def test_settings_of_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JTB_DATA", "from-environment")
    assert Settings().data_dir == Path("from-environment")
    assert Settings(given_data_dir=Path("given")).data_dir == Path("given")
    monkeypatch.setenv("JTB_DATA", "")
    monkeypatch.setenv("XDG_DATA_HOME", "/nowhere")
    assert Settings().data_dir.name == "jtb"


def test_words_of_fens_are_joined() -> None:
    assert join_fens(["1/2", "w", "7", "3/4_b", "5/6 w"]) == ["1/2 w 7", "3/4_b", "5/6 w"]
    assert join_fens(["nonsense", "w", "1/2"]) == ["nonsense w", "1/2"]
    assert join_fens([]) == []
