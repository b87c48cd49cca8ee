"""Rounding an exact number into a value set: an exact reference and its compiled twins."""
