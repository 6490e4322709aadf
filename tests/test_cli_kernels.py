"""What the command says of compiled kernels: where they are, and why they cannot be kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import tablebase.jit
from jtb.main import app
from tablebase.jit import KernelCacheState
from tablebase.version import __version__

PERFT = ["perft", "1", "7/7/7/7/7/3e3/3L3/5R1/7_w"]
ALL_WELL = KernelCacheState(Path("kept"), None, 3 << 19, loaded=1, compiled=2, damaged=0)
NOWHERE = KernelCacheState(None, "a reason", 0, loaded=0, compiled=2, damaged=0)


class SaidOf:
    """Call it with a state of the cache and a command line for what goes to stdout and stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, state: KernelCacheState, *arguments: str) -> tuple[str, str]:
        self._monkeypatch.setattr(tablebase.jit, "kernel_cache_state", lambda: state)
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0
        return result.stdout, result.stderr


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> SaidOf:
    return SaidOf(monkeypatch)


def test_kernels_that_cannot_be_kept_are_told_of_once(said: SaidOf) -> None:
    out, err = said(NOWHERE, *PERFT)
    assert out.startswith("1 ")
    assert err == (
        "2 kernels were compiled, and will be again in the next run, since they cannot be kept:"
        " a reason (JTB_CACHE names another folder)\n"
    )
    assert said(NOWHERE, *PERFT, "-q") == (out, "")


def test_otherwise_nothing_is_said(said: SaidOf) -> None:
    for state in (ALL_WELL, NOWHERE._replace(compiled=0)):
        assert said(state, *PERFT)[1] == ""


@pytest.mark.parametrize(
    "arguments",
    [["--version", "-v"], ["-v", "--version"], ["perft", "-v", "--version"]],
)
def test_version_tells_where_kernels_are(said: SaidOf, arguments: list[str]) -> None:
    first, *runs_on, kept = said(ALL_WELL, *arguments)[0].splitlines()
    assert first == f"jtb {__version__}"
    assert any(line.startswith("numba: ") for line in runs_on)
    assert kept == "compiled kernels: kept (1.5 MiB)"
    assert said(NOWHERE, *arguments)[0].splitlines()[-1] == "compiled kernels: not kept: a reason"
