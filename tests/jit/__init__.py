"""Tests of how kernels are compiled and kept."""

from __future__ import annotations
