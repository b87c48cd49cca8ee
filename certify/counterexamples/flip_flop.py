"""A flip-flop in one head without positions: "the last letter that is not c is a".

F = {0, 1, 5, 6, 100} and their negatives, to nearest.  One head with equal scores, the number 1 for a, -1 for b, 0 for
c, 5 for BOS.  From left to right:

* All scores are 0, so that every exponential is round(exp(0)) = 1.  The denominator is round(1 + 1) = 1, for 2 lies
  below the middle 3 of 1 and 5, and so it stays for every length.  Each weight is round(1 / 1) = 1.
* The weighted sum starts at 5.  With a: 5 + 1 = 6, and 6 + 1 = 7 becomes 6, below the middle 53 of 6 and 100.  With b:
  6 - 1 = 5, and 5 - 1 = 4 becomes 5, above the middle 3.  With c it stays.  So the sum is 6 when the last letter other
  than c is a, and 5 when it is b or when there is none.
* The classifier subtracts 5: 1 and 0 are values of F, and 1 is above 0.

The residual stream adds 0 of EOS.  The language is that of the flip-flop, Sigma* a c*, at every length; its minimal
automaton has the two states {5, 6} in one strongly connected component with loops, so that it is in neither LTL[P] nor
LTL[P, MOD].  What a sum forgets depends on the order: from right to left it forgets other letters.
"""

from __future__ import annotations

from certify.counterexamples.counterexample import Counterexample
from certify.counterexamples.uniform import uniform_head
from fpsim.grid_file import grid

__all__ = ["flip_flop"]


def flip_flop() -> Counterexample:
    """The model, and its language.

    >>> from fpsim.transformer.forward import run
    >>> run(flip_flop().model, ["a", "ab", "abac", "c", ""]).accepted.tolist()
    [True, False, True, False, False]
    """
    values = grid([0, 1, 5, 6, 100, -1, -5, -6, -100], name="{0, +-1, +-5, +-6, +-100}")
    model = uniform_head(values, {"a": 1, "b": -1, "c": 0}, bos=5, threshold=5)
    name = "the last letter that is not c is a"
    return Counterexample(name, "LTL[P, MOD]", model, lambda word: word.rstrip("c").endswith("a"))
