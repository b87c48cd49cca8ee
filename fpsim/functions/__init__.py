"""Correctly rounded exp, sin and cos, each as a reference and as a compiled twin."""
