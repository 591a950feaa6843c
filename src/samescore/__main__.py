"""``python -m samescore``: the same as the command ``samescore``."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.getcwd()]:
        del sys.path[0]  # that python -m put there: a numpy.py that lies where one works is not imported
    from .cli import main

    sys.exit(main())
