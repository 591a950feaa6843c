"""Settings of all tests: no property test fails because the machine is slow."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("samescore", deadline=None)
settings.load_profile("samescore")
