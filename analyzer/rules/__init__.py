"""Rule packs: schema, loading, conditions, evaluation, tests."""
