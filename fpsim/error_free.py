"""Error-free transformations of binary64: the exact result of one operation as an unevaluated sum of two numbers.

`two_sum` (Knuth 1969; Moller 1965) and `two_prod` (with a fused multiply-add) return (s, e) with s the rounded result
and s + e the exact one.  They hold for round-to-nearest, barring overflow, and for `two_prod` barring underflow of e
(it is exact when the product is 0 or at least 2^-969 in magnitude).  Every kernel that must know on which side of a
rounding boundary an exact result lies starts from these.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from fpsim.compilation import kernel

__all__ = ["fast_two_sum", "fma", "two_prod", "two_sum"]


@intrinsic  # type: ignore[untyped-decorator]
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """a*b + c rounded once to binary64: the hardware's fused multiply-add (inside compiled code only)."""
    signature = types.float64(types.float64, types.float64, types.float64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        double = ir.DoubleType()
        name = "llvm.fma.f64"
        function = builder.module.globals.get(name)
        if function is None:
            function = ir.Function(builder.module, ir.FunctionType(double, [double] * 3), name)
        return builder.call(function, arguments)

    return signature, generate


@kernel(inline="always")
def two_sum(a: float, b: float) -> tuple[float, float]:
    """(s, e): s = a + b rounded, s + e = a + b exactly."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


@kernel(inline="always")
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """As `two_sum`, for |a| >= |b| or a = 0 (Dekker 1971)."""
    s = a + b
    return s, b - (s - a)


@kernel(inline="always")
def two_prod(a: float, b: float) -> tuple[float, float]:
    """(p, e): p = a*b rounded, p + e = a*b exactly, when |p| >= 2^-969 or p = 0."""
    p = a * b
    return p, fma(a, b, -p)
