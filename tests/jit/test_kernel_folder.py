"""The folder of compiled kernels: where it is, whom it belongs to, damage, a full disk."""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from tablebase.jit.kernel_folder import KernelFolder
from tests.small_disk import lines_on_small_disk
from tests.tablefile.damage import unprivileged

NAME = "1.0-abc"
CONTENT = bytes(range(256)) * 4


def name() -> str:
    return NAME


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JTB_CACHE", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cache"
    monkeypatch.setenv("JTB_CACHE", str(place))
    return place


@pytest.fixture
def folder(place: Path) -> KernelFolder:
    folder = KernelFolder.open(name)
    assert folder.directory == place / "kernels" / NAME
    return folder


def only_file(folder: KernelFolder) -> Path:
    assert folder.directory is not None
    (path,) = folder.directory.iterdir()
    return path


# Where


def test_the_place_is_that_of_the_platform_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, **_: tmp_path / name)
    assert KernelFolder.open(name).directory == tmp_path / "jtb" / "kernels" / NAME
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert KernelFolder.open(name).directory == tmp_path / "numba" / "jtb" / "kernels" / NAME
    monkeypatch.setenv("JTB_CACHE", str(tmp_path / "chosen"))
    assert KernelFolder.open(name).directory == tmp_path / "chosen" / "kernels" / NAME
    monkeypatch.setenv("JTB_CACHE", "relative")
    monkeypatch.chdir(tmp_path)
    assert KernelFolder.open(name).directory == tmp_path / "relative" / "kernels" / NAME


def no_home(*_: object, **__: object) -> Path:
    raise RuntimeError("could not determine the home directory")


