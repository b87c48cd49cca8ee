"""A second opinion by the SMT solver bitwuzla: the pairs of a certified range in the floating-point theory of SMT-LIB.

What is asked: is there a query i and a key j among the claim's that fail?  The answer no ("unsat") is the lower side of
the claim; the failing pair of the hints is a second question.  The realized cosines and sines, the bias and f_large are
constants in it: an SMT solver knows no cosine and no exponential, so those are computed here, correctly rounded from
mpmath's intervals, and *the solver confirms nothing about them*.  What it confirms is all rounded arithmetic from there
on, and that no pair was left out.
"""

from __future__ import annotations

from typing import Any

from certify.second_opinions.claim import Range, read_claim
from certify.second_opinions.intervals import Intervals
from certify.second_opinions.machine import Block, Head
from certify.second_opinions.opinion import Opinion, OutOfWorkError, Work, missing
from certify.second_opinions.smt_arithmetic import arithmetic
from certify.second_opinions.thresholds import threshold_of
from certify.second_opinions.values import is_finite
from fpsim.errors import UnsupportedError

__all__ = ["second_opinion"]

TIME_LIMIT = 120.0
MAX_POSITIONS = 1000
MAX_PRECISION = 11  # fp16; fp32 with 700 positions takes more than two minutes


def second_opinion(data: bytes, time_limit: float = TIME_LIMIT) -> Opinion:
    """What bitwuzla says of the certificate in these bytes: claims `nmax` and `nmax-range` with the criterion `gap`,
    the realizations `ideal` and `table`, one value set for all stages.

    time_limit: seconds for each question; then the verdict is "undecided", as it is beyond 1000 positions.  Any other
    claim is "unsupported".  Raises `InputError` for what is no certificate, and `UnsupportedError` where bitwuzla is
    not installed.
    """
    try:
        import bitwuzla
    except ImportError as error:
        raise missing("bitwuzla", "smt") from error
    try:
        claim = read_claim(data)
        if not isinstance(claim, Range):
            raise UnsupportedError("the solver is asked about certified ranges only")
        return _Questions(claim, bitwuzla, time_limit).opinion()
    except UnsupportedError as error:
        return Opinion("unsupported", str(error))
    except OutOfWorkError as error:
        return Opinion("undecided", str(error))


