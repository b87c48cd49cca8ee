"""Classes that are decided by pairs of states: definite languages, locally testable ones, LTL[P,Y] and LTL[P,Y,MOD].

S is the image of Sigma^+ in the transition monoid of the minimal DFA, E its idempotents, p <= q means that q leads to
p. Kept pairs are those of `certify.languages.pair_graph`, of different states p, q.

* definite (membership depends on the last few letters; Perles, Rabin and Shamir 1963): se = e for s in S, e in E.
  Fails exactly when a pair is kept: words x, y lead to p, q from the initial state, and xe, ye to p, q still.
* reverse definite (on the first few letters): es = e.  Fails exactly when a state q on a cycle has qa != q for a letter
  a.
* generalized definite (both): ese = e.  Fails exactly when a pair with q <= p is kept: pes e = q.
* LTL[P,Y]: every eSe is R-trivial.  If eSe has x != y with xs = y, yt = x, some state has rx != ry; these two are kept
  by e and lead to each other by s and t.  Conversely let p, q be kept by w and lead to each other by u, v: in eSe, e =
  w^omega, x = eue and y = eve have p(xy)^omega = p and p(xy)^omega x = q.
* LTL[P,Y,MOD]: the same for the stable semigroup, the image of Sigma^n for some n with the same image as Sigma^2n
  (Dartois and Paperman).  A power of w is in it, and words from p to q with a length divisible by n exist when p and q
  have the same phase: the period d of their component divides n, as images of words of different lengths modulo d
  differ there.
* locally testable (Brzozowski and Simon 1973, McNaughton 1974): every eSe is a semilattice.  Kim, McNaughton and
  McCloskey (1991) test this on pairs: LTL[P,Y] holds, and for every kept pair with q <= p and every word s, ps leads to
  q exactly when qs does.  (Needed: with q = px, where x, y commute in eSe.  Enough: x^2 = x as px and pxx lead to each
  other and are kept by e; and pxy, pyx lead to each other by the condition for p and pxy, with s = yx: they are the
  same.)
"""

from __future__ import annotations

import numpy as np

from certify.languages.components import Components
from certify.languages.dfa import Dfa
from certify.languages.pair_graph import PairGraph

__all__ = [
    "is_definite",
    "is_generalized_definite",
    "is_locally_r_trivial",
    "is_locally_r_trivial_in_step",
    "is_locally_testable",
    "is_reverse_definite",
]


def is_definite(graph: PairGraph) -> bool:
    """se = e: no pair is kept."""
    return len(graph.kept[0]) == 0


def is_reverse_definite(dfa: Dfa, components: Components) -> bool:
    """es = e: every state on a cycle is a sink.  Linear in the DFA."""
    cycles = (q for q in range(len(dfa)) if components.period[components.of[q]])
    return all(all(after == q for after in dfa.delta[q]) for q in cycles)


def is_generalized_definite(graph: PairGraph) -> bool:
    """ese = e: no pair is kept of which one state leads to the other."""
    return not graph.leads(*graph.kept).any()


def is_locally_r_trivial(graph: PairGraph) -> bool:
    """LTL[P,Y]: no pair inside a component is kept."""
    p, q = graph.kept
    return not (graph.component[p] == graph.component[q]).any()


def is_locally_r_trivial_in_step(graph: PairGraph) -> bool:
    """LTL[P,Y,MOD]: no pair inside a component, with equal phases, is kept."""
    p, q = graph.kept
    return not ((graph.component[p] == graph.component[q]) & (graph.phase[p] == graph.phase[q])).any()


def is_locally_testable(graph: PairGraph) -> bool:
    """Every eSe is a semilattice, by the condition on pairs.

    Pairs (ps, qs) are followed from the kept ones as long as both lead to q; then qs and q lead to each other, so that
    "leads to q" and "leads to qs" are the same, and the condition is looked at letter by letter.
    """
    if not is_locally_r_trivial(graph):
        return False
    p, q = graph.kept
    start = graph.leads(p, q)
    front = (p[start] * graph.n + q[start]).astype(np.intp)
    delta = graph.dfa.table
    seen = np.zeros(graph.n * graph.n, dtype=bool)
    seen[front] = True
    while len(front):
        p, q = front // graph.n, front % graph.n
        found = []
        for a in range(len(graph.dfa.alphabet)):
            p_after, q_after = delta[p, a], delta[q, a]
            above, beside = graph.leads(p_after, q), graph.leads(q_after, q)
            if (above != beside).any():
                return False
            found.append((p_after * np.intp(graph.n) + q_after)[above & (p_after != q_after)])
        front = np.unique(np.concatenate(found))
        front = front[~seen[front]]
        seen[front] = True
    return True
