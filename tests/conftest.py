"""Settings that every test shares."""

from hypothesis import settings

# The first call of a kernel compiles it, which no deadline per example can allow for.
settings.register_profile("fpcert", deadline=None, print_blob=True)
settings.load_profile("fpcert")
