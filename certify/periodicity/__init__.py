"""Whether a realized schedule repeats, decided for all positions ("semantics 1", §7)."""
