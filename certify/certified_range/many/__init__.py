"""The certified range of a head on several rotary pairs: S(i, j) = sum over d of C_d cos(theta_d (i - k - j))."""
