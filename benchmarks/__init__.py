"""Measurements: `make bench` runs `benchmarks/run.py`, which writes its figures to `benchmarks/out`."""
