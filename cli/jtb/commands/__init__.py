"""One module a command, imported when the command is called."""

from __future__ import annotations
