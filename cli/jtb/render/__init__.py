"""Turning results into text for people and JSON for programs; it asks the library nothing."""

from __future__ import annotations
