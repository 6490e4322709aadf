"""Tests of what is read from other programs and written for them."""

from __future__ import annotations
