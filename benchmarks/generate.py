"""How fast, how small and within which memory all tables of 2 to N animals are made.

    python benchmarks/generate.py [N] [--data-dir DIR] [--jobs J] [--memory GiB]

Makes them in DIR, by default a temporary folder, once the kernels are compiled or loaded, and
prints a line for each number of animals: thread seconds are those of the steps of its tables, and
contain what other programs took of them; the work is each table's values times its plies, added up.
A folder that has some of the tables gets the others.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tablebase.generation import Event, Made, estimate_seconds, make_plan, run_plan
from tablebase.generation.warmup import warm_up


def main() -> None:
    """Parse the command line, make the tables, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pieces", nargs="?", type=int, default=4, metavar="N")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--memory", type=float, metavar="GiB")
    arguments = parser.parse_args()
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        plan = make_plan(
            arguments.data_dir or folder,
            pieces=arguments.pieces,
            rules=arguments.rules,
            jobs=arguments.jobs,
            memory=None if arguments.memory is None else int(arguments.memory * 2**30),
        )
        estimate = estimate_seconds(plan)
        load = os.getloadavg()[0]
        processor = time.process_time()
        summary = run_plan(plan, _show)
        processor = time.process_time() - processor
    print(
        "animals classes          values plies            work thread s  ns/value  ps/work"
        "         bytes  bits/value"
    )
    by_animals: dict[int, list[Made]] = defaultdict(list)
    for made in summary.made:
        by_animals[len(made.table.material)].append(made)
    for animals, tables in sorted(by_animals.items()):
        values, size = sum(t.codes for t in tables), sum(t.bytes for t in tables)
        seconds, plies = sum(t.seconds for t in tables), max(t.plies for t in tables)
        work = sum(t.codes * t.plies for t in tables)
        print(
            f"{animals:7} {len(tables):7} {values:15,} {plies:5} {work:15,.3g} {seconds:8.1f}"
            f" {1e9 * seconds / values:9.1f} {1e12 * seconds / work:8.0f} {size:13,}"
            f" {8 * size / values:11.2f}"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"\n{summary.seconds:.1f} s with {plan.jobs} threads (estimated: {estimate:.1f} s),"
        f" {processor:.1f} s of processor time, at most {peak:.2f} GiB resident"
        f" (planned: {plan.peak_memory / 2**30:.2f}), load before {load:.1f}"
    )


def _show(event: Event) -> None:
    if event.kind != "working" and sys.stderr.isatty():
        what = event.kind if event.table is None else f"{event.kind} {event.table.label}"
        print(f"{event.state.classes_done}/{event.state.classes} {what}", file=sys.stderr)


if __name__ == "__main__":
    main()
