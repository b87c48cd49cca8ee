"""The numbers of one claim, as the file `Claim.v`."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from gmpy2 import mpq

from certify.second_opinions.claim import Range
from certify.second_opinions.coq.enclosures import Enclosed, TooCoarseError, enclosed
from certify.second_opinions.intervals import Intervals
from certify.second_opinions.machine import Block, Head
from certify.second_opinions.opinion import Work
from certify.second_opinions.real import Enclosure, exact_turn
from certify.second_opinions.thresholds import threshold_of
from certify.second_opinions.values import floor_log2
from fpsim.errors import UnsupportedError

__all__ = ["Theorem"]

# Bits that an interval arithmetic loses on the way to a result of one operation or two, generously.
_GUARD = 20


class Theorem:
    """A claim `nmax` of the kind that `export` takes, with the enclosures that prove it."""

    def __init__(self, claim: Range) -> None:
        self.claim, self.values, self.reals = claim, claim.values, Intervals()
        if claim.upper is None or claim.fails is None:
            raise UnsupportedError("Coq files need a value and a failing pair")
        self.last, self.witness = claim.upper + 2, claim.fails[1]
        self.steps = self.values.step.denominator  # numbers of F are multiples of 1 / steps
        found = threshold_of(self.reals, self.values)
        index = 0 if found is None else self.values.index_below(found)
        if found is None or index < 2:
            raise UnsupportedError("Coq files need an f_large that is not the least positive value")
        self.threshold, self.below = found, self.values.size(index - 1)
        self.head = Head(claim, self.reals, Work(100 * self.last))
        self.digits = 4
        while True:
            self.digits *= 2
            try:
                self._enclose()
            except TooCoarseError:
                continue
            break

    @property
    def bits(self) -> int:
        """Ends of intervals are multiples of 2^-bits: `digits` more than the numbers of F have."""
        return int(self.steps).bit_length() - 1 + self.digits

    def _enclose(self) -> None:
        """All enclosures.  Raises `TooCoarseError`."""
        one = (mpq(1), mpq(1))
        scales = (self.claim.scale, -self.claim.scale)
        self.turns = [self._turn(i, one, self.head.key(i)) for i in range(self.last + 1)]
        self.bias = self._turn(self.claim.offset, scales, self.head.bias)
        # exp(-f) is below half the least positive value, exp(-below) above it: the numbers half way to there.
        half = self.values.step / 2
        above, least = self.reals.exp(-self.threshold, 64)[1], self.reals.exp(-self.below, 64)[0]
        slack = min(half - above, least - half) / 2
        if slack <= 0:
            raise UnsupportedError("exp(-x) is too near half the least positive value")
        if slack * (1 << self.bits) < 16:
            raise TooCoarseError
        self.above_exp = int((above + half) / 2 * (1 << self.bits) // 1)
        self.below_exp = int((least + half) / 2 * (1 << self.bits) // 1)
        size = int(self.threshold).bit_length()
        self.exp_precision = floor_log2(half) - floor_log2(slack) + size + _GUARD

    def _turn(self, i: int, scales: tuple[mpq, mpq], realized: Block) -> tuple[Enclosed, Enclosed]:
        exact = exact_turn(self.claim.angle, i)
        near = self.reals.turn(self.claim.angle, i, self.bits + self.values.precision + 64)
        parts = []
        for known, (lo, hi), scale, v in zip(exact, near, scales, realized, strict=True):
            ends: Enclosure = (lo * scale, hi * scale) if known is None else (known * scale, known * scale)
            parts.append(enclosed(self.values, (min(ends), max(ends)), v, self.bits))
        return parts[0], parts[1]

    def text(self) -> str:
        """The file."""
        values = self.values
        positions = range(len(self.turns))
        proofs = "I"
        for i in reversed(positions):
            proofs = f"(conj h{i} {proofs})"
        numbers = {
            "value": self.claim.upper, "witness": self.witness, "k": self.claim.offset,
            "precision": values.precision, "emin": values.emin - values.precision + 1,
            "top": int(values.largest * self.steps), "g": self._angle(), "C": _real(self.claim.scale),
            "digits": self.digits, "scale": 1 << self.bits,
            "f": int(self.threshold * self.steps), "below": int(self.below * self.steps),
            "above_exp": self.above_exp, "below_exp": self.below_exp, "exp_precision": self.exp_precision,
            "turns": "\n".join(self._lemma(i) for i in positions),
            "names": "; ".join(f"t{i}" for i in positions), "proofs": proofs,
            "bias": _record(self.claim.offset, self.bias), "bias_proof": self._tactic(self.bias),
        }  # fmt: skip
        for name, x in {"largest": values.largest, "f_large": self.threshold, "next_below": self.below}.items():
            numbers |= {name: _real(x), f"{name}_n": x.numerator, f"{name}_d": x.denominator}
        template = files(__package__).joinpath("Claim_template.v").read_text("utf-8")
        return Template(template).substitute(numbers)

    def _angle(self) -> str:
        angle = self.claim.angle
        return _real(angle.coefficient) + (" * PI" if angle.unit == "pi" else "")

    def _lemma(self, i: int) -> str:
        return (
            f"Definition t{i} : turn := {_record(i, self.turns[i])}.\n"
            f"Lemma h{i} : turn_holds scale g t{i}. Proof. numbers t{i}. {self._tactic(self.turns[i])} Qed."
        )

    def _tactic(self, turn: tuple[Enclosed, Enclosed]) -> str:
        """`interval` for both parts, with bits for the argument as well, of which whole turns are taken off."""
        argument = int(abs(self.claim.angle.coefficient) * 4 * (self.last + self.claim.offset)).bit_length()
        precisions = [part.precision + argument + _GUARD for part in turn]
        return "split; [" + " | ".join(f"interval with (i_prec {p})" for p in precisions) + "]."


def _record(position: int, turn: tuple[Enclosed, Enclosed]) -> str:
    parts = [f"{{| low := {part.low}; high := {part.high}; rounded := {part.rounded} |}}" for part in turn]
    return f"{{| position := {position}; cosine := {parts[0]};\n   sine := {parts[1]} |}}"


def _real(x: mpq) -> str:
    return str(x.numerator) if x.denominator == 1 else f"{x.numerator} / {x.denominator}"
