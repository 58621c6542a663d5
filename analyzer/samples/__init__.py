"""Resource samples (`record`, text of sysstat, `nvidia-smi dmon`) made into series and what they show."""

from analyzer.samples.reader import is_sample_file, read_samples

__all__ = ["is_sample_file", "read_samples"]
