"""What the machine computes: value sets, rounding, elementary functions and rotated attention scores."""