class _Questions:
    """The two questions about a claim."""

    def __init__(self, claim: Range, bitwuzla: Any, time_limit: float) -> None:
        if claim.criterion != "gap":
            raise UnsupportedError("the solver is asked about the criterion gap: it knows no exponential")
        if claim.realize not in ("ideal", "table"):
            raise UnsupportedError(f"the solver is asked about ideal and table, not {claim.realize}")
        if not claim.values == claim.rotate == claim.score == claim.softmax:
            raise UnsupportedError("the solver is asked about one value set for all stages")
        self.claim, self.bitwuzla, self.time_limit = claim, bitwuzla, time_limit
        self.terms = bitwuzla.TermManager()
        self.operations = arithmetic(bitwuzla, self.terms, claim.values)
        self.head = Head(claim, Intervals(), Work(10 * MAX_POSITIONS))
        threshold = threshold_of(Intervals(), claim.softmax)
        self.threshold = None if threshold is None else self.operations.literal(threshold)

    def opinion(self) -> Opinion:
        """The answers, joined."""
        claim, k = self.claim, self.claim.offset
        if self.threshold is None:
            return Opinion("refuted", "the softmax has no f_large, so there is no certified range")
        if claim.upper is not None and claim.upper < k - 1:
            return Opinion("refuted", f"a certified range is at least k - 1 = {k - 1}")
        if max(claim.lower or 0, claim.upper or 0) > MAX_POSITIONS:
            raise OutOfWorkError(f"the solver is asked about up to {MAX_POSITIONS} positions")
        said, count = [], 0
        if claim.lower is not None and claim.lower >= k and claim.values.precision > MAX_PRECISION:
            raise OutOfWorkError(
                f"the solver is asked about all pairs in formats of up to {MAX_PRECISION} bits of significand; with "
                f"{claim.values.precision} it finds no answer in minutes"
            )
        if claim.lower is not None and claim.lower >= k:
            answer = self._some_pair_fails(claim.lower + 1)
            words = f"that a pair of the queries {k + 1} to {claim.lower + 1} fails"
            if answer is None:
                return Opinion("undecided", f"no answer within {self.time_limit:g} s to whether {words[5:]}")
            if answer:
                return Opinion("refuted", f"the solver finds {words}", 1)
            said.append(f"the solver excludes {words}")
            count += 1
        if claim.upper is not None:
            if not self._is_of_the_claim(claim.fails, claim.upper):
                return Opinion("undecided", "the hints name no pair that would show the upper side", count)
            assert claim.fails is not None
            answer = self._fails(*claim.fails)
            if answer is None:
                return Opinion("undecided", f"no answer within {self.time_limit:g} s about {claim.fails}", count)
            if not answer:
                return Opinion("undecided", f"the pair {claim.fails} of the hints does not fail", count)
            said.append(f"the pair {claim.fails} fails")
            count += 1
        if not said:
            return Opinion("undecided", "the claim says nothing that could be asked")
        return Opinion("verified", "; ".join(said) + " (cosines, bias and f_large taken as constants)", count)

    def _is_of_the_claim(self, pair: tuple[int, int] | None, upper: int) -> bool:
        k = self.claim.offset
        return pair is not None and k + 1 <= pair[0] <= upper + 2 and pair[1] < pair[0] and pair[1] != pair[0] - k

    def _some_pair_fails(self, last: int) -> bool | None:
        """Whether there are k+1 <= i <= last and j < i, j != i-k, that fail: one question with i and j unknown."""
        k, term = self.claim.offset, self.operations.term
        numbers = self.terms.mk_bv_sort((last + k).bit_length() + 1)
        i, j = self.terms.mk_const(numbers, "i"), self.terms.mk_const(numbers, "j")

        def number(n: int) -> Any:
            return self.terms.mk_bv_value(numbers, n)

        target = term("BV_SUB", i, number(k))
        keys = [self._key(position) for position in range(last + 1)]

        def key(position: Any) -> tuple[Any, Any]:
            """Both entries of the block at an unknown position, as a chain of cases."""
            found = keys[-1]
            for n in range(last - 1, -1, -1):
                here = term("EQUAL", position, number(n))
                found = tuple(term("ITE", here, a, b) for a, b in zip(keys[n], found, strict=True))
            return found

        query = self._query(key(i))
        fails = self.operations.gap_fails(self._score(query, key(target)), self._score(query, key(j)), self.threshold)
        among = [
            term("BV_ULE", number(k + 1), i),
            term("BV_ULE", i, number(last)),
            term("BV_ULT", j, i),
            term("DISTINCT", j, target),
        ]
        return self._answer(fails, *among)

    def _fails(self, i: int, j: int) -> bool | None:
        query = self._query(self._key(i))
        target, other = self._score(query, self._key(i - self.claim.offset)), self._score(query, self._key(j))
        return self._answer(self.operations.gap_fails(target, other, self.threshold))

    def _key(self, position: int) -> tuple[Any, Any]:
        return self._literals(self.head.key(position))

    def _literals(self, block: Block) -> tuple[Any, Any]:
        if not all(is_finite(x) for x in block):
            raise UnsupportedError("a cosine or a parameter of the bias is not finite")
        return self.operations.literal(block[0]), self.operations.literal(block[1])

    def _query(self, block: tuple[Any, Any]) -> tuple[Any, Any]:
        (c, s), (b0, b1), use = block, self._literals(self.head.bias), self.operations
        return use.minus(use.times(c, b0), use.times(s, b1)), use.plus(use.times(s, b0), use.times(c, b1))

    def _score(self, query: tuple[Any, Any], key: tuple[Any, Any]) -> Any:
        use = self.operations
        first = use.times(query[0], key[0])
        if self.claim.fma:
            return use.fma(query[1], key[1], first)
        return use.plus(first, use.times(query[1], key[1]))

    def _answer(self, *formulas: Any) -> bool | None:
        """Whether the formulas can hold together; None when the time is over."""
        options = self.bitwuzla.Options()
        options.set(self.bitwuzla.Option.TIME_LIMIT_PER, int(1000 * self.time_limit))
        solver = self.bitwuzla.Bitwuzla(self.terms, options)
        solver.assert_formula(*formulas, *self.operations.sides)
        self.operations.sides.clear()
        known = {self.bitwuzla.Result.SAT: True, self.bitwuzla.Result.UNSAT: False}
        return known.get(solver.check_sat())
