"""The theorem of Coq that a certificate claims: files for Coq 8.16, Flocq 4.1 and Interval 4.6, as Debian 12 has them.

    apt-get install coq libcoq-flocq libcoq-interval

`Claim.v` holds the numbers of one claim.  Coq confirms with the tactic `interval` that each cosine, sine and
exponential lies in an interval whose ends round alike, and by computing with integers everything that follows from
there; the theorem `certified` says over the real numbers that N_max has the claimed value.  Nothing is admitted: of a
false claim the file does not compile.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from certify.second_opinions.claim import Claim, Range, read_claim
from certify.second_opinions.coq.theorem import Theorem
from fpsim.errors import FpcertError, InputError, UnsupportedError

__all__ = ["COMMANDS", "export_coq"]

MAX_VALUE = 200
_STATIC = ("Semantics.v", "Computation.v", "Enclosures.v")
_COMPILED = (*_STATIC, "Claim.v", "Assumptions.v")
# How to compile the files, in their folder; the last one prints the axioms that the theorem rests on.
COMMANDS = tuple(f"coqc -R . Fpcert {name}" for name in _COMPILED)

_ASSUMPTIONS = """\
(** What the theorem rests on: the axioms of Coq's real numbers and of classical logic. *)

From Fpcert Require Import Claim.

Print Assumptions certified.
"""


def export_coq(data: bytes, folder: str | Path) -> list[Path]:
    """Write the files that prove the claim of the certificate in these bytes to `folder`, which is made when missing.

    Returns the files.  Compile them there with the lines of `COMMANDS`.  Raises `InputError` for what is no
    certificate, `FpcertError` when a file cannot be written, and `UnsupportedError` for every claim but: `nmax` with
    the criterion gap, the realization ideal, an angle that is a rational or a rational multiple of pi, one float format
    for all stages that rounds to nearest-even without ftz, fma or saturation, and a value of at most 200.
    """
    if not str(folder):
        raise InputError("folder", "nothing", "the name of a folder")
    claim = _supported(read_claim(data))
    written = {name: files(__package__).joinpath(name).read_text("utf-8") for name in _STATIC}
    written["Claim.v"] = Theorem(claim).text()
    written["Assumptions.v"] = _ASSUMPTIONS
    written["_CoqProject"] = "-R . Fpcert\n" + "".join(f"{name}\n" for name in _COMPILED)
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            (target / name).unlink(missing_ok=True)  # a link of that name would lead elsewhere
            (target / name).write_text(text, "utf-8")
    except OSError as error:
        raise FpcertError(f"cannot write to {str(target)!r}: {error.strerror or error}") from error
    return [target / name for name in written]


def _names_a_pair(claim: Range) -> bool:
    """Whether the hints name a key before the query value + 2; that the pair fails is what the theorem says."""
    return claim.fails is not None and claim.upper is not None and claim.fails[1] < claim.upper + 2


def _supported(claim: Claim) -> Range:
    """The claim, when the theorem can say it."""
    if not isinstance(claim, Range) or not claim.exact or claim.upper is None:
        raise UnsupportedError("Coq files are written for claims of the kind nmax only")
    values = claim.values
    obstacles = {
        f"the criterion {claim.criterion}": claim.criterion != "gap",
        f"the realization {claim.realize}": claim.realize != "ideal",
        "an angle that is a root": claim.angle.unit == "power",
        "more than one value set": not values == claim.rotate == claim.score == claim.softmax,
        "fma": claim.fma,
        f"a value set of the kind {values.kind}": values.kind != "float",
        "ftz": values.ftz,
        f"rounding {values.rounding}": values.rounding != "even",
        "saturation": values.overflow == "saturate",
        "a precision of one bit": values.precision < 2,
        "a least positive value above 1": values.step > 1,
        f"a value above {MAX_VALUE}": claim.upper > MAX_VALUE,
        "no key of the query value + 2 in the hints": not _names_a_pair(claim),
    }
    for what, stands in obstacles.items():
        if stands:
            raise UnsupportedError(f"Coq files are not written for claims with {what}")
    return claim
