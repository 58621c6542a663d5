"""From findings and accusations to a verdict."""
