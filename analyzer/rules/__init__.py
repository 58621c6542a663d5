"""Rule packs: parsing, loading, linting, evaluation, and tools for their authors."""
