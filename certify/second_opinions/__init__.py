"""Second opinions on certificates: other programs, other arithmetic, and a proof assistant.

`flint` decides claims with the balls of Arb, `smt` asks the solver bitwuzla, `coq` writes files whose theorem is the
claim.  They read a certificate for themselves (`claim`), round for themselves (`values`) and take nothing from fpsim or
from the checker but the names of errors: an opinion that shares its arithmetic with what it confirms would be none.
"""
