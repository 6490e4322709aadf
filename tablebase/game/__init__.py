"""Jungle itself, in plain Python: the board, the rules, positions and games. It knows no tables."""

from __future__ import annotations
