"""What holds for the whole project: layout, names, import directions, one version, clean text."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import tomllib
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path
from types import FunctionType

import pytest

import tablebase
from tablebase.version import __version__

ROOT = Path(__file__).resolve().parent.parent
LAYOUT = {
    ".ci",
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "benchmarks",
    "cli",
    "data",
    "docs",
    "notebooks",
    "pyproject.toml",
    "tablebase",
    "tests",
}
REQUIRED = LAYOUT - {"benchmarks", "data", "docs", "notebooks"}
MACHINE_PATH = re.compile(r"(?<![\w.~>)}-])/(?:home|root|tmp|work|opt|Users|mnt|srv)/\w")
REGISTRY = re.compile(r"\b(?:pypi|files\.pythonhosted|test\.pypi)\.org\b")
LEFT_OVER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")


def project_files() -> list[Path]:
    """The files of the project, tracked or about to be, relative to its folder."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    names = [name for name in listed.stdout.split("\0") if name]
    return [Path(name) for name in names if (ROOT / name).is_file()]


def modules() -> list[Path]:
    return [path for path in project_files() if path.suffix == ".py"]


def library() -> list[Path]:
    return [path for path in modules() if path.parts[0] == "tablebase"]


def test_top_level_holds_only_what_it_should() -> None:
    found = {path.parts[0] for path in project_files()}
    assert found <= LAYOUT
    assert found >= REQUIRED


def test_imports_run_one_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = pytest.importorskip("importlinter.cli", reason="import-linter is in the extra 'dev'")
    monkeypatch.chdir(ROOT)
    status = cli.lint_imports(config_filename="pyproject.toml", no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_jungle_itself_knows_nothing_else_of_the_library() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (contract,) = (c for c in contracts if c.get("source_modules") == ["tablebase.game"])
    others = {
        f"tablebase.{path.relative_to('tablebase').parts[0].removesuffix('.py')}"
        for path in library()
        if path != Path("tablebase/__init__.py")
    }
    allowed = {f"tablebase.{name}" for name in ("game", "errors", "version")}
    assert set(contract["forbidden_modules"]) == others - allowed


def test_imports_have_no_circles() -> None:
    grimp = pytest.importorskip("grimp", reason="grimp comes with import-linter")
    graph = grimp.build_graph(
        "tablebase", "jtb", exclude_type_checking_imports=True, cache_dir=None
    )
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imported) >= len(library())
    TopologicalSorter(imported).prepare()  # or CycleError, which shows the circle


def test_files_of_the_library_have_names_of_their_own() -> None:
    names = Counter(path.name for path in library() if path.name != "__init__.py")
    assert [name for name, count in names.items() if count > 1] == []


def test_no_module_is_named_like_a_public_function() -> None:
    public = {
        name for name in tablebase.__all__ if isinstance(getattr(tablebase, name), FunctionType)
    }
    assert public >= {"generate", "open_tablebase", "verify"}
    modules_of_library = {
        path.parent.name if path.name == "__init__.py" else path.stem for path in library()
    }
    assert not public & modules_of_library


def test_no_package_gives_a_function_the_name_of_a_module_in_it() -> None:
    for path in library():
        if path.name != "__init__.py":
            continue
        package = importlib.import_module(".".join(path.parent.parts))
        inside = {other.stem for other in library() if other.parent == path.parent}
        inside |= {other.parent.name for other in library() if other.parent.parent == path.parent}
        for name in inside & set(getattr(package, "__all__", ())):
            assert not isinstance(getattr(package, name), FunctionType), f"{path.parent}: {name}"


def test_version_has_one_home() -> None:
    assigned = re.compile(r"^__version__\s*(?::[^=]+)?=", re.MULTILINE)
    homes = [str(p) for p in modules() if assigned.search((ROOT / p).read_text("utf-8"))]
    assert homes == ["tablebase/version.py"]


def test_changelog_tells_of_this_version() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert __version__ in headings
    assert next(heading for heading in headings if heading != "Unreleased") == __version__


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY, LEFT_OVER], ids=lambda p: p.pattern)
def test_no_file_speaks_of_a_machine_or_unfinished_work(pattern: re.Pattern[str]) -> None:
    found = []
    for path in project_files():
        if path == Path("tests/test_house.py"):
            continue
        try:
            text = (ROOT / path).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{path}:{number}: {line.strip()[:80]}"
            for number, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)
        ]
    assert not found


def test_every_module_says_in_its_first_line_what_it_is_for() -> None:
    bad = []
    for path in modules():
        module = ast.parse((ROOT / path).read_text("utf-8"))
        first = module.body[0] if module.body else None
        docstring = ast.get_docstring(module)
        if docstring is None or first is None or first.lineno != 1 or len(docstring) < 20:
            bad.append(str(path))
    assert not bad


def test_checks_can_be_run() -> None:
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert "make test" in run.read_text("utf-8")
