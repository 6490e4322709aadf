"""Folders of tables: where each table is, and who may write it.

In a data folder, each rule set has a folder of its own, and each table is a file in it:
``standard/ELvT.dtw.h5``. Names that begin with a dot are locks and unfinished files.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, cast

from tablebase.errors import MissingTableError, ResourceError
from tablebase.game.rules import Rules
from tablebase.materials.material import MAX_ANIMALS
from tablebase.materials.table import FILENAME, Table, rules_key
from tablebase.resources import free_space, resource_error
from tablebase.tablefile import PART_SUFFIX, TableFile
from tablebase.values import Metric

__all__ = ["Catalog", "Entry"]

_NOTHING: Final = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))
"""How the system says that a name is free, or that of a link that leads nowhere."""
_LOCKS: Final = ".locks"
_PART: Final = re.compile(rf"\.(?P<table>{FILENAME.pattern})\.[^.]*{re.escape(PART_SUFFIX)}")


class Entry(NamedTuple):
    """A file that by its name is a table; what it holds is known when it is opened."""

    path: Path
    rules_key: str
    name: str
    metric: Metric


class Catalog:
    """Data folders, searched in the order in which they were given; the first is written to.

    A folder need not exist. Nothing is remembered of what is in them, so tables that another
    process makes or removes are noticed at once. A dead link is no table; what may not be looked
    at is one, of which opening it tells more.
    """

    def __init__(self, directories: Iterable[str | Path] = ()) -> None:
        self._directories: list[Path] = []
        for directory in directories:
            self.add_directory(directory)

    @property
    def directories(self) -> tuple[Path, ...]:
        """The data folders."""
        return tuple(self._directories)

    def add_directory(self, directory: str | Path) -> int:
        """Search ``directory`` too; how many tables (of all rule sets) are in it.

        :class:`ResourceError` if it cannot be listed.
        """
        directory = Path(directory)
        count = sum(1 for _ in _entries(directory))
        if directory not in self._directories:
            self._directories.append(directory)
        return count

    # -- finding -------------------------------------------------------------------------------

    def path(self, table: Table) -> Path:
        """Where in the first folder the table is, or is to be written."""
        if not self._directories:
            raise ValueError("a catalog without folders has no place for a table")
        return self._directories[0] / table.file

    def find(self, table: Table) -> Path | None:
        """The file that by its name is the table; ``None`` if no folder has one."""
        for directory in self._directories:
            path = directory / table.file
            if _is_there(path):
                return path
        return None

    def open(self, table: Table) -> TableFile:
        """The table, opened, and checked to be the one that was asked for.

        :class:`MissingTableError` if there is none; :class:`CorruptTableError` if the file is
        damaged, foreign or of another rule set.
        """
        path = self.find(table)
        if path is not None:
            with suppress(FileNotFoundError):  # removed a moment ago
                return TableFile(path).require(table)
        raise self.missing(table)

    def missing(self, table: Table) -> MissingTableError:
        """The error that says that there is no such table, and where it was sought."""
        animals = len(table.material)
        if animals > MAX_ANIMALS:
            return MissingTableError(
                f"tables are made for up to {MAX_ANIMALS} animals, and {table.name} has {animals}"
            )
        return MissingTableError(
            f"there is no table {table.file} in {self._where()}",
            materials=[table.name],
            metric=table.metric,
            rules_key=table.folder,
            directories=self._directories,
        )

    def require_all(self, tables: Iterable[Table], pieces: int) -> None:
        """:class:`MissingTableError` if any of ``tables``, which are all of up to ``pieces``
        animals, is not there."""
        wanted = list(tables)
        missing = [table for table in wanted if self.find(table) is None]
        if missing:
            raise MissingTableError(
                f"{len(missing)} of {len(wanted)} tables {'is' if len(missing) == 1 else 'are'}"
                f" not in {self._where()}, the first of them {missing[0].file}",
                materials=[table.name for table in missing],
                pieces=pieces,
                metric=missing[0].metric,
                rules_key=missing[0].folder,
                directories=self._directories,
            )

    def _where(self) -> str:
        return ", ".join(str(directory) for directory in self._directories) or "no folder"

    def entries(self, rules: Rules | None = None, metric: Metric | None = None) -> Iterator[Entry]:
        """The tables in all folders, by folder, rule set and name: those of one rule set or
        metric if given. Of tables with the same name only the first, which is the one used."""
        seen = set()
        for directory in self._directories:
            for entry in _entries(directory):
                identity = entry[1:]
                if (
                    identity not in seen
                    and metric in (None, entry.metric)
                    and (rules is None or entry.rules_key == rules_key(rules, entry.metric))
                ):
                    seen.add(identity)
                    yield entry

    # -- writing -------------------------------------------------------------------------------

    @contextmanager
    def lock(self, table: Table, timeout: float = -1) -> Iterator[bool]:
        """The right to write the table, among all processes and threads: whether it was got.

        Waits up to ``timeout`` seconds, without end if negative. What a killed writer of this
        table left behind is removed. :class:`ResourceError` if the folder cannot be written.
        """
        with _locked(self.path(table), timeout) as held:
            yield held

    def clean(self) -> int:
        """Remove the unfinished files that killed writers left in the first folder, those of
        writers at work excepted; how many there were."""
        count = 0
        for directory in self._directories[:1]:
            for part in sorted(directory.glob(f"*/.*{PART_SUFFIX}")):
                match = _PART.fullmatch(part.name)
                if match and part.exists():
                    with _locked(part.with_name(match["table"]), 0):
                        pass
                    count += not part.exists()
        return count

    def ensure_writable(self) -> None:
        """Create the first folder if need be; :class:`ResourceError` if it takes no files."""
        import tempfile  # seldom needed, and probing shall start fast

        directory = self._directories[0]
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory) as probe:
                probe.write(b"\n")
        except OSError as error:
            what = f"cannot write to the folder {directory}"
            raise resource_error(what, error, directory, writing=True) from error

    def free_space(self) -> int:
        """The bytes that are free for the first folder, which need not exist yet."""
        return free_space(self._directories[0])


def _entries(directory: Path) -> Iterator[Entry]:
    for folder in _listing(directory):
        if folder.name.startswith(".") or not _is_folder(folder):
            continue
        for path in _listing(folder):
            match = FILENAME.fullmatch(path.name)
            if match and _is_there(path):
                yield Entry(path, folder.name, match["name"], cast("Metric", match["metric"]))


def _listing(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise resource_error(f"cannot list the folder {directory}", error, directory) from error


def _is_folder(path: Path) -> bool:
    # Path.is_dir() hides errors from Python 3.14 on.
    try:
        status = _status(path)
    except OSError as error:
        raise resource_error(f"cannot read {path}", error, path) from error
    return status is not None and stat.S_ISDIR(status.st_mode)


def _is_there(path: Path) -> bool:
    try:
        return _status(path) is not None
    except OSError:
        return True


def _status(path: Path) -> os.stat_result | None:
    """What the system says of the file or folder at ``path``; ``None`` if there is none."""
    try:
        return path.stat()
    except OSError as error:
        if error.errno in _NOTHING:
            return None
        raise


@contextmanager
def _locked(path: Path, timeout: float) -> Iterator[bool]:
    """Hold the lock of the table at ``path``, and have it to oneself: see :meth:`Catalog.lock`."""
    import filelock  # slow to import, and only writing needs it

    # The lock file stays when the lock is given up: to remove it safely is not possible.
    file = path.parent / _LOCKS / f"{path.name}.lock"
    lock = filelock.FileLock(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=timeout)
    except filelock.Timeout:
        yield False
        return
    except OSError as error:
        if isinstance(error, PermissionError) and os.path.lexists(file):
            what = f"cannot lock {path}: there is no permission to write its lock file {file}"
            raise ResourceError(what, "permission", path=file) from error
        raise resource_error(f"cannot lock {path}", error, path, writing=True) from error
    try:
        for part in path.parent.glob(f".{path.name}.*{PART_SUFFIX}"):
            with suppress(OSError):
                part.unlink()
        yield True
    finally:
        lock.release()
