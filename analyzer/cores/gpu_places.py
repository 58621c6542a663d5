"""Describe places in GPU code in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from analyzer.core_dump import GpuCore, GpuException, GpuFrame
from analyzer.cores.function_names import normalize_function

# The driver's name for a core: seconds since the epoch, host, pid.
GPU_CORE_NAME = re.compile(r"(?:^|/)core_(?P<time>\d{10})_(?P<host>[^/]+)_(?P<pid>\d{1,10})\.nvcudmp(?=\.|$)")
TOOLKIT_HEADERS = re.compile(r"/(?:cuda[^/]*|cccl|cub|thrust|nvidia)/(?:.*/)?(?:include|cub|thrust|libcudacxx)/")


def leading_frame(frames: Sequence[GpuFrame]) -> GpuFrame | None:
    """Return the innermost frame with a line that is not in a header of the CUDA toolkit, else the innermost."""
    with_lines = [frame for frame in frames if frame.file]
    own = (frame for frame in with_lines if not TOOLKIT_HEADERS.search(frame.file or ""))
    return next(own, None) or next(iter(with_lines or frames), None)


def format_gpu_place(frames: Sequence[GpuFrame], kernel: str | None) -> str | None:
    """Return `scatter.cu:8 in accumulate`: the leading frame's line, and its function if that is not the kernel."""
    frame = leading_frame(frames)
    if frame is None:
        return None
    line = f"{(frame.file or '').rpartition('/')[2]}:{frame.line}" if frame.file else ""
    is_kernel = frame.function is None or frame.function == kernel
    return " in ".join(part for part in (line, "" if is_kernel else normalize_function(frame.function or "")) if part)


def describe_exception(exception: GpuException) -> str:
    """Return `Warp Illegal Address in scatter_add at scatter.cu:8`."""
    kernel = normalize_function(exception.kernel) if exception.kernel else "an unknown kernel"
    place = format_gpu_place(exception.frames, exception.kernel)
    return f"{exception.exception} in {kernel}{f' at {place}' if place else ''}"


def describe_running(gpu: GpuCore) -> list[str]:
    """Return a sentence about each place of kernels that did not fail."""
    sentences = []
    for place in gpu.running:
        kernel = normalize_function(place.kernel) if place.kernel else "an unknown kernel"
        line = format_gpu_place(place.frames, place.kernel)
        warps = "1 warp" if place.warps == 1 else f"{place.warps} warps"
        sentences.append(f"the GPU runs {kernel}{f' at {line}' if line else ''} in {warps}")
    return sentences


def make_gpu_signature(exception: GpuException) -> str:
    """Return a name of the failure that is equal on all devices: exception, function of the leading
    frame, and kernel.
    """
    frame = leading_frame(exception.frames)
    names = [normalize_function(name) for name in (frame.function if frame else None, exception.kernel) if name]
    return " | ".join([f"CUDA exception {exception.exception}", *dict.fromkeys(names or ["an unknown kernel"])])


def format_ranges(numbers: Sequence[int]) -> str:
    """Return `0-3,7` for [0, 1, 2, 3, 7]."""
    parts = []
    for _, group in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}")
    return ",".join(parts)
