"""Tools for authors of rules: a first pack from a log line, references, explanations, the JSON Schema."""
