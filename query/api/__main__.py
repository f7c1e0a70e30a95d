"""``python -m uncompact`` is the command line."""

from __future__ import annotations

from uncompact.query.cli import main

if __name__ == "__main__":
    main()
