"""Tasks in the notes app, one file each."""
