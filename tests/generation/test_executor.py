"""Threads as an executor: which steps are done when, and how everything ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from tablebase.errors import ResourceError
from tablebase.generation.executor import Checkpoint, Obstacle, Outcome, Work
from tablebase.generation.threads import ThreadExecutor

Stages = Sequence[Sequence[Callable[[], Any]]]
PATIENCE = 60.0


class Errand(Work[str]):
    """Work that is nothing but its steps; ``at`` holds who has claimed something."""

    def __init__(
        self, name: str, stages: Stages, at: set[str], obstacle: Obstacle | None = None
    ) -> None:
        self.name = name
        self._stages = stages
        self._at = at
        self._obstacle = obstacle

    def claim(self) -> Obstacle | None:
        if self._obstacle is None:
            self._at.add(self.name)
        return self._obstacle

    def release(self) -> None:
        self._at.remove(self.name)

    def stages(self) -> Stages:
        return self._stages


def nothing() -> None:
    pass


class Office:
    """An executor of errands, and what has become of them."""

    def __init__(self, jobs: int) -> None:
        self.claimed: set[str] = set()
        self.checkpoints: dict[str, Checkpoint] = {}
        self.stages: dict[str, Stages] = {}
        self.obstacles: dict[str, Obstacle] = {}
        self.executor = ThreadExecutor(jobs, self._errand, nothing, lambda: False)

    def _errand(self, task: str, checkpoint: Checkpoint) -> Errand:
        self.checkpoints[task] = checkpoint
        return Errand(task, self.stages.get(task, ()), self.claimed, self.obstacles.get(task))

    def begin(self, task: str, *stages: Sequence[Callable[[], Any]]) -> None:
        self.stages[task] = stages
        self.executor.begin(task)

    def outcome(self) -> Outcome[str, str]:
        while (outcome := self.executor.next(PATIENCE)) is None:
            pass
        return outcome


@contextmanager
def office(jobs: int) -> Iterator[Office]:
    opened = Office(jobs)
    try:
        with opened.executor:
            while not opened.executor.is_hungry:
                opened.executor.next(PATIENCE)
            yield opened
    finally:
        assert not opened.claimed
        assert not workers()


def workers() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("tablebase-")]


def test_a_stage_begins_when_the_one_before_has_ended() -> None:
    done: list[str] = []
    both = threading.Barrier(2, timeout=PATIENCE)

    def half(name: str) -> Callable[[], None]:
        def step() -> None:
            both.wait()  # the steps of a stage run at the same time
            done.append(name)

        return step

    with office(2) as here:
        here.begin(
            "a",
            (lambda: done.append("first"),),
            (half("second"), half("second")),
            (lambda: "result",),
        )
        assert here.claimed == {"a"}
        outcome = here.outcome()
        assert not here.claimed
    assert (outcome.task, outcome.result, outcome.error) == ("a", "result", None)
    assert done == ["first", "second", "second"]


def test_what_ends_a_task_is_more_urgent_than_what_begins_one() -> None:
    order: list[str] = []
    begun = threading.Event()
    go_on = threading.Event()

    def held() -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    with office(1) as here:
        here.begin("a", (nothing,), (lambda: order.append("end of a"),))
        here.begin("b", (held,), (lambda: order.append("end of b"),))
        here.begin("c", (lambda: order.append("start of c"),))
        assert begun.wait(PATIENCE)
        assert here.executor.next(PATIENCE) is None  # the first step of a has ended
        go_on.set()
        ended = [here.outcome().task for _ in "abc"]
    assert order[0] == "end of a"
    assert sorted(ended) == ["a", "b", "c"]


def test_it_is_hungry_until_there_is_one_step_more_than_threads() -> None:
    go_on = threading.Event()
    with office(2) as here:
        for task in "abc":
            assert here.executor.is_hungry
            here.begin(task, (lambda: go_on.wait(PATIENCE),))
        assert not here.executor.is_hungry
        go_on.set()
        here.outcome()
        assert here.executor.is_hungry


@pytest.mark.parametrize("obstacle", ["busy", "elsewhere"])
def test_what_cannot_be_claimed_is_not_begun(obstacle: Obstacle) -> None:
    begun: list[str] = []
    with office(1) as here:
        here.obstacles["a"] = obstacle
        here.begin("a", (lambda: begun.append("a"),))
        here.begin("b", (lambda: begun.append("b"),))
        assert here.outcome() == Outcome("a", obstacle=obstacle)
        assert here.outcome().task == "b"
    assert begun == ["b"]


def test_an_error_ends_the_other_steps_of_its_task_and_no_others() -> None:
    both = threading.Barrier(2, timeout=PATIENCE)
    other = threading.Event()
    later: list[str] = []

    def fail() -> None:
        both.wait()
        raise ZeroDivisionError

    with office(3) as here:

        def go_on() -> None:
            both.wait()
            while True:
                here.checkpoints["a"]()

        def wait() -> str:
            assert other.wait(PATIENCE)
            here.checkpoints["b"]()
            return "result"

        here.begin("b", (wait,))
        here.begin("a", (fail, go_on), (lambda: later.append("a"),))
        outcome = here.outcome()
        assert outcome.task == "a"
        assert isinstance(outcome.error, ZeroDivisionError)
        assert here.claimed == {"b"}
        other.set()
        assert here.outcome().result == "result"
    assert not later


def test_leaving_ends_what_is_in_work_and_gives_up_what_was_claimed() -> None:
    begun = threading.Event()
    later: list[str] = []

    def leave() -> None:
        with office(2) as here:

            def work() -> None:
                begun.set()
                while True:
                    here.checkpoints["a"]()

            here.begin("a", (work,), (lambda: later.append("a"),))
            here.begin("b", (nothing,), (lambda: later.append("b"),))
            assert begun.wait(PATIENCE)
            assert here.claimed == {"a", "b"}
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        leave()
    assert not later


def test_there_are_no_more_threads_than_steps() -> None:
    go_on = threading.Event()
    with office(10**20) as here:
        assert len(workers()) == 1
        for task in ("a", "b"):
            here.begin(task, [lambda: go_on.wait(PATIENCE)] * 2, (nothing,))
        assert len(workers()) == 4
        go_on.set()
        assert {here.outcome().task for _ in range(2)} == {"a", "b"}


def refuse_threads(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the system start so many threads and no more."""
    start, count = threading.Thread.start, 0

    def limited(thread: threading.Thread) -> None:
        nonlocal count
        if count == after:
            raise RuntimeError("can't start new thread")
        count += 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)


