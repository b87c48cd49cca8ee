"""How fast recurrences are walked, and how long it takes to decide whether one repeats.

    python benchmarks/recurrence_cycles.py [--long]

Run by hand, on an idle machine, on one thread.  The first table has steps per second of the search for cycles, every
state compared, best of several rounds.  The second has the time of whole decisions, compiled code loaded before.
`--long` adds fp32 recurrences that need some 10^9 steps.
"""

from __future__ import annotations

import argparse
import math
import time

from certify.periodicity.recurrences.compiled_machine import CompiledMachine, compiled_machine
from certify.periodicity.recurrences.exponent_window import exponent_window
from certify.periodicity.recurrences.state_cycle import decide_recurrence
from certify.periodicity.recurrences.state_machine import ReferenceMachine, StateMachine
from fpsim.angle import Angle
from fpsim.realization.recurrence import Recurrence
from fpsim.valueset import ValueSet

WALKS = ["fp32", "fp64", "fp16", "bf16", "tf32", "fp32:ftz", "fp32:zero", "e8m12:up", "fixed:32.28", "nf4", "fp128"]
DECISIONS = [
    *[(dtype, "1") for dtype in ("fp16", "bf16", "tf32", "e5m2", "e4m3", "fp16:up", "e15m12", "fixed:24.20", "nf4")],
    ("fp16", "0.001"),
    ("fp16", "0.01"),
    ("e8m12", "0.0123"),
]
LONG = [("fp32", "1/10"), ("fp32", "1"), ("fp32", "0.0123"), ("fp64", "1")]


def steps_per_second(machine: StateMachine, recurrence: Recurrence, rounds: int) -> float:
    """The greatest speed of a search for a state that does not come."""
    start = machine.enter(recurrence.start)
    goal = (math.nan, math.nan)  # which equals no state
    speeds = []
    steps = 20 * machine.chunk if isinstance(machine, CompiledMachine) else machine.chunk
    for _ in range(rounds):
        state, left = start, steps
        begin = time.perf_counter()
        while left > 0:
            walked, state, _ = machine.seek(goal, state, min(left, machine.chunk), False)
            left -= walked
        speeds.append(steps / (time.perf_counter() - begin))
    return max(speeds)


def walks() -> None:
    """The first table."""
    print(f"{'value set':14} {'steps a second':>16}  machine")
    for dtype in WALKS:
        recurrence = Recurrence(Angle.parse("0.0123"), ValueSet.parse(dtype))
        window = exponent_window(recurrence.values, 0)
        machine: StateMachine | None = compiled_machine(recurrence, window) if window else None
        kind = type(window.spec).__name__ if window else "exact rationals"
        speed = steps_per_second(machine or ReferenceMachine(recurrence), recurrence, 3)
        print(f"{dtype:14} {speed:16,.0f}  {kind}")


def decisions(cases: list[tuple[str, str]], rounds: int) -> None:
    """The second table."""
    print(f"\n{'value set':14} {'theta':>8} {'seconds':>10}  verdict")
    for dtype, theta in cases:
        recurrence = Recurrence(Angle.parse(theta), ValueSet.parse(dtype))
        seconds = []
        for _ in range(rounds):
            begin = time.perf_counter()
            found = decide_recurrence(recurrence)
            seconds.append(time.perf_counter() - begin)
        print(f"{dtype:14} {theta:>8} {min(seconds):10.4f}  {found.verdict}: {found.because}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--long", action="store_true", help="fp32 and fp64 recurrences too")
    long = parser.parse_args().long
    walks()
    decisions(DECISIONS, 3)
    if long:
        decisions(LONG, 1)


if __name__ == "__main__":
    main()
