"""Heads made to order: an angle and a scale that reach a wanted length, and why no head reaches further."""
