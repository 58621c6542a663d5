"""Post-mortem analysis of distributed TensorFlow training: logs, kernel logs and core dumps to a verdict."""

__version__ = "0.1.0"
