"""Resource samples (`record`, text of sysstat, `nvidia-smi dmon`) made into series and what they show."""

from analyzer.samples.read import read_samples, recognize

__all__ = ["read_samples", "recognize"]
