"""The certified range N_max^(k)(g, C, F) of a k-offset head (Eq. 10 of arXiv:2608.11909), and how it is known."""
