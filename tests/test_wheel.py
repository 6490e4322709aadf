"""The wheel, installed in an environment of its own: whole, typed, and of use where it may not be
written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {"tablebase": ROOT / "tablebase", "jtb": ROOT / "cli" / "jtb"}
NOBODY = 65534

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that every user may look into, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="jtb-wheel-"))
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(folder / "wheel"), str(ROOT)], check=True)
    (wheel,) = (folder / "wheel").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(folder: Path, wheel: Path) -> Path:
    """The folder of the programs of an environment with the wheel and what it needs."""
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True)
    return programs


def run(
    *command: str | Path, code: int = 0, prefix: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment, which sees nothing of the checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "JTB_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    done = subprocess.run(
        [*prefix, *map(str, command)],
        cwd="/",
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_the_wheel_holds_all_that_the_sources_have(wheel: Path) -> None:
    expected = {
        f"{package}/{path.relative_to(source).as_posix()}"
        for package, source in SOURCES.items()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == expected
    assert {"tablebase/py.typed", "jtb/py.typed"} <= held


USER = """
import tablebase

with tablebase.open_tablebase("tables") as tb:
    probe = tb.probe(tablebase.Position.from_fen("7/7/7/7/7/3e3/3L3/5R1/7 w"))
    outcome: int = probe.outcome
    reveal_type(probe.dtw)
    wrong: str = probe.outcome
    tb.no_such_method()
"""


def test_a_user_of_the_library_sees_its_types(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is in the extra 'dev'")
    (tmp_path / "user.py").write_text(USER, "utf-8")
    python = f"--python-executable={installed / 'python'}"
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary"]
    found = subprocess.run(
        [*mypy, python, "user.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = [line.partition(": ")[2] for line in found.stdout.splitlines()]
    assert [line.partition(": ")[0] for line in said] == ["note", "error", "error"], said
    assert 'Revealed type is "int | None"' in said[0] or "Union[" in said[0]
    assert "[assignment]" in said[1]
    assert "[attr-defined]" in said[2]


def test_it_makes_tables_and_answers(installed: Path, tmp_path: Path) -> None:
    jtb, data = installed / "jtb", ("--data-dir", tmp_path / "tables")
    run(jtb, "generate", "--pieces", "2", *data, JTB_CACHE=str(tmp_path / "cache"))
    answer = run(jtb, "probe", "7/7/7/7/7/3e3/3L3/7/7_w", "--json", *data).stdout
    assert json.loads(answer)["outcome"] in ("win", "loss", "draw")
    assert list((tmp_path / "cache").rglob("*.kernel"))


@pytest.fixture
def powerless(installed: Path) -> tuple[str, ...]:
    """What to put before a command so that it may not write to the environment."""
    environment = installed.parent
    for path in environment.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    environment.chmod(0o555)
    ways: tuple[tuple[str, ...], ...] = (
        (),
        ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        # Root whose interpreter others may not run, without the right to pass over modes.
        ("setpriv", "--bounding-set=-all", "--inh-caps=-all"),
    )
    trial = "import sys\ntry: open(sys.argv[1], 'w')\nexcept PermissionError: print('refused')"
    for way in ways:
        try:
            done = subprocess.run(
                [*way, installed / "python", "-c", trial, environment / "trial"],
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            continue
        if done.stdout == "refused\n":
            return way
        (environment / "trial").unlink(missing_ok=True)
    pytest.skip("this user may write everywhere, and there is no setpriv")


@pytest.fixture
def tables(folder: Path) -> Path:
    """A folder for tables that anybody may write to."""
    tables = Path(tempfile.mkdtemp(dir=folder))
    tables.chmod(0o777)
    return tables


COMMANDS = (
    ("generate", "--pieces", "2"),
    ("verify", "--pieces", "2"),
    ("rules", "--compare", "standard", "leiden", "--pieces", "2"),
)
ONCE = "cannot be kept"


def test_it_runs_where_nothing_of_it_may_be_written(
    installed: Path, powerless: tuple[str, ...], tables: Path
) -> None:
    nowhere = str(installed.parent / "no" / "home")
    for command in COMMANDS:
        done = run(
            installed / "jtb", *command, prefix=powerless, HOME=nowhere, JTB_DATA=str(tables)
        )
        (said,) = [line for line in done.stderr.splitlines() if ONCE in line]
        assert str(installed.parent) in said


def test_there_it_keeps_kernels_where_it_is_told(
    installed: Path, powerless: tuple[str, ...], tables: Path
) -> None:
    cache = tables / "cache"
    for _ in range(2):
        done = run(
            installed / "jtb", *COMMANDS[0], "--force", prefix=powerless,
            HOME=str(installed.parent / "no" / "home"),
            JTB_DATA=str(tables), JTB_CACHE=str(cache),
        )  # fmt: skip
        assert ONCE not in done.stderr
    assert list(cache.rglob("*.kernel"))
