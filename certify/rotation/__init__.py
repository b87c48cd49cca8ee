"""The rotation of the circle by an angle: when it comes back near its start, how near, and how often."""
