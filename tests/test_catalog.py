"""A folder of tables: finding, listing, locking, cleaning up."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import filelock
import pytest

from tablebase.catalog import Catalog, Entry
from tablebase.errors import CorruptTableError, MissingTableError, ResourceError
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.values import METRICS
from tests.sample_tables import LARGE, SMALL, table_of, write_sample
from tests.tablefile.damage import ROOT, unprivileged

JADE = table_of("EvP", RULE_SETS["jade"])
SMALL_DTC = table_of("EvP", metric="dtc")
JADE_DTC = table_of("EvP", RULE_SETS["jade"], "dtc")
PLYYARD_DTC = table_of("EvP", RULE_SETS["plyyard"], "dtc")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog([tmp_path / "data"])


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def parts(folder: Path) -> list[str]:
    return [name for name in names(folder) if name.endswith(".part")]


# Finding


def test_rule_sets_live_side_by_side(catalog: Catalog) -> None:
    assert catalog.find(SMALL) is None
    for table in (SMALL, SMALL_DTC, JADE, JADE_DTC, PLYYARD_DTC):
        write_sample(catalog.path(table), table)
    assert names(catalog.directories[0]) == [
        "jade/EvP.dtc.h5",
        "jade/EvP.dtw.h5",
        "plyyard/EvP.dtc.h5",
        "standard/EvP.dtc.h5",
        "standard/EvP.dtw.h5",
    ]
    for name in ("standard", "jade", "plyyard"):
        for metric in METRICS:
            table = table_of("EvP", RULE_SETS[name], metric)
            with catalog.open(table) as file:
                limit = RULE_SETS[name].no_capture_limit if metric == "dtc" else None
                assert file.header.rules.no_capture_limit == limit
                assert file.header.rules.trapped_attack == RULE_SETS[name].trapped_attack
                assert file.path == catalog.find(table) == catalog.path(table)


def test_missing_tables_are_named(catalog: Catalog) -> None:
    with pytest.raises(MissingTableError) as caught:
        catalog.open(JADE_DTC)
    error = caught.value
    assert str(error) == f"there is no table jade/EvP.dtc.h5 in {catalog.directories[0]}"
    assert (error.materials, error.pieces) == (("EvP",), None)
    assert (error.metric, error.rules_key) == ("dtc", "jade")
    assert error.directories == catalog.directories
    assert (error.fen, error.move) == (None, None)
    asked = catalog.missing(table_of("PvE", RULE_SETS["plyyard"]))
    assert "no table standard/EvP.dtw.h5 in" in str(asked)
    assert (asked.materials, asked.metric, asked.rules_key) == (("EvP",), "dtw", "standard")
    limited = table_of("EvP", Rules(no_moves="draw", no_capture_limit=33), "dtc")
    assert catalog.missing(limited).rules_key == limited.folder
    with pytest.raises(MissingTableError, match="in no folder") as caught:
        Catalog().open(SMALL)
    assert caught.value.directories == ()
    two = Catalog(["one", "two"]).missing(SMALL)
    assert str(two).endswith(" in one, two")
    assert two.directories == (Path("one"), Path("two"))


def test_tables_of_more_animals_than_are_made_can_not_be_made(catalog: Catalog) -> None:
    error = catalog.missing(table_of("ELTPvWDC"))
    assert str(error) == "tables are made for up to 5 animals, and ELTPvWDC has 7"
    assert error.materials == ()


def test_all_of_several_tables_are_required(catalog: Catalog) -> None:
    write_sample(catalog.path(SMALL), SMALL)
    catalog.require_all([SMALL], 2)
    catalog.require_all([], 2)
    with pytest.raises(MissingTableError) as caught:
        catalog.require_all(iter([SMALL, LARGE, JADE_DTC]), 4)
    error = caught.value
    assert str(error) == (
        f"2 of 3 tables are not in {catalog.directories[0]},"
        f" the first of them standard/ELvTP.dtw.h5"
    )
    assert (error.materials, error.pieces) == (("ELvTP", "EvP"), 4)
    assert (error.metric, error.rules_key) == ("dtw", "standard")
    assert error.directories == catalog.directories


def test_a_dead_link_is_a_missing_table(catalog: Catalog) -> None:
    path = catalog.path(SMALL)
    path.parent.mkdir(parents=True)
    for target in ("nowhere", path.name):  # itself
        path.symlink_to(target)
        assert catalog.find(SMALL) is None
        assert list(catalog.entries()) == []
        with pytest.raises(MissingTableError):
            catalog.open(SMALL)
        with pytest.raises(MissingTableError, match=r"^1 of 1 tables is not in"):
            catalog.require_all([SMALL], 2)
        path.unlink()
    path.symlink_to("nowhere")
    write_sample(path, SMALL)
    catalog.open(SMALL).check()


def test_a_dead_link_does_not_hide_the_table_of_another_folder(tmp_path: Path) -> None:
    first, second = Catalog([tmp_path / "first"]), Catalog([tmp_path / "second"])
    link, path = first.path(SMALL), second.path(SMALL)
    link.parent.mkdir(parents=True)
    link.symlink_to("nowhere")
    write_sample(path, SMALL)
    both = Catalog([*first.directories, *second.directories])
    assert both.find(SMALL) == path
    assert [entry.path for entry in both.entries()] == [path]
    assert first.add_directory(first.directories[0]) == 0


def test_a_table_in_the_wrong_place_is_refused(catalog: Catalog) -> None:
    write_sample(catalog.path(JADE), SMALL)
    with pytest.raises(CorruptTableError, match="another rule set") as caught:
        catalog.open(JADE)
    error = caught.value
    assert (error.path, error.material) == (catalog.path(JADE), "EvP")
    assert (error.metric, error.rules_key) == ("dtw", "jade")
    assert (error.belongs_at, error.newer) == (None, False)
    write_sample(catalog.path(LARGE), SMALL)
    with pytest.raises(CorruptTableError, match="not of ELvTP"):
        catalog.open(LARGE)
    catalog.path(SMALL).mkdir(parents=True)
    with pytest.raises(CorruptTableError, match="it is a folder"):
        catalog.open(SMALL)


def test_folders_are_searched_in_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_sample(Catalog([second]).path(SMALL), SMALL)
    write_sample(Catalog([second]).path(LARGE), LARGE)
    catalog = Catalog([first])
    assert catalog.add_directory(second) == 2
    assert catalog.add_directory(second) == 2
    assert catalog.directories == (first, second)
    assert catalog.open(SMALL).path.is_relative_to(second)
    write_sample(catalog.path(SMALL), SMALL)
    assert catalog.open(SMALL).path.is_relative_to(first)
    assert [entry.path.parents[1].name for entry in catalog.entries()] == ["first", "second"]


def test_entries(catalog: Catalog) -> None:
    assert list(catalog.entries()) == []
    custom = table_of("EvP", Rules(no_moves="draw"))
    for table in (SMALL, SMALL_DTC, PLYYARD_DTC, custom):
        write_sample(catalog.path(table), table)
    folder = catalog.directories[0]
    (folder / "standard" / "notes.txt").write_text("no table")
    (folder / "standard" / ".EvP.dtw.h5.1-a.part").write_text("no table")
    (folder / "EvP.dtw.h5").write_text("in no rule set's folder")
    assert [entry[1:] for entry in catalog.entries()] == [
        ("custom-1e883244", "EvP", "dtw"),
        ("plyyard", "EvP", "dtc"),
        ("standard", "EvP", "dtc"),
        ("standard", "EvP", "dtw"),
    ]
    assert list(catalog.entries(RULE_SETS["plyyard"])) == [
        Entry(folder / "plyyard" / "EvP.dtc.h5", "plyyard", "EvP", "dtc"),
        Entry(folder / "standard" / "EvP.dtw.h5", "standard", "EvP", "dtw"),
    ]
    assert [entry.rules_key for entry in catalog.entries(Rules(), "dtw")] == ["standard"]
    assert Catalog().add_directory(folder) == 4


def test_folders_that_cannot_be_listed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    with pytest.raises(ResourceError, match=r"cannot list the folder .*no folder"):
        Catalog([file])
    assert Catalog().add_directory(tmp_path / "nothing") == 0


def test_what_may_not_be_read_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    # As from Python 3.14 on with what may not be looked at.
    monkeypatch.setattr(Path, "is_dir", lambda *_, **__: False)
    with unprivileged() as folder:
        user = os.geteuid()
        os.seteuid(os.getuid())
        write_sample(Catalog([folder]).path(SMALL), SMALL)
        catalog = Catalog([folder])
        for mode in (0, 0o444):
            (folder / "standard").chmod(mode)
            os.seteuid(user)
            with pytest.raises(ResourceError, match=r"cannot read .*: permission is denied$") as e:
                catalog.open(SMALL)
            assert (e.value.shortage, e.value.path) == ("permission", catalog.path(SMALL))
            catalog.require_all([SMALL], 2)
            if not mode:
                with pytest.raises(ResourceError, match=r"cannot list .*: permission is denied$"):
                    Catalog([folder])
            os.seteuid(os.getuid())
        (folder / "standard").chmod(0o755)
        folder.chmod(0o444)
        os.seteuid(user)
        with pytest.raises(ResourceError, match=r"cannot read .*: permission is denied$"):
            Catalog([folder])
        os.seteuid(os.getuid())
        folder.chmod(0o755)


# Locking


def test_a_lock_is_for_one_at_a_time(catalog: Catalog) -> None:
    other = Catalog(catalog.directories)
    with catalog.lock(SMALL) as held:
        assert held
        with other.lock(SMALL, timeout=0) as again:
            assert not again
        with other.lock(SMALL, timeout=0.05) as again:
            assert not again
        with other.lock(SMALL_DTC, timeout=0) as different:
            assert different
    with other.lock(SMALL, timeout=0) as again:
        assert again


def test_an_error_gives_the_lock_back(catalog: Catalog) -> None:
    with pytest.raises(FileNotFoundError), catalog.lock(SMALL):
        raise FileNotFoundError
    with catalog.lock(SMALL, timeout=0) as held:
        assert held


def test_only_one_thread_writes(catalog: Catalog) -> None:
    writing: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        with Catalog(catalog.directories).lock(SMALL):
            writing.append(number)
            most.append(len(writing))
            write_sample(catalog.path(SMALL), SMALL)
            writing.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 5
    catalog.open(SMALL).check()


WRITER = """
import sys, time
from tablebase.catalog import Catalog
from tests.sample_tables import SMALL, ChunkSource, sample_codes, write_sample
catalog = Catalog([sys.argv[1]])
codes = ChunkSource(SMALL, sample_codes(SMALL))
def chunks(side, number):
    if side:
        print("writing", flush=True)
        time.sleep(60)
    return codes(side, number)
