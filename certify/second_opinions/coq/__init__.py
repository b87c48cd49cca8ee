"""Certificates as theorems of Coq: `export` writes the files.

`Semantics.v` states what a claim says over the real numbers, `Computation.v` proves that integers decide it,
`Enclosures.v` sets up the tactic that encloses cosines; `export` adds the numbers of one claim.
"""
