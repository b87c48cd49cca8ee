"""Models of the hub by name: what their configurations say of their rotations, with the source of every value."""
