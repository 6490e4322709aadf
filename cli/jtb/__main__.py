"""``python -m jtb``: the command without its script."""

from __future__ import annotations

from jtb.main import main

if __name__ == "__main__":
    main()
