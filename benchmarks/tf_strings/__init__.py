"""How many of TensorFlow's own failure messages the packs know: `make coverage` writes benchmarks/COVERAGE.md."""
