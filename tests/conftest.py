"""For every test: Hypothesis without a clock, because machines that run tests are busy ones."""

from hypothesis import HealthCheck, settings

settings.register_profile("fairground", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=100)
settings.load_profile("fairground")
