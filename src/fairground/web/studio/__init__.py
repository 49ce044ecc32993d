"""Studio pages: catalogue, runs, replays and live seats."""
