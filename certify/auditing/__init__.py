"""An audit of a model: what its realized rotations do up to its context length, and what would have to be changed."""
