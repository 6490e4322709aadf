"""Materials, the classes of them that share a table, and what identifies a table."""

from __future__ import annotations
