"""How fast the values of tables are derived anew.

    python benchmarks/verify.py [N] --data-dir DIR [--jobs J] [--sample K]

Verifies all tables of 2 to N animals in DIR and prints a line for each number of animals; the
seconds of its tables are added up over the threads, reading and unpacking included.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections import defaultdict
from pathlib import Path

from tablebase.verification import TableReport, verify


def main() -> None:
    """Parse the command line, verify, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pieces", nargs="?", type=int, default=4, metavar="N")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--sample", type=int, metavar="K")
    arguments = parser.parse_args()
    # The first table loads or compiles the kernel.
    verify(arguments.data_dir, materials=["EvE"], rules=arguments.rules)
    load = os.getloadavg()[0]
    processor = time.process_time()
    report = verify(
        arguments.data_dir,
        pieces=arguments.pieces,
        rules=arguments.rules,
        sample=arguments.sample,
        jobs=arguments.jobs,
    )
    processor = time.process_time() - processor
    by_animals: dict[int, list[TableReport]] = defaultdict(list)
    for checked in report.tables:
        by_animals[len(checked.table.material)].append(checked)
    print("animals  tables         values thread s  million/thread s  differing")
    for animals, found in sorted(by_animals.items()):
        values, seconds = sum(c.checked for c in found), sum(c.seconds for c in found)
        print(
            f"{animals:7} {len(found):7} {values:14,} {seconds:8.1f}"
            f" {values / seconds / 1e6:17.1f} {sum(c.differing for c in found):10}"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"\n{'all is well' if report.ok else 'NOT ALL IS WELL'}: {report.checked:,} values in"
        f" {report.seconds:.1f} s, {processor:.1f} s of processor time"
        f" ({report.checked / processor / 1e6:.1f} million a second),"
        f" at most {peak:.2f} GiB resident, load before {load:.1f}"
    )


if __name__ == "__main__":
    main()
