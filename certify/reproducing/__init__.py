"""The tables of the paper, arXiv:2608.11909: 1, 2 and 3, about languages, done again; 4 and 5, of trained models, as
data.
"""
