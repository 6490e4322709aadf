"""What the README and the pages in docs/ tell the reader to do works as written."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from jtb.errors import ExitCode
from jtb.main import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/first-steps.md", "docs/engines.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [code for found, code in BLOCK.findall(text) if found == language]


def commands(page: str) -> list[list[str]]:
    """The words of every ``jtb`` command of a page, less its comment."""
    lines = "".join(blocks(page, "sh")).splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("jtb ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to work in, whose tables in ``tables`` the pages make."""
    return tmp_path_factory.mktemp("reader")


@pytest.mark.parametrize("page", PAGES[:2])
def test_every_command_of_a_page_works(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = commands(page)
    assert len(found) >= 5
    for words in found:
        result = CliRunner(env={"JTB_DATA": "tables"}).invoke(app, words)
        assert result.exit_code == 0, (words, result.output)


def test_the_picture_of_the_readme_is_what_is_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    prompt, _, shown = blocks("README.md", "console")[0].partition("\n")
    words = shlex.split(prompt.removeprefix("$ jtb "))
    arguments = ["--data-dir", "tables", "generate", "LRvE"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    result = CliRunner().invoke(app, ["--data-dir", "tables", *words])
    assert result.stdout.strip() == shown.strip()


@pytest.fixture
def child(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder, with what ``LRvE`` needs in it and ``jtb`` on the path."""
    monkeypatch.chdir(folder)
    arguments = ["--data-dir", "tables", "generate", "LRvE"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    # The child process of the example is the command as installed, or as it lies in the checkout.
    command = folder / "bin" / "jtb"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jtb "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{ROOT / 'cli'}")


@pytest.mark.usefixtures("child")
@pytest.mark.parametrize("page", ["README.md", "docs/engines.md", "docs/statistics.md"])
def test_the_python_of_a_page_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}  # what one block defines, the next may use
    for code in blocks(page, "python"):
        exec(compile(code, page, "exec"), names)
    shown = capsys.readouterr().out
    if page == "docs/engines.md":
        assert "win 13 d3e3" in shown
    if page == "docs/statistics.md":
        zugzwangs, holding, retreats = shown.splitlines()
        assert zugzwangs == "['7/7/7/7/7/7/7/e6/LR5 w']"
        assert sum(map(int, holding.strip("[]").split())) == 6
        steps_back, won = map(int, retreats.strip("[]").split())
        assert 0 < steps_back < won == 113_133


@pytest.mark.usefixtures("child")
def test_the_client_says_what_went_wrong() -> None:
    names: dict[str, Any] = {}
    exec(compile(blocks("docs/engines.md", "python")[0], "docs/engines.md", "exec"), names)
    tables = names["Tables"]("--data-dir", "tables", "--brief")
    with pytest.raises(ValueError, match="one line"):
        tables.ask("7/7/7/7/7/3e3/3L3/5R1/7 w\n")
    with pytest.raises(LookupError, match="the FEN is empty"):
        tables.ask("")
    assert tables.ask("7/7/7/7/7/3e3/3L3/5R1/7 w")["moves"] is None
    tables.close()
    ended = names["Tables"]("--no-such-option")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="ended with exit code 2"):
            ended.ask("7/7/7/7/7/3e3/3L3/5R1/7 w")
    ended.close()


def test_the_exit_codes_of_the_page_are_those_of_the_command() -> None:
    text = (ROOT / "docs/engines.md").read_text(encoding="utf-8").partition("## Exit codes")[2]
    shown = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert shown == set(ExitCode)


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
