"""Single tasks, tried again and again: reliability, what changed, and what blind replay would score."""
