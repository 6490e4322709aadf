"""The schedule of a run: what may be begun, and what has to be made again, whatever happens."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tablebase.generation import schedule as schedule_module
from tablebase.generation.schedule import Item, Schedule


def diamond(memory: int = 10, **changes: Item[str]) -> Schedule[str]:
    """``low``, which ``left`` and ``right`` need, which ``top`` needs."""
    items = {
        "low": Item("low", (), 1),
        "left": Item("left", ("low",), 4),
        "right": Item("right", ("low",), 5),
        "top": Item("top", ("left", "right"), 7),
    }
    return Schedule((items | changes).values(), memory)


def make(schedule: Schedule[str], *keys: str) -> None:
    for key in keys:
        assert schedule.next() == key
        schedule.begin(key)
        schedule.finish(key)


def begin(schedule: Schedule[str], *keys: str) -> None:
    for key in keys:
        assert schedule.next() == key
        schedule.begin(key)


THERE = Item("low", (), 1, done=True)


def test_each_is_ready_when_what_it_needs_is_done() -> None:
    schedule = diamond()
    begin(schedule, "low")
    assert schedule.next() is None
    schedule.finish("low")
    begin(schedule, "left", "right")
    schedule.finish("right")
    assert schedule.next() is None
    schedule.finish("left")
    make(schedule, "top")
    assert schedule.is_done


def test_what_is_there_is_not_made() -> None:
    schedule = diamond(low=THERE)
    assert set(schedule.done) == {"low"}
    make(schedule, "left", "right", "top")
    assert schedule.is_done


def test_an_order_in_which_something_comes_before_its_needs_is_refused() -> None:
    with pytest.raises(ValueError, match="top comes before"):
        Schedule([Item("top", ("low",), 1), Item("low", (), 1)], 10)


def test_what_does_not_fit_waits_for_memory_and_lets_others_pass() -> None:
    schedule = Schedule([Item("a", (), 3), Item("b", (), 4), Item("c", (), 2)], 5)
    begin(schedule, "a", "c")
    assert schedule.next() is None
    schedule.finish("a")
    assert schedule.next() is None
    schedule.finish("c")
    begin(schedule, "b")


def test_what_never_fits_is_made_alone() -> None:
    schedule = Schedule([Item("huge", (), 9), Item("small", (), 1)], 5)
    begin(schedule, "huge")
    assert schedule.next() is None
    schedule.finish("huge")
    make(schedule, "small")


def test_what_is_being_made_elsewhere_is_put_off() -> None:
    schedule = diamond()
    begin(schedule, "low")
    assert not schedule.is_waiting
    schedule.put_off("low")
    assert schedule.next() is None
    assert schedule.is_waiting
    schedule.look_again()
    assert not schedule.is_waiting
    begin(schedule, "low")


def test_what_was_put_off_comes_in_its_turn_and_holds_no_memory() -> None:
    schedule = Schedule([Item("a", (), 5), Item("b", (), 5), Item("c", (), 5)], 5)
    begin(schedule, "a")
    schedule.put_off("a")
    begin(schedule, "b")
    schedule.put_off("b")
    schedule.look_again()
    make(schedule, "a", "b", "c")


def test_nobody_waits_when_everything_is_done() -> None:
    schedule = Schedule([Item("a", (), 1), Item("b", (), 1)], 5)
    make(schedule, "a", "b")
    assert not schedule.is_waiting


def test_what_is_damaged_is_made_anew_before_what_needs_it() -> None:
    schedule = diamond(low=THERE)
    begin(schedule, "left", "right")
    assert schedule.complain("left", "low") == "new"
    assert set(schedule.in_work) == {"right"}
    begin(schedule, "low")
    assert schedule.next() is None
    schedule.finish("low")
    begin(schedule, "left")


def test_a_second_complaint_about_the_same_damage_is_known() -> None:
    schedule = diamond(low=THERE)
    begin(schedule, "left", "right")
    assert schedule.complain("left", "low") == "new"
    assert schedule.complain("right", "low") == "known"
    make(schedule, "low", "left", "right", "top")


def test_a_complaint_that_comes_late_is_about_what_was_there_before() -> None:
    schedule = diamond(low=THERE)
    begin(schedule, "left", "right")
    assert schedule.complain("left", "low") == "new"
    make(schedule, "low")
    assert schedule.complain("right", "low") == "known"
    make(schedule, "left", "right", "top")


def test_what_was_made_anew_is_not_made_once_more() -> None:
    schedule = diamond(low=THERE)
    begin(schedule, "left")
    assert schedule.complain("left", "low") == "new"
    make(schedule, "low")
    begin(schedule, "left")
    assert schedule.complain("left", "low") == "again"


def test_what_was_damaged_at_first_is_not_made_anew_twice() -> None:
    schedule = diamond(low=Item("low", (), 1, damaged=True))
    make(schedule, "low")
    begin(schedule, "left")
    assert schedule.complain("left", "low") == "again"


def test_what_the_run_made_itself_may_be_damaged_too() -> None:
    schedule = diamond()
    make(schedule, "low")
    begin(schedule, "left")
    assert schedule.complain("left", "low") == "new"
    make(schedule, "low", "left", "right", "top")


def test_what_went_on_with_the_damaged_one_may_end_well() -> None:
    schedule = diamond(low=THERE)
    begin(schedule, "left", "right")
    assert schedule.complain("left", "low") == "new"
    schedule.finish("right")
    make(schedule, "low", "left", "top")


def test_it_imports_nothing_that_acts() -> None:
    """No threads, no clocks, no files, and nothing of the project."""
    tree = ast.parse(inspect.getsource(schedule_module))
    imported = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported == {"__future__", "bisect", "collections.abc", "typing"}


# Whatever happens


@st.composite
def items(draw: st.DrawFn) -> list[Item[int]]:
    """A few items that are there, and a few that need most of what comes before them."""
    present, others = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    found: list[Item[int]] = []
    for key in range(present + others):
        spared = draw(st.sets(st.integers(0, key - 1), max_size=2)) if key else set()
        needs = tuple(sorted(set(range(min(key, present + 1))) - spared))
        damaged = key >= present and draw(st.booleans())
        found.append(Item(key, needs, draw(st.integers(1, 6)), key < present, damaged))
    return found


class AnyOrder(RuleBasedStateMachine):
    """Everything that can be told a schedule, in any order, beside a model of it."""

    @initialize(items=items(), memory=st.integers(1, 20))
    def start(self, items: list[Item[int]], memory: int) -> None:
        self.items = items
        self.memory = memory
        self.schedule = Schedule(items, memory)
        self.done = {item.key for item in items if item.done}
        self.in_work: list[int] = []
        self.put_off: set[int] = set()
        self.remade = {item.key for item in items if item.damaged}
        self.stale: set[tuple[int, int]] = set()
        """What was begun, with what it needs, before the latter turned out damaged."""

    def working(self) -> bool:
        return bool(self.in_work)

    def took(self, data: st.DataObject) -> int:
        key = data.draw(st.sampled_from(self.in_work))
        self.in_work.remove(key)
        return key

    @rule()
    def begin(self) -> None:
        while (key := self.schedule.next()) is not None:
            item = self.items[key]
            assert key not in self.done | self.put_off
            assert key not in self.in_work
            assert self.done.issuperset(item.needs)
            used = sum(self.items[other].memory for other in self.in_work)
            assert used + item.memory <= self.memory or not self.in_work
            self.schedule.begin(key)
            self.in_work.append(key)
            self.stale -= {(key, need) for need in item.needs}

    @precondition(working)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        key = self.took(data)
        self.schedule.finish(key)
        self.done.add(key)

    @precondition(working)
    @rule(data=st.data())
    def put_it_off(self, data: st.DataObject) -> None:
        key = self.took(data)
        self.schedule.put_off(key)
        self.put_off.add(key)

    @rule()
    def look_again(self) -> None:
        self.schedule.look_again()
        self.put_off.clear()

    @precondition(lambda self: any(self.items[key].needs for key in self.in_work))
    @rule(data=st.data())
    def complain(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from([k for k in self.in_work if self.items[k].needs]))
        needed = data.draw(st.sampled_from(sorted(self.items[key].needs)))
        self.in_work.remove(key)
        complaint = self.schedule.complain(key, needed)
        if (key, needed) in self.stale:
            assert complaint == "known"
        elif needed in self.remade:
            assert complaint == "again"
        else:
            assert complaint == "new"
            self.remade.add(needed)
            self.done.remove(needed)
            self.stale |= {(k, needed) for k in self.in_work if needed in self.items[k].needs}

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "schedule"):
            assert set(self.schedule.done) == self.done
            assert sorted(self.schedule.in_work) == sorted(self.in_work)
            assert self.schedule.is_done == (len(self.done) == len(self.items))

    @invariant()
    def the_first_that_fits_is_next(self) -> None:
        if hasattr(self, "schedule"):
            free = self.memory - sum(self.items[key].memory for key in self.in_work)
            ready = (
                item.key
                for item in self.items
                if item.key not in self.done | self.put_off | set(self.in_work)
                and self.done.issuperset(item.needs)
                and (item.memory <= free or not self.in_work)
            )
            assert self.schedule.next() == next(ready, None)

    @invariant()
    def there_is_a_way_on(self) -> None:
        if hasattr(self, "schedule") and not self.schedule.is_done:
            assert self.in_work or self.put_off or self.schedule.next() is not None
            if self.schedule.is_waiting:
                assert self.put_off


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=100, stateful_step_count=40)


@dataclass
class Workshop:
    """Files that may be damaged, and workers that read what they need and write what they make.

    They go on in any order: what is read may have been made anew by another meanwhile.
    """

    items: list[Item[int]]
    damaged: set[int]
    """Files that are there and no good, which nobody knows until they are read."""
    schedule: Schedule[int]
    left: dict[int, list[int]] = field(default_factory=dict)
    """What each at work has still to read."""
    found: dict[int, int] = field(default_factory=dict)
    """Who has read something damaged, and has not told yet."""
    made: list[int] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def begin(self) -> None:
        while (key := self.schedule.next()) is not None:
            self.schedule.begin(key)
            self.left[key] = list(self.items[key].needs)

    def step(self, key: int) -> None:
        """One step of the work on ``key``: read, tell, or write."""
        if key in self.found:
            del self.left[key]
            self.complaints.append(self.schedule.complain(key, self.found.pop(key)))
        elif self.left[key]:
            need = self.left[key].pop()
            if need in self.damaged:
                self.found[key] = need
        else:
            del self.left[key]
            self.damaged.discard(key)
            self.made.append(key)
            self.schedule.finish(key)


@given(st.data(), items(), st.integers(1, 30))
def test_every_damaged_file_is_made_anew_once_in_whatever_order(
    data: st.DataObject, items: list[Item[int]], memory: int
) -> None:
    present = [item.key for item in items if item.done]
    damaged = data.draw(st.sets(st.sampled_from(present))) if present else set()
    shop = Workshop(items, set(damaged), Schedule(items, memory))
    while not shop.schedule.is_done:
        shop.begin()
        shop.step(data.draw(st.sampled_from(sorted(shop.left))))
    assert not shop.left
    # Those that nobody read stay as they are.
    anew = [key for key in shop.made if key in damaged]
    assert sorted(anew) == sorted(damaged - shop.damaged)
    assert sorted(set(shop.made)) == sorted({*anew, *(i.key for i in items if not i.done)})
    assert len(shop.made) == len(set(shop.made))
    assert shop.complaints.count("new") == len(anew)
    assert "again" not in shop.complaints
