"""A schedule: the angles of the rotary pairs of a head, exact, with where they come from (§2.3 of arXiv:2608.11909)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gmpy2 import mpq

from fpsim.angle import Angle, conventional_angle
from fpsim.enclosure import MAX_BITS
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import exact_text, parse_count, parse_number
from fpsim.real import Real

__all__ = ["MAX_DIM", "Entry", "Scaling", "Schedule"]

MAX_DIM = 1 << 13
_LISTED = 4  # entries of a list, in a text

Entry: TypeAlias = "mpq | int | bool | str | tuple[mpq | int, ...] | Scaling | None"
"""A parameter of a scaling."""


@dataclass(frozen=True)
class Scaling:
    """How the angles of a schedule were changed: the kind, and every parameter that it used, defaults filled in.

    kind: "linear", "dynamic", "yarn", "longrope", "llama3", "proportional"; "partial": fewer dims turn, and no more;
    "mrope" and "default": the angles are the plain ones; "resonance".  Where fewer dims turn, `rotary_dim` and
    `head_dim` are parameters of any kind.  unused: the keys that were given and have no part in the angles.

    >>> Scaling.of("linear", factor=mpq(8))["factor"]
    mpq(8,1)
    """

    kind: str
    parameters: tuple[tuple[str, Entry], ...] = ()
    unused: tuple[str, ...] = ()

    @staticmethod
    def of(kind: str, **parameters: Entry) -> Scaling:
        """The scaling with these parameters, in this order."""
        return Scaling(kind, tuple(parameters.items()))

    def __getitem__(self, name: str) -> Entry:
        return dict(self.parameters)[name]

    def get(self, name: str) -> Entry:
        """The parameter, or None where this kind has none of the name."""
        return dict(self.parameters).get(name)

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {_entry_text(entry)}" for name, entry in self.parameters)
        return f"{self.kind} ({listed})" if listed else self.kind


def _entry_text(entry: Entry) -> str:
    if isinstance(entry, tuple):
        listed = ", ".join(_entry_text(each) for each in entry[:_LISTED])
        return f"[{listed}]" if len(entry) <= _LISTED else f"[{listed}, ... {len(entry)} numbers]"
    return exact_text(entry) if isinstance(entry, type(mpq())) else str(entry)


@dataclass(frozen=True)
class Schedule:
    """The exact angles of the rotated pairs, one for each; the angle 0 is an unrotated pair.

    base, dim: of a schedule base^(-2d/dim) before any scaling, else None; `exponents` has 2d/dim of each pair then,
    None for an unrotated pair.  scaling: how the angles were changed; None: not at all.  attention_factor: what cos
    and sin are multiplied by in some scalings, exact.

    >>> [str(angle) for angle in Schedule.conventional("1e4", 4).angles]
    ['1', '0.01']
    """

    angles: tuple[Angle, ...]
    base: mpq | None = None
    dim: int | None = None
    exponents: tuple[mpq | None, ...] | None = None
    scaling: Scaling | None = None
    attention_factor: Real = mpq(1)

    @staticmethod
    def of(angles: Iterable[object]) -> Schedule:
        """The schedule of these angles (anything that `Angle.parse` takes); at least one."""
        parsed = tuple(Angle.parse(angle, "theta") for angle in angles)
        if not parsed:
            raise InputError("theta", "nothing", "at least one angle")
        return Schedule(parsed)

    @staticmethod
    def conventional(base: object, dim: object) -> Schedule:
        """base^(-2d/dim), d = 0 .. dim/2-1, exact.  Raises `InputError` unless base > 0 and dim is even."""
        count = parse_count(dim, "dim", least=2, most=MAX_DIM)
        if count % 2:
            raise InputError("dim", dim, f"an even number from 2 to {MAX_DIM}")
        angles = tuple(conventional_angle(base, d + 1, count) for d in range(count // 2))
        return Schedule(angles, parse_number(base, "base"), count, tuple(mpq(2 * d, count) for d in range(count // 2)))

    def scaled(
        self, parameters: Mapping[str, object], *, length: int | None = None, max_length: int | None = None
    ) -> Schedule:
        """The schedule as a `rope_scaling` changes it: see `fpsim.scaling.scaled`."""
        from fpsim.scaling import scaled

        return scaled(self, parameters, length=length, max_length=max_length)

    def resonance(self) -> Schedule:
        """Resonance RoPE: each wavelength 2 pi/theta becomes the nearest whole number (a tie the even one).

        Every rotation then returns exactly, after as many positions as its wavelength has.  An unrotated pair stays
        one.  Raises `InputError` for an angle so great that its wavelength is nearest to 0.  Source: Wang et al.,
        Resonance RoPE, Findings of ACL 2024.

        >>> [str(angle) for angle in Schedule.conventional("1e4", 4).resonance().angles]
        ['1/3*pi', '1/314*pi']
        """
        wavelengths = tuple(_nearest_wavelength(angle) if angle else 0 for angle in self.angles)
        angles = tuple(Angle(mpq(2, m), "pi") if m else Angle(mpq(0)) for m in wavelengths)
        scaling = Scaling.of("resonance", wavelengths=wavelengths, of=self.scaling)
        return replace(self, angles=angles, scaling=scaling)


def _nearest_wavelength(angle: Angle) -> int:
    """The whole number nearest to 2 pi/|theta|, with the sign of theta.

    It is irrational for an algebraic angle, so that no tie occurs and the enclosures end; for a rational multiple of pi
    it is a rational.
    """
    turns, bits = angle.turns, 64
    while bits <= MAX_BITS:
        lo, hi = (turns, turns) if turns is not None else angle.enclose_turns(bits)
        nearest = round(1 / hi)  # of an exact half, Python's round takes the even neighbour
        if nearest == round(1 / lo):
            if nearest == 0:
                raise InputError("theta", str(angle), "at most 4 pi, so that a wavelength rounds to at least 1")
            return int(nearest)
        bits *= 2
    raise UnsupportedError(f"{MAX_BITS} bits do not decide the whole number nearest to 2 pi / ({angle})")
