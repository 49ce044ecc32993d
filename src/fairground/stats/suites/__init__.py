"""Suite scores: resampling of nested data, intervals, comparisons, and their calibration."""