def test_fewer_threads_than_wanted_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_threads(monkeypatch, after=2)
    with office(8) as here:
        for task in "abcde":
            here.begin(task, (nothing, nothing), (lambda: "result",))
        assert len(workers()) == 2
        assert {here.outcome().result for _ in "abcde"} == {"result"}


def test_no_thread_at_all_is_a_resource_error(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_threads(monkeypatch, after=0)
    with pytest.raises(ResourceError, match="no thread can be started") as caught, office(2):
        pytest.fail("entered")
    assert caught.value.shortage == "system"


def test_nothing_is_wanted_before_the_warm_up_has_ended() -> None:
    warm = threading.Event()
    compiling = False
    executor: ThreadExecutor[str, str] = ThreadExecutor(
        2,
        lambda task, _: Errand(task, (), set()),
        lambda: pytest.fail("too slow") if not warm.wait(PATIENCE) else None,
        lambda: compiling,
    )
    with executor:
        assert not executor.is_hungry
        assert not executor.is_compiling
        compiling = True
        assert executor.is_compiling
        assert executor.next(0.01) is None
        warm.set()
        assert executor.next(PATIENCE) is None
        assert executor.is_hungry
        assert not executor.is_compiling


def test_a_warm_up_that_fails_is_told() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    executor: ThreadExecutor[str, str] = ThreadExecutor(
        2, lambda task, _: Errand(task, (), set()), fail, lambda: False
    )
    with pytest.raises(ZeroDivisionError), executor:
        executor.next(PATIENCE)
    assert not workers()
