"""Tasks in the notes app, one per file."""
