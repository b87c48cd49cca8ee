"""The denominators of a softmax as a finite machine: from left to right, Z' = round(Z + e)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from certify.languages.components import strong_components
from certify.verifying.interned import Interned
from certify.verifying.limits import BeyondLimitError, Limits
from certify.verifying.mealy import Mealy
from fpsim import arithmetic
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Denominators", "sums_from"]


@dataclass(frozen=True, eq=False)
class Denominators:
    """The states of a running sum as far as they matter.

    after[z, n]: the state after the n-th addend.  final[z]: what the sum means if it ends here, a number below `count`.
    ends[z]: the numbers that it can still end with, rising.  start: the state after the first addend.
    """

    start: int
    after: NDArray[np.int32]
    final: NDArray[np.int32]
    ends: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(after: NDArray[np.int32], meaning: NDArray[np.int32], limits: Limits) -> Denominators:
        """The least machine, for sums of which some mean the same; state 0 is the first.

        Raises `BeyondLimitError` where the states together can end in too many ways.
        """
        limits.spend(after.size)
        machine = Mealy(0, 0, after, meaning[:, None]).minimal()
        final = machine.writes[:, 0]
        if len(machine) * len(np.unique(final)) > limits.sums // 4:
            raise BeyondLimitError(f"the weights of one head hang on {len(machine)} states of its denominator")
        component = strong_components(machine.after.tolist())
        reached: dict[int, set[int]] = {}
        for z in sorted(range(len(machine)), key=component.__getitem__):  # those that a state reaches come before it
            here = reached.setdefault(component[z], set())
            here.add(int(final[z]))
            here.update(*(reached[component[other]] for other in machine.after[z] if component[other] != component[z]))
        ends = tuple(tuple(sorted(reached[each])) for each in component)
        return Denominators(machine.start, machine.after, final, ends)


def sums_from(
    values: ValueSet, first: float, addends: NDArray[np.float64], limit: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """(every sum that `first` and these addends can make, the place of each sum plus each addend).

    Raises `BeyondLimitError` for more than `limit` of them.

    >>> from fpsim.valueset_text import value_set
    >>> sums_from(value_set("e5m2"), 1.0, np.array([1.0]), 100)[0].tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """
    seen = Interned()
    seen.number([first])
    rows: list[list[int]] = []
    while len(rows) < len(seen.vectors):
        waiting = np.concatenate(seen.vectors[len(rows) :])
        made = np.asarray(arithmetic.add(values, waiting[:, None], addends[None, :]))
        rows += [[seen.number([total]) for total in row] for row in made]
        if len(seen.vectors) > limit:
            raise BeyondLimitError(f"one denominator takes more than {limit} values")
    return np.concatenate(seen.vectors), np.array(rows, dtype=np.int32).reshape(len(rows), len(addends))
