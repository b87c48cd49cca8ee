"""The realized rotation of one pair in a pipeline: the reference, element by element.

|phase(i)| never falls as i rises, until the phase is NaN, and then it is NaN for ever: every stage from i to the phase
is the rounding, a non-decreasing map that keeps 0, of a product with or a quotient by one number of one sign, and a NaN
comes only from an overflow that gives NaN, or from an infinite position times 0 or over an infinity, which all later
positions meet as well.  So where the positions stay (or leave F), the phase does.  This supposes that the phase of
position 0 is 0.  It is NaN where a number that multiplies is infinite, one that divides is 0, or either is NaN; then
later phases may be NaN, infinite, or the last value of a set that saturates.  Stochastic rounding is no map, and has no
such order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gmpy2 import mpq

from fpsim import reference
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.pipeline.chain import Frequency, inverse_frequency, scale, time_scale
from fpsim.pipeline.stages import Linear, Stages, StageSets
from fpsim.real import Irrational, Real
from fpsim.realization.block import IDENTITY, Block, angle_real, is_finite, turned_by
from fpsim.rounding.reference import Element, round_exact
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    from fpsim.blocks import Floats

__all__ = ["PipelineRotation"]


@dataclass(frozen=True)
class PipelineRotation:
    """The blocks of one pair.  A pair of angle 0 is unrotated: the exact identity.

    angle: exact, after any scaling.  model: the data type of the model.  name: the pipeline's.  frequency: what the
    chain of operations starts from; None: the exact angle is rounded once into `stored`, in place of the chain.
    factor: f of linear scaling where the stack itself divides by it (with a `frequency`), else 1.  attention_factor:
    what cos and sin are multiplied by.  Raises `InputError` where a running product should scale an inverse frequency.

    >>> rotation = PipelineRotation(Angle.parse("0.1"), ValueSet.parse("bf16"), "mine", Stages(position="bf16"))
    >>> rotation.position(257), float(rotation.phase(256)), rotation.values.name
    (mpq(256,1), 25.600000381469727, 'bf16')
    """

    angle: Angle
    model: ValueSet
    name: str
    stages: Stages
    frequency: Frequency | None = None
    factor: mpq = mpq(1)
    attention_factor: Real = mpq(1)
    length: int | None = None

    def __post_init__(self) -> None:
        if self.scaled_in("angle") and self.stages.chain.kind == "running-product":
            raise InputError(
                "linear", "angle", "position, phase or one with -product: a running product has no inverse frequency"
            )

    @cached_property
    def sets(self) -> StageSets:
        """The value set of each stage."""
        return self.stages.at(self.model)

    @property
    def values(self) -> ValueSet:
        """The set of the entries of the blocks: that of the stored table, which need not be the model's."""
        return self.sets.table

    @property
    def divides(self) -> bool:
        """Whether the phase is a quotient by the time scale, and no product with an inverse frequency."""
        return self.stages.chain.kind == "divide"

    @cached_property
    def times(self) -> tuple[Element, ...]:
        """What the position is multiplied by (or, if `divides`, divided by), one after the other, to give the phase."""
        kind, sets, frequency = self.stages.chain.kind, self.sets, self.frequency
        if kind == "running-product" and frequency is not None:
            return (scale(sets, frequency),) * frequency.pair
        if frequency is None:
            angle = angle_real(self.angle)
            exact: Real = _inverse(angle) if kind == "divide" else angle
        elif kind == "divide":
            exact = time_scale(sets, frequency)
            if self.scaled_in("angle"):
                exact = reference.mul(sets.result, exact, self.scaling_number)
        else:
            exact = inverse_frequency(kind, sets, frequency)
            if self.scaled_in("angle"):
                exact = reference.div(sets.result, exact, self.scaling_number)
        return (round_exact(sets.stored, exact),)

    def scaled_in(self, place: Linear) -> bool:
        """Whether the factor of linear scaling enters here (`Stages.linear`)."""
        return self.factor != 1 and self.stages.linear == place

    @cached_property
    def scaling_number(self) -> Element:
        """The factor of linear scaling (for "-product": its inverse) as the machine holds it: rounded once into the set
        in which it enters.
        """
        place, sets = self.stages.linear, self.sets
        values = sets.result if place == "angle" else sets.position if place.startswith("position") else sets.phase
        return round_exact(values, 1 / self.factor if place.endswith("-product") else self.factor)

    @cached_property
    def stored(self) -> Element:
        """The inverse frequency that the stored numbers mean: the number in the buffer, the inverse of a stored time
        scale, or the power of the scale that a running product makes, each exactly; an infinity or NaN where those are.
        """
        if self.divides:
            (period,) = self.times
            if not is_finite(period):
                return mpq(0) if abs(period) == float("inf") else period
            return 1 / mpq(period) if period else float("inf")
        if len(self.times) == 1:
            return self.times[0]
        ratio = scale(self.sets, self.frequency) if self.frequency and self.times else mpq(1)
        return mpq(ratio) ** len(self.times) if is_finite(ratio) else ratio

    def position(self, i: int) -> Element:
        """The position as the machine holds it, scaled where the stack scales positions."""
        values = self.sets.position
        x = round_exact(values, mpq(i))
        if self.scaled_in("position"):
            return reference.div(values, x, self.scaling_number)
        return reference.mul(values, x, self.scaling_number) if self.scaled_in("position-product") else x

    @property
    def settled_by(self) -> int:
        """A position from which on `position`, and so `phase` and `block`, stay the same (or are no finite numbers):
        all reals above twice the last value round alike.
        """
        return 2 * int(self.sets.position.max) + 2

    def phase(self, i: int) -> Element:
        """The phase that is turned by."""
        phase, values = self.position(i), self.sets.phase
        if not self.times:  # no product: the position itself
            phase = round_exact(values, phase)
        for number in self.times:
            if self.divides:
                phase = reference.div(values, self._operand(phase), self._operand(number))
            else:
                phase = reference.mul(values, self._operand(phase), self._operand(number))
        if self.scaled_in("phase"):
            return reference.div(values, phase, self.scaling_number)
        return reference.mul(values, phase, self.scaling_number) if self.scaled_in("phase-product") else phase

    def _operand(self, x: Element) -> Element:
        return x if self.sets.operands is None else round_exact(self.sets.operands, x)

    @cached_property
    def attention(self) -> Element | None:
        """The attention factor, rounded once; None: it is 1 and nothing is multiplied."""
        return None if self.attention_factor == 1 else round_exact(self.sets.attention, self.attention_factor)

    def fast_phases(self, start: int, stop: int) -> Floats:
        """`phase` at start .. stop-1, as binary64 numbers (`fpsim.pipeline.fast`)."""
        from fpsim.pipeline.fast import pipeline_phases

        return pipeline_phases(self, start, stop)

    def fast_blocks(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """`block` at start .. stop-1, as arrays of c and of s (`fpsim.pipeline.fast`)."""
        from fpsim.pipeline.fast import pipeline_blocks

        return pipeline_blocks(self, start, stop)

    def block(self, position: int) -> Block:
        """(c_i, s_i), values of `values`."""
        if not self.angle:
            return IDENTITY
        sets, phase = self.sets, self.phase(position)
        return self._finished(reference.cos(sets.trig, phase)), self._finished(reference.sin(sets.trig, phase))

    def _finished(self, x: Element) -> Element:
        if self.attention is not None:
            x = reference.mul(self.sets.attention, x, self.attention)
        return round_exact(self.sets.table, x)

    def bias_angle(self) -> Angle | None:
        """The angle from one position to the next that the stored numbers mean: `stored`, times or over the
        `scaling_number` of positions or phases, exactly.
        """
        number = self.scaling_number if self.factor != 1 and self.stages.linear != "angle" else mpq(1)
        if not is_finite(self.stored) or not is_finite(number) or number == 0:
            return None
        inverse = mpq(number) if self.stages.linear.endswith("-product") else 1 / mpq(number)
        return Angle(mpq(self.stored) * inverse)

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """(cos kg, sin kg) for that angle g."""
        return turned_by(self.bias_angle(), offset)


def _inverse(x: Real) -> Real:
    """1/x; an infinity for 0."""
    if not isinstance(x, Irrational):
        return 1 / mpq(x) if x else float("inf")

    def enclose(bits: int) -> tuple[mpq, mpq]:
        lo, hi = x.enclose(bits)
        while lo <= 0 <= hi:
            bits *= 2
            lo, hi = x.enclose(bits)
        return 1 / hi, 1 / lo

    return Irrational(enclose)
