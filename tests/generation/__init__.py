"""Tests of making tables."""

from __future__ import annotations
