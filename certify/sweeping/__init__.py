"""Sweeps: the same question for every point of a grid, answered once each, the answers kept in one file."""
