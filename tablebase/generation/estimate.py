"""How long a plan will take, from a short calibration on this machine."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable
from typing import Final

from tablebase.catalog import Catalog
from tablebase.generation.events import Event
from tablebase.generation.plan import Plan, make_plan
from tablebase.resources import usable_cores
from tablebase.values import Metric

__all__ = ["estimate_seconds"]

_SAMPLE: Final = "LTvEP"
"""Neither an easy material nor a hard one; its captures lead to some of three and two animals."""
_HARDER: Final = {5: 0.75}
"""What a value takes in tables of so many animals, against one in the sample's, which has more
sweeps to begin for its size."""


def estimate_seconds(plan: Plan, progress: Callable[[Event], None] | None = None) -> float:
    """About how many seconds the run of ``plan`` will take, if nothing else uses the machine.

    Makes a few small tables in a temporary folder, which takes a second or two; ``progress`` is as
    in :func:`~tablebase.generation.run_plan`, and hears if the kernels are compiled first.
    """
    from tablebase.generation.local import table_threads
    from tablebase.generation.run import Run

    if not plan.to_make:
        return 0.0
    seconds: dict[tuple[Metric, int], float] = defaultdict(float)
    codes: dict[tuple[Metric, int], int] = defaultdict(int)
    with tempfile.TemporaryDirectory() as folder:
        for metric in plan.metrics:
            sample = make_plan(folder, materials=[_SAMPLE], rules=plan.rules, metric=metric, jobs=1)
            catalog = Catalog([folder])
            executor = table_threads(sample.jobs, catalog)
            for made in Run(sample, catalog, progress).run(executor).made:
                kind = metric, len(made.table.material)
                seconds[kind] += made.seconds
                codes[kind] += made.codes
    most = max(animals for _, animals in codes)
    total = 0.0
    for planned in plan.to_make:
        animals = len(planned.table.material)
        like = planned.table.metric, min(animals, most)
        total += planned.codes * seconds[like] / codes[like] * _HARDER.get(animals, 1.0)
    return total / min(plan.jobs, usable_cores())
