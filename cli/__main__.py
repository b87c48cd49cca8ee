"""`python -m fpcert` is the command `fpcert`."""

from __future__ import annotations

import sys

from fpcert.main import main

if __name__ == "__main__":
    sys.exit(main())
