"""The version, in its one place: the distribution, the command and the table files take it here."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
