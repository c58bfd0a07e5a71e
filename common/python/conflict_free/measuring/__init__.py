"""Times and counters of a GPU, written into result files with their provenance."""