with catalog.lock(SMALL):
    write_sample(catalog.path(SMALL), SMALL, chunks=chunks)
"""


def test_what_a_killed_writer_left_is_removed_and_that_of_a_living_one_is_not(
    catalog: Catalog,
) -> None:
    folder = catalog.directories[0]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        (part,) = parts(folder)
        with catalog.lock(SMALL, timeout=0) as held:
            assert not held
        assert catalog.clean() == 0
        assert parts(folder) == [part]
        assert list(catalog.entries()) == []
        process.send_signal(signal.SIGKILL)
    assert parts(folder) == [part]
    with catalog.lock(SMALL_DTC):
        assert parts(folder) == [part]
    with catalog.lock(SMALL, timeout=5) as held:
        assert held
        assert parts(folder) == []


def test_cleaning_removes_nothing_but_unfinished_tables(catalog: Catalog) -> None:
    write_sample(catalog.path(SMALL), SMALL)
    folder = catalog.directories[0] / "standard"
    stale = [".EvP.dtw.h5.12-ab.part", ".ELvT.dtc.h5.7-0.part"]
    kept = [".part", "EvP.part", ".EvP.dtw.h5.part", ".notes.txt.1-2.part", ".EvP.dtw.h5.1-2"]
    for name in stale + kept:
        (folder / name).write_text("")
    assert catalog.clean() == 2
    assert {p.name for p in folder.iterdir()} == {*kept, "EvP.dtw.h5", ".locks"}
    assert Catalog().clean() == 0


# Disk and rights


def test_writable_folders_are_created(catalog: Catalog) -> None:
    catalog.ensure_writable()
    assert list(catalog.directories[0].iterdir()) == []


def test_unwritable_folders_are_a_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    catalog = Catalog()
    catalog._directories.append(file)
    with pytest.raises(ResourceError, match=r"cannot write to the folder .*no folder"):
        catalog.ensure_writable()
    with pytest.raises(ResourceError, match=r"cannot lock .*no folder"), catalog.lock(SMALL):
        pass
    with unprivileged() as folder:
        catalog = Catalog([folder])
        with pytest.raises(ResourceError, match=r"cannot write to .*: permission is denied$") as e:
            catalog.ensure_writable()
        assert (e.value.shortage, e.value.path) == ("folder", folder)
        with (
            pytest.raises(ResourceError, match=r"cannot lock .*: permission is denied$") as e,
            catalog.lock(SMALL),
        ):
            pass
        assert (e.value.shortage, e.value.path) == ("folder", catalog.path(SMALL))


def test_a_full_disk_is_noticed_before_work_begins(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(ResourceError, match="the disk is full") as caught:
        catalog.ensure_writable()
    assert (caught.value.shortage, caught.value.path) == ("disk", catalog.directories[0])


def test_locks_that_the_system_refuses_are_a_clear_error(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with pytest.raises(ResourceError, match="read-only"), catalog.lock(SMALL):
        pass


def test_free_space_is_that_of_the_nearest_folder_that_exists(tmp_path: Path) -> None:
    status = os.statvfs(tmp_path)
    total = status.f_blocks * status.f_frsize
    assert 0 < Catalog([tmp_path / "not" / "yet"]).free_space() <= total
    (tmp_path / "file").write_text("no folder")
    catalog = Catalog()
    catalog._directories.append(tmp_path / "file" / "below")
    with pytest.raises(ResourceError, match="no folder"):
        catalog.free_space()
