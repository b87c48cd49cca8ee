"""`compile_formula`: weights that simulate a formula, exact in F, with the bounds that make them so."""

from __future__ import annotations

from collections.abc import Iterable

from gmpy2 import mpq

from certify.compiling.building import embedding_of, matrix
from certify.compiling.compiled import Compiled
from certify.compiling.exact_sums import ones_until_nan
from certify.compiling.gadget import Gadget
from certify.compiling.layers import LayerMaker
from certify.compiling.layout import Layout, Waves, plain_layout
from certify.compiling.modular_scores import modular_angle
from certify.compiling.normalization import normalized_layout
from certify.compiling.plan import Encoding, Plan, plan_of
from certify.compiling.position_unit import PositionUnit, position_unit
from certify.compiling.selection import least_distance
from certify.languages.formula import Formula, subformulas
from certify.languages.formula_dfa import letters_of
from certify.languages.formula_text import parse_formula
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_count
from fpsim.precision import Precision
from fpsim.realization import parse_kind
from fpsim.realization.containment import contains
from fpsim.sums import Order
from fpsim.transformer import Linear, Norm, Sinusoidal, Transformer
from fpsim.transformer.parameters import require_values
from fpsim.valueset import ValueSet

__all__ = ["compile_formula"]

MAX_LENGTH, MAX_NODES, MAX_MODULUS, MAX_WAVES = 10**9, 2000, 10_000, 16


def compile_formula(
    formula: Formula | str,
    *,
    dtype: ValueSet | str = "fp16",
    alphabet: str | Iterable[str] | None = None,
    encoding: Encoding = "rope",
    length: int | None = None,
    order: Order | str = "sequential",
    dot: Order | str = "sequential",
    norms: bool = True,
) -> Compiled:
    """A transformer in F that simulates a formula of LTL[P,MOD], or of LTL[P,Y^k], at the positions 1 .. N + 1.

    dtype: the value set F of every stage.  alphabet: the letters; without it, those that occur.  encoding: "rope"
    (Lemma 3.2 of arXiv:2608.11909; Cor. 4.1 for Y^k) or "sipe" (Thm 3.2).  length: how long words may be; None: all of
    them, but with Y^k up to 32, or as far as a head was found.  order: of sums over positions; dot: of sums over
    coordinates.  norms: with a layer norm after every attention and network.

    Every bound is computed with the realized numbers: what the model decides is proved, for words up to
    `certified_length` (None: all lengths).  Raises `UnsupportedError` where F cannot carry the formula, with the part
    and the bound, or where a head for the length was not found; `InputError` for arguments that cannot be taken.

    >>> made = compile_formula("P(a & !P true) & MOD(1,2)", dtype="bf16")
    >>> made.certified_length is None, len(made.model.layers), made.heads
    (True, 2, (2, 1))
    >>> from fpsim.transformer.forward import run
    >>> run(made.model, ["", "a", "aa"]).accepted.tolist()
    [False, False, True]
    """
    chosen = parse_formula(formula) if isinstance(formula, str) else formula
    _check(chosen, encoding, length, norms)
    letters = letters_of(chosen, alphabet)
    precision = Precision.of(dtype, order=order, dot=dot)
    _require_exact_terms(precision)
    least = _least(precision)
    plan = plan_of(chosen, letters, encoding)
    layout, norm, gadgets, positions, waves = _arranged(plan, precision, norms)
    maker = LayerMaker(plan, layout, precision, least, norm, positions, length, gadgets)
    layers = tuple(maker.layer(n) for n in range(plan.layers))
    model = Transformer(
        letters,
        embedding_of(plan, layout, precision.values),
        layers,
        Linear(matrix(precision.values, [{layout.at(plan.literals[chosen]): mpq(1)}], layout.dim)),
        precision,
        position=_sinusoidal(waves, layout),
    )
    require_values(model)
    certified, because = _certified(maker)
    if length is not None and certified is not None and certified < length:
        raise UnsupportedError(
            f"length {length} in {precision}: {because}, so the model is exact up to {certified} only"
        )
    coordinates = {node: layout.at(literal) for node, literal in plan.literals.items()}
    return Compiled(model, chosen, encoding, coordinates, plan.names, tuple(maker.gadgets), certified, because)


