"""Asking the tables: who wins a position, in how many plies, and what each move leads to.

``Tablebase`` is what users see. It turns a position into a number by ``tablebase.index`` and takes
the code of that number from a chunk in its cache. Neither numba nor h5py is needed for that.
"""

from __future__ import annotations

from tablebase.probe.answers import MoveValue, Probe, Probes
from tablebase.probe.tablebase import Tablebase, open_tablebase

__all__ = ["MoveValue", "Probe", "Probes", "Tablebase", "open_tablebase"]
