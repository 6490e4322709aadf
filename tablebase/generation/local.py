"""The executor of a run on this machine alone: threads that make tables."""

from __future__ import annotations

from tablebase.catalog import Catalog
from tablebase.generation.classwork import ClassWork, TableTask
from tablebase.generation.events import Made
from tablebase.generation.executor import Checkpoint
from tablebase.generation.threads import ThreadExecutor
from tablebase.generation.warmup import kernels_compiled, warm_up

__all__ = ["table_threads"]


def table_threads(jobs: int, catalog: Catalog) -> ThreadExecutor[TableTask, Made]:
    """Up to ``jobs`` threads that make tables in the first folder of ``catalog``."""
    from tablebase.solve import Buffers

    buffers = Buffers()
    before = kernels_compiled()

    def work(task: TableTask, checkpoint: Checkpoint) -> ClassWork:
        return ClassWork(task, catalog, buffers, checkpoint)

    return ThreadExecutor(jobs, work, warm_up, lambda: kernels_compiled() > before)