@pytest.mark.parametrize("user_cache_path", [no_home, lambda *_, **__: Path("~/.cache/jtb")])
def test_without_a_home_there_is_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user_cache_path: Callable[..., Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(platformdirs, "user_cache_path", user_cache_path)
    folder = KernelFolder.open(name)
    assert folder.directory is None
    assert folder.reason == "there is no home folder, and so no place for a cache"
    assert not list(tmp_path.iterdir())


# Whose


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has owners and modes")
def test_the_folder_is_for_the_user_alone(folder: KernelFolder) -> None:
    assert folder.directory is not None
    assert stat.S_IMODE(folder.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.directory.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has owners and modes")
def test_a_folder_of_another_user_is_not_used(
    folder: KernelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder.directory is not None
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    distrusted = KernelFolder.open(name)
    assert distrusted.directory is None
    assert distrusted.reason == f"{folder.directory.parent} belongs to another user"


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has owners and modes")
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702])
def test_a_folder_that_others_may_write_to_is_not_used(folder: KernelFolder, mode: int) -> None:
    assert folder.directory is not None
    folder.directory.parent.chmod(mode)
    distrusted = KernelFolder.open(name)
    assert distrusted.directory is None
    assert distrusted.reason == f"others may write to {folder.directory.parent}"


def test_a_link_is_not_followed(place: Path, tmp_path: Path) -> None:
    place.mkdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (place / "kernels").symlink_to(tmp_path / "elsewhere")
    folder = KernelFolder.open(name)
    assert folder.directory is None
    assert folder.reason == f"{place / 'kernels'} is a link, not a folder"
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_place_that_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with unprivileged() as above:
        monkeypatch.setenv("JTB_CACHE", str(above / "cache"))
        folder = KernelFolder.open(name)
    assert folder.directory is None
    assert folder.reason == f"{above / 'cache'}: Permission denied"


def test_a_file_in_place_of_the_folder_is_said(place: Path) -> None:
    place.write_bytes(b"")
    folder = KernelFolder.open(name)
    assert folder.directory is None
    assert folder.reason is not None
    assert str(place) in folder.reason
    folder.write("one", CONTENT)
    assert folder.read("one") is None


# What


def test_what_was_written_is_read(folder: KernelFolder) -> None:
    assert folder.read("one") is None
    folder.write("one", CONTENT)
    folder.write("two", b"")
    assert (folder.read("one"), folder.read("two")) == (CONTENT, b"")
    again = KernelFolder.open(name)
    assert again.read("one") == CONTENT
    state = again.state()
    assert (state.directory, state.reason, state.damaged) == (folder.directory, None, 0)
    assert state.size > len(CONTENT)


def cut(path: Path, size: int) -> None:
    os.truncate(path, size)


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def garble(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(5000))


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_bytes(b"")


def replace_by_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "nothing left": lambda path: cut(path, 0),
    "less than the checksum": lambda path: cut(path, 31),
    "the checksum alone": lambda path: cut(path, 32),
    "cut short": lambda path: cut(path, 100),
    "one byte short": lambda path: cut(path, 32 + len(CONTENT) - 1),
    "flipped in the checksum": lambda path: flip(path, 5),
    "flipped behind it": lambda path: flip(path, 700),
    "garbage": garble,
    "a folder": replace_by_folder,
    "a link to itself": replace_by_loop,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_noticed_removed_and_mended(
    folder: KernelFolder, damage: Callable[[Path], None]
) -> None:
    folder.write("one", CONTENT)
    path = only_file(folder)
    damage(path)
    assert folder.read("one") is None
    assert not path.is_symlink()
    assert not path.exists()
    assert folder.damaged == 1
    folder.write("one", CONTENT)
    assert folder.read("one") == CONTENT
    assert (folder.damaged, folder.reason) == (1, None)


@pytest.fixture
def private_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for the cache where a user who is not root may write."""
    with unprivileged() as above:
        user = os.geteuid()
        os.seteuid(os.getuid())
        place = above / "cache"
        place.mkdir()
        os.chown(place, user, -1)
        monkeypatch.setenv("JTB_CACHE", str(place))
        os.seteuid(user)
        yield place


@pytest.mark.usefixtures("private_place")
def test_a_file_that_may_not_be_read_is_made_anew() -> None:
    folder = KernelFolder.open(name)
    folder.write("one", CONTENT)
    only_file(folder).chmod(0)
    assert folder.read("one") is None
    folder.write("one", CONTENT)
    assert folder.read("one") == CONTENT
    assert (folder.damaged, folder.reason) == (1, None)


@pytest.mark.usefixtures("private_place")
def test_a_folder_that_may_not_be_written_is_read_and_said() -> None:
    folder = KernelFolder.open(name)
    folder.write("one", CONTENT)
    assert folder.directory is not None
    folder.directory.chmod(0o500)
    again = KernelFolder.open(name)
    again.write("two", CONTENT)
    assert again.reason is not None
    assert again.reason.endswith("Permission denied")
    assert str(folder.directory) in again.reason
    assert again.read("one") == CONTENT
    assert again.read("two") is None
    folder.directory.chmod(0o700)


def test_a_folder_that_was_removed_meanwhile_is_no_trouble(folder: KernelFolder) -> None:
    assert folder.directory is not None
    shutil.rmtree(folder.directory)
    assert folder.read("one") is None
    folder.write("one", CONTENT)
    assert folder.reason is not None
    assert folder.state().size == 0


ON_A_SMALL_DISK = """
import os, sys
os.environ["JTB_CACHE"] = sys.argv[1]
from tablebase.jit.kernel_folder import KernelFolder

folder = KernelFolder.open(lambda: "key")
folder.write("small", b"kernel")
folder.write("large", bytes(1 << 20))
folder.write("later", b"kernel")
print(folder.reason)
print(folder.read("small"), folder.read("large"), folder.read("later"))
print(os.listdir(folder.directory))
"""


def test_a_full_disk_is_said_and_leaves_no_parts(tmp_path: Path) -> None:
    reason, read, left = lines_on_small_disk(ON_A_SMALL_DISK, tmp_path, 64)
    assert reason.endswith("No space left on device")
    assert str(tmp_path) in reason
    assert read == "b'kernel' None None"
    assert left == "['small.kernel']"


# When


def test_folders_that_nobody_uses_any_more_are_removed(place: Path) -> None:
    old, recent = place / "kernels" / "0.9-old", place / "kernels" / "0.9-recent"
    for other in (old, recent):
        other.mkdir(parents=True, mode=0o700)
        (other / "one.kernel").write_bytes(CONTENT)
    (place / "kernels").chmod(0o700)
    os.utime(old, (1, 1))
    folder = KernelFolder.open(name)
    assert folder.directory is not None
    assert {p.name for p in folder.directory.parent.iterdir()} == {NAME, "0.9-recent"}


def test_a_folder_in_use_does_not_count_as_old(folder: KernelFolder) -> None:
    assert folder.directory is not None
    os.utime(folder.directory, (1, 1))
    KernelFolder.open(name)
    KernelFolder.open(lambda: "1.1-new")
    assert folder.directory.is_dir()
