"""Plans: what is to be made, in which order, and what that takes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tablebase.catalog import Catalog
from tablebase.errors import MaterialError, ResourceError, RulesError
from tablebase.game.rules import RULE_SETS
from tablebase.generation import estimate_seconds, generate, make_plan
from tablebase.materials.classes import classes
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.resources import available_memory, default_memory, usable_cores
from tests.generation.runs import STANDARD, path_of, table_of
from tests.tablefile.damage import unprivileged


def test_a_plan_has_each_table_after_those_it_is_made_from(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, pieces=4)
    seen: set[Table] = set()
    for planned in plan.tables:
        assert seen.issuperset(planned.table.needs)
        seen.add(planned.table)
    assert [len(classes(STANDARD, n)) for n in (2, 3, 4)] == [10, 42, 134]
    assert len(plan.to_make) == len(seen) == 186
    assert plan.codes == sum(2 * table.cells for table in seen)


def test_named_materials_bring_what_they_depend_on(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, materials=["TvLE", "PvD"])
    names = {planned.table for planned in plan.tables}
    assert names == {table_of(name) for name in ("ELvT", "EvT", "LvT", "PvD")}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, ValueError),
        ({"pieces": 1}, MaterialError),
        ({"pieces": 6}, MaterialError),
        ({"materials": ["ELTvPWD"]}, MaterialError),
        ({"materials": ["EvX"]}, MaterialError),
        ({"pieces": 2, "rules": "chess"}, RulesError),
        ({"pieces": 2, "jobs": 0}, ValueError),
    ],
)
def test_nonsense_is_refused(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        make_plan(tmp_path / "none", **arguments)
    assert not (tmp_path / "none").exists()


def test_one_material_need_not_be_in_a_list(tmp_path: Path) -> None:
    for material in ("TvE", Material.parse("EvT")):
        (planned,) = make_plan(tmp_path, materials=material).tables
        assert planned.table == table_of("EvT")


def test_a_table_that_may_not_be_read_is_not_taken_for_damaged(made: Path) -> None:
    stored = path_of(made, "EvP").read_bytes()
    with unprivileged() as folder:
        user = os.geteuid()
        os.seteuid(os.getuid())
        path = path_of(folder, "EvP")
        path.parent.mkdir()
        path.write_bytes(stored)
        path.chmod(0)
        os.seteuid(user)
        with pytest.raises(ResourceError, match="permission is denied"):
            make_plan(folder, materials=["EvP"])


def test_too_little_memory_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    with pytest.raises(
        ResourceError, match=r"^\w+ needs 1\.\d\d GiB of memory, and the run may use 1.00 GiB$"
    ) as caught:
        generate(tmp_path / "none", pieces=5, memory=1 << 30)
    error = caught.value
    assert (error.shortage, error.available) == ("memory", 1 << 30)
    assert error.needed == make_plan(tmp_path, pieces=5).least_memory > 1 << 30
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("pieces", "free", "sentence"),
    [
        (4, 120 << 20, "about 81 MiB, and of the 120 MiB free in {} 64 MiB are left alone"),
        (3, 1 << 20, "about 2.91 MiB, and of the 1.00 MiB free in {} 64 MiB are left alone"),
        (2, 5000, "about 396 KiB, and of the 5 KiB free in {} 64 MiB are left alone"),
        (5, 3 << 30, "about 6.76 GiB, and of the 3.00 GiB free in {} 64 MiB are left alone"),
    ],
)
def test_too_little_disk_is_refused_before_anything_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int, free: int, sentence: str
) -> None:
    folder = tmp_path / "none"
    monkeypatch.setattr(Catalog, "free_space", lambda _: free)
    with pytest.raises(ResourceError) as caught:
        generate(folder, pieces=pieces, memory=6 << 30)
    error = caught.value
    assert str(error) == f"the tables will take {sentence.format(folder)}"
    assert (error.shortage, error.path, error.available) == ("disk", folder, free)
    assert error.needed == make_plan(folder, pieces=pieces).disk + (64 << 20) > free
    assert not folder.exists()


def test_there_are_never_more_jobs_than_can_have_work(made: Path, tmp_path: Path) -> None:
    for jobs, bounded in ((1, 1), (3, 3), (10**20, 20)):
        assert make_plan(tmp_path, pieces=2, jobs=jobs).jobs == bounded
    assert make_plan(made, pieces=2, jobs=10**20).jobs == 1
    assert len(generate(tmp_path, materials=["LvT"], jobs=10**20).made) == 1


def test_peak_memory_is_within_the_budget(tmp_path: Path) -> None:
    for memory in (2 << 30, 3 << 30, 6 << 30):
        plan = make_plan(tmp_path, pieces=5, memory=memory, jobs=8)
        assert plan.least_memory <= plan.peak_memory <= memory


def test_the_machine_has_something_to_offer() -> None:
    assert usable_cores() >= 1
    assert 0 < default_memory() <= 6 << 30
    assert default_memory() <= available_memory()


def test_a_calibration_gives_an_estimate(made: Path, tmp_path: Path) -> None:
    assert estimate_seconds(make_plan(made, pieces=2)) == 0
    small, large = (make_plan(tmp_path, pieces=n, jobs=1) for n in (2, 4))
    seconds = estimate_seconds(small)
    assert 0 < seconds < estimate_seconds(large) < 10_000
    assert not list(tmp_path.iterdir())


def test_a_rule_set_with_a_limit_shares_the_tables_of_that_without(made: Path) -> None:
    plan = make_plan(made, pieces=2, rules="plyyard")
    count = len(classes(STANDARD, 2))
    assert {planned.table.metric for planned in plan.to_make} == {"dtc"}
    assert (len(plan.tables), len(plan.to_make)) == (2 * count, count)
    assert not make_plan(made, pieces=2, rules="plyyard", metric="dtw").to_make
    assert len(make_plan(made, pieces=2, rules="jade", metric="dtw").to_make) == len(
        classes(RULE_SETS["jade"], 2)
    )
