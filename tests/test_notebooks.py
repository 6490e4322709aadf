"""The notebooks: kept small and readable, and each of them runs from top to bottom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
QUICK = {"06-your-own-question"}
"""Notebooks that take few seconds; the others are in the slow lane."""
VARYING = {"04-small-trees"}
"""Notebooks whose words may be others with another version of scikit-learn."""
MAX_BYTES = 300_000

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def source_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def printed(notebook: dict[str, Any]) -> list[str]:
    return [
        "".join(output["text"])
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream"
    ]


def test_there_are_six() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06"]
    assert {path.stem for path in NOTEBOOKS} >= QUICK | VARYING


@each
def test_a_notebook_can_be_read_without_running_it(path: Path) -> None:
    assert path.stat().st_size < MAX_BYTES
    notebook = json.loads(path.read_text("utf-8"))
    first = notebook["cells"][0]
    assert first["cell_type"] == "markdown"
    assert source_of(first).startswith("# ")
    assert "**What it shows.**" in source_of(first)
    assert "**How long it takes.**" in source_of(first)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = [kind for cell in code for output in cell["outputs"] for kind in output.get("data", {})]
    assert {"image/png", "image/svg+xml"} & set(kinds)
    assert all(
        output["output_type"] != "error" and output.get("name") != "stderr"
        for cell in code
        for output in cell["outputs"]
    )


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of tables for all notebooks, so that each table is made once."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow)
        for path in NOTEBOOKS
    ],
)
@pytest.mark.filterwarnings("default")  # of what runs notebooks; what they print is looked at
def test_a_notebook_runs(
    path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    nbclient, nbformat, *_ = (
        pytest.importorskip(module, reason=f"{module} is in the extra 'notebooks'")
        for module in ("nbclient", "nbformat", "ipykernel", "matplotlib", "pandas", "sklearn")
    )
    if path.name.startswith("01"):
        reference = request.getfixturevalue("shared") / "reference" / "openml-41027.csv.gz"
        monkeypatch.setenv("JTB_OPENML_41027", str(reference))
    monkeypatch.setenv("JTB_DATA", str(data_folder))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    if path.stem not in VARYING:
        assert printed(notebook) == printed(json.loads(path.read_text("utf-8")))
