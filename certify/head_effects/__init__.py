"""What a realized schedule does to a head: where it breaks, which positions look alike, how far angles are off."""
