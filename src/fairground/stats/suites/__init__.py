"""Scores of suites: resampling what is nested, intervals, comparisons, and whether they hold."""
