"""The scalings that change the position, the base, or how many pairs turn.

linear         theta / f: the position divided by f
dynamic        the base grows with the sequence: base * X^(d/(d-2)), X = f L/L0 - (f-1), from L = L0 on (NTK)
partial        only the first pairs turn, and the exponents are those of a head of the rotated dims
proportional   only the first pairs turn, and the exponents are those of the whole head
mrope          a position of its own for each section of the pairs; all are equal in text
"""

from __future__ import annotations

import math
from dataclasses import replace

from gmpy2 import mpq

from fpsim.angle import Angle, product_of_powers
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import exact_text
from fpsim.scaling.parameters import Parameters
from fpsim.schedule import Scaling, Schedule

__all__ = ["default", "dynamic", "linear", "mrope", "proportional", "rotated_part"]


def default(schedule: Schedule, parameters: Parameters) -> Schedule:
    """The schedule as it is."""
    if "mrope_section" in parameters:
        return mrope(schedule, parameters)
    return schedule


def mrope(schedule: Schedule, parameters: Parameters) -> Schedule:
    """The schedule as it is, with its sections: the position axes differ in images and videos only."""
    if "mrope_section" not in parameters:
        raise parameters.missing("mrope_section", "a list of numbers of pairs")
    sections = parameters.numbers("mrope_section", None)
    if any(section.denominator != 1 for section in sections) or sum(sections) != len(schedule.angles):
        raise InputError(
            parameters.name("mrope_section"),
            f"[{', '.join(map(exact_text, sections))}]",
            f"whole numbers with the sum {len(schedule.angles)}, the number of rotated pairs",
        )
    return replace(schedule, scaling=Scaling.of("mrope", mrope_section=tuple(int(section) for section in sections)))


def linear(schedule: Schedule, parameters: Parameters) -> Schedule:
    """theta / factor."""
    factor = parameters.number("factor")
    angles = tuple(angle.times(1 / factor) for angle in schedule.angles)
    return replace(schedule, angles=angles, scaling=Scaling.of("linear", factor=factor))


def dynamic(schedule: Schedule, parameters: Parameters) -> Schedule:
    """base^(-2j/d) * X^(-2j/(d-2)): nothing changes up to max_position_embeddings = L0.

    With `alpha`, X is alpha at every length.
    """
    base, dim, exponents = schedule.base, schedule.dim, schedule.exponents
    assert base is not None
    assert dim is not None
    assert exponents is not None  # a conventional schedule
    if dim == 2:
        raise InputError("dim", dim, "at least 4 for the rope type dynamic, whose exponent has the denominator dim - 2")
    if "alpha" in parameters:
        growth = parameters.number("alpha")
        scaling = Scaling.of("dynamic", alpha=growth)
    else:
        factor, most = parameters.number("factor"), parameters.most()
        length = max(most, parameters.length or most)
        growth = factor * mpq(length, most) - (factor - 1)
        scaling = Scaling.of("dynamic", factor=factor, max_position_embeddings=most, length=length)
    angles = tuple(
        product_of_powers(base, -exponent, growth, -exponent * mpq(dim, dim - 2))
        for exponent in exponents
        if exponent is not None
    )
    return replace(schedule, angles=angles, scaling=scaling)


def proportional(schedule: Schedule, parameters: Parameters) -> Schedule:
    """The first floor(partial_rotary_factor * head_dim / 2) pairs turn, by theta / factor; the others keep still."""
    dim, exponents = schedule.dim, schedule.exponents
    assert dim is not None
    assert exponents is not None  # a conventional schedule
    part, factor = _part(parameters), parameters.number("factor", mpq(1))
    turning = _floor_product(parameters, part, dim) // 2
    still = dim // 2 - turning
    angles = (*(angle.times(1 / factor) for angle in schedule.angles[:turning]), *[Angle(mpq(0))] * still)
    scaling = Scaling.of("proportional", partial_rotary_factor=part, factor=factor, head_dim=dim)
    return replace(schedule, angles=angles, exponents=(*exponents[:turning], *[None] * still), scaling=scaling)


def rotated_part(whole: Schedule, parameters: Parameters) -> Schedule:
    """The conventional schedule of the rotated dims alone: the first `rotary_dim` (or partial_rotary_factor * head_dim,
    rounded down) of them.
    """
    assert whole.dim is not None  # a conventional schedule
    if "rotary_dim" in parameters:
        key, dim = "rotary_dim", parameters.whole("rotary_dim")
        given = str(dim)
    else:
        key, part = "partial_rotary_factor", _part(parameters)
        dim = _floor_product(parameters, part, whole.dim)
        given = exact_text(part)
    if dim < 2 or dim % 2 or dim > whole.dim:
        right = f"what leaves an even number of rotated dims, at most {whole.dim}"
        raise InputError(parameters.name(key), f"{given}, which leaves {dim}", right)
    return whole if dim == whole.dim else Schedule.conventional(whole.base, dim)


def _part(parameters: Parameters) -> mpq:
    part = parameters.number("partial_rotary_factor", mpq(1))
    if part > 1:
        raise InputError(parameters.name("partial_rotary_factor"), exact_text(part), "at most 1")
    return part


def _floor_product(parameters: Parameters, part: mpq, dim: int) -> int:
    """floor(part * dim).  Raises `UnsupportedError` where binary64, in which the stacks compute it, says otherwise."""
    exact = int(part.numerator * dim // part.denominator)
    if exact != math.floor(float(part) * dim):
        raise UnsupportedError(
            f"{parameters.name('partial_rotary_factor')}: {exact_text(part)} of {dim} dims are {exact} dims, but "
            f"{math.floor(float(part) * dim)} when the product is rounded to binary64: give the exact part"
        )
    return exact
