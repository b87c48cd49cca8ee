"""From a formula to weights: every formula of LTL[P,MOD] and LTL[P,Y^k] as an F-transformer that simulates it."""
