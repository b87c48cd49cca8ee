"""Regular languages: which logic describes one, with a proof (Thm 3.3 of arXiv:2608.11909 and its neighbours)."""
