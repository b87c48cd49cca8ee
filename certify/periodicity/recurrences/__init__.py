"""The periodicity of recurrences: a state machine on F x F, decided by its cycles ("semantics 1", §3 and §7)."""
