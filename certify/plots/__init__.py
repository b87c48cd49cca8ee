"""Pictures of the certified range, each with the plain data behind it; matplotlib is imported when one is drawn."""
