"""What can be made now, and what has to be made again: no threads, no clock and no files.

A schedule is told what was begun and what came of it, and says what may be begun next. Whoever does
the work, and where, is no matter to it, nor what its keys stand for.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Hashable, Iterable
from typing import Generic, Literal, NamedTuple, TypeVar

__all__ = ["Complaint", "Item", "Schedule"]

K = TypeVar("K", bound=Hashable)

Complaint = Literal["new", "known", "again"]
"""What it means that something made before turned out damaged: it is to be made anew, that is
already known, or it was made anew before and there is no point in trying once more."""


class Item(NamedTuple, Generic[K]):
    """Something to make."""

    key: K
    needs: Collection[K]
    """What must be done before; all of it comes before this in the schedule."""
    memory: int
    done: bool = False
    """Whether it is there already."""
    damaged: bool = False
    """Whether it is there and no good, so that making it is making it anew."""


class Schedule(Generic[K]):
    """Items in an order, each after those that it needs, and what has become of them.

    An item is open, in work, put off or done. What is in work holds its ``memory``, and all of it
    together at most as much as the schedule has; only alone may something take more. Whatever is
    told, as long as not everything is done, something is in work, put off, or may be begun.
    """

    def __init__(self, items: Iterable[Item[K]], memory: int) -> None:
        self._free = memory
        self._items: dict[K, Item[K]] = {}
        self._rank: dict[K, int] = {}
        for item in items:
            if not all(need in self._items for need in item.needs):
                raise ValueError(f"{item.key} comes before something that it needs")
            self._rank[item.key] = len(self._rank)
            self._items[item.key] = item
        self._open = [item.key for item in self._items.values() if not item.done]
        self._put_off: list[K] = []
        self._remade = {item.key for item in self._items.values() if item.damaged}
        # When things happened, by counting them.
        self._count = 0
        self._begun: dict[K, int] = {}
        self._done = {item.key: 0 for item in self._items.values() if item.done}

    @property
    def done(self) -> Collection[K]:
        """What is made and good, as far as is known."""
        return self._done.keys()

    @property
    def in_work(self) -> Collection[K]:
        """What was begun and has not ended."""
        return self._begun.keys()

    @property
    def is_done(self) -> bool:
        """Whether everything is."""
        return len(self._done) == len(self._items)

    @property
    def is_waiting(self) -> bool:
        """Whether all that is left was put off, or needs what was."""
        return bool(self._put_off) and not self._begun and self.next() is None

    def next(self) -> K | None:
        """The first that may be begun now, if any: what it needs is done, and its memory free."""
        for key in self._open:
            item = self._items[key]
            if (item.memory <= self._free or not self._begun) and all(
                need in self._done for need in item.needs
            ):
                return key
        return None

    def begin(self, key: K) -> None:
        """``key``, which :meth:`next` named, is in work from now on."""
        self._open.remove(key)
        self._free -= self._items[key].memory
        self._count += 1
        self._begun[key] = self._count

    def finish(self, key: K) -> None:
        """``key``, which was in work, is done, whoever made it."""
        self._end(key)
        self._count += 1
        self._done[key] = self._count

    def put_off(self, key: K) -> None:
        """``key``, which was begun, is being made elsewhere: leave it until :meth:`look_again`."""
        self._end(key)
        self._put_off.append(key)

    def look_again(self) -> None:
        """What was put off may be tried once more."""
        while self._put_off:
            self._reopen(self._put_off.pop())

    def complain(self, key: K, needed: K) -> Complaint:
        """``key``, which was in work, could not be made since ``needed`` is damaged or gone.

        It is open again, and so is ``needed`` if the complaint is new. It is not if ``needed`` has
        been found damaged, or even made anew, since ``key`` was begun.
        """
        begun = self._begun[key]
        self._end(key)
        self._reopen(key)
        if self._done.get(needed, begun) >= begun:
            return "known"
        if needed in self._remade:
            return "again"
        self._remade.add(needed)
        del self._done[needed]
        self._reopen(needed)
        return "new"

    def _end(self, key: K) -> None:
        del self._begun[key]
        self._free += self._items[key].memory

    def _reopen(self, key: K) -> None:
        insort(self._open, key, key=self._rank.__getitem__)
