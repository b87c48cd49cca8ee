"""The tables of the paper about languages, done again: arXiv:2608.11909, Tables 1, 2 and 3."""
