"""How often the analysis is right: recorded runs, handed in by many collectors and disturbed as real bundles are."""
