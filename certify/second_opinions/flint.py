"""A second opinion by Arb: claims of f_large, of certified ranges and of periods, with python-flint.

Every real is a ball that is narrowed until it lies inside one rounding cell; all else is rational arithmetic.
"""

from __future__ import annotations

from certify.second_opinions.balls import Balls
from certify.second_opinions.claim import Flarge, Range, read_claim
from certify.second_opinions.opinion import Opinion, OutOfWorkError, Work, long_integers
from certify.second_opinions.periods import period_opinion
from certify.second_opinions.ranges import range_opinion
from certify.second_opinions.thresholds import flarge_opinion
from fpsim.errors import UnsupportedError

__all__ = ["second_opinion"]

MAX_WORK = 300_000
"""Realized values are kept: this many take some 100 MB and up to some ten seconds."""


def second_opinion(data: bytes, max_work: int = MAX_WORK) -> Opinion:
    """What Arb says of the certificate in these bytes.

    max_work: how many realized values and scores may be computed, never more than `MAX_WORK`; beyond it the verdict is
    "undecided", before any work where the claim itself names the number.  A claim of a kind that is not known here is
    "unsupported".  Raises `InputError` for what is no certificate, and `UnsupportedError` where python-flint is not
    installed.
    """
    with long_integers():
        return _opinion(data, min(max_work, MAX_WORK))


def _opinion(data: bytes, max_work: int) -> Opinion:
    balls = Balls()
    try:
        claim = read_claim(data)
    except UnsupportedError as error:
        return Opinion("unsupported", str(error))
    work = Work(max_work)
    try:
        if isinstance(claim, Flarge):
            return flarge_opinion(claim, balls)
        if isinstance(claim, Range):
            return range_opinion(claim, balls, work)
        return period_opinion(claim, balls, work)
    except OutOfWorkError as error:
        return Opinion("undecided", str(error))