def _check(formula: Formula, encoding: str, length: int | None, norms: bool) -> None:
    if not isinstance(formula, Formula):
        raise InputError("formula", formula, "a text such as P(a & !P true), or a Formula")
    if encoding not in ("rope", "sipe"):
        raise InputError("encoding", encoding, "rope or sipe")
    if length is not None:
        parse_count(length, "length", least=1, most=MAX_LENGTH)
    if not isinstance(norms, bool):
        raise InputError("norms", norms, "True or False")
    nodes = subformulas(formula)
    if len(nodes) > MAX_NODES:
        raise UnsupportedError(f"a formula of {len(nodes)} nodes, more than the {MAX_NODES} that are compiled")
    for node in nodes:
        if node.operator == "mod" and node.data[1] > MAX_MODULUS:
            raise UnsupportedError(f"{node}: moduli above {MAX_MODULUS} are not compiled")
        if node.operator == "yesterday" and encoding == "sipe":
            raise UnsupportedError(f"{node}: Y^k takes rotary heads (Cor. 4.1), and so the encoding rope")


def _require_exact_terms(precision: Precision) -> None:
    """The bounds of heads are those of sums over coordinates with one term that is not 0, which is F's own number: a
    wide accumulator keeps it as long as it has all of F."""
    wide = precision.dot.accumulator
    if wide is not None and not contains(wide, precision.values):
        raise UnsupportedError(
            f"sums over coordinates in the order {precision.dot}: {wide.name} does not have every value of "
            f"{precision.values.name}, so a score would be rounded on its way"
        )


def _least(precision: Precision) -> mpq:
    if mpq(1) not in precision.values or mpq(-1) not in precision.values:
        raise UnsupportedError(
            f"{precision.values.name} does not have both 1 and -1, the truth value true and its mirror"
        )
    return least_distance(precision.regime)


def _arranged(
    plan: Plan, precision: Precision, norms: bool
) -> tuple[Layout, Norm | None, list[Gadget], dict[Formula, PositionUnit], Waves]:
    """The layout, the norm, and the units that read sinusoidal encodings: as many for each modulus as they need."""
    modular = [node for node in plan.time if node.operator == "mod"] if plan.encoding == "sipe" else []
    waves = {node.data[1]: 1 for node in sorted(modular, key=lambda node: int(node.data[1]))}
    while True:
        if norms:
            layout, norm, gadget = normalized_layout(plan, waves, precision)
        else:
            layout, norm, gadget = plain_layout(plan, waves), None, None
        found: dict[Formula, PositionUnit] = {}
        for node in modular:
            residue, modulus = node.data
            unit = position_unit(precision, residue, modulus, waves[modulus], layout.positions[modulus], layout.dim)
            if unit is None:
                if waves[modulus] >= min(modulus // 2, MAX_WAVES):
                    raise UnsupportedError(
                        f"{node} in {precision.values.name}: with {waves[modulus]} sinusoidal encodings the sum at "
                        f"residue {residue} is not above those at all others, so no unit tells it from them"
                    )
                waves[modulus] += 1
                break
            found[node] = unit
        else:
            return layout, norm, [gadget] if gadget else [], found, waves


def _sinusoidal(waves: Waves, layout: Layout) -> Sinusoidal | None:
    if not waves:
        return None
    angles = tuple(modular_angle(modulus, h) for modulus, count in waves.items() for h in range(1, count + 1))
    return Sinusoidal(angles, parse_kind("table"), min(layout.positions.values()))


def _certified(maker: LayerMaker) -> tuple[int | None, str | None]:
    """The length up to which the model is exact, and what limits it."""
    limits: list[tuple[int, str]] = []
    for k, head in maker.offsets.items():
        limits.append((head.length, f"N_max^({k}) of the head for Y^{k}, g = {head.angle}, C = {head.scale}"))
    attending = ("P", "MOD", "first") if maker.plan.encoding == "rope" else ("P",)
    if any(gadget.kind in attending for gadget in maker.gadgets):
        ones = ones_until_nan(maker.precision.regime)
        if ones is not None:  # EOS sees N + 1 positions
            limits.append(
                (
                    ones - 1,
                    f"a sum of more than {ones} exponentials can be NaN in the order {maker.precision.regime.order}",
                )
            )
    return min(limits) if limits else (None, None)
