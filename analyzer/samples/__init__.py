"""Resource samples (flight files of `record`, text of sysstat, `nvidia-smi dmon`): their series and events."""

from analyzer.samples.reader import is_sample_file, read_samples

__all__ = ["is_sample_file", "read_samples"]
