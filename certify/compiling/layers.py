"""The layers of a compiled model: the heads and units that its plan asks for, time by time."""

from __future__ import annotations

from dataclasses import dataclass, field

from gmpy2 import mpq

from certify.compiling.building import attention_of, network_of
from certify.compiling.gadget import Gadget
from certify.compiling.heads import HeadParts, past_head, sink
from certify.compiling.layout import Layout
from certify.compiling.modular_head import modular_head, undecided_because
from certify.compiling.modular_scores import modular_angle
from certify.compiling.networks import Unit, boolean_unit, erasing_units
from certify.compiling.offset_head import OffsetHead, offset_head
from certify.compiling.plan import Literal, Plan
from certify.compiling.position_unit import PositionUnit
from certify.languages.formula import FALSE, Formula
from fpsim.errors import UnsupportedError
from fpsim.precision import Precision
from fpsim.transformer import Attention, FeedForward, Layer, Norm

__all__ = ["LayerMaker"]


@dataclass
class LayerMaker:
    """Makes one layer after the other, and keeps what makes them exact.

    least: f_large.  positions: the units of MOD that read sinusoidal encodings.  length: the wanted one.  offsets: the
    heads of Y^k that were made.
    """

    plan: Plan
    layout: Layout
    precision: Precision
    least: mpq
    norm: Norm | None
    positions: dict[Formula, PositionUnit]
    length: int | None
    gadgets: list[Gadget] = field(default_factory=list)
    offsets: dict[int, OffsetHead] = field(default_factory=dict)

    def layer(self, n: int) -> Layer:
        """Layer n."""
        attention, network = self._attention(n), self._network(n)
        first = n == 0 and bool(self.layout.positions)  # what the encodings add is no vector for a norm yet
        return Layer(
            attention,
            network,
            None if attention is None or first else self.norm,
            None if network is None else self.norm,
        )

    def _attention(self, n: int) -> Attention | None:
        owners = self.plan.written(2 * n + 1)
        heads: list[HeadParts] = []
        late: dict[int, mpq] = {}  # what the first position writes
        for owner in owners:
            heads.append(self._head(n, owner))
            if owner.operator == "mod" and 1 % owner.data[1] != owner.data[0]:
                place = self.layout.place[owner]
                late |= {place: mpq(-1), place + 1: mpq(1)}
        if late:
            always = Literal(FALSE, negated=True)
            head, bounds = sink(self.plan, self.layout, self.precision.regime, always, self.least, late)
            heads.append(head)
            self.gadgets.append(Gadget("first", "position 1, where MOD is known", n, {"B": self.least}, bounds))
        if not heads:
            return None
        kind = "ideal" if any(owner.operator == "yesterday" for owner in owners) else "table"
        return attention_of(self.precision.values, heads, self.layout.dim, kind)

    def _head(self, n: int, owner: Formula) -> HeadParts:
        if owner.operator == "past":
            head, gadget = past_head(self.plan, self.layout, self.precision.regime, owner, self.least)
            self.gadgets.append(gadget)
            return head
        return self._modular(n, owner) if owner.operator == "mod" else self._offset(n, owner)

    def _modular(self, n: int, owner: Formula) -> HeadParts:
        residue, modulus = owner.data
        found = modular_head(self.precision, residue, modulus, self.least)
        if found is None:
            because = undecided_because(self.precision, residue, modulus, self.least)
            raise UnsupportedError(f"{owner} in {self.precision.values.name}: {because}")
        numbers = {"head": found.kind, "pairs": found.harmonics, "C": found.scale, "baseline": found.baseline}
        self.gadgets.append(Gadget("MOD", self.plan.names[owner], n, numbers, found.bounds))
        bos, place = self.layout.bos, self.layout.place[owner]
        return HeadParts(
            tuple(modular_angle(modulus, h) for h in range(1, found.harmonics + 1)),
            tuple(mpq(x) for x in found.query(self.precision, residue)),
            ({bos: found.scale}, {}) * found.harmonics,
            {bos + 1: found.baseline},
            {bos: mpq(1)},
            {place: mpq(1), place + 1: mpq(-1)},
        )

    def _offset(self, n: int, owner: Formula) -> HeadParts:
        (k,), (part,) = owner.data, self.plan.parts[owner]
        if k not in self.offsets:
            self.offsets[k] = offset_head(self.precision, k, self.length, self.least)
        found = self.offsets[k]
        numbers = {"g": str(found.angle), "C": found.scale, "baseline": found.baseline}
        self.gadgets.append(Gadget("Y", self.plan.names[owner], n, numbers, found.bounds))
        bos, place = self.layout.bos, self.layout.place[owner]
        value = {self.layout.at(part): mpq(1)}
        if self.plan.is_true_at_bos(part):
            value[bos] = value.get(bos, mpq(0)) - 1
        writes = {place: mpq(1), place + 1: mpq(-1)}
        return HeadParts((found.angle,), found.query, ({bos + 1: mpq(1)}, {}), {bos: found.baseline}, value, writes)

    def _network(self, n: int) -> FeedForward | None:
        units: list[Unit] = []
        for owner in self.plan.written(2 * n + 2):
            if owner in self.positions:
                found = self.positions[owner]
                units.append(found.unit(self.layout.place[owner]))
                numbers = {"threshold": found.threshold, "weight": found.weight}
                self.gadgets.append(Gadget("MOD", self.plan.names[owner], n, numbers, found.bounds))
            else:
                unit, gadget = boolean_unit(self.plan, self.layout, self.precision, owner)
                units.append(unit)
                self.gadgets.append(gadget)
        if n == 0 and self.norm is not None:
            units += erasing_units(self.layout.encoded)
        return network_of(self.precision.values, units, self.layout.dim) if units else None
