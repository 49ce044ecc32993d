"""The studio: what there is, what was run, what happened in each episode, and seats to sit in."""
