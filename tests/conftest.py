"""What every test shares: how Hypothesis chooses its examples, and that servers compile nothing in the background."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", parent=settings.get_profile("ci"), derandomize=False, max_examples=1_000)
settings.load_profile("ci")

os.environ.setdefault("DASAN_WARM", "0")
