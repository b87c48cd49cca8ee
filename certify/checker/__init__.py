"""A checker of certificates that needs nothing but Python: integers, fractions and its own enclosures.

It shares no code with what makes certificates; docs/certificates.md says what both agree on.  To read it, begin with
`report.py` and `claims.py`, then one claim: `flarge.py`, `nmax.py` (with `rows.py`, `errorbound.py`), `period.py` or
`language.py` (with `automaton.py`).  What the first three rest on: `valueset.py`, `arithmetic.py` and `fixedpoint.py`.

The folder also runs alone, copied to another machine: `python -I checker FILE...`.
"""

from .command import main
from .report import EXIT_CODES, MAX_WORK, Report, check_bytes

__all__ = ["EXIT_CODES", "MAX_WORK", "Report", "check_bytes", "main"]
