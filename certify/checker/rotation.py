"""Realized blocks (c_i, s_i) at a position i ("semantics 1", section 3): ideal, table, phase, counter, recurrence.

`table` is `ideal` for a rational multiple of 2 pi: round(cos(2 pi a r / m)) with r = i mod m is round(cos(theta i)).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache

from .angle import Angle, rational_angle
from .arithmetic import add, mul, round_real, sub
from .counter import counted
from .limits import Account, Malformed, cached
from .valueset import NAN, ZERO, Element, ValueSet, same

__all__ = ["REALIZATIONS", "Block", "Rotation", "beyond_all", "equal", "rounded", "rounded_angle"]

Block = tuple[Element, Element]
ONE = Fraction(1)
REALIZATIONS = ("ideal", "table", "phase", "counter", "recurrence")


def equal(a: Block, b: Block) -> bool:
    """Whether two blocks are one."""
    return same(a[0], b[0]) and same(a[1], b[1])


def beyond_all(values: ValueSet) -> int:
    """A position from which on all are rounded alike: one beyond 2 M."""
    return 1 << (int(values.largest()).bit_length() + 2)


def rounded_angle(values: ValueSet, angle: Angle, account: Account) -> Element:
    """round(theta)."""
    if angle.rational is not None:
        return values.convert(angle.rational)
    return round_real(values, lambda bits: (*angle.enclose(bits), 1 << bits), account)


def rounded(values: ValueSet, angle: Angle, i: int, which: int, account: Account, factor: Fraction = ONE) -> Element:
    """round(factor cos(i angle)), or of the sine for which = 1; factor != 0."""
    known = angle.known(i, which)
    if known is not None:
        return values.convert(factor * known)
    n, d = factor.numerator, factor.denominator

    def enclose(bits: int) -> tuple[int, int, int]:
        found = angle.cos_sin(i, bits)
        middle, error = n * found[which], abs(n) * found[2]
        return middle - error, middle + error, d << bits

    return round_real(values, enclose, account)


class Rotation:
    """The blocks of one angle in one value set F; angle 0 is the identity in each realization."""

    def __init__(self, angle: Angle, values: ValueSet, realize: str, account: Account) -> None:
        if realize == "table" and angle.turn is None:
            raise Malformed("a table needs an angle that is a rational multiple of pi")
        self.angle, self.values, self.realize, self.account = angle, values, realize, account
        self.block = lru_cache(maxsize=2 * cached(values.extent))(self._block)
        self._states: list[Block] = []

    @property
    def bits(self) -> int:
        """About the bits of the longest product that its operations round."""
        return self.values.bits

    def words(self) -> list[str]:
        """What a reader is told besides `realize` and `values`."""
        return []

    @property
    def exact(self) -> bool:
        """Whether entries are roundings of the exact cos and sin."""
        return self.realize in ("ideal", "table")

    def _block(self, i: int) -> Block:
        """(c_i, s_i); infinities and NaN where the machine's are."""
        if not self.angle:
            return ONE, ZERO
        if self.realize == "recurrence":
            return self._state(i)
        self.account.spend(2 if self.exact else 4)
        if self.exact:
            return self.multiple(self.angle, i)
        return self.turned_by(self.phase(i))

    def multiple(self, angle: Angle, i: int) -> Block:
        """(round(cos(i angle)), round(sin(i angle)))."""
        return rounded(self.values, angle, i, 0, self.account), rounded(self.values, angle, i, 1, self.account)

    def entry(self, x: int) -> Element:
        """What a cosine or sine of 1, 0 or -1 becomes in a block that is made of a phase, or of the exact angle."""
        return self.values.round(x)

    @cached_property
    def stored(self) -> Element:
        """round(theta), which `phase` and `counter` store."""
        return rounded_angle(self.values, self.angle, self.account)

    def bias_angle(self) -> Angle | None:
        """The angle that the head's bias is made of; None when it is no number."""
        if not self.angle or self.realize not in ("phase", "counter"):
            return self.angle
        return None if isinstance(self.stored, float) else rational_angle(self.stored)

    def phase(self, i: int | None) -> Element:
        """round(round(theta) x_i), with x_i the machine's position; None is the position that is never left again."""
        return mul(self.values, self.stored, self.position(i))

    def position(self, i: int | None) -> Element:
        """x_i: round(i), or the counter's."""
        if self.realize == "counter":
            return counted(self.values, i, self.account)
        return self.values.round(beyond_all(self.values) if i is None else i)

    def turned_by(self, phase: Element) -> Block:
        """(round(cos phase), round(sin phase)) of an element; of an infinity they are NaN."""
        phase = self.values.operand(phase)
        if isinstance(phase, float):
            return NAN, NAN
        return self.multiple(rational_angle(phase), 1)

    def start(self) -> Block:
        """The state at position 0."""
        return self.values.round(1) if self.angle else ONE, ZERO

    def step(self, state: Block, turn: Block) -> Block:
        """The state after this one."""
        values, (c, s), (a, b) = self.values, state, turn
        return sub(values, mul(values, a, c), mul(values, b, s)), add(values, mul(values, b, c), mul(values, a, s))

    def turn(self) -> Block:
        """The block by which `recurrence` turns at every step."""
        return self.multiple(self.angle, 1)

    def _state(self, i: int) -> Block:
        states = self._states or [self.start()]
        self.account.store(i + 1)
        self.account.foresee(2 * (i + 1 - len(states)), f"the recurrence to position {i}")
        turn = self.turn()
        while len(states) <= i:
            self.account.spend(2)
            states.append(self.step(states[-1], turn))
        self._states = states
        return states[i]
