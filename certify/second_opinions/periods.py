"""Claims about the periods of realized blocks R_0, R_1, .. ("semantics 1", §7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gmpy2 import mpq

from certify.second_opinions.claim import Period
from certify.second_opinions.machine import Block, Rotation
from certify.second_opinions.opinion import Opinion, OutOfWorkError, Work
from certify.second_opinions.real import Reals
from certify.second_opinions.values import Values, is_finite

__all__ = ["period_opinion"]

_FARTHEST = 1 << 20_000


@dataclass(frozen=True)
class _Found:
    """What is true of the blocks: their least preperiod and period, or neither, or where a NaN comes first."""

    why: str
    preperiod: int | None = None
    eventual: int | None = None
    leaves: int | None = None


def period_opinion(claim: Period, reals: Reals, work: Work) -> Opinion:
    """The opinion on a claim `period`: everything it says is computed anew and compared.  Raises `OutOfWorkError`."""
    rotation = Rotation(claim.angle, claim.values, claim.realize, reals, work)
    if claim.realize in ("ideal", "table"):
        found = _exact(rotation)
    elif claim.realize == "recurrence":
        steps = claim.leaves if claim.preperiod is None or claim.eventual is None else claim.preperiod + claim.eventual
        found = _recurrence(rotation, work, steps)
    else:
        found = _counted(rotation)
    periodic = found.preperiod == 0
    true = (
        "periodic" if periodic else "non-periodic",
        found.eventual if periodic else None,
        found.preperiod,
        found.eventual,
        found.leaves,
    )
    said = (claim.verdict, claim.period, claim.preperiod, claim.eventual, claim.leaves)
    if said == true:
        return Opinion("verified", found.why, max(work.spent, 1))
    names = ("verdict", "period", "preperiod", "eventual", "leaves")
    wrong = [f"{name} is {b}, not {a}" for name, a, b in zip(names, said, true, strict=True) if a != b]
    return Opinion("refuted", f"{'; '.join(wrong)} ({found.why})", max(work.spent, 1))


def _leaves(block: Block) -> bool:
    return any(x != x for x in block)


def _exact(rotation: Rotation) -> _Found:
    """`ideal` and `table`: a finite table, or a dense orbit."""
    turns = rotation.angle.turns
    if turns is not None:
        m = int(turns.denominator)
        if m > rotation.work.left:
            raise OutOfWorkError(f"the table has {m} entries, and {rotation.work.left} units of work are left")
        table = [rotation.block(i) for i in range(m)]
        first = next((i for i, block in enumerate(table) if _leaves(block)), None)
        if first is not None:
            return _Found(f"the block at {first} is NaN", leaves=first)
        period = m
        for q in _prime_divisors(m):
            while period % q == 0 and all(table[i] == table[(i + period // q) % m] for i in range(m)):
                period //= q
        return _Found(f"the table of {m} blocks has the least period {period}", 0, period)
    if rotation.realize == "table":
        raise OutOfWorkError("a table needs a rational multiple of pi")
    # cos and sin of the multiples are dense in [-1, 1]; those of i >= 1 are transcendental, hence inside (-1, 1).
    if not _same_inside(rotation.values):
        if rotation.values.overflow == "nan" and not _all_finite(rotation.values):
            for i in range(rotation.work.left):
                if _leaves(rotation.block(i)):
                    return _Found(f"the block at {i} is NaN", leaves=i)
            raise OutOfWorkError("no block was NaN as far as was looked")
        why = "rounding takes two values on (-1, 1), where the multiples of an irrational turn are dense"
        return _Found(why)
    start, rest = rotation.block(0), rotation.block(1)
    if _leaves(start) or _leaves(rest):
        return _Found("rounding gives NaN", leaves=0 if _leaves(start) else 1)
    return _Found("rounding is constant on (-1, 1), where cos and sin of i >= 1 lie", int(start != rest), 1)


def _same_inside(values: Values) -> bool:
    """Whether all reals strictly between -1 and 1 round to the same."""
    inside = 1 - values.grain
    low, high = values.round(-inside), values.round(inside)
    middle = values.round(mpq(0))
    return low == middle == high


def _all_finite(values: Values) -> bool:
    return is_finite(values.round(mpq(1))) and is_finite(values.round(mpq(-1)))


def _prime_divisors(m: int) -> list[int]:
    found, q = [], 2
    while q * q <= m:
        if m % q == 0:
            found.append(q)
            while m % q == 0:
                m //= q
        q += 1
    return [*found, m] if m > 1 else found


def _recurrence(rotation: Rotation, work: Work, claimed: int | None) -> _Found:
    """States one by one, until one comes again: from there on all do.  claimed: how many the claim speaks of."""
    if claimed is not None and claimed > work.left:
        raise OutOfWorkError(f"the claim speaks of {claimed} states, and {work.left} units of work are left")
    seen: dict[Block, int] = {}
    for i in range(work.left if claimed is None else claimed + 1):
        state = rotation.block(i)
        if _leaves(state):
            return _Found(f"the state at {i} is NaN", leaves=i)
        if state in seen:
            return _Found(f"the states at {seen[state]} and {i} are equal", seen[state], i - seen[state])
        seen[state] = i
    if claimed is not None:
        return _Found(f"none of the first {claimed + 1} states is NaN or comes again")
    raise OutOfWorkError(f"no state came again among the first {len(seen)}")


def _counted(rotation: Rotation) -> _Found:
    """`phase` and `counter`: the position as the machine holds it rises, and is constant from some i on."""
    values = rotation.values
    if values.overflow == "nan" and not _all_finite(values):
        raise OutOfWorkError("cosines may be beyond range: not decided here")
    end = _first(lambda i: not is_finite(rotation.phase(i)))
    if end is not None:
        return _Found(f"the phase at {end} is not finite", leaves=end)
    if rotation.realize == "phase":
        last = rotation.position(_FARTHEST)
        settled = _first(lambda i: rotation.position(i) == last)
    else:
        settled = _first(lambda i: rotation.position(i) == rotation.position(i + 1))
    if settled is None:
        raise OutOfWorkError("the position does not settle as far as was looked")
    # Backwards from there, over what is the same block.
    start, block = settled, rotation.block(settled)
    while start and rotation.block(start - 1) == block:
        start -= 1
    return _Found(f"the blocks are constant from {start} on, and the block before differs", start, 1)


def _first(holds: Callable[[int], bool]) -> int | None:
    """The least i >= 0 at which a condition holds that stays true, by doubling and bisection; None beyond 2^20000."""
    if holds(0):
        return 0
    high = 1
    while not holds(high):
        high *= 2
        if high > _FARTHEST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
