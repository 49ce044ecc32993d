"""Interventions: what is changed about how an agent is run, named and recorded as the run's condition."""
