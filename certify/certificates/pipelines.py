"""The form of a pipeline in a certificate: its operations, one after another, with the value set of each.

No name of a stack, a stage or a kind of chain is left: what `fpsim.pipeline.rotation` computes for one pair is written
out as numbers, as steps from the position to the phase, and as steps from cos and sin to the entries of the block
(docs/certificates.md).
"""

from __future__ import annotations

from typing import Any

from gmpy2 import mpq

from certify.certificates.forms import angle_form, number_form, value_set_form
from fpsim.errors import UnsupportedError
from fpsim.pipeline.chain import Frequency
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.real import Irrational
from fpsim.realization.block import is_finite
from fpsim.valueset import ValueSet

__all__ = ["pipeline_form"]

_MAX_SETS, _MAX_STEPS = 16, 5_000


def pipeline_form(rotation: PipelineRotation, values: ValueSet) -> tuple[str | None, dict[str, Any]]:
    """(the angle, the realization) as the fields of a claim about the value set `values`; None for the angle of a pair
    whose numbers begin with a base.

    Raises `UnsupportedError` where a claim cannot say it.

    >>> from fpsim.angle import Angle
    >>> from fpsim.pipeline import Pipeline
    >>> fp16 = ValueSet.parse("fp16")
    >>> angle, form = pipeline_form(Pipeline.named("transformers").rotation(Angle.parse("1"), fp16), fp16)
    >>> angle, {name: form["pipeline"][name] for name in ("numbers", "phase", "table")}
    ('1', {'numbers': [['angle', 1]], 'phase': [['round', 1], ['mul', 1, 0]], 'table': [['round', 1], ['round', 0]]})
    """
    written = _Written(rotation, values)
    return written.angle, {"pipeline": written.form}


class _Written:
    """The lists, as they grow."""

    def __init__(self, rotation: PipelineRotation, values: ValueSet) -> None:
        self.rotation, self.sets = rotation, [value_set_form(values)]
        self.numbers: list[list[Any]] = []
        self.angle = angle_form(rotation.angle) if rotation.frequency is None or not rotation.angle else None
        times = self._times()
        self.phase = self._phase(times)
        self.table = self._table()
        if len(self.sets) > _MAX_SETS + 1 or len(self.phase) > _MAX_STEPS:
            raise UnsupportedError(f"the claim would need {len(self.phase)} operations in {len(self.sets)} value sets")

    @property
    def form(self) -> dict[str, Any]:
        """What stands under `pipeline`."""
        return {"sets": self.sets[1:], "numbers": self.numbers, "phase": self.phase, "table": self.table}

    def _set(self, values: ValueSet) -> int:
        form = value_set_form(values)
        if form not in self.sets:
            self.sets.append(form)
        return self.sets.index(form)

    def _number(self, operation: str, values: ValueSet | None = None, *operands: Any) -> int:
        """The place of a number; one that stands there already is not written again."""
        number = [operation, *([] if values is None else [self._set(values)]), *operands]
        if number not in self.numbers:
            self.numbers.append(number)
        return self.numbers.index(number)

    def _exact(self, x: mpq) -> int:
        return self._number("exact", None, number_form(x))

    def _rounded(self, values: ValueSet, x: mpq) -> int:
        return self._number("round", values, self._exact(x))

    def _times(self) -> list[int]:
        """The places of what the position is multiplied by, or divided by."""
        rotation, of = self.rotation, self.rotation.frequency
        kind, sets = rotation.stages.chain.kind, rotation.sets
        if of is None or not rotation.angle:
            if rotation.divides and rotation.angle and not rotation.angle.enclose(64)[0] > 0:
                raise UnsupportedError(f"the time scale of the angle {rotation.angle}, which is not above 0")
            return [self._number("inverse" if rotation.divides and rotation.angle else "angle", sets.stored)]
        if kind == "running-product":
            return [self._scale(of)] * of.pair
        if kind == "divide":
            made = self._power(of.base, of.exponent)
            if rotation.scaled_in("angle"):
                made = self._number("mul", sets.result, made, self._rounded(sets.result, rotation.factor))
        else:
            made = self._inverse_frequency(of)
            if rotation.scaled_in("angle"):
                made = self._number("div", sets.result, made, self._rounded(sets.result, rotation.factor))
        return [self._number("round", sets.stored, made)]

    def _inverse_frequency(self, of: Frequency) -> int:
        kind, sets = self.rotation.stages.chain.kind, self.rotation.sets
        if kind == "power":
            return self._number("div", sets.result, self._exact(mpq(1)), self._power(of.base, of.exponent))
        if kind == "scale-power":
            return self._number("pow", sets.result, self._scale(of), self._exact(mpq(of.pair)))
        if kind == "exp-log":
            logarithm = self._number("log", sets.exponent, self._rounded(sets.exponent, of.base))
            half = self._exact(1 / of.step if of.pair else mpq(1))
            each = self._number("div", sets.exponent, logarithm, half)
            return self._number("exp", sets.result, self._number("mul", sets.power, self._exact(mpq(-of.pair)), each))
        raise UnsupportedError(f"certificates do not know the chain {kind}")

    def _scale(self, of: Frequency) -> int:
        return self._power(of.base, -of.step)

    def _power(self, base: mpq, exponent: mpq) -> int:
        sets = self.rotation.sets
        return self._number("pow", sets.power, self._rounded(sets.power, base), self._rounded(sets.exponent, exponent))

    def _phase(self, times: list[int]) -> list[list[Any]]:
        rotation, sets = self.rotation, self.rotation.sets
        steps = [["round", self._set(sets.position)], *self._scaling("position", sets.position)]
        if not times:
            steps.append(["round", self._set(sets.phase)])
        operands = [] if sets.operands is None else [self._set(sets.operands)]
        operation = "div" if rotation.divides else "mul"
        steps += [[operation, self._set(sets.phase), n, *operands] for n in times]
        return steps + self._scaling("phase", sets.phase)

    def _scaling(self, place: str, values: ValueSet) -> list[list[Any]]:
        rotation = self.rotation
        if rotation.factor == 1 or rotation.stages.linear not in (place, f"{place}-product"):
            return []
        product = rotation.stages.linear.endswith("-product")
        number = self._rounded(values, 1 / rotation.factor if product else rotation.factor)
        return [["mul" if product else "div", self._set(values), number]]

    def _table(self) -> list[list[Any]]:
        rotation, sets = self.rotation, self.rotation.sets
        steps: list[list[Any]] = [["round", self._set(sets.trig)]]
        if rotation.attention is not None:
            factor, number = rotation.attention_factor, rotation.attention
            if not is_finite(number):
                raise UnsupportedError(f"the attention factor is beyond the range of {sets.attention.name}")
            exact = mpq(number) if isinstance(factor, Irrational) else mpq(factor)  # rounding keeps what it has made
            steps.append(["mul", self._set(sets.attention), self._rounded(sets.attention, exact)])
        return [*steps, ["round", self._set(sets.table)]]
