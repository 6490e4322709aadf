"""Tests of table files."""

from __future__ import annotations
