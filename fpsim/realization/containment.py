"""When one value set is a part of another."""

from __future__ import annotations

from fpsim.valueset import ValueSet

__all__ = ["contains"]


def contains(outer: ValueSet, inner: ValueSet) -> bool:
    """Whether every value of `inner` is one of `outer` (a sufficient condition).

    >>> fp16, fp32 = ValueSet.parse("fp16"), ValueSet.parse("fp32")
    >>> contains(fp32, fp16), contains(fp16, fp32)
    (True, False)
    """
    if outer == inner:
        return True
    return (
        outer.is_binary
        and inner.is_binary
        and not outer.ftz
        and outer.precision >= inner.precision
        and outer.quantum_exponent <= inner.quantum_exponent
        and outer.max >= inner.max
    )
