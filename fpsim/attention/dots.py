"""Sums of products as compiled kernels take them: value sets as specs, and a type for each way of summing.

The way is a type and no number, so that a kernel is compiled for the one that is asked for: the loops of the others
would take seconds.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from fpsim.rounding.kinds import Spec
from fpsim.sums import Order

__all__ = ["Chain", "Dot", "Fused", "Sum", "Tree", "Wide", "sum_of"]


class Chain(NamedTuple):
    """One term after the other, from the first or from the last: the sets of a product and of the sum."""

    product: Spec
    total: Spec
    backwards: bool


class Wide(NamedTuple):
    """From the first term, in the set `total`, into which each is rounded; the sum is then rounded into `result`."""

    product: Spec
    total: Spec
    result: Spec


class Fused(NamedTuple):
    """As `Chain` or, with `wide`, as `Wide`, but that products after the first are not rounded on their own."""

    total: Spec
    result: Spec
    backwards: bool
    wide: bool


class Tree(NamedTuple):
    """Blocks of `block` terms, then the sums of the blocks; neighbours and then neighbours of those for block 0."""

    product: Spec
    total: Spec
    block: int


Sum: TypeAlias = Chain | Wide | Tree
"""A way to sum terms; its `product` has no part in it."""
Dot: TypeAlias = Sum | Fused
"""A way to sum products."""


def sum_of(order: Order, product: Spec, total: Spec, accumulator: Spec | None) -> Sum:
    """The sum in this order in the set `total`, of products in the set `product`; `accumulator`: of a wide one.

    >>> from fpsim.rounding.specs import spec_of
    >>> sum_of(Order("blocked", block=8), spec_of("fp16"), spec_of("fp16"), None).block
    8
    """
    if accumulator is not None:
        return Wide(product, accumulator, total)
    if order.kind in ("sequential", "reverse"):
        return Chain(product, total, order.kind == "reverse")
    return Tree(product, total, order.block)  # block: 0 for "pairwise", at least 1 for "blocked"
