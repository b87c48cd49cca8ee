"""The stable softmax attention of Eq. 2 in any value set, fast and by the reference (arXiv:2608.11909)."""
