"""`modulus`: which moduli m a head decides in F, MOD(r, m) for every residue r, at all lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from certify.compiling.exact_sums import ones_until_nan
from certify.compiling.gadget import number_text
from certify.compiling.modular_head import ModularHead, lemma_head, summed_head
from certify.compiling.selection import least_distance
from fpsim.errors import UnsupportedError
from fpsim.number import parse_count
from fpsim.precision import Precision
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["Moduli", "modulus"]

MOST = 1000


@dataclass(frozen=True)
class Moduli:
    """The moduli 2 .. `most` that heads decide, with the head of each; prints as an explanation.

    single: of one rotary pair, that of Lemma 3.2.  harmonic: of floor(m/2) pairs, the sum of harmonics.  reason: why
    there are none, in a set or an order in which no head selects exactly at all lengths.
    """

    precision: Precision
    most: int
    single: Mapping[int, ModularHead]
    harmonic: Mapping[int, ModularHead]
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert modulus --json`, as a dictionary."""
        heads = {"single_pair": self.single, "harmonic": self.harmonic}
        return {
            "dtype": self.precision.values.name,
            "order": str(self.precision.regime.order),
            "max": self.most,
            "single_pair": list(self.single),
            "harmonic": list(self.harmonic),
            "reason": self.reason,
            "heads": {name: {str(m): _head_json(head) for m, head in each.items()} for name, each in heads.items()},
        }

    def __str__(self) -> str:
        regime = self.precision.regime
        about = f"Moduli m from 2 to {self.most} that a head decides in {regime.values.name}, for every residue"
        lines = [
            f"{about}, at all lengths (order {regime.order}):",
            "",
            f"  one pair (Lemma 3.2)   {_ranges(self.single)}",
            f"  sum of harmonics       {_ranges(self.harmonic)}",
        ]
        if self.reason:
            lines.append(f"  because                {self.reason}")
        if self.single:
            last = max(self.single)
            lines.append(f"  one pair, m = {last:<8} {_head_text(self.single[last])}")
        return "\n".join(lines)


def modulus(
    *,
    dtype: ValueSet | str = "fp16",
    max: int = 64,  # noqa: A002 - the name of the option
    order: Order | str = "sequential",
    progress: Callable[[int], None] | None = None,
) -> Moduli:
    """The moduli from 2 to `max` that the head of Lemma 3.2 of arXiv:2608.11909 decides in F, and the sum of harmonics.

    A head decides m when for each residue r, at every position i >= 2 and so in words of any length, its output is
    exactly 1 where i = r modulo m and exactly 0 elsewhere: computed for all residues of i.  C is searched in F.  order:
    of sums over positions, which matters where they can become NaN.  progress: called with the number of moduli done.

    >>> found = modulus(dtype="e4m3", max=16)
    >>> list(found.single), list(found.harmonic) == list(range(2, 17))
    ([2, 3, 4, 5, 6, 7, 8, 9, 10, 12], True)

    Raises `InputError` for a `max` below 2 or above 1000.
    """
    most = parse_count(max, "max", least=2, most=MOST)
    precision = Precision.of(dtype, order=order)
    single: dict[int, ModularHead] = {}
    harmonic: dict[int, ModularHead] = {}
    try:
        least = least_distance(precision.regime)
        ones = ones_until_nan(precision.regime)
    except UnsupportedError as error:
        return Moduli(precision, most, {}, {}, str(error))
    if ones is not None:
        reason = f"a sum of more than {ones} exponentials can be NaN in {precision}"
        return Moduli(precision, most, {}, {}, reason)
    for m in range(2, most + 1):
        residues = np.arange(m)
        found = lemma_head(precision, m, residues, least)
        if found is not None:
            single[m] = found
        found = summed_head(precision, m, residues, m // 2, least)
        if found is not None:
            harmonic[m] = found
        if progress is not None:
            progress(m - 1)
    return Moduli(precision, most, single, harmonic)


def _head_json(head: ModularHead) -> dict[str, Any]:
    bounds = [{"what": each.what, "value": each.value, "least": each.least} for each in head.bounds]
    return {"C": head.scale, "baseline": head.baseline, "pairs": head.harmonics, "bounds": bounds}


def _head_text(head: ModularHead) -> str:
    known = "; ".join(map(str, head.bounds))
    return f"C = {number_text(head.scale)}, baseline {number_text(head.baseline)}; {known}"


def _ranges(numbers: Mapping[int, Any]) -> str:
    """2-10, 12."""
    runs: list[list[int]] = []
    for m in numbers:
        if runs and runs[-1][1] == m - 1:
            runs[-1][1] = m
        else:
            runs.append([m, m])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "none"
