"""Kernels from one process to the next: kept, never stale, and made anew if they are no good."""

from __future__ import annotations

import ast
import os
import pickle
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from numba.core.registry import cpu_target

from tablebase.jit import kernel_cache
from tablebase.jit.kernel_folder import KernelFolder
from tests.jit.small_package import COMPILED, LOADED, MENDED, ROOT, SmallPackage, outcome

ERRORS = ("EOFError", "OSError", "RecursionError", "MemoryError", "pickle.UnpicklingError")
DECORATORS = {"kernel", "allocating_kernel", "part"}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> SmallPackage:
    """A package whose kernel was compiled and kept. Not to be changed."""
    package = SmallPackage(tmp_path_factory.mktemp("compiled"))
    assert package.run() == COMPILED
    return package


@pytest.fixture
def package(tmp_path: Path, compiled: SmallPackage) -> SmallPackage:
    """Another such, for one test."""
    package = SmallPackage(tmp_path)
    shutil.copytree(compiled.cache, package.cache)
    return package


def test_a_kernel_is_compiled_once(compiled: SmallPackage) -> None:
    assert compiled.run() == LOADED
    assert len(compiled.kernels()) == 1


def test_an_edited_part_is_compiled_anew(package: SmallPackage) -> None:
    package.edit("parts", "a + b", "a + 2 * b")
    assert package.run() == COMPILED._replace(answer=90)
    package.edit("parts", "a + 2 * b", "a + b")
    assert package.run() == LOADED


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("jit/decorators", '"error_model": "numpy"', '"error_model": "python"'),
        ("jit/intrinsics", "builder.ctpop(args[0])", "args[0]"),
        ("version", '__version__ = "', '__version__ = "1.'),
    ],
)
def test_whatever_a_kernel_is_made_of_counts(
    package: SmallPackage, module: str, old: str, new: str
) -> None:
    package.edit(module, old, new)
    assert package.run() == COMPILED


def test_processors_and_settings_live_side_by_side(package: SmallPackage) -> None:
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert package.run(**other) == COMPILED
    assert package.run(NUMBA_OPT="1") == COMPILED
    assert package.run(**other) == LOADED
    assert package.run(NUMBA_NUM_THREADS="1") == LOADED


def test_processes_that_compile_at_once_do_not_disturb_each_other(package: SmallPackage) -> None:
    shutil.rmtree(package.cache)
    processes = [package.start() for _ in range(3)]
    assert {outcome(process).answer for process in processes} == {45}
    assert package.run() == LOADED
    assert len(package.kernels()) == 1


@pytest.mark.parametrize("size", [0, 100])
def test_a_damaged_kernel_is_made_anew(package: SmallPackage, size: int) -> None:
    (path,) = package.kernels()
    os.truncate(path, size)
    assert package.run() == MENDED
    assert package.run() == LOADED


@pytest.mark.parametrize(
    "payload",
    [
        b"no pickle at all",
        b"",
        pickle.dumps(None),
        pickle.dumps((1, 2, 3)),
        pickle.dumps(((), "no state of a kernel")),
        b"cno_such_module\nanything\n.",
        *(f"cbuiltins\nexec\n(S'import pickle; raise {error}'\ntR.".encode() for error in ERRORS),
    ],
)
def test_whole_files_that_are_no_kernel_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, payload: bytes
) -> None:
    folder = KernelFolder(tmp_path)
    monkeypatch.setattr(kernel_cache, "_folder", lambda: folder)
    cache = kernel_cache.KernelCache(test_whole_files_that_are_no_kernel_are_removed)
    folder.write(cache._file_name(()), payload)
    assert cache.load_overload((), cpu_target.target_context) is None
    assert not list(tmp_path.iterdir())
    state = kernel_cache.kernel_cache_state()
    assert (state.loaded, state.damaged, state.reason) == (0, 1, None)


def test_without_a_place_kernels_are_compiled_and_it_is_said(package: SmallPackage) -> None:
    shutil.rmtree(package.cache)
    package.cache.write_bytes(b"")
    run = package.run()
    assert run.reason is not None
    assert str(package.cache) in run.reason
    assert run == COMPILED._replace(reason=run.reason)


CHECKED = """
import sys
import numpy as np
from tablebase.jit import copy_eight, fetch, kernel

@kernel
def plain(array, index):
    return array[index]

@kernel
def fetched(array, index):
    return fetch(array, index)

@kernel
def copied(array, index):
    copy_eight(array, 0, array, index)

array = np.zeros(16, np.uint8)
for function, last in ((plain, 15), (fetched, 15), (copied, 8)):
    function(array, last)
    try:
        function(array, last + 1)
    except IndexError:
        print(function.__name__)
"""


def test_bounds_are_checked_when_numba_is_told_to(package: SmallPackage) -> None:
    """Kernels without the checks, which were kept before, are not taken for those with them."""
    for environment, found in (({}, ""), ({"NUMBA_BOUNDSCHECK": "1"}, "plain\nfetched\ncopied\n")):
        out, err = package.start(CHECKED, **environment).communicate()
        assert (out, err) == (found, "")


# The kernels of the library


def test_every_module_with_kernels_counts_and_takes_no_constants_from_others() -> None:
    """A constant of another module could change without a change of the key."""
    modules = {name for name, _ in kernel_cache._sources(files("tablebase"), "")}
    kernels = 0
    for path in sorted((ROOT / "tablebase").rglob("*.py")):
        name = str(path.relative_to(ROOT / "tablebase").as_posix())
        tree = ast.parse(path.read_text("utf-8"))
        imported = {
            alias.asname or alias.name: node.module
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for function in tree.body:
            if not isinstance(function, ast.FunctionDef) or not DECORATORS & {
                decorator.id
                for decorator in function.decorator_list
                if isinstance(decorator, ast.Name)
            }:
                continue
            kernels += 1
            assert name in modules
            body = (node for statement in function.body for node in ast.walk(statement))
            used = {node.id for node in body if isinstance(node, ast.Name)}
            assert {imported[u] for u in used & set(imported)} <= {"tablebase.jit"}, function.name
    assert kernels > 25
    assert {"jit/intrinsics.py", "jit/decorators.py"} <= modules
