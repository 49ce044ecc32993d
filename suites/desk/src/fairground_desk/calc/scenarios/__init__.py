"""Tasks in Calc, one file each."""
