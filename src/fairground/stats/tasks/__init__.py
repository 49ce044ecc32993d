"""Repeated attempts at single tasks: reliability, changes between settings, and the score of a blind replay."""
