"""Kernels compile within the first example that calls them: no example has a deadline."""

from hypothesis import settings

settings.register_profile("kernels", deadline=None)
settings.load_profile("kernels")
