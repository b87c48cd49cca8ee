"""Left-deterministic modular monomials of a language of LTL[P,MOD] (Def. A.3 and A.4, Thm 3.3 i).

A monomial modulo d has blocks and markers in turn: block, marker, block, .., block.  A letter at position p of a block
is in the block's set for p modulo d; a marker is one letter at a position of one residue, and that letter is not in the
set of the block before it there.  So a word has at most one factorization, found from left to right.  Besides, the
length of the word modulo d is one of a few residues: sets by position cannot say where a word may end.  (Def. A.3
leaves that to the star over blocks of d letters; over enriched letters, Prop. B.1, no monomial of LTL[P] says it: the
words of even length over one letter need it.)  The monomials of a language are disjoint, and their union is the
language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from certify.languages.dfa import Dfa
from certify.languages.modular_order import ModularOrder
from fpsim.errors import UnsupportedError

__all__ = ["MAX_SIZE", "Monomial", "modular_monomials"]

MAX_SIZE = 200_000


@dataclass(frozen=True)
class Monomial:
    """One monomial.

    modulus: d.  blocks[i][r]: the letters that block i may have at positions with residue r.  markers: (letter,
    residue) of each.  lengths: the residues of the number of letters of the word.
    """

    modulus: int
    blocks: tuple[tuple[frozenset[str], ...], ...]
    markers: tuple[tuple[str, int], ...]
    lengths: frozenset[int]

    def accepts(self, word: Sequence[str]) -> bool:
        """Whether the word has a factorization; positions are counted from 1.

        >>> even = Monomial(2, ((frozenset("a"), frozenset("a")),), (), frozenset({0}))
        >>> even.accepts("aa"), even.accepts("aaa")
        (True, False)
        """
        block = 0
        for position, a in enumerate(word, 1):
            r = position % self.modulus
            if a in self.blocks[block][r]:
                continue
            if block == len(self.markers) or self.markers[block] != (a, r):
                return False
            block += 1
        return block == len(self.markers) and len(word) % self.modulus in self.lengths

    @property
    def is_left_deterministic(self) -> bool:
        """Whether no marker is in the block before it, at its residue (Def. A.4)."""
        return all(a not in self.blocks[i][r] for i, (a, r) in enumerate(self.markers))

    def to_json(self) -> dict[str, Any]:
        """The monomial as an object."""
        return {
            "modulus": self.modulus,
            "blocks": [[sorted(letters) for letters in block] for block in self.blocks],
            "markers": [{"letter": a, "residue": r} for a, r in self.markers],
            "lengths": sorted(self.lengths),
        }


def modular_monomials(dfa: Dfa, order: ModularOrder) -> tuple[Monomial, ...]:
    """The monomials of the language, one for each way through the ranks and the residues of its markers; d is
    `order.k`.

    Raises `UnsupportedError` where they have more than `MAX_SIZE` sets of letters together.
    """
    found: list[Monomial] = []
    size = 0
    states = {(order.rank[q], order.phase[q]): q for q in range(len(dfa))}
    # A way: the rank, its offset (phase before position i = i + offset), and the blocks and markers so far.
    ways: list[tuple[int, int, tuple[tuple[frozenset[str], ...], ...], tuple[tuple[str, int], ...]]]
    ways = [(order.rank[dfa.initial], order.phase[dfa.initial] - 1, (), ())]
    while ways:
        rank, offset, blocks, markers = ways.pop()
        m = order.modulus[rank]
        size += order.k * (len(blocks) + 1)
        if size > MAX_SIZE or len(ways) > MAX_SIZE:
            raise UnsupportedError(f"the monomials have more than {MAX_SIZE} sets of letters")
        at = [states[rank, (r + offset) % m] for r in range(order.k)]
        block = tuple(
            frozenset(a for a, after in zip(dfa.alphabet, dfa.delta[q], strict=True) if order.rank[after] == rank)
            for q in at
        )
        # N + 1 = r + 1 modulo d where N = r
        lengths = frozenset(r for r in range(order.k) if at[(r + 1) % order.k] in dfa.accepting)
        if lengths:
            found.append(Monomial(order.k, (*blocks, block), markers, lengths))
        for r, q in enumerate(at):
            for a, after in zip(dfa.alphabet, dfa.delta[q], strict=True):
                if order.rank[after] != rank:
                    entered = order.phase[after] - 1 - r
                    ways.append((order.rank[after], entered, (*blocks, block), (*markers, (a, r))))
    return tuple(found)
