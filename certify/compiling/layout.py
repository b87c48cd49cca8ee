"""Where the truth values of a compiled model stand: mirrored pairs (x, 1 - x), and constants that keep the mean.

With `norms` every vector that a norm meets has one mean, whatever the truth values are:

* *halves*: pairs only, n of them.  Where F has the integers to n, their sum is n exactly in every order, and the mean
  1/2.  All distances from it are 1/2, so all squares are equal and their rounded sum does not depend on the values.
* *groups*: where a sum of n ones would stagnate (at 2^p).  After every g pairs stands the constant -g, and a 0.  Sums
  of neighbours are then integers from -g to g, exact, so that in every order the sum is 0 and so is the mean.  The
  squares are 0, 1 and g^2; each pair has one 1, so the rounded sum is the same for all truth values where the two meet
  first or zeros change nothing: in one chain, in pairs, in blocks of an even length.

Sinusoidal coordinates are 0 before the first norm; with halves two ones stand for two of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gmpy2 import mpq

from certify.compiling.exact_sums import exact_integers
from certify.compiling.plan import Literal, Plan
from certify.languages.formula import FALSE, Formula
from fpsim.errors import UnsupportedError
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["Layout", "Waves", "layouts", "plain_layout"]

Waves: TypeAlias = Mapping[int, int]
"""How many sinusoidal encodings, of a sine and a cosine each, every modulus has."""


@dataclass(frozen=True)
class Layout:
    """place: the coordinate of each owner; the next one is its mirror.  constants: of coordinates that never change.

    positions: where the sinusoidal encodings of each modulus begin: a sine, its cosine, ..  mean: of every vector
    that a norm meets; None: there are no norms.
    """

    place: Mapping[Formula, int]
    constants: Mapping[int, mpq]
    positions: Mapping[int, int]
    dim: int
    mean: mpq | None

    def at(self, literal: Literal) -> int:
        """The coordinate that is 1 where the literal is true and 0 elsewhere."""
        return self.place[literal.owner] + literal.negated

    @property
    def encoded(self) -> list[int]:
        """The coordinates of sinusoidal encodings, which have no other truth value or constant."""
        taken = {at + n for at in self.place.values() for n in (0, 1)} | set(self.constants)
        return [at for at in range(self.dim) if at not in taken]

    @property
    def bos(self) -> int:
        """The coordinate that is 1 at BOS alone; the next one is 1 everywhere else."""
        return self.place[FALSE]


def plain_layout(plan: Plan, waves: Waves) -> Layout:
    """Pairs alone, for a model without norms."""
    owners = list(plan.time)
    positions, dim = _positions(waves, 2 * len(owners))
    return Layout(_pairs(owners, 0), {}, positions, dim, None)


def layouts(plan: Plan, waves: Waves, values: ValueSet, dot: Order) -> Iterator[Layout]:
    """Layouts in which norms see one mean and one variance, the smallest first.

    dot: the order of sums over coordinates.  Raises `UnsupportedError` where there is none.
    """
    owners = list(plan.time)
    ones = len(owners) + 2 * sum(waves.values())
    sums = values if dot.accumulator is None else dot.accumulator
    halves = (mpq(1, 2), mpq(-1, 2), mpq(1, 4))
    if min(exact_integers(each, ones) for each in (values, sums)) == ones and all(x in values for x in halves):
        plain = plain_layout(plan, waves)
        constants = {plain.dim + n: mpq(1) for n in range(2 * sum(waves.values()))}
        yield replace(plain, constants=constants, dim=plain.dim + len(constants), mean=halves[0])
    size = min(exact_integers(each, len(owners)) for each in (values, sums))
    if not size:
        raise UnsupportedError(f"layer norm in {values.name}: 1 or -1 is no value, so no vector has the mean 0")
    while size:
        yield _groups(owners, waves, size, values, dot)
        size //= 2


def _positions(waves: Waves, start: int) -> tuple[dict[int, int], int]:
    """Where the encodings of each modulus begin, and where they end."""
    found = {}
    for modulus, count in waves.items():
        found[modulus] = start
        start += 2 * count
    return found, start


def _pairs(owners: list[Formula], start: int) -> dict[Formula, int]:
    return {owner: start + 2 * n for n, owner in enumerate(owners)}


def _groups(owners: list[Formula], waves: Waves, size: int, values: ValueSet, dot: Order) -> Layout:
    constants: dict[int, mpq] = {}
    place: dict[Formula, int] = {}
    end = 0
    for start in range(0, len(owners), size):
        group = owners[start : start + size]
        place |= _pairs(group, end)
        end += 2 * len(group) + 2
        constants |= {end - 2: mpq(-len(group)), end - 1: mpq(0)}
    squares = len(owners) + sum(x * x for x in constants.values())
    if dot.kind == "blocked" and dot.block % 2 and exact_integers(values, int(squares)) < squares:
        raise UnsupportedError(
            f"layer norm in {values.name}: in the order {dot} of sums over coordinates the variance depends on the "
            f"truth values, as the sum of the squares, {squares}, is rounded and blocks of {dot.block} part a pair"
        )
    positions, dim = _positions(waves, end)
    return Layout(place, constants, positions, dim, mpq(0))
