"""A GPU core in plain lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.core_dump import CoreDump, GpuCore, GpuException, GpuFrame
from analyzer.cores.gpu_places import describe_running, format_ranges


def describe_gpu_core(core: CoreDump, gpu: GpuCore) -> Iterator[str]:
    """Yield the devices and kernels, then each kind of failure with its stack, or where the kernels stand."""
    versions = f", CUDA {gpu.cuda}, driver {gpu.driver}" if gpu.cuda else ""
    process = f", pid {core.pid}" if core.pid else ""
    yield f"{core.file}: GPU core{process}{versions}, kernels running: {len(gpu.grids)}"
    for device in gpu.devices:
        yield f"  device {device.id}: {device.name} ({device.architecture}, PCI {device.pci})"
    for grid in gpu.grids:
        blocks, threads = ("x".join(map(str, size)) for size in (grid.grid_size, grid.block_size))
        kernel = grid.kernel or grid.entry
        yield f"  kernel {kernel}: {blocks} blocks of {threads} threads, of host thread {grid.host_tid}"
    if core.signature:
        yield f"  signature: {core.signature}"
    for problem in core.problems:
        yield f"  note: {problem}"
    alike: dict[tuple[object, ...], list[GpuException]] = {}
    for exception in gpu.exceptions:
        key = (exception.exception, exception.kernel, *((frame.function, frame.line) for frame in exception.frames))
        alike.setdefault(key, []).append(exception)
    for exceptions in alike.values():
        yield ""
        yield from _describe_gpu_exception(exceptions[0], len(exceptions) - 1)
    for sentence, place in zip(describe_running(gpu), gpu.running, strict=True):
        yield ""
        yield sentence
        yield from _describe_gpu_frames(place.frames)


def _describe_gpu_exception(exception: GpuException, more: int) -> Iterator[str]:
    yield f"{exception.exception} in {exception.kernel or 'an unknown kernel'}"
    places = [f"device {exception.device}", f"SM {exception.sm}"]
    places += [f"warp {exception.warp}"] if exception.warp is not None else []
    lanes = exception.lanes or []
    places += [f"lane{'s' if len(lanes) > 1 else ''} {format_ranges(lanes)}"] if lanes else []
    for name, numbers in (("block", exception.block), ("thread", exception.thread)):
        places += [f"{name} ({', '.join(map(str, numbers))})"] if numbers else []
    alike = f"; {more} more {'warps' if more > 1 else 'warp'} alike" if more else ""
    yield f"  {', '.join(places)}{alike}"
    yield from _describe_gpu_frames(exception.frames)


def _describe_gpu_frames(frames: Sequence[GpuFrame]) -> Iterator[str]:
    for number, frame in enumerate(frames):
        line = f" at {frame.file}:{frame.line}" if frame.file else ""
        yield f"  #{number:<3} {frame.function or frame.address}{line}{'  [inlined]' if frame.inlined else ''}"
