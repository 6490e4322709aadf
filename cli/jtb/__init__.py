"""The command ``jtb``: it parses, calls the library and renders, and knows nothing else."""

from __future__ import annotations
