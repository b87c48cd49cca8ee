"""`period`: whether a realized schedule repeats, decided for all positions (Def. 2.1 of arXiv:2608.11909)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from certify.periodicity.collision import MAX_POSITIONS, POSITIONS_BY_STEPS, Collision, first_collision
from certify.periodicity.component import decide
from certify.periodicity.question import ask
from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import Verdict
from fpsim.number import parse_count
from fpsim.realization import Kind, Realization, Recurrence
from fpsim.valueset import ValueSet

__all__ = ["period"]

Progress = Callable[[int, int], None]

_UNITS = 1000  # of progress, for each component


def period(
    *,
    theta: Any = None,
    base: Any = None,
    dim: Any = None,
    config: Any = None,
    array: Any = None,
    dtype: ValueSet | str | None = None,
    realize: Kind | str = "ideal",
    pipeline: Any = None,
    max_steps: int | None = None,
    positions: int | None = None,
    window: int | None = None,
    resonance: bool = False,
    length: int | None = None,
    progress: Progress | None = None,
) -> PeriodResult:
    """Whether a realized schedule is component-periodic, with a proof for each component, about all positions.

    The schedule, in one way: `theta`, an exact angle in radians or several (a text with commas, a list); `base` and
    `dim`, the conventional schedule; `config`, a model: its name (`fpsim.model_names`) or its Hugging Face config.json,
    a file or a mapping (`length` is that of the sequence, for the rope types that depend on it); or `array`, realized
    blocks in a file (.npy, .npz, .csv) or as arrays of NumPy (`fpsim.realization.array_file`), of which nothing is
    known beyond the window.

    dtype: the value set F; default: that of the config or of the array, else fp16.  realize: "ideal", "phase", "table",
    "recurrence", "counter", or a kind.  pipeline: in its place, the name of one of a real stack, or a `Pipeline`.
    resonance: round every wavelength to a whole number (Resonance RoPE).  window: take positions modulo this number
    (P-RoPE).  max_steps: how far the search of a recurrence goes.  positions: how many are searched for the first
    collision.  progress(done, total) is called as the work goes on.

    Ctrl-C ends the work and keeps what is decided.  Raises `InputError` for arguments that cannot be taken, and
    `UnsupportedError` for stochastic rounding, where a position has no one block.

    >>> result = period(theta="2pi*3/7, 2pi*5/12", dtype="fp16")
    >>> result.component_periodic, result.period
    (True, 84)
    >>> period(base=10000, dim=8, dtype="bf16", realize="counter").components[0].verdict.preperiod
    256
    """
    max_steps = None if max_steps is None else parse_count(max_steps, "max_steps")
    positions = None if positions is None else parse_count(positions, "positions", most=MAX_POSITIONS)
    question = ask(
        theta=theta, base=base, dim=dim, config=config, array=array, dtype=dtype, realize=realize, pipeline=pipeline,
        window=window, resonance=resonance, length=length,
    )  # fmt: skip
    components: list[Component] = []
    interrupted = False
    for number, (layer, theta_text, rotation) in enumerate(question.rotations):
        verdict, collision = Verdict("undecided", None, "interrupted"), Collision(None, "interrupted")
        if not interrupted:
            report = _reporter(progress, number, len(question.rotations))
            verdict, collision, interrupted = _decide(rotation, max_steps, positions, report)
        components.append(Component(number, theta_text, layer, verdict, collision, rotation))
    return PeriodResult(
        tuple(components), question.text, question.dtype, question.realize, question.pipeline, question.notes,
        interrupted,
    )  # fmt: skip


def _decide(
    rotation: Realization, max_steps: int | None, positions: int | None, report: Progress
) -> tuple[Verdict, Collision, bool]:
    """(verdict, first collision, whether Ctrl-C ended it)."""
    verdict = Verdict("undecided", None, "interrupted")
    try:
        verdict = decide(rotation, max_steps=max_steps, progress=report)
        if "interrupted" in verdict.because:  # the search of a recurrence keeps what it knows
            return verdict, Collision(None, "interrupted"), True
        if isinstance(rotation, Recurrence) and max_steps is not None:
            positions = min(positions or POSITIONS_BY_STEPS, max_steps)
        collision = first_collision(rotation, verdict, positions)
    except KeyboardInterrupt:
        return verdict, Collision(None, "interrupted"), True
    if isinstance(rotation, Recurrence) and verdict.verdict == "undecided" and collision.pair is not None:
        from certify.periodicity.recurrences.state_cycle import cycle_verdict

        verdict = cycle_verdict(*collision.pair)  # a search in constant memory takes up to three times as many steps
    report(1, 1)
    return verdict, collision, False


def _reporter(progress: Progress | None, number: int, components: int) -> Progress:
    """Progress of all components, from that of the one with this number."""

    def report(done: int, of: int) -> None:
        if progress is not None:
            progress(number * _UNITS + min(done * _UNITS // max(of, 1), _UNITS), components * _UNITS)

    return report
