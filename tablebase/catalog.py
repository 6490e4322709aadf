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
from tablebase.materials.classes import MAX_ANIMALS, TableClass
from tablebase.tablefile import (
    FILENAME,
    PART_SUFFIX,
    TableFile,
    material_command,
    remake_command,
    resource_error,
    rules_key,
    table_filename,
)
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

    def path(self, table: TableClass, metric: Metric) -> Path:
        """Where in the first folder the table is, or is to be written."""
        if not self._directories:
            raise ValueError("a catalog without folders has no place for a table")
        return self._directories[0] / _relative(table, metric)

    def find(self, table: TableClass, metric: Metric) -> Path | None:
        """The file that by its name is the table; ``None`` if no folder has one."""
        for directory in self._directories:
            path = directory / _relative(table, metric)
            if _is_there(path):
                return path
        return None

    def open(self, table: TableClass, metric: Metric) -> TableFile:
        """The table, opened, and checked to be the one that was asked for.

        :class:`MissingTableError` if there is none; :class:`CorruptTableError` if the file is
        damaged, foreign or of another rule set.
        """
        path = self.find(table, metric)
        if path is not None:
            with suppress(FileNotFoundError):  # removed a moment ago
                return TableFile(path).require(table, metric)
        raise self.missing(table, metric)

    def missing(
        self, table: TableClass, metric: Metric, rules: Rules | None = None
    ) -> MissingTableError:
        """The error that says that there is no such table, where it was sought, and what makes
        it, if anything does: under ``rules`` where they are known, since those of the table may
        have lost what sets them apart."""
        animals = len(table.material)
        if animals > MAX_ANIMALS:
            return MissingTableError(
                f"tables are made for up to {MAX_ANIMALS} animals, and {table.name} has {animals}"
            )
        where = ", ".join(str(directory) for directory in self._directories) or "no folder"
        relative = _relative(table, metric)
        if rules is not None:
            command = material_command(table.name, rules, metric)
        else:
            # The rules of a dtw table have lost their limit, those of a dtc table have not.
            limited = table.rules.no_capture_limit is not None if metric == "dtc" else None
            command = remake_command(relative, limited=limited)
        return MissingTableError(f"there is no table {relative} in {where}: run `{command}`")

    def require_all(self, tables: Iterable[tuple[TableClass, Metric]], command: str) -> None:
        """:class:`MissingTableError` with the ``command`` that makes them, if any are not there."""
        wanted = list(tables)
        missing = [each for each in wanted if self.find(*each) is None]
        if missing:
            where = ", ".join(str(directory) for directory in self._directories) or "no folder"
            raise MissingTableError(
                f"{len(missing)} of {len(wanted)} tables {'is' if len(missing) == 1 else 'are'}"
                f" not in {where}, the first of them {_relative(*missing[0])}: run `{command}`"
            )

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
    def lock(self, table: TableClass, metric: Metric, timeout: float = -1) -> Iterator[bool]:
        """The right to write the table, among all processes and threads: whether it was got.

        Waits up to ``timeout`` seconds, without end if negative. What a killed writer of this
        table left behind is removed. :class:`ResourceError` if the folder cannot be written.
        """
        with _locked(self.path(table, metric), timeout) as held:
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
            raise resource_error(f"cannot write to the folder {directory}", error) from error

    def free_space(self) -> int:
        """The bytes that are free for the first folder, which need not exist yet."""
        directory = self._directories[0].absolute()
        for place in (directory, *directory.parents):
            try:
                status = os.statvfs(place)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise resource_error(f"cannot use the folder {directory}", error) from error
            return status.f_bavail * status.f_frsize
        raise ResourceError(f"cannot use the folder {directory}: nothing of its path exists")


def _relative(table: TableClass, metric: Metric) -> Path:
    return Path(rules_key(table.rules, metric), table_filename(table.name, metric))


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
        raise _reading_error(f"cannot list the folder {directory}", error) from error


def _is_folder(path: Path) -> bool:
    # Path.is_dir() hides errors from Python 3.14 on.
    try:
        status = _status(path)
    except OSError as error:
        raise _reading_error(f"cannot read {path}", error) from error
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


def _reading_error(what: str, error: OSError) -> ResourceError:
    """``error``, met while nothing was to be written, as one sentence."""
    if isinstance(error, PermissionError):
        return ResourceError(f"{what}: permission is denied")
    return resource_error(what, error)


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
        raise resource_error(f"cannot lock {path}", error) from error
    try:
        for part in path.parent.glob(f".{path.name}.*{PART_SUFFIX}"):
            with suppress(OSError):
                part.unlink()
        yield True
    finally:
        lock.release()
