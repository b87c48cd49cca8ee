"""Every `rope_scaling` of real models as an exact schedule.

default, mrope                       nothing is changed                         `plain`
linear, dynamic, proportional        positions, the base, or a part is scaled   `plain`
yarn                                 a ramp from theta/f to theta               `yarn`
longrope                             a factor for each pair                     `longrope`
llama3                               three bands of wavelengths                 `llama3`

What each parameter means, and its default, is what the models' configurations document; here every number is exact.  A
`partial_rotary_factor` or `rotary_dim` goes with any kind: the schedule then has the rotated pairs only
(`proportional`: all pairs, the unrotated ones with the angle 0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from fpsim.errors import InputError
from fpsim.number import exact_text
from fpsim.scaling.llama3 import llama3
from fpsim.scaling.longrope import longrope
from fpsim.scaling.parameters import Parameters
from fpsim.scaling.plain import default, dynamic, linear, mrope, proportional, rotated_part
from fpsim.scaling.yarn import yarn
from fpsim.schedule import Scaling, Schedule

__all__ = ["KINDS", "Parameters", "apply_scaling", "scaled"]

KINDS: Mapping[str, Callable[[Schedule, Parameters], Schedule]] = MappingProxyType(
    {
        "default": default,
        "mrope": mrope,
        "linear": linear,
        "dynamic": dynamic,
        "yarn": yarn,
        "longrope": longrope,
        "su": longrope,  # its name in the first configurations
        "llama3": llama3,
        "proportional": proportional,
    }
)
_WHOLE_HEAD = ("proportional",)


def scaled(
    schedule: Schedule,
    parameters: Mapping[str, object],
    *,
    length: int | None = None,
    max_length: int | None = None,
) -> Schedule:
    """The conventional schedule of a whole head as the `rope_scaling` with these parameters changes it.

    parameters: `rope_type` (or `type`) and what that kind takes; numbers as `parse_number` reads them, so that the text
    "0.1" is one tenth and a float the binary64 number it is.  length: of the sequence that the table is for, which
    `dynamic` and `longrope` depend on; max_length when it is not given.  max_length: `max_position_embeddings`.

    The result says in `scaling` which parameters were used, and which keys were not.  Raises `InputError`, which names
    the key, and `UnsupportedError`.

    >>> schedule = Schedule.conventional("1e4", 4)
    >>> [str(angle) for angle in scaled(schedule, {"rope_type": "linear", "factor": 8}).angles]
    ['0.125', '0.00125']
    >>> changed = scaled(schedule, {"rope_type": "dynamic", "factor": 2}, length=8192, max_length=4096)
    >>> [str(angle) for angle in changed.angles], str(changed.scaling)
    (['1', '1/300'], 'dynamic (factor 2, max_position_embeddings 4096, length 8192)')
    """
    if not isinstance(parameters, Mapping):
        raise InputError("rope_scaling", parameters, "an object with rope_type and its parameters")
    return apply_scaling(schedule, Parameters(parameters, length=length, max_length=max_length))


def apply_scaling(schedule: Schedule, parameters: Parameters) -> Schedule:
    """`scaled`, with the parameters in their reader."""
    if schedule.scaling is not None or schedule.base is None or schedule.dim is None:
        raise InputError("schedule", str(schedule.scaling or "angles without a base"), "a conventional one, not scaled")
    kind = parameters.kind(KINDS)
    if "rope_theta" in parameters and parameters.number("rope_theta") != schedule.base:
        right = f"the base of the schedule, {exact_text(schedule.base)}"
        raise InputError(parameters.name("rope_theta"), exact_text(parameters.number("rope_theta")), right)
    rotated = schedule if kind in _WHOLE_HEAD else rotated_part(schedule, parameters)
    result = KINDS[kind](rotated, parameters)
    scaling = result.scaling
    if rotated is not schedule:
        part = (("rotary_dim", rotated.dim), ("head_dim", schedule.dim))
        scaling = Scaling("partial", part) if scaling is None else Scaling(scaling.kind, part + scaling.parameters)
    unused = parameters.unused()
    if scaling is not None or unused:
        scaling = replace(scaling or Scaling("default"), unused=unused)
    return replace(result, scaling=scaling)
